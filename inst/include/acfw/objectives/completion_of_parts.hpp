// The objective of completion.hpp where rows of the matrix are in parts, in this process or anywhere. X = U diag(w) V': here are V, w and
// sums; rows of U stay with their entries. Every question to the parts is one round trip. The methods that hold atoms would have to
// hold their left vectors here, so that there is only Algorithm 2, and the corrective method.
//
//   auto parts = std::make_shared<acfw::PartsOf<acfw::EntriesPart>>();
//   parts->add(...);
//   acfw::CompletionOfParts f(parts, {rows, cols, entries, scale, delta, share_of_columns}, radius);
#pragma once

#include <cmath>
#include <limits>
#include <memory>

#include "acfw/core/active_set.hpp"
#include "acfw/core/move.hpp"
#include "acfw/linear/thin_svd.hpp"
#include "acfw/parts/entries_part.hpp"
#include "acfw/parts/normal_operator.hpp"

namespace acfw {

/// What is known of the entries of all parts together.
struct EntryFacts {
  Index rows = 0, cols = 0;
  double size = 0.0;   ///< how many there are
  double scale = 1.0;  ///< one over their weight
  double delta = std::numeric_limits<double>::infinity();
  Vector share{};      ///< of the weight of all, by column
};

/// The matrix (scale G v) v', whose left vector is made where the rows of G are.
struct PairOfParts {
  double scale = 0.0;
  Vector v;
};

class CompletionOfParts {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Starts where the parts are, which hold the left factor of U diag(w) V'; they are placed there.
  CompletionOfParts(std::shared_ptr<Parts> parts, EntryFacts facts, double radius = std::numeric_limits<double>::infinity(),
                    Vector w = Vector(), RowMajor V = RowMajor())
      : parts_(std::move(parts)), facts_(std::move(facts)), radius_(radius), gradient_(*parts_, facts_.cols) {
    base_ = {std::move(w), std::move(V)};
    parts_->set_recipe([this] { return recipe(); });
    place();
  }
  CompletionOfParts(const CompletionOfParts&) = delete;  // the parts know where it is

  const EntryFacts& facts() const { return facts_; }
  Parts& parts() { return *parts_; }
  double radius() const { return radius_; }
  double value() const { return sums_.loss; }
  double point2() const { return sums_.point2; }
  Index pieces() const { return w_.size(); }
  Index rank() const { return w_.size(); }
  const Vector& weights() const { return w_; }
  const RowMajor& right() const { return V_; }
  /// Those that belong to the rows that were saved last.
  const Vector& saved_weights() const { return base_.w; }
  const RowMajor& saved_right() const { return base_.V; }
  double nuclear_bound() const { return w_.cwiseAbs().sum(); }

  const NormalOperator& gradient() { return gradient_; }
  double along_point() const { return sums_.along_point; }

  double prepare(const Move<PairOfParts>& move) {
    const PairOfParts& atom = *move.vertex;
    pair_ = {Verb::pair, {}, {move.on_point, move.on_vertex, atom.scale}};
    pair_.numbers.insert(pair_.numbers.end(), atom.v.data(), atom.v.data() + atom.v.size());
    const Vector found = parts_->ask(pair_);
    prepared_ = true;
    atom_ = atom.v;
    on_point_ = move.on_point;
    on_vertex_ = move.on_vertex;
    curvature_ = found[0];
    const double square = found[1] * atom.v.squaredNorm();
    const double with_point = rank() > 0 ? (w_.array() * found.tail(rank()).array() * (V_.transpose() * atom.v).array()).sum() : 0.0;
    inner_with_point_ = on_point_ * norm2_point_ + on_vertex_ * with_point;
    const double large = on_point_ * on_point_ * norm2_point_ + on_vertex_ * on_vertex_ * square;
    norm2_ = std::max(large + 2.0 * on_point_ * on_vertex_ * with_point, 1e-16 * large);
    return norm2_;
  }

  double divergence(double gamma) {
    if (std::isinf(facts_.delta)) return 0.5 * gamma * gamma * curvature_;
    return parts_->ask({Verb::shift, {}, {gamma}})[0];
  }

  void commit(double gamma) {
    pending_ = {Verb::step, {}, {next_change(), gamma}};
    finish();
    if (rank() > 2 * compressed_ + 32 || history_.size() > 16) compress_point();
  }

  /// X afresh, within the ball; what an interrupt has left undone is done.
  bool rebuild(const ActiveSet<PairOfParts>*) {
    finish();
    end_phase();
    if (thin_ && nuclear_bound() <= radius_) return false;
    if (!thin_) compress_point();
    if (nuclear_bound() <= radius_) return true;
    w_ *= radius_ / nuclear_bound() * (1.0 - 4.0 * std::numeric_limits<double>::epsilon());
    if (!thin_) return false;  // parts were lost on the way
    base_.w = w_;
    place();
    return true;
  }

  /// Moves into a ball of another radius.
  void set_radius(double radius) {
    radius_ = radius;
    if (nuclear_bound() > radius_) rebuild(nullptr);
  }

  /// The factors that a phase has ended with: moves there if f is smaller, or anyway. R is that of the phase's U = Q R, c their scale.
  bool move_to(const Eigen::MatrixXd& R, const RowMajor& right, double c, double zero, bool anyway = false) {
    const ThinQr side = householder_qr(right);
    const ThinSvd core = svd(c * R * side.R.transpose());
    Index rank = 0;
    while (rank < core.rank() && core.d[rank] > zero * core.d[0]) ++rank;
    Place next{core.d.head(rank), side.Q * core.V.leftCols(rank)};
    if (next.w.sum() > radius_) next.w *= radius_ / next.w.sum();  // by rounding only
    const Eigen::MatrixXd M = c * side.R.transpose() * core.V.leftCols(rank) * core.d.head(rank).cwiseInverse().asDiagonal();
    Question question{Verb::candidate, {}, {static_cast<double>(rank)}};
    question.numbers.insert(question.numbers.end(), next.w.data(), next.w.data() + rank);
    question.numbers.insert(question.numbers.end(), M.data(), M.data() + M.size());
    question.numbers.insert(question.numbers.end(), next.V.data(), next.V.data() + next.V.size());
    const double value = parts_->ask(question)[0];
    const bool moves = (anyway || value < this->value()) && parts_->save_rows(true);
    if (!moves) return end_phase(), false;
    // From here on a part that is made anew is made at the new point.
    base_ = next_ = std::move(next);
    history_.clear();
    prepared_ = false;
    pending_ = {Verb::take, {}, {next_change(), 1.0}};
    finish();
    return true;
  }

  /// The parts forget the phase.
  void end_phase() { sums_ = EntrySums(parts_->ask({Verb::take, {}, {next_change(), 0.0}})); }

  /// The questions that bring a part whose rows have been saved to where all others are.
  std::vector<Question> recipe() const {
    std::vector<Question> questions{placing(base_)};
    questions.insert(questions.end(), history_.begin(), history_.end());
    if (prepared_) questions.push_back(pair_);
    return questions;
  }

 private:
  struct Place {
    Vector w;
    RowMajor V;
  };

  static Question placing(const Place& at) {
    Question question{Verb::factors};
    question.numbers.assign(at.w.data(), at.w.data() + at.w.size());
    question.numbers.insert(question.numbers.end(), at.V.data(), at.V.data() + at.V.size());
    return question;
  }

  double next_change() { return change_ += 1.0; }

  void place() {
    const Vector sums = parts_->ask(placing(base_));
    hold(base_);
    settle(sums);
  }

  void hold(const Place& at) {
    w_ = at.w;
    V_ = at.w.size() > 0 ? at.V : RowMajor(facts_.cols, 0);
    compressed_ = rank();
    norm2_point_ = w_.squaredNorm();  // U and V are orthonormal here
    thin_ = true;
  }

  void settle(const Vector& sums) {
    sums_ = EntrySums(sums);
    gradient_.set_size(sums_.gradient2);
  }

  // All parts are where the question that is pending leads; only then is this.
  void finish() {
    if (pending_.numbers.empty()) return;
    const Question question = pending_;
    const Vector sums = parts_->ask(question);
    pending_.numbers.clear();
    if (question.verb == Verb::take) {
      hold(next_);
    } else {
      append(question.numbers[1]);
      history_.push_back(pair_);
      history_.push_back(question);
      prepared_ = false;
    }
    settle(sums);
  }

  void append(double gamma) {
    norm2_point_ += gamma * (gamma * norm2_ - 2.0 * inner_with_point_);
    thin_ = false;
    const Index k = rank();
    w_ *= 1.0 - gamma * on_point_;
    w_.conservativeResize(k + 1);
    V_.conservativeResize(Eigen::NoChange, k + 1);
    w_[k] = -gamma * on_vertex_;
    V_.col(k) = atom_;
  }

  // The point in its shortest form. Parts that are lost meanwhile leave it as it is.
  void compress_point() {
    if (rank() == 0) return;
    try {
      parts_->ask({Verb::begin, {}, std::vector<double>(static_cast<std::size_t>(rank()), 1.0)});
      const Vector R = parts_->ask({Verb::triangle});
      move_to(Eigen::Map<const Eigen::MatrixXd>(R.data(), rank(), rank()), V_ * w_.asDiagonal(), 1.0, 1e-13, true);
    } catch (const PartsLost&) {
      end_phase();
    }
  }

  std::shared_ptr<Parts> parts_;
  EntryFacts facts_;
  double radius_;
  NormalOperator gradient_;
  Vector w_;
  RowMajor V_;
  Place base_, next_;              // where the rows were saved; where the parts are about to move
  std::vector<Question> history_;  // what has moved them since
  double change_ = 0.0;
  bool thin_ = true;
  Index compressed_ = 0;
  EntrySums sums_;
  double norm2_point_ = 0.0;

  Question pair_{Verb::pair}, pending_{Verb::step};
  bool prepared_ = false;
  Vector atom_;
  double on_point_ = 0.0, on_vertex_ = 0.0, curvature_ = 0.0, norm2_ = 0.0, inner_with_point_ = 0.0;
};

}  // namespace acfw

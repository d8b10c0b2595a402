// Some rows of a matrix that is completed: their entries, where X is on them, and their rows of the left factor, which stay here. The
// right factor is the coordinator's and comes with the questions. Answers are sums over the rows: see parts/question.hpp. The entries may
// be away between two questions that need them, with all that is as long as they are: then X on them is found again from the factors.
//
//   acfw::EntriesPart part(entries, {infinity, 1.0 / entries_of_all_parts});
//   part.answer({acfw::Verb::factors});                                           // X = 0: f, <G, X>, ||G||^2, sum of squares of X
#pragma once

#include <limits>

#include "acfw/correctors/lbfgs_side.hpp"
#include "acfw/kernels/factor_pass.hpp"
#include "acfw/linear/entries.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/parts/effects_of_rows.hpp"
#include "acfw/parts/question.hpp"

namespace acfw {

/// What every question that moves the point is answered with.
struct EntrySums {
  double loss = 0.0, along_point = 0.0, gradient2 = 0.0, point2 = 0.0;

  EntrySums() = default;
  explicit EntrySums(const Vector& sums) : loss(sums[0]), along_point(sums[1]), gradient2(sums[2]), point2(sums[3]) {}
};

/// The steps at which `grow` gives slopes: 1, 1/2, 1/4, ...
constexpr Index halved_steps = 10;

class EntriesPart {
 public:
  struct Settings {
    double delta = std::numeric_limits<double>::infinity();
    double scale = 1.0;  ///< one over the weight of all entries of all parts
    int threads = 1;
    EffectsWanted wanted{};
    bool entries_stay = true;  ///< else the right factor is remembered, too
  };

  EntriesPart(Entries entries, Settings settings)
      : entries_(std::move(entries)),
        settings_(settings),
        effects_(entries_.rows, settings_.wanted, settings_.delta),
        z_(Vector::Zero(entries_.size())),
        g_(entries_.size()),
        U_(entries_.rows, 0),
        share_(Vector::Zero(entries_.rows)),
        cut_(row_pieces(entries_, 8)),
        cursor_(static_cast<std::size_t>(entries_.rows)) {
    for_entries([&](Index i, Index e) { share_[i] += weight(e) * settings_.scale; });
  }

  /// The entries are here again, or away.
  void attach(Entries entries) {
    entries_ = std::move(entries);
    cut_ = row_pieces(entries_, 8);
  }
  void detach() {
    const Index rows = entries_.rows, cols = entries_.cols;
    entries_ = Entries();
    entries_.rows = rows;
    entries_.cols = cols;
    z_ = g_ = image_ = next_z_ = Vector();
  }
  /// Does the answer need them?
  static bool needs_entries(Verb verb) {
    return verb != Verb::extent && verb != Verb::begin && verb != Verb::accept && verb != Verb::aim && verb != Verb::triangle;
  }

  Index rows() const { return entries_.rows; }
  const Vector& row_effects() const { return effects_.rows(); }
  const Eigen::MatrixXd& left(bool candidate) const { return candidate ? next_U_ : U_; }
  void set_left(Eigen::MatrixXd U) { U_ = std::move(U); }

  Vector answer(const Question& question) {
    const std::vector<double>& numbers = question.numbers;
    switch (question.verb) {
      case Verb::effects: return effects_.at(entries_, numbers);
      case Verb::follow: return effects_.follow(entries_, numbers[0]);
      case Verb::extent: return effects_.extent();
      case Verb::factors: return factors(numbers);
      case Verb::normal: return normal(numbers);
      case Verb::pair: return pair(numbers);
      case Verb::shift: return shift(numbers[0]);
      case Verb::step: return step(numbers);
      case Verb::grow: return grow(numbers);
      case Verb::begin: return begin(numbers);
      case Verb::descend: return descend(numbers);
      case Verb::accept: return accept(numbers);
      case Verb::aim: return aim(numbers);
      case Verb::triangle: return triangle();
      case Verb::candidate: return candidate(numbers);
      case Verb::take: return take(numbers);
      default: throw std::logic_error("rows of a matrix are asked for what only a regression knows");
    }
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Rows = Eigen::Map<const RowMajor>;
  using Numbers = std::vector<double>;

  static Index padded(Index rank) { return (rank + 15) / 16 * 16; }
  static Eigen::Map<const Vector> some(const Numbers& numbers, Index first, Index count) { return {numbers.data() + first, count}; }
  Rows by_rows(const Numbers& numbers, Index first, Index width) const { return {numbers.data() + first, entries_.cols, width}; }
  double weight(Index e) const { return entries_.weight.size() > 0 ? entries_.weight[e] : 1.0; }

  template <class Visit>
  void for_entries(Visit visit) const {
    visit_entries(entries_, visit);
  }

  // ---- the point ----------------------------------------------------------------------------------------------------

  EntryData data(const Vector& z) const {
    return {z.size(), z.data(), entries_.value.data(), entries_.weight.size() > 0 ? entries_.weight.data() : nullptr, settings_.scale,
            settings_.delta};
  }

  // U diag(w) V' on the entries.
  Vector values_of(const Eigen::MatrixXd& U, const Vector& w, const Eigen::Ref<const RowMajor>& V) const {
    Vector z = Vector::Zero(entries_.size());
    if (w.size() == 0) return z;
    const Index width = padded(w.size());
    RowMajor A = RowMajor::Zero(entries_.rows, width), B = RowMajor::Zero(entries_.cols, width);
    A.leftCols(w.size()) = U * w.asDiagonal();
    B.leftCols(w.size()) = V;
    values_at_entries(entries_, width, A.data(), B.data(), 1.0, z.data(), settings_.threads);
    return z;
  }

  const Vector& settle() {
    g_.resize(z_.size());
    const double loss = loss_and_gradient(data(z_), g_.data());
    return sums_ = Eigen::Vector4d(loss, g_.dot(z_), g_.squaredNorm(), z_.squaredNorm());
  }

  // X, G and the prepared direction on entries that were away.
  void recall() {
    if (z_.size() == entries_.size()) return;
    z_ = values_of(U_, w_, V_);
    settle();
  }
  void recall_direction() {
    recall();
    if (image_.size() != entries_.size()) form_image();
  }

  void hold(Vector w, RowMajor V) {
    if (settings_.entries_stay) return;
    w_ = std::move(w);
    V_ = std::move(V);
  }

  Vector factors(const Numbers& numbers) {
    const Index rank = static_cast<Index>(numbers.size()) / (entries_.cols + 1);
    if (rank < U_.cols()) U_.conservativeResize(Eigen::NoChange, rank);  // zero has none
    if (rank > U_.cols()) throw std::logic_error("rows are placed at a factor that they do not have");
    z_ = values_of(U_, some(numbers, 0, rank), by_rows(numbers, rank, rank));
    hold(some(numbers, 0, rank), by_rows(numbers, rank, rank));
    return settle();
  }

  Vector normal(const Numbers& numbers) {
    recall();
    const double unit = numbers[0];
    const Index width = (static_cast<Index>(numbers.size()) - 1) / entries_.cols;
    const EntryMatrix G(entries_, g_, settings_.threads);
    RowMajor out(entries_.cols, width);
    if (width == 1) out.col(0) = G.apply_transposed(G.apply(some(numbers, 1, entries_.cols) / unit) / unit);
    else out = G.apply_transposed_all(G.apply_all(by_rows(numbers, 1, width) / unit) / unit);
    return Eigen::Map<const Vector>(out.data(), out.size());
  }

  double weighted_square(const Vector& x) const {
    return settings_.scale * (entries_.weight.size() > 0 ? (entries_.weight.array() * x.array().square()).sum() : x.squaredNorm());
  }

  Vector pair(const Numbers& numbers) {
    recall();
    on_point_ = numbers[0];
    on_pair_ = numbers[1];
    v_ = some(numbers, 3, entries_.cols);
    u_ = numbers[2] * EntryMatrix(entries_, g_, settings_.threads).apply(v_);
    form_image();
    Vector out(2 + U_.cols());
    out << weighted_square(image_), u_.squaredNorm(), U_.transpose() * u_;
    return out;
  }

  void form_image() {
    image_ = on_point_ * z_;
    for_entries([&](Index i, Index e) { image_[e] += on_pair_ * u_[i] * v_[entries_.col[static_cast<std::size_t>(e)]]; });
  }

  Vector shift(double gamma) {
    recall_direction();
    return Vector::Constant(1, loss_divergence(data(z_), image_.data(), gamma));
  }

  // Asked again after an interrupt, a part that has moved does not move twice.
  Vector step(const Numbers& numbers) {
    if (numbers[0] == change_) return sums_;
    recall_direction();
    change_ = numbers[0];
    U_.conservativeResize(Eigen::NoChange, U_.cols() + 1);
    U_.rightCols(1) = u_;
    z_ -= numbers[1] * image_;
    append(numbers[1]);
    return settle();
  }

  // To the factors that are remembered: as CompletionOfParts::append().
  void append(double gamma) {
    if (settings_.entries_stay) return;
    const Index k = w_.size();
    w_ *= 1.0 - gamma * on_point_;
    w_.conservativeResize(k + 1);
    V_.conservativeResize(entries_.cols, k + 1);
    w_[k] = -gamma * on_pair_;
    V_.col(k) = v_;
  }

  // ---- a corrective phase: correctors/factored_of_parts.hpp ---------------------------------------------------------

  Vector grow(const Numbers& numbers) {
    recall();
    const Index more = static_cast<Index>(numbers.size()) / (entries_.cols + 2);
    const auto sigma = some(numbers, 0, more), target = some(numbers, more, more);
    const Rows V = by_rows(numbers, 2 * more, more);
    grown_ = EntryMatrix(entries_, g_, settings_.threads).apply_all(V) * sigma.cwiseInverse().asDiagonal();
    const Vector u = z_ - values_of(grown_, target, V);
    Vector out(2 + halved_steps);
    out[0] = g_.dot(u);
    out[1] = weighted_square(u);
    double gamma = 1.0;
    for (Index k = 0; k < halved_steps; ++k, gamma *= 0.5) out[2 + k] = std::isinf(settings_.delta) ? 0.0 : slope_at(u, gamma);
    return out;
  }

  // d/dgamma f(z - gamma u).
  double slope_at(const Vector& u, double gamma) const {
    double sum = 0.0;
    for (Index e = 0; e < z_.size(); ++e) sum += weight(e) * u[e] * huber_derivative(z_[e] - gamma * u[e] - entries_.value[e], settings_.delta);
    return -settings_.scale * sum;
  }

  Vector begin(const Numbers& numbers) {
    rank_ = static_cast<Index>(numbers.size());
    width_ = padded(rank_);
    Vector x = Vector::Zero(entries_.rows * width_);
    Eigen::Map<RowMajor> at(x.data(), entries_.rows, width_);
    at.leftCols(U_.cols()) = U_;
    if (rank_ > U_.cols()) at.middleCols(U_.cols(), rank_ - U_.cols()) = grown_.leftCols(rank_ - U_.cols());
    at.leftCols(rank_) *= some(numbers, 0, rank_).asDiagonal();
    Vector out(1 + rank_);
    out << at.squaredNorm(), (share_.transpose() * at.leftCols(rank_).cwiseAbs2()).transpose();
    side_.start(std::move(x));
    return out;
  }

  Vector descend(const Numbers& numbers) {
    const Vector& U = side_.at(numbers[0]);
    RowMajor V = RowMajor::Zero(entries_.cols, width_);
    V.leftCols(rank_) = by_rows(numbers, 2, rank_);
    GV_.resize(entries_.rows * width_);
    const Index pieces = static_cast<Index>(cut_.size()) - 1;
    std::vector<RowMajor> GtU(static_cast<std::size_t>(pieces), RowMajor(entries_.cols, width_));
    std::vector<Eigen::Vector2d> sums(static_cast<std::size_t>(pieces));
    for_each(pieces, settings_.threads, [&](Index k) {
      const std::size_t p = static_cast<std::size_t>(k);
      FactorPass<double> pass{&entries_,       cut_[p],    cut_[p + 1],     width_,        U.data(), V.data(), numbers[1],
                              settings_.delta, GV_.data(), GtU[p].data(), cursor_.data()};
      run(pass);
      sums[p] << pass.loss, pass.along;
    });
    Vector out = Vector::Zero(3 + entries_.cols * rank_);
    Eigen::Map<RowMajor> on_V(out.data() + 3, entries_.cols, rank_);
    for (std::size_t p = 0; p < sums.size(); ++p) {  // in their order, whoever made them
      out.head(2) += sums[p];
      on_V += GtU[p].leftCols(rank_);
    }
    out[2] = U.squaredNorm();
    return out;
  }

  Vector accept(const Numbers& numbers) {
    Vector g = numbers[0] * GV_ + numbers[1] * side_.trial();
    if (numbers.size() == 2) return side_.accept(std::move(g));
    Vector diagonal(entries_.rows * width_);
    Eigen::Map<RowMajor> P(diagonal.data(), entries_.rows, width_);
    P.setConstant(numbers[2]);
    P.leftCols(rank_) += share_ * some(numbers, 3, rank_).transpose();
    return side_.begin(std::move(g), std::move(diagonal));
  }

  Vector aim(const Numbers& numbers) {
    const auto forget = static_cast<LbfgsSide::Forget>(static_cast<int>(numbers[0]));
    if (numbers.size() == 1) return side_.after(forget);
    const Index pairs = (static_cast<Index>(numbers.size()) - 2) / 2;
    return side_.aim(numbers[1], some(numbers, 2, pairs), some(numbers, 2 + pairs, pairs));
  }

  Rows phase_rows() const { return {side_.x().data(), entries_.rows, width_}; }

  Vector triangle() const {
    const Eigen::MatrixXd R = householder_qr(phase_rows().leftCols(rank_)).R;
    Eigen::MatrixXd square = Eigen::MatrixXd::Zero(rank_, rank_);
    square.topRows(R.rows()) = R;
    return Eigen::Map<const Vector>(square.data(), square.size());
  }

  Vector candidate(const Numbers& numbers) {
    const Index rank = static_cast<Index>(numbers[0]);
    const Eigen::Map<const Eigen::MatrixXd> M(numbers.data() + 1 + rank, rank_, rank);
    next_U_.resize(entries_.rows, rank);
    multiply(Eigen::MatrixXd(phase_rows().leftCols(rank_)), Eigen::MatrixXd(M), next_U_);
    const Vector w = some(numbers, 1, rank);
    const Rows V = by_rows(numbers, 1 + rank + rank_ * rank, rank);
    next_z_ = values_of(next_U_, w, V);
    if (!settings_.entries_stay) next_w_ = w, next_V_ = V;
    has_next_ = true;
    return Vector::Constant(1, loss(data(next_z_)));
  }

  Vector take(const Numbers& numbers) {
    const bool fresh = numbers[0] != change_, moves = fresh && numbers[1] != 0.0 && has_next_;
    change_ = numbers[0];
    if (moves) {
      U_.swap(next_U_);
      z_.swap(next_z_);
      hold(std::move(next_w_), std::move(next_V_));
      if (z_.size() != entries_.size()) z_ = values_of(U_, w_, V_);
    }
    has_next_ = false;
    next_U_.resize(entries_.rows, 0);
    next_z_.resize(0);
    grown_.resize(entries_.rows, 0);
    GV_.resize(0);
    side_.start(Vector());
    return moves ? settle() : sums_;
  }

  Entries entries_;
  Settings settings_;
  EffectsOfRows effects_;
  Vector z_, g_, image_, u_, v_;
  double on_point_ = 0.0, on_pair_ = 0.0;  // of the direction, whose pair is u_ v_'
  Vector sums_ = Vector::Zero(4);          // EntrySums
  Eigen::MatrixXd U_;
  Vector w_;   // the rest of X where entries go away,
  RowMajor V_;
  double change_ = -1.0;  // the number of the last one
  Vector share_;          // of the weight of all entries, by row
  std::vector<Index> cut_;
  std::vector<int> cursor_;
  Index rank_ = 0, width_ = 0;  // of the phase
  Eigen::MatrixXd grown_;
  LbfgsSide side_;
  Vector GV_;
  Eigen::MatrixXd next_U_;
  Vector next_z_, next_w_;
  RowMajor next_V_;
  bool has_next_ = false;
};

}  // namespace acfw

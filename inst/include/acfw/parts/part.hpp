// Some rows of a regression: their design, their loss and their margins, which stay here. A part answers the questions of
// parts/question.hpp. Its design may be away between two questions that need it, as that of a shard which is read anew for every pass.
#pragma once

#include <memory>
#include <stdexcept>

#include "acfw/losses/loss.hpp"
#include "acfw/linear/design.hpp"
#include "acfw/objectives/gradient_roundings.hpp"
#include "acfw/objectives/profiled_hessian.hpp"
#include "acfw/parts/question.hpp"

namespace acfw {

class Part {
 public:
  /// An empty offset is none.
  Part(std::unique_ptr<Loss> loss, Vector offset, int threads = 1)
      : loss_(std::move(loss)), offset_(std::move(offset)), threads_(threads), m_(Vector::Zero(loss_->size())), u_(m_), v_(m_) {
    if (offset_.size() > 0) m_ += offset_;
  }

  void attach(std::shared_ptr<const Design> A) { A_ = std::move(A); }
  void detach() { A_.reset(); }
  bool attached() const { return A_ != nullptr; }

  Vector answer(const Question& question) {
    if (needs_design(question.verb, !question.columns.empty()) && !A_) throw std::logic_error("a part is asked for its design, which is away");
    const std::vector<double>& numbers = question.numbers;
    switch (question.verb) {
      case Verb::place: return place(question);
      case Verb::look: return look(numbers[0], numbers[1] != 0.0);
      case Verb::gradient: return gradient(question.columns);
      case Verb::prepare: return prepare(question);
      case Verb::shift: return shift(numbers);
      case Verb::commit: return commit(numbers);
      case Verb::add: return add(question);
      case Verb::gram: return gram(question);
      case Verb::bounds: return bounds(numbers[0]);
      case Verb::reach: return reach(question);
      case Verb::normal: return normal(numbers);
      case Verb::mark: return mark();
      case Verb::roundings: return gradient_roundings(*A_, *loss_, question.columns, after(numbers, 1), numbers[0], offset_, threads_);
      default: return rounding(numbers[0]);
    }
  }

 private:
  using Numbers = Eigen::Map<const Vector>;

  static Numbers after(const std::vector<double>& numbers, std::size_t first) {
    return {numbers.data() + first, static_cast<Index>(numbers.size() - first)};
  }

  Vector place(const Question& question) {
    m_.setZero(loss_->size());
    if (!question.columns.empty()) A_->add_columns(question.columns, after(question.numbers, 2), m_, threads_);
    if (offset_.size() > 0) m_ += offset_;
    return look(question.numbers[0], question.numbers[1] != 0.0);
  }

  Vector look(double b0, bool value) {
    const ResidualSums at = loss_->look(m_, b0, threads_);
    const double way = marked_.size() > 0 ? (loss_->residual() - marked_).squaredNorm() : 0.0;
    Vector sums(5);
    sums << at.sum, at.size, at.weight, value ? loss_->value(m_, b0, threads_) : 0.0, way;
    return sums;
  }

  Vector mark() {
    marked_ = loss_->residual();
    return Vector::Zero(1);
  }

  Vector gradient(const Columns& columns) const {
    Vector g;
    if (columns.empty()) {
      A_->transpose_times(loss_->residual(), g, threads_);
    } else {
      g.resize(static_cast<Index>(columns.size()));
      A_->dots(columns, loss_->residual(), g.data(), threads_);
    }
    return g;
  }

  Vector prepare(const Question& question) {
    const double on_point = question.numbers[0];
    if (on_point != 0.0) {
      u_ = on_point * m_;
      if (offset_.size() > 0) u_ -= on_point * offset_;
    } else {
      u_.setZero(m_.size());
    }
    if (!question.columns.empty()) A_->add_columns(question.columns, after(question.numbers, 1), u_, threads_);
    return Vector::Constant(1, loss_->curvature_along(u_));
  }

  Vector shift(const std::vector<double>& numbers) const {
    const std::size_t trials = (numbers.size() - 1) / 2;
    Vector sums(3 * static_cast<Index>(trials));
    for (std::size_t k = 0; k < trials; ++k) {
      const ShiftSums moved = loss_->shift(m_, numbers[0], u_, numbers[2 * k + 1], numbers[2 * k + 2], threads_);
      sums.segment(3 * static_cast<Index>(k), 3) << moved.divergence, moved.slope, moved.curvature;
    }
    return sums;
  }

  Vector commit(const std::vector<double>& numbers) {
    m_ -= numbers[0] * u_;
    return look(numbers[1], numbers[2] != 0.0);
  }

  Vector add(const Question& question) {
    if (!question.columns.empty()) A_->add_columns(question.columns, after(question.numbers, 2), m_, threads_);
    return look(question.numbers[0], question.numbers[1] != 0.0);
  }

  Vector gram(const Question& question) {
    const Index k = static_cast<Index>(question.columns.size()), keep = static_cast<Index>(question.numbers[0]);
    const auto at = static_cast<Curvatures>(static_cast<int>(question.numbers[1]));
    const auto slopes = static_cast<Slopes>(static_cast<int>(question.numbers[2]));
    Vector passing;
    if (at == Curvatures::remember) loss_->curvature(v_);
    if (at == Curvatures::passing) loss_->curvature(passing);
    const Vector& v = at == Curvatures::passing ? passing : v_;
    const Index fresh = k - keep;
    Vector out((slopes != Slopes::none ? 2 : 1) * fresh + (k * (k + 1) - keep * (keep + 1)) / 2);
    if (fresh == 0) return out;
    Vector lean(k), square(k);
    A_->weighted_moments(question.columns, keep, v, lean, square, threads_);
    out.head(fresh) = lean.tail(fresh);
    Index next = fresh;
    if (slopes != Slopes::none) {
      const Columns some(question.columns.begin() + keep, question.columns.end());
      A_->dots(some, slopes == Slopes::loss ? loss_->residual() : bent(question.numbers[3]), out.data() + fresh, threads_);
      next += fresh;
    }
    Eigen::MatrixXd H(k, k);
    if (at == Curvatures::passing) hessian_on(*A_, question.columns, *loss_, false, threads_, H);
    else A_->gram(question.columns, v, keep, H, threads_);
    for (Index b = keep; b < k; next += ++b) out.segment(next, b + 1) = H.col(b).head(b + 1);
    return out;
  }

  // The change of the residuals along the direction.
  Vector bent(double centre) const {
    Vector change = u_.array() - centre;
    bending_of(*loss_).apply(change);
    return change;
  }

  Vector normal(const std::vector<double>& numbers) const {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Index p = A_->cols(), width = static_cast<Index>(numbers.size() - 1) / p;
    const Eigen::Map<const RowMajor> X(numbers.data() + 1, p, width);
    Columns all(static_cast<std::size_t>(p));
    for (Index j = 0; j < p; ++j) all[static_cast<std::size_t>(j)] = j;
    RowMajor out(p, width);
    for (Index k = 0; k < width; ++k) {
      Vector image = Vector::Zero(m_.size()), product;
      A_->add_columns(all, Vector(X.col(k) / numbers[0]), image, threads_);
      image.array() *= loss_->weights().array() / numbers[0];
      A_->transpose_times(image, product, threads_);
      out.col(k) = product;
    }
    return Eigen::Map<const Vector>(out.data(), out.size());
  }

  Vector bounds(double gamma) const {
    const Interval found = gamma != 0.0 ? loss_->intercept_bounds(m_ - gamma * u_) : loss_->intercept_bounds(m_);
    return Eigen::Vector2d(-found.from, found.to);
  }

  Vector reach(const Question& question) const {
    Vector change = Vector::Zero(m_.size());
    A_->add_columns(question.columns, after(question.numbers, 0), change, threads_);
    return Vector::Constant(1, change.size() > 0 ? change.lpNorm<Eigen::Infinity>() : 0.0);
  }

  Vector rounding(double terms) const {
    const double size = loss_->residual_rounding(terms);
    return Eigen::Vector2d(size * size, loss_->value_rounding(0.0, terms));
  }

  std::shared_ptr<const Design> A_;
  std::unique_ptr<Loss> loss_;
  Vector offset_;
  int threads_;
  Vector m_, u_, v_;  // margins without the intercept, the image of the prepared direction, curvatures remembered
  Vector marked_;     // the residuals that the way of the residuals is measured from
};

/// Parts of this process, one after another.
template <class AnyPart>
class PartsOf final : public Parts {
 public:
  void add(AnyPart part) { parts_.push_back(std::move(part)); }

  Vector ask(const Question& question) override {
    const Index count = static_cast<Index>(parts_.size());
    std::vector<PartialSum> sums;
    for (Index k = 0; k < count; ++k) sums.push_back({0, k, parts_[static_cast<std::size_t>(k)].answer(question)});
    add_neighbours(sums, count, question.verb);
    return sums[0].value;
  }

 private:
  std::vector<AnyPart> parts_;
};
using PartsHere = PartsOf<Part>;

}  // namespace acfw

#include <acfw.hpp>
#include <acfw/kernels/exponential.hpp>
#include <acfw/linear/blocks.hpp>
#include <acfw/losses/multinomial.hpp>
#include <acfw/objectives/glm.hpp>
#include <acfw/objectives/profiled_hessian.hpp>
#include "check.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

using namespace acfw;

namespace {

// K copies of A with a column of ones each, written out.
Eigen::MatrixXd written_out(const Eigen::MatrixXd& A, Index classes) {
  const Index n = A.rows(), p = A.cols() + 1;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n * classes, p * classes);
  for (Index k = 0; k < classes; ++k) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < p; ++j) all(i * classes + k, k * p + j) = j < A.cols() ? A(i, j) : 1.0;
    }
  }
  return all;
}

Multinomial three_classes(Index n, Index first = 1, Index second = 1) {
  Vector y = Vector::Zero(3 * n), w = Vector::Constant(3 * n, 1.0 / static_cast<double>(n));
  const Index round = first + second + 1;
  for (Index i = 0; i < n; ++i) y[3 * i + (i % round < first ? 0 : i % round < first + second ? 1 : 2)] = 1.0;
  return Multinomial(y, w, 3);
}

// How often somebody looks at all margins.
class Counted final : public Loss {
 public:
  Counted(Index n, Index first, int& looks) : Loss(Vector::Zero(3 * n), Vector::Constant(3 * n, 1.0 / static_cast<double>(n))), inner_(three_classes(n, first, 3)), looks_(looks) {
    set_together(3);
  }
  bool probabilities() const override { return true; }
  bool coupled() const override { return true; }
  void curvature(Vector& v) const override { inner_.curvature(v); }
  double curvature_along(const Vector& u) const override { return inner_.curvature_along(u); }
  void coupling(Vector& v, Vector& c) const override { inner_.coupling(v, c); }
  void coupling_of_levels(Eigen::MatrixXd& H) const override { inner_.coupling_of_levels(H); }
  void look_on(const Rows&, const Vector& m, double b0) override { look(m, b0); }
  double divergence_on(const Rows& rows, const Vector& m, double b0, const Vector& u, double gamma) const override {
    return inner_.divergence_on(rows, m, b0, u, gamma);
  }
  Interval intercept_bounds(const Vector& m) const override { return inner_.intercept_bounds(m); }
  bool newton_converges(double slope, double curvature) const override { return inner_.newton_converges(slope, curvature); }

 protected:
  double value_of(Index from, Index, const double* m, double b0) const override { return from > 0 ? 0.0 : inner_.value(all(m), b0); }
  ResidualSums look_at(Index from, Index, const double* m, double b0) override {
    if (from > 0) return {};
    ++looks_;
    const ResidualSums found = inner_.look(all(m), b0);
    r_ = inner_.residual();
    return found;
  }
  ShiftSums shift_of(Index from, Index, const double* m, double b0, const double* u, double gamma, double delta) const override {
    return from > 0 ? ShiftSums{} : inner_.shift(all(m), b0, all(u), gamma, delta);
  }

 private:
  Vector all(const double* m) const { return Eigen::Map<const Vector>(m, size()); }

  Multinomial inner_;
  int& looks_;
};

}  // namespace

TEST_CASE("products of blocks are those of the matrix written out, scaled or not, by any number of threads", "[classes]") {
  constexpr Index n = 70, p = 40, classes = 3;
  const Eigen::MatrixXd A = normal_matrix(n, p, 1), all = written_out(A, classes);
  for (bool scaled : {false, true}) {
    BlockDesign<DenseStorage> blocks({A.data(), n, n}, n, p, classes);
    const Vector scale = scaled ? Vector(normal_matrix(all.cols(), 1, 2).cwiseAbs()) : Vector(Vector::Ones(all.cols()));
    if (scaled) blocks.set_scale(scale);
    const Eigen::MatrixXd X = all * scale.asDiagonal();
    const Columns some{3, 122, 40, 81, 41, 0, 100};
    const Vector r = normal_matrix(n * classes, 1, 3), c = normal_matrix(7, 1, 4), wanted = X.transpose() * r;
    Vector dots(7), whole, z = r;
    for (int threads : {1, 2}) {
      blocks.dots(some, r, dots.data(), threads);
      blocks.transpose_times(r, whole, threads);
      for (std::size_t k = 0; k < some.size(); ++k) CHECK(dots[static_cast<Index>(k)] == close_to(wanted[some[k]]).or_by(1e-12));
      CHECK((whole - wanted).norm() < 1e-12 * wanted.norm());
      z = r;
      blocks.add_columns(some, c, z, threads);
      Vector sum = r;
      for (std::size_t k = 0; k < some.size(); ++k) sum += c[static_cast<Index>(k)] * X.col(some[k]);
      CHECK((z - sum).norm() < 1e-13 * sum.norm());
    }
    Vector entries(n);
    CHECK(blocks.entries_by_margin(43, entries.data()) == 1);
    CHECK((entries - scale[43] * A.col(2)).norm() == 0.0);
    CHECK(blocks.entries_by_margin(122, entries.data()) == 2);
    CHECK((entries.array() == scale[122]).all());
  }
}

TEST_CASE("a look at the margins of classes finds the loss on its way", "[classes]") {
  constexpr Index n = 3000;  // several blocks
  Multinomial loss = three_classes(n);
  for (double size : {0.1, 5.0, 300.0, 5000.0}) {  // the last far beyond what an exponential function holds
    const Vector m = size * normal_matrix(3 * n, 1, 5);
    const ResidualSums at = loss.look(m, 0.0);
    CHECK(at.loss == close_to(loss.value(m, 0.0)));
    CHECK(loss.look(m, 0.0, 2).loss == at.loss);
    CHECK(std::abs(at.sum) < 1e-12);
  }
  Vector m = normal_matrix(3 * n, 1, 6);
  m[7] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(std::isfinite(loss.look(m, 0.0).sum));
}

TEST_CASE("exponentials of many numbers are those of the library, at any width", "[classes]") {
  const Isa widest = isa();
  for (Isa narrow : {Isa::plain, widest}) {
    isa() = narrow;
    for (Index n : {1, 2, 3, 4, 5, 7, 64, 1001}) {
      Vector x = -normal_matrix(n, 1, 7).cwiseAbs() * 40.0;
      x[0] = 0.0;
      Vector e = x;
      take_exponentials(e.data(), n);
      CHECK(e[0] == 1.0);
      for (Index i = 0; i < n; ++i) CHECK(e[i] == close_to(std::exp(x[i]), 1e-15));
    }
    Vector far(2);
    far << -1e300, std::numeric_limits<double>::quiet_NaN();
    take_exponentials(far.data(), 2);
    CHECK((far[0] >= 0.0 && far[0] < 1e-300));
    CHECK(std::isnan(far[1]));
  }
  isa() = widest;
}

TEST_CASE("one constant for each margin has the Hessian of columns by margin", "[classes]") {
  constexpr Index n = 50;
  Multinomial loss = three_classes(n);
  loss.look(normal_matrix(3 * n, 1, 8), 0.0);
  Vector v, c;
  loss.coupling(v, c);
  const Vector levels = normal_matrix(3, 1, 9);
  const detail::ColumnsByMargin columns{levels.transpose().replicate(n, 1), {0, 1, 2}};
  Eigen::MatrixXd of_levels, of_base, general;
  loss.coupling_of_levels(of_levels);
  loss.Loss::coupling_of_levels(of_base);
  const Vector found = detail::levels_of_margins(columns, 3);
  REQUIRE(found.size() == 3);
  detail::hessian_by_margin(columns, v, c, 3, 1, general);
  CHECK((found.asDiagonal() * of_levels * found.asDiagonal() - general).norm() < 1e-13 * general.norm());
  CHECK((of_levels - of_base).norm() < 1e-14 * of_base.norm());
  CHECK(detail::levels_of_margins({columns.entries, {0, 2, 1}}, 3).size() == 0);
  CHECK(detail::levels_of_margins({columns.entries.leftCols(2), {0, 1}}, 3).size() == 0);
  CHECK(detail::levels_of_margins({normal_matrix(n, 3, 9), {0, 1, 2}}, 3).size() == 0);
}

TEST_CASE("intercepts of classes settle in a few steps, of many observations, though a constant they share has no curvature", "[classes]") {
  for (Index first = 1; first < 12; ++first) {
    for (Index n : {100, 300, 1000, 5000, 40000}) {
      const Eigen::MatrixXd A = normal_matrix(n, 2, 10);
      int looks = 0;
      GlmSettings settings;
      settings.intercept = false;
      settings.free = {2, 5, 8};
      Glm f(std::make_shared<BlockDesign<DenseStorage>>(DenseStorage{A.data(), n, n}, n, 2, 3), std::make_unique<Counted>(n, first, looks), settings);
      CHECK(looks <= 10);
      for (Index k : settings.free) CHECK(std::abs(f.gradient()[k]) < 1e-14);
    }
  }
}

#include <acfw.hpp>
#include <acfw/correctors/coordinate_descent.hpp>
#include <acfw/linear/storage.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Eigen::SparseMatrix<double> sparse_normal(Index n, Index p, double share, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform;
  return normal_matrix(n, p, seed + 1).unaryExpr([&](double a) { return uniform(generator) < share ? a : 0.0; }).sparseView();
}

// A parabola over all columns of a design, with an intercept that follows.
CoordinateModel parabola(const Eigen::SparseMatrix<double>& A, const Vector& scale, double penalty, unsigned seed) {
  const Index n = A.rows(), k = A.cols();
  const Eigen::MatrixXd X = Eigen::MatrixXd(A) * scale.asDiagonal();
  CoordinateModel m;
  for (Index j = 0; j < k; ++j) m.columns.push_back(j);
  m.x = m.start = m.ridge = m.moved = Vector::Zero(k);
  m.q = Vector::Zero(n);
  m.bending.v = Vector::Constant(n, 1.0 / static_cast<double>(n));
  m.base = -X.transpose() * normal_matrix(n, 1, seed) / static_cast<double>(n);
  m.lean = X.colwise().mean();
  m.response = m.lean;
  m.shift = Vector::Zero(1);
  m.diagonal = X.colwise().squaredNorm().transpose() / static_cast<double>(n) - m.lean.row(0).cwiseAbs2().transpose();
  m.mu = penalty * m.base.lpNorm<Eigen::Infinity>();
  return m;
}

}  // namespace

TEST_CASE("columns copied side by side multiply as those of the design do, scaled, in any order, empty ones too", "[packed]") {
  Eigen::SparseMatrix<double> A = sparse_normal(40, 15, 0.2, 1);
  A.col(4) *= 0.0;
  A.prune(0.0);
  auto design = design_of(A);
  design->set_scale(normal_matrix(15, 1, 2));
  const Columns columns = {7, 4, 0, 12, 13};
  const Vector d = normal_matrix(5, 1, 3), q = normal_matrix(40, 1, 4);
  PackedColumns packed;
  for (int twice = 0; twice < 2; ++twice) {
    REQUIRE(design->pack(columns, packed));
    Vector z, expected, dots(5), wanted(5);
    packed.image(d, z);
    design->combine(columns, d, expected);
    packed.inner(q, dots.data());
    design->dots(columns, q, wanted.data());
    CHECK((z - expected).lpNorm<Eigen::Infinity>() <= 1e-14);
    CHECK((dots - wanted).lpNorm<Eigen::Infinity>() <= 1e-14);
  }
  const Eigen::MatrixXd dense = A;
  CHECK_FALSE(design_of(dense)->pack(columns, packed));
}

TEST_CASE("conjugate gradients through copied columns, with the sweeps around them, arrive where sweeps alone do", "[packed]") {
  for (unsigned seed : {10u, 20u, 30u}) for (double penalty : {0.3, 0.02}) {
    const Eigen::SparseMatrix<double> A = sparse_normal(120, 100, 0.1, seed);
    auto design = design_of(A);
    design->set_scale(Vector::Constant(100, 1.0) + 0.5 * normal_matrix(100, 1, seed + 5).cwiseAbs());
    Vector scale(100);
    for (Index j = 0; j < 100; ++j) scale[j] = design->scale(j);
    CoordinateModel m = parabola(A, scale, penalty, seed + 6), swept = m;
    const double gap = 1e-10 * m.diagonal.cwiseInverse().dot(m.base.cwiseAbs2());
    CoordinateDescent().minimise(*design, m, gap, 1e5);
    for (int sweep = 0; sweep < 20000; ++sweep) design->sweep(swept.columns, swept);
    Vector image;
    const auto value = [&](const CoordinateModel& at) {
      design->times(at.x, image);
      const double bent = image.squaredNorm() / 120.0 - at.shift[0] * m.lean.row(0).dot(at.x);
      return m.base.dot(at.x) + 0.5 * bent + m.mu * at.x.lpNorm<1>();
    };
    CHECK(value(m) <= value(swept) + 2.0 * gap);
    design->times(m.x, image);
    CHECK((m.q - image / 120.0).lpNorm<Eigen::Infinity>() <= 1e-10);
    CHECK(m.shift[0] == close_to(m.response.row(0).dot(m.x), 1e-9).or_by(1e-12));
  }
}

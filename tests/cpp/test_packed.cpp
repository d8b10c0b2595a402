#include <acfw.hpp>
#include <acfw/correctors/conjugate_faces.hpp>
#include <acfw/linear/blocks.hpp>
#include <acfw/linear/storage.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Eigen::SparseMatrix<double> sparse_normal(Index n, Index p, double share, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform;
  Eigen::MatrixXd dense = normal_matrix(n, p, seed + 1);
  for (Index i = 0; i < dense.size(); ++i) {
    if (uniform(generator) >= share) dense.data()[i] = 0.0;
  }
  return dense.sparseView();
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
  REQUIRE(m.diagonal.minCoeff() > 0.0);
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

TEST_CASE("columns whose entries are one number each multiply as any others do, known to be such or not", "[packed]") {
  constexpr Index n = 60, p = 12;
  Eigen::SparseMatrix<double> A = sparse_normal(n, p, 0.3, 5);
  for (bool all : {true, false}) {
    for (Index j = 0; j < (all ? p : p - 4); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(A, j); it; ++it) it.valueRef() = 0.5 * static_cast<double>(j + 1);
    }
    auto plain = design_of(A), learned = design_of(A);
    learned->learn();
    Columns columns{3, 11, 0, 7, 9};
    const Vector scale = normal_matrix(p, 1, 6), d = normal_matrix(5, 1, 7), q = normal_matrix(n, 1, 8), v = normal_matrix(n, 1, 9).cwiseAbs();
    for (Design* design : {plain.get(), learned.get()}) design->set_scale(scale);
    const Eigen::MatrixXd X = Eigen::MatrixXd(A) * scale.asDiagonal();
    PackedColumns packed;
    REQUIRE(learned->pack(columns, packed));
    Vector z, wanted = Vector::Zero(n), dots(5), whole, lean(5), square(5), lean2(5), square2(5);
    for (Index k = 0; k < 5; ++k) wanted += d[k] * X.col(columns[static_cast<std::size_t>(k)]);
    packed.image(d, z);
    CHECK((z - wanted).lpNorm<Eigen::Infinity>() <= 1e-14 * wanted.norm());
    learned->combine(columns, d, z);
    CHECK((z - wanted).lpNorm<Eigen::Infinity>() <= 1e-14 * wanted.norm());
    packed.inner(q, dots.data());
    learned->transpose_times(q, whole);
    CHECK((whole - X.transpose() * q).lpNorm<Eigen::Infinity>() <= 1e-13 * whole.norm());
    for (Index k = 0; k < 5; ++k) CHECK(std::abs(dots[k] - whole[columns[static_cast<std::size_t>(k)]]) <= 1e-13 * whole.norm());
    plain->weighted_moments(columns, 0, v, lean, square);
    learned->weighted_moments(columns, 0, v, lean2, square2);
    CHECK(lean == lean2);
    CHECK(square == square2);
  }
}

TEST_CASE("products of blocks are those of the matrix written out", "[packed]") {
  constexpr Index n = 31, p = 7, K = 3;
  const Eigen::SparseMatrix<double> A = sparse_normal(n, p, 0.4, 15);
  const Eigen::MatrixXd D = A;
  const BlockDesign<CompressedStorage> sparse({A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr()}, n, p, K);
  const BlockDesign<DenseStorage> dense({D.data(), n, n}, n, p, K);
  const Vector r = normal_matrix(n * K, 1, 16);
  Vector found, found2;
  sparse.transpose_times(r, found);
  dense.transpose_times(r, found2);
  for (Index k = 0; k < K; ++k) {
    const Vector own = Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(r.data() + k, n, Eigen::InnerStride<>(K));
    Vector wanted(p + 1);
    wanted << D.transpose() * own, own.sum();
    CHECK((found.segment(k * (p + 1), p + 1) - wanted).norm() <= 1e-13 * wanted.norm());
    CHECK((found2.segment(k * (p + 1), p + 1) - wanted).norm() <= 1e-13 * wanted.norm());
  }
}

TEST_CASE("threads share products with copied columns, and no bit depends on it", "[packed]") {
  const Eigen::SparseMatrix<double> A = sparse_normal(2000, 1500, 0.03, 7);
  auto design = design_of(A);
  Columns all;
  for (Index j = 0; j < A.cols(); ++j) all.push_back(j);
  PackedColumns packed;
  REQUIRE(design->pack(all, packed));
  const Vector d = normal_matrix(1500, 1, 8), q = normal_matrix(2000, 1, 9);
  Vector z, z2, dots(1500), dots2(1500);
  packed.image(d, z);
  packed.image(d, z2, 2);
  packed.inner(q, dots.data());
  packed.inner(q, dots2.data(), 2);
  CHECK(z == z2);
  CHECK(dots == dots2);
}

TEST_CASE("conjugate gradients arrive where sweeps do, whichever columns they leave out on the way", "[packed]") {
  for (unsigned seed : {10u, 20u, 30u}) for (double penalty : {0.3, 0.02}) {
    const Eigen::SparseMatrix<double> A = sparse_normal(120, 100, 0.1, seed);
    auto design = design_of(A);
    design->set_scale(Vector::Constant(100, 1.0) + 0.5 * normal_matrix(100, 1, seed + 5).cwiseAbs());
    Vector scale(100);
    for (Index j = 0; j < 100; ++j) scale[j] = design->scale(j);
    CoordinateModel m = parabola(A, scale, penalty, seed + 6), swept = m;
    design->sweep(m.columns, m);
    const double gap = 1e-10 * m.base.cwiseAbs().dot(m.x.cwiseAbs());
    ConjugateFaces faces;
    REQUIRE(faces.minimise(*design, m, m.columns, gap, 2000));
    CHECK(faces.products() < 200);
    if (penalty < 0.1) CHECK(faces.products() > 4);  // so that columns are copied
    for (int sweep = 0; sweep < 20000; ++sweep) design->sweep(swept.columns, swept);
    CHECK((m.x - swept.x).lpNorm<Eigen::Infinity>() <= 1e-6);
    Vector image;
    design->times(m.x, image);
    CHECK((m.q - image / 120.0).lpNorm<Eigen::Infinity>() <= 1e-10);
    CHECK(m.shift[0] == close_to(m.response.row(0).dot(m.x), 1e-9).or_by(1e-12));
  }
}

#include <acfw/objectives/dictionary_learning.hpp>
#include <cmath>

#include "check.hpp"

using namespace acfw;

namespace {

// One code of 40 entries, the vertex with `value` in its first row.
DictionaryAtom first_row(double value) { return {Matrix(), {0}, Vector::Constant(1, value)}; }

// The share `density` of the codes is not zero: sparse and dense ones take different products.
struct Problem {
  Problem(Index m, Index n, Index p, double radius, double density) : A(Matrix::Random(m, n)), D(Matrix::Random(m, p)), beta(radius) {
    D.colwise().normalize();
    X = (Matrix::Random(p, n).array().abs() < density).select(Matrix::Random(p, n), Matrix::Zero(p, n));
    X *= beta / X.cwiseAbs().colwise().sum().maxCoeff();
  }

  double value(const Matrix& D_, const Matrix& X_) const { return (A - D_ * X_).squaredNorm() / (2.0 * static_cast<double>(A.cols())); }
  DictionaryLearning objective() const { return {DenseMap(A.data(), A.rows(), A.cols()), D, X}; }

  Matrix A, D, X;
  double beta;
};

Matrix codes_of(const DictionaryAtom& v, Index rows) {
  Matrix X = Matrix::Zero(rows, v.value.size());
  for (Index i = 0; i < X.cols(); ++i) X(v.index[static_cast<std::size_t>(i)], i) = v.value[i];
  return X;
}

}  // namespace

TEST_CASE("the quartic of a line agrees with direct evaluation", "[dictionary]") {
  for (double density : {0.02, 0.5}) {
    const Problem q(12, 40, 30, 3.0, density);
    DictionaryLearning f = q.objective();
    const auto v = DictionaryAndCodes{q.beta}.minimize(f.gradient());
    const Matrix V = codes_of(v.atom, 30);
    const auto move = towards(v, f.along_point());
    CHECK(f.prepare(move) == close_to((q.D - v.atom.D).squaredNorm() + (q.X - V).squaredNorm(), 1e-13));
    CHECK(f.value() == close_to(q.value(q.D, q.X), 1e-13));
    for (double gamma : {0.0, 1e-3, 0.1, 0.37, 0.9, 1.0}) {
      const double direct = q.value((1.0 - gamma) * q.D + gamma * v.atom.D, (1.0 - gamma) * q.X + gamma * V);
      CHECK(f.value() - gamma * move.slope + f.divergence(gamma) == close_to(direct));
    }
  }
}

TEST_CASE("the divergence of a tiny step keeps all its digits", "[dictionary]") {
  const Problem q(10, 25, 6, 2.0, 0.3);
  DictionaryLearning f = q.objective();
  const auto v = DictionaryAndCodes{q.beta}.minimize(f.gradient());
  f.prepare(towards(v, f.along_point()));
  // c gamma^2 to first order; differences of values would have no digit left at 1e-10
  CHECK(f.divergence(1e-10) / 1e-20 == close_to(f.divergence(1e-6) / 1e-12, 1e-4));
  CHECK(f.divergence(1e-10) / 1e-20 == close_to(f.divergence(1e-3) / 1e-6, 1e-1));
}

TEST_CASE("gradient and oracle of dictionary learning are those of the definition", "[dictionary]") {
  const Problem q(9, 30, 7, 2.0, 0.3);
  DictionaryLearning f = q.objective();
  const Matrix R = q.A - q.D * q.X, GD = -R * q.X.transpose() / 30.0, GX = -q.D.transpose() * R / 30.0;
  CHECK((f.gradient().D - GD).norm() < 1e-12 * GD.norm());
  CHECK((f.gradient().X - GX).norm() < 1e-12 * GX.norm());
  const auto v = DictionaryAndCodes{q.beta}.minimize(f.gradient());
  const Matrix V = codes_of(v.atom, 7);
  CHECK((v.atom.D + GD.colwise().normalized()).norm() < 1e-12);
  for (Index i = 0; i < 30; ++i) CHECK(GX.col(i).dot(V.col(i)) == close_to(-q.beta * GX.col(i).lpNorm<Eigen::Infinity>()));
  const double gap = GD.cwiseProduct(q.D - v.atom.D).sum() + GX.cwiseProduct(q.X - V).sum();
  CHECK(f.along_point() - v.value == close_to(gap));
}

TEST_CASE("an entry that cancels to zero and comes back is counted once", "[dictionary]") {
  Codes codes(Matrix::Zero(40, 1));
  codes.step(1.0, first_row(1.0));
  codes.step(0.5, first_row(-1.0));  // exactly zero
  REQUIRE(codes.dense()(0, 0) == 0.0);
  codes.step(0.5, first_row(1.0));
  REQUIRE(codes.is_sparse());
  const Matrix M = Matrix::Constant(3, 40, 2.0);
  Matrix product(3, 1);
  codes.times(M, 0, product.leftCols(1), 1);
  CHECK(product(0, 0) == 1.0);  // 2 * 0.5
}

TEST_CASE("a rebuilt point lies in the set, and all of it is that of the point", "[dictionary]") {
  const Matrix A = 1e8 * Matrix::Random(6, 9);
  Matrix D = Matrix::Random(6, 4);
  for (Index j = 0; j < 4; ++j) D.col(j) *= (1.0 + 1e-13) / D.col(j).norm();
  Matrix X = 1e7 * Matrix::Random(4, 9);
  X(2, 5) = 1e-12;  // dust beside its neighbours
  const double beta = X.cwiseAbs().colwise().sum().maxCoeff() * (1.0 - 1e-13);
  DictionaryLearning f(DenseMap(A.data(), 6, 9), D, X, 1, beta);
  const void* no_active_set = nullptr;
  REQUIRE(f.rebuild(no_active_set));
  CHECK(f.dictionary().colwise().norm().maxCoeff() <= 1.0);
  CHECK(f.codes().cwiseAbs().colwise().sum().maxCoeff() <= beta);
  CHECK(f.codes()(2, 5) == 0.0);
  const Matrix R = A - f.dictionary() * f.codes();
  const Matrix slope = -R * f.codes().transpose() / 9.0;
  CHECK(std::abs(f.value() / (R.squaredNorm() / 18.0) - 1.0) < 1e-12);
  CHECK((f.gradient().D - slope).norm() < 1e-12 * slope.norm());
}

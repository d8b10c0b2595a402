#include <acfw/objectives/dictionary_learning.hpp>
#include <cmath>

#include "check.hpp"

using namespace acfw;

namespace {

// One code of 40 entries, the vertex with `value` in its first row.
DictionaryAtom first_row(double value) { return {Matrix(), {0}, Vector::Constant(1, value)}; }

}  // namespace

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

// The objectives and oracles of dictionary learning and robust MMSE estimation.
#include <acfw.hpp>
#include <acfw/sets/wasserstein_mmse.hpp>
#include <acfw/objectives/dictionary_learning.hpp>
#include <acfw/objectives/dr_mmse.hpp>
#include <acfw/objectives/sparse_coding.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Matrix scattered(Index rows, Index cols, std::uint64_t stream) {
  const Vector x = scattered_unit_vector(rows * cols, stream) * std::sqrt(static_cast<double>(rows * cols));
  return Eigen::Map<const Matrix>(x.data(), rows, cols);
}

Matrix covariance(Index d, std::uint64_t stream) {
  const Matrix A = scattered(d, 2 * d, stream);
  return A * A.transpose() / static_cast<double>(d);
}

Matrix gradient_of(const Matrix& B) {
  Matrix W(B.rows() + B.cols(), B.rows());
  W.topRows(B.rows()).setIdentity();
  W.bottomRows(B.cols()) = -B.transpose();
  return W * W.transpose();
}

/// Every shape of call of multiply() for sizes m x k and k x n.
void check_product(Index m, Index n, Index k) {
  INFO(m << " x " << k << " times " << k << " x " << n);
  const Matrix A = scattered(m, k, 1), B = scattered(k, n, 2);
  const Matrix At = A.transpose(), Bt = B.transpose(), expected = A * B;
  const double scale = 1e-15 * static_cast<double>(k);
  Matrix C = Matrix::Constant(m + 2, n, 7.0);
  multiply(A, B, C.middleRows(1, m));
  CHECK((C.middleRows(1, m) - expected).cwiseAbs().maxCoeff() <= scale);
  CHECK((C.row(0).array() == 7.0).all());
  CHECK((C.row(m + 1).array() == 7.0).all());
  multiply(At.transpose(), Bt.transpose(), C.middleRows(1, m), -2.0, true);
  CHECK((C.middleRows(1, m) + expected).cwiseAbs().maxCoeff() <= 4.0 * scale);
  Matrix one(m, n), two = Matrix::Constant(m, n, 7.0);
  multiply(At.transpose(), B, one, 1.0, false, 1);
  multiply(At.transpose(), B, two, 1.0, false, 2);
  CHECK((one - expected).cwiseAbs().maxCoeff() <= scale);
  CHECK(one == two);  // 97 and 200 rows are two and three blocks
}

}  // namespace

TEST_CASE("the blocked product agrees with Eigen's for blocks, transposes and odd sizes", "[product][kernels]") {
  on_every_isa([](Isa) {
    for (Index m : {1, 7, 8, 97, 200}) {
      for (Index n : {1, 5, 6, 13, 50}) {
        for (Index k : {1, 3, 255, 256, 300}) check_product(m, n, k);
      }
    }
  });
}

TEST_CASE("the secular root is found to machine accuracy from either side", "[wasserstein]") {
  for (double rho : {1e-8, 1e-3, 1.0, 1e4}) {
    const auto phi = [](double mu) {
      const double a = 1.0 / mu, b = 2.0 / (mu + 3.0);
      return Secular{a * a + b * b, -2.0 * a * a / mu - 2.0 * b * b / (mu + 3.0)};
    };
    const double from_low = secular_root(phi, rho, 1.0 / rho, 10.0 / rho);
    const double from_high = secular_root(phi, rho, 0.0, 10.0 / rho);
    CHECK(phi(from_low).value / (rho * rho) == close_to(1.0, 1e-14));
    CHECK(from_high == close_to(from_low, 1e-14));
  }
}

TEST_CASE("the structured oracle is the oracle", "[wasserstein]") {
  const Index d = 17;
  const Matrix sigma = covariance(d, 3);
  for (Index n : {1, 8, 9, 16}) {
    const Matrix B = scattered(n, d - n, 4);
    for (double rho : {1e-5, 1.0, 50.0}) {
      const WassersteinAnswer thin = MmseWassersteinBall(sigma, n, rho).maximize(B);
      const WassersteinAnswer full = WassersteinBall(sigma, rho).maximize(gradient_of(B));
      CHECK((thin.V - full.V).norm() < 1e-11 * full.V.norm());
      CHECK(thin.value == close_to(full.value, 1e-12));
      CHECK(thin.bound == close_to(full.value, 1e-12));
      CHECK(thin.V == thin.V.transpose());
    }
  }
}

TEST_CASE("a centre that does not see the leading eigenvector is the hard case, structured or not", "[wasserstein]") {
  Matrix sigma = Matrix::Zero(3, 3);
  sigma.diagonal() << 0.0, 1.0, 1.0;
  const Matrix B = Matrix::Zero(1, 2);  // W W' = e1 e1'
  const WassersteinAnswer answer = MmseWassersteinBall(sigma, 1, 2.0).maximize(B);
  CHECK(answer.V(0, 0) == close_to(4.0));
  CHECK(answer.V(1, 1) == close_to(1.0));
  CHECK(answer.value == close_to(4.0));
}

TEST_CASE("the divergence of the risk is what two values differ by", "[dr_mmse]") {
  const Index d = 10;
  for (Index n : {2, 5, 8}) {
    const Matrix sigma = covariance(d, 5);
    DrMmse f(sigma, n);
    MmseWassersteinBall ball(sigma, n, 2.0);
    const auto v = ball.minimize(f.gradient());
    const auto move = towards(v, f.along_point());
    const double norm2 = f.prepare(move);
    CHECK(norm2 == close_to((sigma - v.atom.S).squaredNorm()));
    CHECK(move.slope == close_to((-gradient_of(f.estimator())).cwiseProduct(sigma - v.atom.S).sum()));
    for (double gamma : {1e-3, 0.3, 1.0}) {
      const DrMmse there(sigma - gamma * (sigma - v.atom.S), n);
      CHECK(f.value() - gamma * move.slope + f.divergence(gamma) == close_to(there.value(), 1e-12));
    }
    // all digits are there where a difference of values has none
    CHECK(f.divergence(1e-9) == close_to(1e-6 * f.divergence(1e-6), 1e-4));
    f.divergence(0.3);
    f.commit(0.3);
    const DrMmse there(sigma - 0.3 * (sigma - v.atom.S), n);
    CHECK((f.estimator() - there.estimator()).norm() < 1e-12 * (1.0 + there.estimator().norm()));
    CHECK(f.value() == close_to(there.value(), 1e-13));
  }
}

TEST_CASE("a singular covariance of the observations is said to be one", "[dr_mmse]") {
  Matrix S = Matrix::Identity(3, 3);
  S(2, 2) = 0.0;
  CHECK_THROWS_AS(DrMmse(S, 1), std::domain_error);
}

TEST_CASE("carried residual, moments and codes stay those of the point", "[dictionary learning]") {
  const Index m = 9, n = 40, p = 14;
  const Matrix A = scattered(m, n, 6);
  Matrix D = scattered(m, p, 7);
  D.colwise().normalize();
  DictionaryLearning f(DenseMap(A.data(), m, n), D, Matrix::Zero(p, n));
  DictionaryAndCodes set{2.0};
  Cfw<DictionaryAtom> direction;
  AutoConditioned<BudgetDamping> step;
  Control control;
  control.rel_tol = 0.0;
  control.max_iter = 500;
  FrankWolfe run(f, set, direction, step, control);
  run.go();
  const Matrix R = A - f.dictionary() * f.codes();
  CHECK((R - f.residual()).norm() < 1e-12 * A.norm());
  CHECK((f.gradient().D + R * f.codes().transpose() / 40.0).norm() < 1e-12);
  CHECK((f.gradient().X + f.dictionary().transpose() * R / 40.0).norm() < 1e-12);
  CHECK(f.dictionary().colwise().norm().maxCoeff() <= 1.0 + 1e-12);
  CHECK(f.codes().cwiseAbs().colwise().sum().maxCoeff() <= 2.0 * (1.0 + 1e-12));
  for (std::size_t t = 1; t < run.trace().size(); ++t) CHECK(run.trace()[t].objective <= run.trace()[t - 1].objective);
}

TEST_CASE("an atom that no code uses stays where it is", "[dictionary learning]") {
  const Matrix A = scattered(5, 6, 8);
  Matrix D = scattered(5, 3, 9);
  D.colwise().normalize();
  DictionaryLearning f(DenseMap(A.data(), 5, 6), D, Matrix::Zero(3, 6));
  const auto v = DictionaryAndCodes{1.0}.minimize(f.gradient());
  CHECK(v.atom.D == D);
}

TEST_CASE("codes of new data solve their own problem", "[sparse coding]") {
  const Matrix A = scattered(8, 5, 10);
  Matrix D = scattered(8, 12, 11);
  D.colwise().normalize();
  const auto codes = sparse_codes(DenseMap(D.data(), 8, 12), DenseMap(A.data(), 8, 5), 0.7, 1e-10, 20000);
  for (Index i = 0; i < 5; ++i) {
    Vector x = Vector::Zero(12);
    const SparseCode& code = codes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < code.index.size(); ++k) x[code.index[k]] = code.value[k];
    const Vector g = D.transpose() * (D * x - A.col(i));
    const double gap = g.dot(x) + 0.7 * g.cwiseAbs().maxCoeff();
    CHECK(gap <= 1.1e-10 * 0.5 * A.col(i).squaredNorm());
    CHECK(x.lpNorm<1>() <= 0.7 * (1.0 + 1e-12));
  }
}

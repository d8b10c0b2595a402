#include <acfw.hpp>
#include <acfw/correctors/hull.hpp>
#include <acfw/losses/huber.hpp>
#include <Eigen/LU>
#include "check.hpp"

using namespace acfw;

namespace {

double model(const Eigen::MatrixXd& H, const Vector& b, const Vector& p) { return b.dot(p) + 0.5 * p.dot(H * p); }

// The least value over all faces of the simplex, each by its own linear system.
double least_by_enumeration(const Eigen::MatrixXd& H, const Vector& b, const Vector& w) {
  const Index k = b.size();
  double least = 0.0;
  for (int mask = 1; mask < (1 << k); ++mask) {
    std::vector<Index> on;
    for (Index i = 0; i < k; ++i) {
      if (mask & (1 << i)) on.push_back(i);
    }
    const Index m = static_cast<Index>(on.size());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(m + 1, m + 1);
    K.topLeftCorner(m, m) = H(on, on);
    K.row(m).head(m).setOnes();
    K.col(m).head(m).setOnes();
    Vector right(m + 1);
    const Vector pull = H * w - b;
    for (Index i = 0; i < m; ++i) right[i] = pull[on[static_cast<std::size_t>(i)]];
    right[m] = 1.0;
    const Vector x = K.fullPivLu().solve(right).head(m);
    if (!(x.minCoeff() >= -1e-12)) continue;
    Vector p = -w;
    for (Index i = 0; i < m; ++i) p[on[static_cast<std::size_t>(i)]] += x[i];
    least = std::min(least, model(H, b, p));
  }
  return least;
}

}  // namespace

TEST_CASE("the least move of a quadratic over the simplex is that of the best face", "[hull]") {
  std::srand(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Index k = 1 + trial % 7;
    const Eigen::MatrixXd A = Eigen::MatrixXd::Random(k + 2, k);
    const Eigen::MatrixXd H = A.transpose() * A;
    const Vector b = 2.0 * Vector::Random(k);
    Vector w = Vector::Random(k).cwiseMax(0.0);
    w[0] += 0.1;
    w /= w.sum();
    const Vector p = least_move(H, b, w);
    REQUIRE(std::abs(p.sum()) < 1e-12);
    REQUIRE((w + p).minCoeff() >= -1e-14);
    REQUIRE(model(H, b, p) == close_to(least_by_enumeration(H, b, w), 1e-9).or_by(1e-11));
  }
}

TEST_CASE("a few least moves settle atoms whose sizes differ by orders", "[hull]") {
  std::srand(11);
  const Index k = 24;
  const Vector sizes = Vector::LinSpaced(k, -6.0, 8.0).unaryExpr([](double e) { return std::pow(10.0, e); });
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(40, k) * sizes.asDiagonal(), H = A.transpose() * A;
  Vector w = Vector::Constant(k, 1.0 / static_cast<double>(k));
  const Vector y = A.leftCols(16) * Vector::Constant(16, 1.0 / 16.0);  // of lengths up to 1000, and within the hull
  for (int move = 0; move < 10; ++move) w += least_move(H, A.transpose() * (A * w - y), w);
  CHECK(w.minCoeff() >= 0.0);
  CHECK((A * w - y).norm() <= 1e-5);
}

TEST_CASE("a model without curvature, or with a negative one, still gives a move of descent", "[hull]") {
  for (double curvature : {0.0, -1.0}) {
    const Eigen::MatrixXd H = curvature * Eigen::MatrixXd::Identity(4, 4);
    Vector b(4), w(4);
    b << 3.0, 1.0, 2.0, 4.0;
    w << 0.25, 0.25, 0.25, 0.25;
    const Vector p = least_move(H, b, w);
    REQUIRE(p.allFinite());
    REQUIRE(b.dot(p) < 0.0);
    REQUIRE((w + p).minCoeff() >= 0.0);
  }
}

TEST_CASE("slopes that dwarf the curvature leave weights that sum to one", "[hull]") {
  for (double curvature : {0.0, 1e-320, 1e-200, 1e-8, 1.0}) {
    for (double slope : {1.0, 1e8, 1e100, 1e300}) {
      for (double factor : {-1.0, -0.3, 0.7, 1.0}) {
        Vector b(2), w(2);
        b << slope, factor * slope;
        w << 1.0 / 3.0, 2.0 / 3.0;
        const Vector p = least_move(curvature * Eigen::MatrixXd::Identity(2, 2), b, w);
        REQUIRE((w + p).sum() == close_to(1.0, 1e-14));
        REQUIRE((w + p).minCoeff() >= 0.0);
        if (curvature < 1e-3 * slope && factor < 1.0) REQUIRE((w + p)[1] == 1.0);
      }
    }
  }
}

TEST_CASE("fewer weights give the same point", "[hull]") {
  std::srand(5);
  const Eigen::MatrixXd atoms = Eigen::MatrixXd::Random(3, 20);
  const Vector w = fewest_weights(atoms, Vector::Constant(20, 0.05));
  REQUIRE((w.array() > 0.0).count() <= 4);
  REQUIRE(w.minCoeff() >= 0.0);
  REQUIRE(w.sum() == close_to(1.0));
  REQUIRE((atoms * w - atoms * Vector::Constant(20, 0.05)).norm() < 1e-12);
}

TEST_CASE("secants of a quadratic are its curvature", "[hull]") {
  std::srand(7);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(9, 6), Q = A.transpose() * A;
  SecantMemory memory;
  for (int k = 0; k < 12; ++k) {
    const Vector s = Vector::Random(6);
    REQUIRE(memory.add(s, Q * s, 1.0));
    memory.sift(20);
  }
  REQUIRE(memory.size() == 6);
  Eigen::MatrixXd Y(6, 6);
  for (Index j = 0; j < 6; ++j) Y.col(j) = memory.change(j);
  Eigen::MatrixXd L = memory.T(), solved = Y.transpose();
  REQUIRE(cholesky(L));
  cholesky_solve(L, solved);
  const Eigen::MatrixXd B = Y * solved;
  REQUIRE((B - Q).norm() < 1e-8 * Q.norm());
}

TEST_CASE("the divergence of Huber's loss is that of its values", "[losses]") {
  const Vector y = Vector::Zero(7);
  Huber loss(y, Vector::Constant(7, 0.5), 1.0);
  Vector m(7), u(7);
  m << -3.0, -1.0, -0.5, 0.0, 0.9, 1.0, 2.5;
  u << 1.0, -2.0, 0.3, 1.0, -0.5, 0.0, 4.0;
  loss.look(m, 0.0);
  for (double gamma : {1.0, 0.1, -0.7}) {
    const double change = loss.value(m - gamma * u, 0.0) - loss.value(m, 0.0) + gamma * loss.residual().dot(u);
    REQUIRE(loss.shift(m, 0.0, u, gamma, 0.0).divergence == close_to(change, 1e-12).or_by(1e-15));
    REQUIRE(loss.divergence_on({0, 1, 2, 3, 4, 5, 6}, m, 0.0, u, gamma) == close_to(change, 1e-12).or_by(1e-15));
  }
}

TEST_CASE("by name the corrective method needs fewer calls of the oracle than any of the paper's", "[hull]") {
  std::srand(9);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(30, 20), Q = A.transpose() * A;
  const Vector c = 0.2 * Vector::Random(20);
  Control control;
  control.tol = 0.0;
  control.rel_tol = 1e-10;
  control.max_iter = 100000;
  Simplex simplex;
  const auto calls = [&](const char* method) {
    Quadratic f(Q, c, 0.0, Vector::Unit(20, 0));
    const Result run = minimize(f, simplex, method, "ac", control);
    REQUIRE(run.status == Status::converged);
    return run.counts.lmo;
  };
  REQUIRE(3 * calls("corrective") < calls("pfw"));
}

TEST_CASE("no correction raises the objective, and no more atoms are held than the dimension asks for", "[hull]") {
  std::srand(11);
  const Index n = 3;
  const Eigen::MatrixXd A = 40.0 * Eigen::MatrixXd::Random(60, n);  // curvatures vanish and return within one step
  const Vector y = (A * Vector::Random(n) + 40.0 * Vector::Random(60)).unaryExpr([](double z) { return z > 0.0 ? 1.0 : 0.0; });
  Control control;
  control.tol = 0.0;
  control.rel_tol = 0.0;
  control.max_iter = 150;
  L2Ball ball{3.0};  // whose atoms never come back
  auto f = logistic(A, y, 0.0, Vector::Zero(n));
  const Result run = minimize(f, ball, "corrective", "backtracking", control);
  REQUIRE(run.trace.size() > 6);
  for (std::size_t k = 1; k < run.trace.size(); ++k) {
    CHECK(run.trace[k].objective <= run.trace[k - 1].objective * (1.0 + 1e-12));
    CHECK(run.trace[k].active <= static_cast<std::size_t>(n) + 1);
  }
}

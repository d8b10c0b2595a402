#include <Eigen/SVD>
#include <acfw.hpp>
#include <algorithm>
#include "check.hpp"
#include <numeric>

using namespace acfw;

TEST_CASE("an assignment is optimal: no permutation of seven rows does better", "[birkhoff]") {
  for (int trial = 0; trial < 5; ++trial) {
    const Eigen::MatrixXd cost = Eigen::MatrixXd::Random(7, 7);
    const auto column_of = assignment(cost);
    double found = 0.0;
    for (Index i = 0; i < 7; ++i) found += cost(i, column_of[i]);
    std::vector<Index> order(7);
    std::iota(order.begin(), order.end(), Index{0});
    double best = 1e300;
    do {
      double sum = 0.0;
      for (Index i = 0; i < 7; ++i) sum += cost(i, order[i]);
      best = std::min(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(found == close_to(best));
  }
}

TEST_CASE("the leading singular pair matches a full decomposition, whatever the shape", "[golub-kahan]") {
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{1, 1}, {1, 9}, {9, 1}, {5, 5}, {40, 25}, {25, 40}, {120, 100}}) {
    const Eigen::MatrixXd G = Eigen::MatrixXd::Random(m, n);
    const double top = Eigen::JacobiSVD<Eigen::MatrixXd>(G).singularValues()[0];
    const auto pair = leading_singular_pair(MatrixOperator<Eigen::MatrixXd>{G}, scattered_unit_vector(n));
    CHECK(pair.sigma == close_to(top, 1e-12));
    CHECK((G * pair.v - pair.sigma * pair.u).norm() < 1e-7 * top);
    CHECK(pair.u.norm() == close_to(1.0));
  }
}

TEST_CASE("a warm start that is an old singular vector does not hide the new one", "[golub-kahan]") {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(30, 20);
  G(0, 0) = 1.0;
  G(1, 1) = 2.0;
  Vector old = Vector::Unit(20, 0);
  old += 1e-9 * Vector::Unit(20, 1);
  const auto pair = leading_singular_pair(MatrixOperator<Eigen::MatrixXd>{G}, old, 1e-3);
  CHECK(pair.sigma == close_to(2.0));
}

TEST_CASE("a zero operator has an atom too", "[golub-kahan]") {
  const Eigen::MatrixXd G = Eigen::MatrixXd::Zero(4, 3);
  NuclearBall ball(4, 3, 2.0);
  const Vector g = Vector::Zero(12);
  const auto v = ball.minimize(g);
  CHECK(v.value == 0.0);
  CHECK(squared_norm(v.atom) == close_to(4.0));
}

TEST_CASE("a product joins sparse parts sparsely and dense parts densely", "[product]") {
  Cartesian sparse({{AnyDictionary(Simplex{1.0}), 3}, {AnyDictionary(KSparse{2, 1.0}), 4}});
  Cartesian dense({{AnyDictionary(Simplex{1.0}), 3}, {AnyDictionary(L2Ball{1.0}), 4}});
  const Vector g = Vector::LinSpaced(7, -3.0, 3.0);
  const auto vs = sparse.minimize(g);
  const auto vd = dense.minimize(g);
  CHECK(std::holds_alternative<Sparse>(vs.atom));
  CHECK(std::holds_alternative<Dense>(vd.atom));
  CHECK(dot(g, vs.atom) == close_to(vs.value));
  CHECK(dot(g, vd.atom) == close_to(vd.value));
}

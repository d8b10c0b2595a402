#include <acfw.hpp>
#include "check.hpp"

#include <stdexcept>

using namespace acfw;

namespace {

// x'Qx/2 + c'x written with three functions instead of a class that carries Qx along.
struct PlainQuadratic {
  Eigen::MatrixXd Q;
  Vector c;
  double value(const Vector& x) const { return 0.5 * x.dot(Q * x) + c.dot(x); }
  void gradient(const Vector& x, Vector& g) const { g = Q * x + c; }
  double divergence(const Vector&, const Vector& d, double gamma) const { return 0.5 * gamma * gamma * d.dot(Q * d); }
};

struct Problem {
  Eigen::MatrixXd A = Eigen::MatrixXd::Random(12, 8);
  Eigen::MatrixXd Q = A.transpose() * A;
  Vector c = Vector::Random(8);
  Vector start = Vector::Unit(8, 0);
};

}  // namespace

TEST_CASE("three functions make an objective that runs like the class written by hand", "[minimize]") {
  const Problem p;
  for (const char* method : {"cfw", "pfw", "afw"}) {
    for (const char* step : {"ac", "backtracking", "open"}) {
      Control control;
      control.max_iter = 50;
      Simplex simplex;
      DenseObjective<PlainQuadratic> plain(PlainQuadratic{p.Q, p.c}, p.start);
      Quadratic carried(p.Q, p.c, 0.0, p.start);
      const Result a = minimize(plain, simplex, method, step, control);
      const Result b = minimize(carried, simplex, method, step, control);
      REQUIRE(a.objective == close_to(b.objective, 1e-10));
      REQUIRE((plain.point() - carried.point()).norm() < 1e-6);  // the value is flat there: 1e-10 of it is 1e-5 of a point
      REQUIRE(a.objective == plain.value());
      REQUIRE(a.trace.back().gap == a.gap);
    }
  }
}

TEST_CASE("names that mean nothing are refused", "[minimize]") {
  const Problem p;
  Simplex simplex;
  Quadratic f(p.Q, p.c, 0.0, p.start);
  REQUIRE_THROWS_AS(minimize(f, simplex, "newton"), std::invalid_argument);
  REQUIRE_THROWS_AS(minimize(f, simplex, "cfw", "exact"), std::invalid_argument);
  REQUIRE_THROWS_AS(minimize(f, simplex, "cfw", "short"), std::invalid_argument);  // without L
  REQUIRE_THROWS_AS(make_step_rule("short", -1.0), std::invalid_argument);
}

#include <acfw.hpp>
#include "check.hpp"

#include <stdexcept>

using namespace acfw;

namespace {

struct Problem {
  Eigen::MatrixXd A = Eigen::MatrixXd::Random(60, 20);
  Vector b = A * Vector::Random(20);
};

Control until(double rel_tol, long max_iter) {
  Control control;
  control.tol = 0.0;
  control.rel_tol = rel_tol;
  control.max_iter = max_iter;
  return control;
}

std::unique_ptr<StepRule> rule(int which, double L) {
  if (which == 1) return std::make_unique<AutoConditioned<BudgetDamping>>();
  const char* names[] = {"ac", "", "backtracking", "short", "open"};
  return make_step_rule(names[which], L);
}

}  // namespace

TEST_CASE("every direction and step rule ends in the set with an honest gap", "[loop]") {
  const Problem p;
  const double L = p.A.squaredNorm() / 60.0;
  auto exact = least_squares(p.A, p.b, Vector::Zero(20));
  {
    L1Ball ball{2.0};
    Pfw<Coordinate> direction;
    AutoConditioned<> step;
    FrankWolfe run(exact, ball, direction, step, until(1e-13, 100000));
    run.go();
    REQUIRE(run.status() == Status::converged);
  }
  for (const char* method : {"cfw", "pfw", "afw"}) {
    for (int which = 0; which < 5; ++which) {
      auto f = least_squares(p.A, p.b, Vector::Zero(20));
      AnyDictionary ball(L1Ball{2.0});
      auto direction = make_direction<AnyAtom>(method);
      const auto step = rule(which, L);
      FrankWolfe run(f, ball, direction, *step, until(0.0, 200));
      run.go();
      CHECK(f.point().lpNorm<1>() <= 2.0 + 1e-12);
      CHECK(run.gap() >= f.value() - exact.value() - 1e-12);
      CHECK(run.trace().size() == static_cast<std::size_t>(run.t()) + 1);
    }
  }
}

TEST_CASE("statuses say why a run stopped", "[loop]") {
  const Problem p;
  const auto run_with = [&](Control control) {
    auto f = least_squares(p.A, p.b, Vector::Zero(20));
    L1Ball ball{2.0};
    Cfw<Coordinate> direction;
    AutoConditioned<> step;
    FrankWolfe run(f, ball, direction, step, std::move(control));
    run.go();
    return run.status();
  };
  CHECK(run_with(until(0.0, 7)) == Status::max_iter);
  CHECK(run_with(until(0.5, 1000)) == Status::converged);
  Control timed = until(0.0, 1000000);
  timed.max_time = 1e-5;
  CHECK(run_with(timed) == Status::max_time);
  Control asked = until(0.0, 1000);
  asked.callback = [](const Row& row) { return row.t == 3; };
  CHECK(run_with(asked) == Status::callback);
}

namespace {

/// Throws at its n-th divergence, as a closure that fails would.
struct Failing : LinearModel {
  using LinearModel::LinearModel;
  double divergence(double gamma) {
    if (++calls == 10) throw std::runtime_error("ten");
    return LinearModel::divergence(gamma);
  }
  int calls = 0;
};

}  // namespace

TEST_CASE("an exception leaves the last committed point intact and the run can go on", "[loop]") {
  const Problem p;
  Failing f(design_of(p.A), make_loss("gaussian", p.b, equal_weights(60)), 0.0, Vector::Zero(20));
  L1Ball ball{2.0};
  Pfw<Coordinate> direction;
  AutoConditioned<> step;
  FrankWolfe run(f, ball, direction, step, until(1e-12, 10000));
  CHECK_THROWS_AS(run.go(), std::runtime_error);
  const double at_failure = f.value();
  CHECK(at_failure == close_to(least_squares(p.A, p.b, f.point()).value()));
  CHECK(f.point().lpNorm<1>() <= 2.0 + 1e-12);
  run.go();
  CHECK(run.status() == Status::converged);
  CHECK(f.value() < at_failure);
}

namespace {

/// An oracle that is deliberately sloppy unless full precision is asked for.
struct Sloppy {
  L1Ball ball{2.0};
  long careful = 0;
  Vertex<Coordinate> minimize(VectorView g, double accuracy) {
    Vertex<Coordinate> v = ball.minimize(g);
    if (accuracy > 0.0) {
      v.exact = false;
      v.bound = v.value;  // underestimates nothing here, but is not to be trusted
    } else {
      ++careful;
    }
    return v;
  }
};

}  // namespace

TEST_CASE("an interrupt that comes when a run has ended changes its status and nothing else", "[loop]") {
  const Problem p;
  auto f = least_squares(p.A, p.b, Vector::Zero(20));
  L1Ball ball{2.0};
  Pfw<Coordinate> direction;
  AutoConditioned<> step;
  FrankWolfe run(f, ball, direction, step, until(1e-6, 1000));
  run.go();
  REQUIRE(run.status() == Status::converged);
  const std::size_t rows = run.trace().size();
  const double gap = run.gap();
  run.interrupt();
  CHECK(run.status() == Status::interrupted);
  CHECK(run.trace().size() == rows);
  CHECK(run.gap() == gap);
}

TEST_CASE("a gap includes the rounding of the gradient, and a value that is all rounding is no progress", "[loop]") {
  const Problem p;
  auto f = least_squares(p.A, p.b, Vector::Zero(20));  // met exactly in a large ball
  L1Ball ball{1e9};
  Pfw<Coordinate> direction;
  AutoConditioned<BudgetDamping> step;
  FrankWolfe run(f, ball, direction, step, until(0.0, 200000));
  run.go();
  CHECK(run.status() == Status::stalled);
  CHECK(run.gap() > 1e9 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("convergence is claimed only after the oracle has been asked for full precision", "[loop]") {
  const Problem p;
  auto f = least_squares(p.A, p.b, Vector::Zero(20));
  Sloppy oracle;
  Pfw<Coordinate> direction;
  AutoConditioned<> step;
  FrankWolfe run(f, oracle, direction, step, until(1e-6, 10000));
  run.go();
  CHECK(run.status() == Status::converged);
  CHECK(oracle.careful >= 2);  // the first look, and the last
}

TEST_CASE("what brings nothing is tried ever more rarely, and at once again when it does", "[loop]") {
  Hope hope;
  int tries = 0;
  for (int t = 0; t < 1000; ++t) {
    tries += hope.is_due();
    hope.watch(false);
  }
  CHECK(tries >= 15);
  CHECK(tries <= 30);
  while (!hope.is_due()) hope.watch(false);
  hope.watch(true);
  for (int t = 0; t < 3; ++t) {  // a few in a row may fail
    CHECK(hope.is_due());
    hope.watch(false);
  }
}

TEST_CASE("the budget never falls below its floor", "[damping]") {
  BudgetDamping budget(0.5, -10.0);
  double L = 1.0;
  for (long t = 0; t < 1000; ++t) L = budget.next(t, t % 7 == 0 ? 1.0 : 1e-6, L);
  CHECK(budget.log_product() >= -10.0 - 1e-12);
  CHECK(L > 0.0);
}

TEST_CASE("a step rule survives an estimate of zero", "[steps]") {
  int calls = 0;
  auto quadratic = [&](double gamma) {
    ++calls;
    return 0.5 * 3.0 * gamma * gamma;
  };
  const Line unbounded{1.0, 1.0, std::numeric_limits<double>::infinity(), 0, quadratic};
  AutoConditioned<> ac;
  ac.start(0.0);
  const Trial first = ac.choose(unbounded);
  CHECK(std::isfinite(first.gamma));
  CHECK(ac.L() == close_to(3.0));
  Backtracking backtracking;
  backtracking.start(0.0);
  const Trial found = backtracking.choose(unbounded);
  CHECK(found.accepted);
  CHECK(found.gamma == close_to(1.0 / 3.0));
}

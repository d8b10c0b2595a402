#include <acfw/linear/storage.hpp>
#include <acfw/objectives/glm.hpp>
#include <acfw/objectives/glm_of_parts.hpp>
#include <acfw/parts/part.hpp>

#include <random>

#include "check.hpp"

using namespace acfw;

namespace {

struct Problem {
  Vector m, y, w;
};

Problem some_problem(Index n, double scale, double spread_of_weights, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Problem problem{Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    problem.m[i] = scale * normal(generator);
    problem.y[i] = i == 0 ? 0.0 : i == 1 ? 1.0 : static_cast<double>(uniform(generator) < 0.4);
    problem.w[i] = std::pow(10.0, spread_of_weights * (uniform(generator) - 0.5));
  }
  return problem;
}

Binomial loss_of(const Problem& problem) { return Binomial(problem.y, problem.w); }

// sum of w (sigmoid(m + x) - y), every term to full relative accuracy.
long double slope_at(const Problem& problem, double x) {
  long double sum = 0.0L;
  for (Index i = 0; i < problem.m.size(); ++i) {
    const Tails at = tails(problem.m[i] + x);
    sum += problem.w[i] * (problem.y[i] > 0.5 ? -static_cast<long double>(at.q) : static_cast<long double>(at.p));
  }
  return sum;
}

}  // namespace

TEST_CASE("the bounds of the intercept hold the root, whatever the margins and weights", "[intercept]") {
  for (double scale : {0.0, 1.0, 1e4, 1e12, 1e100}) {
    for (double spread : {0.0, 24.0}) {
      for (unsigned seed = 1; seed <= 20; ++seed) {
        const Problem problem = some_problem(11, scale, spread, seed);
        const Interval bounds = loss_of(problem).intercept_bounds(problem.m);
        REQUIRE(std::isfinite(bounds.from));
        REQUIRE(std::isfinite(bounds.to));
        REQUIRE(bounds.from <= bounds.to);
        const double apart = 4e-16 * problem.m.cwiseAbs().maxCoeff(), rounding = 1e-15 * problem.w.sum();
        CHECK(slope_at(problem, bounds.from - apart) <= rounding);
        CHECK(slope_at(problem, bounds.to + apart) >= -rounding);
      }
    }
  }
}

TEST_CASE("the search ends at the root from any start, and soon", "[intercept]") {
  for (double scale : {1.0, 30.0, 1e4, 1e12, 1e100}) {
    for (double start : {0.0, -3.0, 1e3, -1e8, 1e50}) {
      for (unsigned seed = 1; seed <= 20; ++seed) {
        const Problem problem = some_problem(10, scale, seed % 2 ? 0.0 : 12.0, seed);
        Binomial loss = loss_of(problem);
        InterceptSearch search;
        double x = start;
        int passes = 0;
        for (;; ++passes) {
          REQUIRE(passes < 500);
          const ResidualSums at = loss.look(problem.m, x);
          if (std::abs(at.sum) <= 1e-15 * at.size) break;
          const double next = search.next(x, at.sum, at.weight, loss.newton_converges(at.sum, at.weight),
                                          [&] { return loss.intercept_bounds(problem.m); });
          if (next == x) break;
          x = next;
        }
        REQUIRE(std::isfinite(x));
        CHECK(std::abs(x) <= problem.m.cwiseAbs().maxCoeff() + 800.0);
        // the neighbours of x, as far as the margins can tell them apart, lie on either side of the root
        const double apart = 4e-16 * (std::abs(x) + problem.m.cwiseAbs().maxCoeff()) + 1e-9;
        const double rounding = 4e-15 * problem.w.sum();
        CHECK(slope_at(problem, x - apart) <= rounding);
        CHECK(slope_at(problem, x + apart) >= -rounding);
      }
    }
  }
}

TEST_CASE("profiled divergences stay those of the objective where every curvature has vanished", "[intercept]") {
  for (double scale : {1e4, 1e8}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const Problem problem = some_problem(10, 1.0, 0.0, seed);
      const Eigen::MatrixXd A = scale * some_problem(10, 1.0, 0.0, seed + 100).m;
      const Vector w = Vector::Constant(10, 0.1), zero = Vector::Zero(1);
      const auto value = [&](double b) {
        return Glm(design_of(A), make_loss("binomial", problem.y, w), {}, Vector::Constant(1, b)).value();
      };
      Glm f(design_of(A), make_loss("binomial", problem.y, w), {}, zero);
      const Coordinate v{0, 1.0};
      const double slope = -f.along(v);
      f.prepare(Move<Coordinate>{StepKind::towards, 1.0, -1.0, 0.0, &v, nullptr, slope, 1.0});
      const double divergence = f.divergence(1.0);
      CHECK(std::abs(divergence - slope - (value(1.0) - value(0.0))) <= 2e-6 * (1.0 + divergence));
      f.commit(1.0);
      CHECK(std::abs(f.value() - value(1.0)) <= 1e-11 * scale);
      CHECK(std::abs(f.intercept()) <= A.cwiseAbs().maxCoeff() + 800.0);
    }
  }
}

TEST_CASE("free columns are settled once what they promise is less than the rounding of the margins", "[intercept]") {
  int looks = 0;
  FreeNoise ended = FreeNoise::none;
  bool refuse = false, unseen = false;
  const auto settle = [&](double nothing, bool noise = false) {  // a parabola whose slope is never less than rounding, of about 1e-10
    looks = 0;
    const Vector coefficients = Vector::Ones(1);
    return settle_free_columns(
        coefficients, nothing, ended,
        [&](Vector& g, Eigen::MatrixXd& H) {
          g[0] = looks % 2 == 0 ? 1e-10 : -1e-10;
          H(0, 0) = 1.0;
          ++looks;
        },
        [&](const Vector&, double) { return !refuse; }, [] { return 1e-18; }, [&](const Vector&) { return noise; },
        [&](double) { return unseen; });
  };
  CHECK(settle(1e-19) <= 1e-19);
  CHECK(looks == 1);
  settle(0.0);
  CHECK(looks == 200);
  settle(0.0, true);
  CHECK(looks == 6);
  CHECK(ended == FreeNoise::slopes);
  settle(0.0, true);  // who ended there asks before anything is tried
  CHECK(looks == 1);
  settle(1e-19, false);
  CHECK(ended == FreeNoise::none);
  refuse = true;
  settle(0.0, true);  // and so does whose step was refused
  CHECK(looks == 2);
  ended = FreeNoise::none;
  unseen = true;
  settle(0.0);  // what it promised is lost in the loss
  CHECK(looks == 2);
  CHECK(ended == FreeNoise::promises);
  settle(0.0);
  CHECK(looks == 1);
}

namespace {

// Counts the questions that parts are asked.
struct Counted final : Parts {
  PartsHere parts;
  long asked = 0;

  Vector ask(const Question& question) override {
    ++asked;
    return parts.ask(question);
  }
};

}  // namespace

TEST_CASE("where free columns fit all observations, a step costs a handful of questions to the parts", "[intercept][parts]") {
  const Index n = 10, q = 14;
  const Eigen::MatrixXd A = normal_matrix(n, q + 2, 3);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y[i] = 1e9 * static_cast<double>(1 + i % 3);
  auto parts = std::make_shared<Counted>();
  Part part(make_loss("poisson", y, Vector::Constant(n, 0.1)), Vector());
  part.attach(design_of(A));
  parts->parts.add(std::move(part));
  GlmSettings settings;
  for (Index j = 0; j < q; ++j) settings.free.push_back(j);
  const Vector lengths = A.colwise().norm().transpose();
  GlmOfParts f(parts, make_loss("poisson", {}, {}), {n, q + 2, 1.0, lengths, 0.0, lengths}, settings);
  const Coordinate v{q, 1e-12};
  const auto step = [&](double gamma) {
    f.gradient();
    const AnyAtom atom(v);
    f.prepare(Move<AnyAtom>{StepKind::towards, 1.0, -1.0, 0.0, &atom, nullptr, f.along_point() - f.along(atom), 1.0});
    f.divergence(gamma);
    f.commit(gamma);
  };
  for (int k = 0; k < 3; ++k) step(0.5);
  const long before = parts->asked;
  for (int k = 0; k < 10; ++k) step(0.1);
  CHECK(parts->asked - before <= 200);
}

TEST_CASE("free columns follow a direction only as far as the loss bends as it does here", "[intercept]") {
  // In the first two rows the free column is short and the loss bends; in the last it is long, and the loss has all but straightened. The
  // answer of the parabola would carry the last row across to the other class.
  Eigen::MatrixXd A(3, 2);
  A << 1e-3, 1.0, 1e-3, 1.0, 1.0, 0.0;
  Vector y(3), offset(3);
  y << 0.0, 1.0, 1.0;
  offset << 0.0, 0.0, 30.0;
  GlmSettings settings;
  settings.intercept = false;
  settings.free = {0};
  settings.offset = offset;
  for (double delta : {1.0, -1.0}) {
    Glm f(design_of(A), make_loss("binomial", y, Vector::Ones(3)), settings, Vector::Zero(2));
    f.gradient();
    Vector g;
    f.gradient_at({1}, g);
    f.prepare(Columns{1}, Vector::Constant(1, delta), delta * g[0]);
    CHECK(f.divergence(1.0) < 1.0);
  }
}

TEST_CASE("a parabola that free columns fit exactly ends where rounding does", "[intercept]") {
  const Index n = 60, q = 12;
  GlmSettings settings;
  for (Index j = 0; j < q; ++j) settings.free.push_back(j);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Eigen::MatrixXd A = normal_matrix(n, q + 1, seed);
    const Vector y = (1e5 + (A.leftCols(q) * normal_matrix(q, 1, 100 + seed).col(0)).array()).matrix();
    Glm f(design_of(A), make_loss("gaussian", y, Vector::Constant(n, 1.0 / n)), settings, Vector::Zero(q + 1));
    INFO("seed " << seed);
    CHECK(f.value() <= 1e-18);
    const double rounding = f.value_rounding();  // known before anybody has asked for the gradient
    CHECK(rounding >= 0.01 * std::pow(1e5 * std::numeric_limits<double>::epsilon(), 2.0));
    CHECK(f.unsettled() <= rounding);
  }
}

TEST_CASE("free columns that separate the classes go by bounded steps, and no margin overflows", "[intercept]") {
  for (double scale : {1.0, 1e6, 1e150}) {
    const Index n = 20;
    Eigen::MatrixXd A(n, 2);
    Vector y(n);
    for (Index i = 0; i < n; ++i) {
      y[i] = static_cast<double>(i % 2);
      A(i, 0) = scale * ((y[i] > 0.5 ? 1.0 : -1.0) + 0.3 * std::sin(static_cast<double>(i)));
      A(i, 1) = std::cos(static_cast<double>(i));
    }
    GlmSettings settings;
    settings.free = {0};
    Glm f(design_of(A), make_loss("binomial", y, Vector::Constant(n, 1.0 / n)), settings, Vector::Zero(2));
    CHECK(std::isfinite(f.free()[0]));
    CHECK(f.value() < 1e-10);
    CHECK((A.col(0) * f.free()[0]).cwiseAbs().maxCoeff() < 1e5);  // a Newton step where curvatures have underflowed goes anywhere
  }
}

TEST_CASE("free columns follow margins of any size", "[intercept]") {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  const Index n = 10, p = 18;  // so that all observations can be fitted
  Eigen::MatrixXd A(n, p);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    y[i] = static_cast<double>(i % 2);
    for (Index j = 0; j < p; ++j) A(i, j) = normal(generator);
  }
  for (double size : {1e5, 1e7, 1e9}) {
    GlmSettings settings;
    for (Index j = 1; j < p; ++j) settings.free.push_back(j);
    Vector b = Vector::Zero(p);
    b[0] = size;
    const Glm f(design_of(A), make_loss("binomial", y, Vector::Constant(n, 1.0)), settings, b);
    CHECK(f.value() < 1e-10);  // 5e5 and more, where steps of a thousand do not arrive
  }
}

TEST_CASE("free columns that find no end take few steps until they do", "[intercept]") {
  int looks = 0;
  double loss = 1e9, slope = 1.0;
  const auto look = [&](Vector& g, Eigen::MatrixXd& H) {
    ++looks;
    g[0] = slope;
    H(0, 0) = 1.0;
  };
  const auto move = [&](const Vector&, double) { return (loss -= 1.0) > 0.0; };
  FreeNoise noise = FreeNoise::none;
  const auto search = [&] {
    looks = 0;
    settle_free_columns(Vector::Ones(1), 1e-20, noise, look, move, [&] { return 0.0; }, [](const Vector&) { return false; },
                        [](double) { return false; });
    return looks;
  };
  CHECK(search() == 200);
  CHECK(search() <= 10);  // or a run of thousands of steps searches thousands of times
  slope = 0.0;
  search();
  slope = 1.0;
  CHECK(search() == 200);
}

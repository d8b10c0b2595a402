// What rounding may hide is said, and never less than it is: in bounds on the minimum, in gaps, in gradients of ill-weighted rows.
#include <acfw.hpp>
#include <acfw/correctors/working_hessian.hpp>
#include <acfw/objectives/glm.hpp>
#include <acfw/objectives/glm_of_parts.hpp>
#include <acfw/objectives/linear_model.hpp>
#include <acfw/parts/part.hpp>
#include "check.hpp"

#include <random>

using namespace acfw;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Rows whose weights lie many orders of magnitude apart, and so do the lengths of the columns.
struct IllWeighted {
  Index n = 12, p = 4;
  Eigen::MatrixXd A;
  Vector y, w, b;

  IllWeighted(const std::string& family, unsigned seed, double decades, double size) : A(normal_matrix(n, p, seed)), y(n), w(n), b(p) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (Index i = 0; i < n; ++i) {
      w[i] = std::pow(10.0, decades * uniform(generator));
      A.row(i) *= family == "poisson" ? 1.0 : std::pow(10.0, 2.0 * uniform(generator));
      y[i] = family == "binomial" ? static_cast<double>(i % 2) : 3.0;
    }
    for (Index j = 0; j < p; ++j) b[j] = size * uniform(generator);
    if (family == "gaussian") y = A * b + 1e-7 * Vector::Random(n);  // residuals of which rounding is a large part
  }

  // <g, b - v> in extended precision.
  long double along(const std::string& family, const Coordinate& v) const {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> M = A.cast<long double>();
    const Long z = M * b.cast<long double>();
    Long r(n);
    for (Index i = 0; i < n; ++i) {
      const long double mean = family == "gaussian" ? z[i] : family == "poisson" ? std::exp(z[i]) : 1.0L / (1.0L + std::exp(-z[i]));
      r[i] = w[i] * (mean - y[i]);
    }
    Long d = b.cast<long double>();
    d[v.index] -= v.value;
    return (M * d).dot(r);
  }
};

GlmSettings without_intercept() {
  GlmSettings settings;
  settings.intercept = false;
  return settings;
}

Glm whole(const IllWeighted& p, const std::string& family) {
  return Glm(design_of(p.A), make_loss(family, p.y, p.w), without_intercept(), p.b);
}

}  // namespace

TEST_CASE("the rounding of a gradient is never said to be less than it is, however rows weigh and bend", "[rounding]") {
  int sharper = 0;
  for (const std::string family : {"binomial", "gaussian", "poisson"}) for (unsigned seed = 1; seed <= 40; ++seed) {
    const IllWeighted p(family, seed, seed % 4 * 3.0, seed % 3 ? 0.1 : 2.0);
    Glm f = whole(p, family);
    for (Index j = 0; j < p.p; ++j) for (double radius : {1.0, -1e3}) {
      const Coordinate v{j, radius};
      f.gradient();
      const double off = static_cast<double>(std::abs(p.along(family, v) - static_cast<long double>(f.along_point() - f.along(v))));
      const double loose = f.gradient_rounding(v), sharp = f.gradient_rounding(v, 0.0);
      INFO(family << " seed " << seed << " column " << j << " radius " << radius);
      // the two inner products themselves are the loop's to count
      CHECK(off <= sharp + 8.0 * epsilon * (std::abs(f.along_point()) + std::abs(f.along(v))));
      CHECK(sharp <= loose);
      CHECK(f.gradient_rounding(v, loose) == loose);
      sharper += sharp < 0.5 * loose;
    }
  }
  CHECK(sharper > 20);
}

TEST_CASE("a row that no rounding can move does not blur the gap, however long its column", "[rounding]") {
  Eigen::MatrixXd A(3, 1);
  A << -6e4, 0.0, 0.0;
  Vector y(3), w(3);
  y << 0.0, 1.0, 0.0;
  w << 2.6e-7, 1e3, 4.6e-3;
  Glm f(design_of(A), make_loss("binomial", y, w), GlmSettings{}, Vector::Ones(1));  // the margin of the first row is far out
  f.gradient();
  const Coordinate v{0, 1.0};
  CHECK(f.gradient_rounding(v) > 1e-9);
  CHECK(f.gradient_rounding(v, 0.0) < 1e-11);
}

TEST_CASE("counts that are met to many digits have the rounding of their means, not of what is left", "[rounding]") {
  IllWeighted p("poisson", 5, 0.0, 1e-9);
  int seen = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    p.A = normal_matrix(p.n, p.p, seed);
    p.y = (p.A * p.b).array().exp();  // as near as rounding lets them be
    Glm f = whole(p, "poisson");
    f.gradient();
    for (Index j = 0; j < p.p; ++j) {
      const Coordinate v{j, 1.0};
      const double off = static_cast<double>(std::abs(p.along("poisson", v) - static_cast<long double>(f.along_point() - f.along(v))));
      CHECK(off <= f.gradient_rounding(v, 0.0));
      seen += off > epsilon * f.gradient().cwiseAbs().maxCoeff() * 1.1;
    }
  }
  CHECK(seen > 0);  // more than of the products themselves
}

TEST_CASE("a heavy row does not blur the gradient of a column that does not reach it", "[rounding]") {
  Eigen::MatrixXd A(3, 2);
  A << 0.0, 0.0, 0.0, -1.0, 0.0, -1.0;
  Vector y(3), w(3);
  y << 1.0, 1.0, 0.0;
  w << 7e11, 3.8e-10, 2.8e-12;
  Vector b(2);
  b << 0.0, -0.5;
  Glm f(design_of(A), make_loss("binomial", y, w), without_intercept(), b);
  LinearModel model(design_of(A), make_loss("binomial", y, w), 0.0, b);
  f.gradient();
  const Coordinate v{1, 1.0};
  CHECK(f.gradient_rounding(v) > 1e-6);
  CHECK(f.gradient_rounding(v, 0.0) < 1e-24);
  CHECK(model.gradient_rounding(v, 0.0) < 1e-24);
  CHECK(model.gradient_rounding(v, 0.0) > 1e-27);
}

TEST_CASE("parts know the rounding of their rows as the whole does", "[rounding][parts]") {
  for (const std::string family : {"binomial", "gaussian", "poisson"}) for (unsigned seed = 1; seed <= 10; ++seed) {
    const IllWeighted p(family, seed, 6.0, 0.5);
    std::vector<Eigen::MatrixXd> rows;
    for (Index k = 0; k < 3; ++k) rows.push_back(p.A.middleRows(4 * k, 4));
    auto parts = std::make_shared<PartsHere>();
    for (Index k = 0; k < 3; ++k) {
      Part part(make_loss(family, p.y.segment(4 * k, 4), p.w.segment(4 * k, 4)), Vector());
      part.attach(design_of(rows[static_cast<std::size_t>(k)]));
      parts->add(std::move(part));
    }
    const Vector lengths = p.A.colwise().norm().transpose();
    GlmOfParts f(parts, make_loss(family, {}, {}), {p.n, p.p, p.w.sum(), lengths, 0.0, lengths}, without_intercept(), p.b);
    Glm all = whole(p, family);
    all.gradient();
    f.gradient();
    for (Index j = 0; j < p.p; ++j) {
      const Coordinate v{j, 10.0};
      INFO(family << " seed " << seed << " column " << j);
      const double off = static_cast<double>(std::abs(p.along(family, v) - static_cast<long double>(f.along_point() - f.along(AnyAtom(v)))));
      const double said = f.gradient_rounding(AnyAtom(v), 0.0), limit = all.gradient_rounding(v, 0.0);
      CHECK(off <= said + 8.0 * epsilon * (std::abs(f.along_point()) + std::abs(f.along(AnyAtom(v)))));
      CHECK(std::abs(said - limit) <= 1e-9 * limit);
    }
  }
}

TEST_CASE("a lower bound leaves room for rounding, and for noise that is seen before or after", "[rounding]") {
  LowerBound bound;
  bound.learn(1.0, 0.25, 3.0);
  CHECK(bound.value() <= 0.75 - 256 * epsilon * 4.0);
  CHECK(bound.value() >= 0.75 - 1024 * epsilon * 4.0);
  const double before = bound.value();
  bound.allow_for(1e-6);
  CHECK(bound.value() <= before - 1e-6);
  const double after = bound.value();
  bound.allow_for(1e-7);  // less than what was seen
  CHECK(bound.value() == after);
  bound.learn(1.0, 0.25, 3.0);
  CHECK(bound.value() == after);
  bound.learn(1.0, 0.1, 3.0);
  CHECK(bound.value() <= 0.9 - 1e-6);
  bound.learn(1.0, -0.5, 3.0);  // a gap below zero is rounding: no bound is above the value
  CHECK(bound.value() < 1.0);
  bound.refute();
  bound.learn(1.0, 0.0, 0.0);
  CHECK(bound.value() == -std::numeric_limits<double>::infinity());
}

namespace {

/// A parabola whose value and gradient are off by some noise until the point is rebuilt.
class Drifting : public PlainObjective {
 public:
  Drifting(Vector target, double noise) : PlainObjective(Vector::Unit(target.size(), 0)), target_(std::move(target)), noise_(noise) { settle(); }

  template <class Atom>
  double prepare(const Move<Atom>& move) {
    return norm2_ = point_.prepare(move);
  }
  double divergence(double gamma) const { return 0.5 * gamma * gamma * norm2_; }
  void commit(double gamma) {
    point_.commit(gamma);
    drifted_ = true;
    settle();
  }
  template <class Active>
  bool rebuild(const Active* active) {
    point_.rebuild(active);
    drifted_ = false;
    settle();
    return true;
  }

 private:
  void find_gradient(Vector& g) const override { g = point_.x() - target_; }
  void settle() { move_to(0.5 * (point_.x() - target_).squaredNorm() + (drifted_ ? noise_ : 0.0)); }

  Vector target_;
  double noise_, norm2_ = 0.0;
  bool drifted_ = false;
};

/// A parabola at its minimum, which notes how small a rounding it was asked for.
class Asked : public Drifting {
 public:
  Asked() : Drifting(Vector::Unit(4, 0), 0.0) {}
  template <class Atom>
  double gradient_rounding(const Atom&, double asked) {
    enough = asked;
    return 1e-13;
  }
  double enough = -1.0;
};

}  // namespace

TEST_CASE("values that were too high until they were computed afresh leave no bound above the minimum", "[rounding]") {
  const double noise = 1e-4;
  Vector target(4);
  target << 0.4, 0.3, 0.2, 0.1;  // in the simplex: the minimum is 0
  Drifting f(target, noise);
  Simplex simplex;
  Cfw<Coordinate> direction;
  AutoConditioned<> step;
  Control control;
  control.tol = control.rel_tol = 0.0;
  control.max_iter = 3000;
  FrankWolfe run(f, simplex, direction, step, control);
  run.go();
  CHECK(run.lower() <= 0.0);
}

TEST_CASE("the gap reported has the rounding of its two inner products in it", "[rounding]") {
  // at the corner of a simplex far from zero: <g, x> and <g, v> have no digits in common with their difference
  for (double far : {1.0, 1e4, 1e8}) {
    Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(3, 3);
    Quadratic f(Q, Vector::Constant(3, far), 0.0, Vector::Unit(3, 0));
    Simplex simplex;
    Pfw<Coordinate> direction;
    AutoConditioned<> step;
    Control control;
    control.tol = control.rel_tol = 0.0;
    control.max_iter = 200;
    FrankWolfe run(f, simplex, direction, step, control);
    run.go();
    const double terms = std::abs(f.along_point()) + std::abs(f.along(run.atom()));
    CHECK(terms > far);
    CHECK(run.gap() >= 8.0 * epsilon * terms);
    CHECK(run.gap() <= 64.0 * epsilon * (1.0 + terms));
  }
}

TEST_CASE("nobody looks closer at rounding than the tolerance asks, and all do where there is none", "[rounding]") {
  for (double tol : {1e-6, 0.0}) {
    Asked f;
    Simplex simplex;
    Cfw<Coordinate> direction;
    AutoConditioned<> step;
    Control control;
    control.tol = tol;
    control.rel_tol = 0.0;
    control.max_iter = 5;
    FrankWolfe run(f, simplex, direction, step, control);
    run.go();
    CHECK(std::abs(f.enough - 1e-3 * tol) <= 1e-12);
  }
}

TEST_CASE("a function below its tangent is told from rounding", "[rounding]") {
  CHECK(look_below_tangent(1.0, -1.0, -1e-3).seen);
  CHECK_FALSE(look_below_tangent(1.0, -1.0, 1e-3).seen);
  CHECK_FALSE(look_below_tangent(1.0, -1.0, -1e-8).seen);           // seven digits of the tangent
  CHECK_FALSE(look_below_tangent(1e8, -1e-6, -1e-6).seen);          // lost in the values
  CHECK(look_below_tangent(1.0, -1e-6, -1e-6).seen);
  CHECK(look_below_tangent(1e-20, -1e-20, -1e-24, 1e-14).seen);
  CHECK_FALSE(look_below_tangent(1e-20, -1e-20, -1e-24, 1e-8).seen);  // a step that is rounded
  const Contradiction found = look_below_tangent(2.0, -1.0, -0.5);
  CHECK(found.expected == -1.0);
  CHECK(found.found == -1.5);
}

TEST_CASE("a Gram matrix of many dense rows can be left between two blocks of them", "[parallel]") {
  struct Left {};
  const Eigen::MatrixXd A = normal_matrix(2000, 6, 1);
  auto design = design_of(A);
  int polls = 0;
  design->set_poll([&] { ++polls; });
  const Columns columns{0, 1, 2, 3, 4, 5};
  Eigen::MatrixXd H(6, 6);
  design->gram(columns, Vector::Ones(2000), 0, H);
  CHECK(polls >= 5);
  CHECK((H - A.transpose() * A).norm() < 1e-9);
  design->set_poll([&] { if (--polls < 3) throw Left{}; });
  CHECK_THROWS_AS(design->gram(columns, Vector::Ones(2000), 0, H), Left);
}

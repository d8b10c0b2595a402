// The sets of regression coefficients, the descent on their quadratic models, and losses with several margins.
#include <acfw.hpp>
#include <acfw/correctors/budget_corrective.hpp>
#include <acfw/linear/blocks.hpp>
#include <acfw/objectives/glm.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Vector equal(Index n) { return Vector::Constant(n, 1.0 / static_cast<double>(n)); }

Vector responses(const Eigen::MatrixXd& A) { return A.col(0) - 0.5 * A.col(1) + 0.3 * A.col(2); }

// <g, v> is least at the atom, which is what it says, and no point of the set in a random cloud has less.
void check_oracle(const Budget& set, const Vector& g, unsigned seed) {
  const Vertex<AnyAtom> vertex = set.minimize(g);
  Vector v = Vector::Zero(g.size());
  add_to(v, 1.0, vertex.atom);
  CHECK(g.dot(v) == close_to(vertex.value, 1e-12).or_by(1e-14));
  Vector inside = v;
  set.bring_inside(inside);
  CHECK((inside - v).lpNorm<Eigen::Infinity>() <= 1e-12);
  const Eigen::MatrixXd cloud = 3.0 * normal_matrix(g.size(), 200, seed);
  for (Index k = 0; k < cloud.cols(); ++k) {
    Vector x = cloud.col(k);
    set.bring_inside(x);
    CHECK(g.dot(x) >= vertex.value - 1e-12);
  }
}

}  // namespace

TEST_CASE("the oracle of every budget is least over its set", "[budget]") {
  const Index p = 9;
  const double inf = std::numeric_limits<double>::infinity();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Vector g = normal_matrix(p, 1, seed);
    Vector lower = Vector::Constant(p, -0.3), upper = Vector::Constant(p, 0.4);
    lower[0] = 0.0;
    upper[1] = 0.0;
    upper[2] = inf;
    L1Budget ball({}, {}), limited(lower, upper);
    SimplexBudget simplex(p, {3});
    GroupBudget groups({0, 0, 0, 1, 1, 2, 2, 2, -1});
    for (Budget* set : std::initializer_list<Budget*>{&ball, &limited, &simplex}) {
      set->set_radius(1.3);
      check_oracle(*set, g, seed);
    }
    groups.set_radius(1.3);
    Vector x = g;
    x[8] = 0.0;
    groups.bring_inside(x);
    CHECK(groups.size(x) == close_to(1.3, 1e-12));
    CHECK(groups.minimize(g).value <= g.dot(-x) + 1e-12);
    CHECK(-groups.minimize(g).value == close_to(1.3 * groups.strongest(g, x), 1e-12));
  }
}

TEST_CASE("a budget's atoms add up to the point with weights that sum to one", "[budget]") {
  Vector b(4);
  b << 0.5, 0.0, -0.2, 0.1;
  L1Budget ball({}, {});
  ball.set_radius(1.0);
  const ActiveSet<AnyAtom> active = ball.atoms_of(b);
  Vector sum(4);
  active.sum_into(sum);
  CHECK((sum - b).norm() <= 1e-15);
  double total = 0.0;
  for (double weight : active.weights()) total += weight;
  CHECK(total == close_to(1.0, 1e-14));
}

TEST_CASE("penalised solutions certify themselves over the ball of their own norm, whatever the storage and the loss", "[budget]") {
  const Eigen::MatrixXd A = normal_matrix(60, 40, 3);
  const Eigen::SparseMatrix<double> S = A.sparseView();
  for (const char* family : {"gaussian", "binomial", "poisson"}) {
    Vector y = responses(A) + 0.5 * normal_matrix(60, 1, 4);
    if (std::string(family) == "binomial") y = (y.array() > 0.0).cast<double>();
    if (std::string(family) == "poisson") y = y.array().exp().round();
    const auto solved = [&](auto design) {
      Glm f(design, make_loss(family, y, equal(60)));
      L1Budget ball({}, {});
      f.set_budget(&ball);
      L1Penalty penalty(ball);
      Counts counts;
      double before = f.gradient().lpNorm<Eigen::Infinity>();
      for (double share : {0.5, 0.5, 0.5}) {
        const double mu = share * f.gradient().lpNorm<Eigen::Infinity>();
        penalty.minimise(f, {mu, before, 0.0, 1e-9, 1e-9}, counts);
        const Vector g = f.gradient();
        CHECK(g.lpNorm<Eigen::Infinity>() == close_to(mu, 1e-6));
        CHECK(g.dot(f.point()) + f.point().lpNorm<1>() * g.lpNorm<Eigen::Infinity>() <= 1e-9 * f.value());
        before = mu;
      }
      return f.value();
    };
    CHECK(solved(design_of(A)) == close_to(solved(design_of(S)), 1e-8));
  }
}

TEST_CASE("groups and limits reach the optimum that their certificate promises", "[budget]") {
  const Eigen::MatrixXd A = normal_matrix(50, 12, 5);
  const Vector y = responses(A);
  std::vector<int> group;
  for (int j = 0; j < 12; ++j) group.push_back(j / 3);
  GroupBudget groups(group);
  L1Budget limited(Vector::Zero(12), Vector::Constant(12, 0.4));
  SimplexBudget simplex(12);
  for (Budget* set : std::initializer_list<Budget*>{&groups, &limited, &simplex}) {
    set->set_radius(0.8);
    Glm f(design_of(A), make_loss("gaussian", y, equal(50)));
    f.set_budget(set);
    Vector start = Vector::Zero(12);
    set->bring_inside(start);
    f.place(start);
    Cfw<AnyAtom> direction;
    AutoConditioned<> step;
    Control control;
    control.tol = 0.0;
    control.rel_tol = 1e-9;
    FrankWolfe run(f, *set, direction, step, control, BudgetCorrective(*set));
    run.resume(0);
    run.go();
    CHECK(run.status() == Status::converged);
    CHECK(set->size(f.point()) <= 0.8 * (1.0 + 1e-12));
    Glm other(design_of(A), make_loss("gaussian", y, equal(50)));  // plain Frank-Wolfe cannot go below the certified bound
    other.set_budget(set);
    Cfw<AnyAtom> plain;
    AutoConditioned<> rule;
    control.rel_tol = 1e-4;
    FrankWolfe slow(other, *set, plain, rule, control);
    slow.go();
    CHECK(other.value() >= f.value() - run.gap() - 1e-12);
    CHECK(f.value() >= other.value() - slow.gap() - 1e-12);
  }
}

TEST_CASE("the multinomial loss has the divergence of its values, over designs in blocks", "[budget]") {
  const Index n = 20, p = 3, classes = 3;
  const Eigen::MatrixXd A = normal_matrix(n, p, 8);
  Vector y = Vector::Zero(n * classes);
  for (Index i = 0; i < n; ++i) y[i * classes + i % classes] = 1.0;
  const auto loss = [&] { return make_loss("multinomial", y, Vector::Constant(n * classes, 1.0 / n), classes); };
  BlockDesign<DenseStorage> blocks({A.data(), n, n}, n, p, classes);
  CHECK(blocks.cols() == (p + 1) * classes);
  const Vector b = 0.3 * normal_matrix(blocks.cols(), 1, 9), d = normal_matrix(blocks.cols(), 1, 10);
  Vector z, u;
  blocks.times(b, z);
  blocks.times(d, u);
  auto f = loss();
  f->look(z, 0.0);
  for (double gamma : {1.0, 1e-2, 1e-4}) {
    const double change = loss()->value(z - gamma * u, 0.0) - f->value(z, 0.0);
    CHECK(f->shift(z, 0.0, u, gamma, 0.0).divergence - gamma * f->residual().dot(u) == close_to(change, 1e-6).or_by(1e-13));
  }
  Vector v;
  f->curvature(v);
  const double quadratic = 0.5 * 1e-6 * (v.array() * u.array().square()).sum();
  CHECK(f->shift(z, 0.0, u, 1e-3, 0.0).divergence <= quadratic * (1.0 + 1e-2));  // an upper model
}

namespace {

// Steps of single coordinates and images of directions change the gradient as H does.
void check_model_through_columns(Glm& f, const Columns& columns, const Eigen::MatrixXd& H) {
  const Index k = H.cols();
  L1Budget ball({}, {});
  CoordinateModel model;
  Vector g, x(k), dots(k);
  f.gradient_at(columns, g);
  for (Index a = 0; a < k; ++a) x[a] = f.point()[columns[static_cast<std::size_t>(a)]];
  whole_model_of(f, columns, x, g, ball, model);
  const Vector d = normal_matrix(k, 1, 12), Hd = H * d;
  Columns places;
  for (Index a = 0; a < k; ++a) {
    CHECK(model.diagonal[a] == close_to(H(a, a), 1e-10));
    f.design().step(a, d[a], model);
    places.push_back(a);
  }
  f.design().inner(columns, model.q, dots.data(), 1);
  for (Index a = 0; a < k; ++a) CHECK(model.slope(a, dots[a]) - g[a] == close_to(Hd[a], 1e-10).or_by(1e-12));
  Vector q;
  f.design().image(places, d, model, q);
  CHECK((q - model.q).lpNorm<Eigen::Infinity>() <= 1e-13);
}

}  // namespace

TEST_CASE("the Hessian of entangled columns is how the gradient changes once free columns have followed", "[budget]") {
  const Index n = 30, p = 4, classes = 3;
  const Eigen::MatrixXd A = normal_matrix(n, p, 5);
  const Eigen::SparseMatrix<double> S = A.cwiseProduct((A.array() > 0.9).matrix().cast<double>()).sparseView();
  Vector y = Vector::Zero(n * classes), labels(n);
  for (Index i = 0; i < n; ++i) y[i * classes + i % classes] = labels[i] = 1.0 * (i % 2);
  for (Index i = 0; i < n; ++i) y[i * classes + (i + 1) % classes] += 1.0 - labels[i];
  const auto check = [&](const auto& make, const Columns& columns) {
    Vector b = Vector::Zero(make(Vector()).point().size());
    for (std::size_t k = 0; k < columns.size(); ++k) b[columns[k]] = 0.3 - 0.2 * static_cast<double>(k);
    Glm f = make(b);
    REQUIRE(f.entangled());
    Eigen::MatrixXd H;
    Followed followed;
    f.hessian_at(columns, H, followed);
    check_model_through_columns(f, columns, H);
    const double h = 1e-5;
    Vector up, down;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (double side : {1.0, -1.0}) {
        Vector moved = b;
        moved[columns[k]] += side * h;
        make(moved).gradient_at(columns, side > 0.0 ? up : down);
      }
      for (Index a = 0; a < H.rows(); ++a) {
        CHECK(H(a, static_cast<Index>(k)) == close_to((up[a] - down[a]) / (2.0 * h), 1e-6).or_by(1e-9));
      }
    }
  };
  const auto classified = [&](const auto& storage) {
    return [&, storage](const Vector& b) {
      GlmSettings settings{0.1, false};
      settings.free = {p, 2 * p + 1, 3 * p + 2};
      return Glm(std::make_shared<BlockDesign<std::decay_t<decltype(storage)>>>(storage, n, p, classes),
                 make_loss("multinomial", y, Vector::Constant(n * classes, 1.0 / n), classes), settings, b);
    };
  };
  check(classified(DenseStorage{A.data(), n, n}), {0, 2, 6, 11});
  check(classified(CompressedStorage{S.outerIndexPtr(), S.innerIndexPtr(), S.valuePtr()}), {0, 2, 6, 11});
  for (const char* family : {"binomial", "gaussian", "poisson"}) {
    const auto with_free_column = [&](const Vector& b) {
      GlmSettings settings{0.1, true};
      settings.free = {3};
      return Glm(design_of(A), make_loss(family, labels, Vector::Constant(n, 1.0 / n)), settings, b);
    };
    check(with_free_column, {0, 2});
  }
}

TEST_CASE("columns that come later have the Hessian that they would have had, scaled with the rest", "[budget]") {
  const Index n = 30, p = 4, classes = 3;
  const Eigen::MatrixXd A = normal_matrix(n, p, 5);
  Vector y = Vector::Zero(n * classes);
  for (Index i = 0; i < n; ++i) y[i * classes + i % classes] = 1.0;
  Vector b = Vector::Zero((p + 1) * classes);
  b[0] = 0.5;
  b[7] = -0.3;
  GlmSettings settings{0.1, false};
  settings.free = {p, 2 * p + 1, 3 * p + 2};
  Glm f(std::make_shared<BlockDesign<DenseStorage>>(DenseStorage{A.data(), n, n}, n, p, classes),
        make_loss("multinomial", y, Vector::Constant(n * classes, 1.0 / n), classes), settings, b);
  const Columns all{0, 6, 2, 11, 7, 1}, some{0, 6, 2, 11}, fewer{0, 2, 11, 7, 1};
  Eigen::MatrixXd H, of_all;
  Followed followed;
  f.hessian_at(all, of_all, followed);
  const double ridge = 0.1;

  WholeHessian whole;
  whole.form(f, some, H);
  CHECK((H - of_all.topLeftCorner(4, 4)).lpNorm<Eigen::Infinity>() < 1e-14);
  CHECK_FALSE(whole.lasts(all, 4));  // a third of the columns
  CHECK(whole.lasts(some, 4));
  CHECK(whole.follow(f) == close_to(1.0));
  CHECK((whole.more(f, all, 4) - of_all.rightCols(2)).lpNorm<Eigen::Infinity>() < 1e-14);

  whole.select({0, 2, 3});
  const Vector before = f.bending().v;
  f.place(4.0 * b);
  const double share = whole.follow(f);
  CHECK(share == close_to(f.bending().v.sum() / before.sum()));
  CHECK(share < 0.99);
  Eigen::MatrixXd then = of_all({0, 2, 3, 4, 5}, {4, 5});
  for (Index a : {0, 1}) then(3 + a, a) -= ridge;
  then *= share;
  for (Index a : {0, 1}) then(3 + a, a) += ridge;
  CHECK((whole.more(f, fewer, 3) - then).lpNorm<Eigen::Infinity>() < 1e-14);
}

TEST_CASE("products of blocks with several vectors are those with each", "[budget]") {
  const Index n = 40, p = 120, classes = 3;
  const Eigen::MatrixXd A = normal_matrix(n, p, 8), R = normal_matrix(n * classes, 5, 9);
  BlockDesign<DenseStorage> blocks(DenseStorage{A.data(), n, n}, n, p, classes);
  blocks.set_scale(normal_matrix((p + 1) * classes, 1, 10).col(0));
  Columns columns;
  for (Index j = 0; j < blocks.cols(); j += j % 7 == 0 ? 2 : 1) columns.push_back(j);
  std::swap(columns[3], columns[200]);
  Eigen::MatrixXd found;
  for (int threads : {1, 2}) {
    blocks.dots_with(columns, R, found, threads);
    Vector each(static_cast<Index>(columns.size()));
    for (Index b = 0; b < R.cols(); ++b) {
      blocks.dots(columns, R.col(b), each.data());
      CHECK((found.col(b) - each).lpNorm<Eigen::Infinity>() < 1e-13);
    }
  }
}

TEST_CASE("the multinomial loss keeps its digits where a class is nearly certain", "[budget]") {
  const Index classes = 3;
  Vector y(classes), w = Vector::Ones(classes), z(classes), u(classes);
  y << 1.0, 0.0, 0.0;
  u << -0.4, 0.3, 0.2;
  for (double lead : {20.0, 45.0, 100.0, 300.0}) {
    z << lead, 0.0, -1.0;
    auto f = make_loss("multinomial", y, w, classes);
    const double small = std::exp(-lead), others = 1.0 + std::exp(-1.0);
    f->look(z, 0.0);
    CHECK(f->value(z, 0.0) == close_to(std::log1p(small * others)));
    CHECK(f->residual()[0] == close_to(-small * others / (1.0 + small * others)));
    CHECK(f->residual().sum() == close_to(0.0).or_by(1e-15 * small));
    Vector v;
    f->curvature(v);
    CHECK(v[0] == close_to(2.0 * small * others / std::pow(1.0 + small * others, 2)));
    // to first order in the small probabilities: those of the others, each with its own divergence
    const auto above = [](double t) { return std::expm1(t) - t; };
    for (double gamma : {1.0, 10.0, 60.0}) {
      const double change = small * (above(-gamma * (u[1] - u[0])) + std::exp(-1.0) * above(-gamma * (u[2] - u[0])));
      if (std::exp(-gamma * u[0]) * small < 1e-9) CHECK(f->shift(z, 0.0, u, gamma, 0.0).divergence == close_to(change, 1e-7));
    }
    for (double gamma : {-60.0, -200.0, -1000.0}) {  // here the others come back
      const double far = f->value(z - gamma * u, 0.0) - f->value(z, 0.0) + gamma * f->residual().dot(u);
      CHECK(f->shift(z, 0.0, u, gamma, 0.0).divergence == close_to(far, 1e-10).or_by(1e-12 * small));
    }
  }
}

namespace {

// A formed Hessian that counts how often it is swept, and solves on a face only if it may.
struct CountedHessian final : Sweepable {
  Eigen::MatrixXd H;
  bool may_solve;
  mutable long sweeps = 0, solved = 0, images = 0;

  CountedHessian(Eigen::MatrixXd h, bool may) : H(std::move(h)), may_solve(may) {}
  double sweep(const Columns& order, CoordinateModel& m) const override {
    ++sweeps;
    return descend(order, m, [&](Index j) { return m.q[j]; }, [&](Index j, double c) { m.q += c * H.col(j); });
  }
  void step(Index k, double by, CoordinateModel& m) const override {
    m.x[k] += by;
    m.q += by * H.col(k);
  }
  double image(const Columns& some, const Vector& d, const CoordinateModel&, Vector& q) const override {
    ++images;
    Vector all = Vector::Zero(H.rows());
    for (std::size_t a = 0; a < some.size(); ++a) all[some[a]] = d[static_cast<Index>(a)];
    q = H * all;
    return q.dot(all);
  }
  void inner(const Columns& columns, const Vector& q, double* out, int /*threads*/) const override {
    for (std::size_t k = 0; k < columns.size(); ++k) out[k] = q[columns[k]];
  }
  bool solves() const override { return may_solve; }
  void solve(const Columns& face, Eigen::MatrixXd& sides) const override {
    ++solved;
    const Index k = static_cast<Index>(face.size());
    Eigen::MatrixXd K(k, k);
    for (Index b = 0; b < k; ++b) {
      for (Index a = 0; a < k; ++a) K(a, b) = H(face[static_cast<std::size_t>(a)], face[static_cast<std::size_t>(b)]);
    }
    sides = symmetric_solve(K, sides);
  }
};

CoordinateModel model_with(const Eigen::MatrixXd& H, const Vector& g, double mu) {
  CoordinateModel m;
  for (Index k = 0; k < g.size(); ++k) m.columns.push_back(k);
  m.x = m.start = m.lean = m.ridge = m.q = Vector::Zero(g.size());
  m.base = g;
  m.diagonal = H.diagonal();
  m.mu = mu;
  return m;
}

// At a point where most coordinates are in use, the fourth is not, and some are near or at their limits.
CoordinateModel model_on_the_way(const Eigen::MatrixXd& H, int seed, bool limited) {
  const Index k = H.cols();
  CoordinateModel m = model_with(H, 3.0 * normal_matrix(k, 1, seed), 0.5);
  m.x = normal_matrix(k, 1, seed + 100);
  m.x[3] = 0.0;
  m.start = m.x;
  if (limited) {
    m.lower = Vector::Constant(k, -1.5).cwiseMin(m.x);
    m.upper = Vector::Constant(k, 1.5).cwiseMax(m.x);
  }
  return m;
}

double value_of(const CoordinateModel& m, const Eigen::MatrixXd& H, const Vector& x) {
  return m.base.dot(x) + 0.5 * (x - m.start).dot(H * (x - m.start)) + m.mu * x.lpNorm<1>();
}

}  // namespace

TEST_CASE("columns that resemble one another cost a solution on their face, or conjugate gradients, not thousands of sweeps") {
  const Index k = 30;
  const Vector common = normal_matrix(80, 1, 5);
  const Eigen::MatrixXd A = 0.03 * normal_matrix(80, k, 6) + common.replicate(1, k);
  const Eigen::MatrixXd H = A.transpose() * A / 80.0;
  const Vector g = -A.transpose() * (A * normal_matrix(k, 1, 7)) / 80.0;
  const double mu = 1e-4 * g.cwiseAbs().maxCoeff();
  const auto value = [&](const Vector& x) { return g.dot(x) + 0.5 * x.dot(H * x) + mu * x.lpNorm<1>(); };
  CountedHessian iterated(H, false), solved(H, true), swept(H, false);
  CoordinateModel by_products = model_with(H, g, mu), quick = model_with(H, g, mu), slow = model_with(H, g, mu);
  CoordinateDescent().minimise(iterated, by_products, 1e-12, 1e6);
  CoordinateDescent().minimise(solved, quick, 1e-12, 1e6);
  slow.moved = Vector::Zero(k);
  while (value(slow.x) > value(quick.x) + 1e-11 && swept.sweeps < 100000) swept.sweep(slow.columns, slow);
  CHECK(solved.solved > 0);
  CHECK(10 * solved.sweeps < swept.sweeps);
  CHECK(iterated.images > 0);
  CHECK(5 * (iterated.sweeps + iterated.images) < swept.sweeps);
  for (const CoordinateModel& m : {quick, by_products}) {
    CHECK(value(m.x) <= value(slow.x) + 1e-11);
    CHECK((m.q - H * m.x).lpNorm<Eigen::Infinity>() <= 1e-8);
  }
}

TEST_CASE("sweeps end where they are told to, in a ball too, at a point that is inside of it") {
  const Index k = 30;
  const Eigen::MatrixXd A = 0.03 * normal_matrix(80, k, 6) + Vector(normal_matrix(80, 1, 5)).replicate(1, k);
  const Eigen::MatrixXd H = A.transpose() * A / 80.0;
  const Vector g = -A.transpose() * (A * normal_matrix(k, 1, 7)) / 80.0;
  for (bool all_used : {false, true}) {
    CountedHessian told(H, false), free(H, false);
    CoordinateModel early = model_with(H, g, 0.1), late = early;
    CoordinateDescent descent;
    int asked = 0;
    descent.set_stop([&] { return ++asked > 3; });
    descent.minimise_in_ball(told, early, 2.0, all_used, 1e-13);
    CHECK(told.sweeps == 3);
    CHECK(early.x.lpNorm<1>() <= 2.0 * (1.0 + 1e-14));
    CoordinateDescent().minimise_in_ball(free, late, 2.0, all_used, 1e-13);
    CHECK(free.sweeps > 3);
  }
}

TEST_CASE("a step on a face ends inside of it, at or below where it began, limits or not") {
  const Index k = 12;
  const Eigen::MatrixXd A = normal_matrix(15, k, 8);
  const Eigen::MatrixXd H = A.transpose() * A;
  for (bool limited : {false, true}) for (int seed = 20; seed < 40; ++seed) {
    CountedHessian hessian(H, true);
    CoordinateModel m = model_on_the_way(H, seed, limited);
    const Vector before = m.x;
    FaceStep().take(hessian, m, m.columns);
    CHECK(value_of(m, H, m.x) <= value_of(m, H, before));
    CHECK((m.x.array() * before.array()).minCoeff() >= 0.0);
    CHECK(m.x[3] == 0.0);
    CHECK((m.q - H * (m.x - m.start)).lpNorm<Eigen::Infinity>() <= 1e-9);
    if (limited) CHECK(((m.x - m.lower).minCoeff() >= 0.0 && (m.upper - m.x).minCoeff() >= 0.0));
  }
}

TEST_CASE("conjugate gradients that pass from face to face fall at every product and end at the minimiser, limits or not") {
  const Index k = 12;
  const Eigen::MatrixXd A = normal_matrix(15, k, 8);
  const Eigen::MatrixXd H = A.transpose() * A;
  for (bool limited : {false, true}) for (int seed = 20; seed < 40; ++seed) {
    const CountedHessian hessian(H, false);
    CoordinateModel m = model_on_the_way(H, seed, limited), swept = m;
    double last = value_of(m, H, m.x);
    for (int products = 1; products <= 8; ++products) {
      CoordinateModel some = model_on_the_way(H, seed, limited);
      ConjugateFaces().minimise(hessian, some, some.columns, 0.0, products);
      CHECK(value_of(m, H, some.x) <= last * (last > 0.0 ? 1.0 + 1e-12 : 1.0 - 1e-12));
      CHECK((some.q - H * (some.x - some.start)).lpNorm<Eigen::Infinity>() <= 1e-9);
      if (limited) CHECK(((some.x - some.lower).minCoeff() >= 0.0 && (some.upper - some.x).minCoeff() >= 0.0));
      last = value_of(m, H, some.x);
    }
    swept.moved = Vector::Zero(k);
    for (int sweep = 0; sweep < 20000; ++sweep) hessian.sweep(swept.columns, swept);
    ConjugateFaces().minimise(hessian, m, m.columns, 1e-9, 1000);
    CHECK(value_of(m, H, m.x) <= value_of(m, H, swept.x) + 1e-8);
    CHECK(((m.x.array() == 0.0) == (swept.x.array() == 0.0)).all());
  }
}

TEST_CASE("what conjugate gradients have learned outlives coordinates that come and go", "[face]") {
  const Index n = 300, k = 290;  // near an exact fit
  const Eigen::MatrixXd A = normal_matrix(n, k, 31), H = A.transpose() * A / static_cast<double>(n);
  const Vector g = -A.transpose() * normal_matrix(n, 1, 32) / static_cast<double>(n);
  CountedHessian hessian(H, false), plain(H, false);
  CoordinateModel m = model_with(H, g, 0.01 * g.lpNorm<Eigen::Infinity>()), swept = m;
  m.moved = swept.moved = Vector::Zero(k);
  hessian.sweep(m.columns, m);
  const Vector begun = m.x;
  ConjugateFaces faces;
  REQUIRE(faces.minimise(hessian, m, m.columns, 1e-5, 1000));
  CHECK((m.x.array() * begun.array() < 0.0).count() + ((m.x.array() == 0.0) != (begun.array() == 0.0)).count() > 50);
  while (value_of(m, H, swept.x) > value_of(m, H, m.x) + 1e-9 && plain.sweeps < 20000) plain.sweep(swept.columns, swept);
  CHECK(faces.products() <= 200);
  CHECK(plain.sweeps > 2 * faces.products());
}

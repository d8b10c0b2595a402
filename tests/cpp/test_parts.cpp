#include <acfw.hpp>
#include <acfw/correctors/budget_corrective.hpp>
#include <acfw/linear/storage.hpp>
#include <acfw/objectives/glm.hpp>
#include <acfw/objectives/glm_of_parts.hpp>
#include <acfw/parts/part.hpp>
#include "check.hpp"

#include <random>

using namespace acfw;

namespace {

struct Rows {
  Eigen::MatrixXd A;
  Vector y, w, offset;
};

Rows some_rows(Index n, Index p, const std::string& family) {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  Rows rows{Eigen::MatrixXd(n, p), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < p; ++j) rows.A(i, j) = normal(generator);
    const double eta = rows.A(i, 0) - rows.A(i, 1) + 0.5 * normal(generator);
    rows.y[i] = family == "binomial" ? (eta > 0.0 ? 1.0 : 0.0) : family == "poisson" ? std::floor(std::exp(0.5 * eta)) : eta;
    rows.w[i] = (1.0 + 0.5 * static_cast<double>(i % 3)) / static_cast<double>(n);
    rows.offset[i] = 0.1 * normal(generator);
  }
  return rows;
}

// Parts of about the same size; the matrices of their rows live in `kept`.
std::shared_ptr<PartsHere> in_parts(const Rows& rows, const std::string& family, Index count, std::vector<Eigen::MatrixXd>& kept) {
  auto parts = std::make_shared<PartsHere>();
  kept.clear();
  kept.reserve(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) {
    const Index from = k * rows.A.rows() / count, size = (k + 1) * rows.A.rows() / count - from;
    kept.push_back(rows.A.middleRows(from, size));
    Part part(make_loss(family, rows.y.segment(from, size), rows.w.segment(from, size)), rows.offset.segment(from, size));
    part.attach(design_of(kept.back()));
    parts->add(std::move(part));
  }
  return parts;
}

RowFacts facts_of(const Rows& rows) {
  const Vector lengths = rows.A.colwise().norm().transpose();
  return {rows.A.rows(), rows.A.cols(), rows.w.sum(), lengths, rows.offset.norm(), lengths};
}

}  // namespace

TEST_CASE("a sum over parts has the bits of its tree, whoever adds up which branch", "[parts]") {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (Index count : {1, 2, 3, 5, 7, 12}) {
    std::vector<PartialSum> leaves;
    for (Index k = 0; k < count; ++k) leaves.push_back({0, k, Vector::Constant(1, normal(generator))});
    std::vector<PartialSum> all = leaves;
    add_neighbours(all, count, Verb::look);
    REQUIRE(all.size() == 1);
    for (int tries = 0; tries < 20; ++tries) {  // every leaf goes to one of three workers
      std::vector<std::vector<PartialSum>> workers(3);
      for (const PartialSum& leaf : leaves) workers[generator() % 3].push_back(leaf);
      std::vector<PartialSum> together;
      for (auto& worker : workers) {
        add_neighbours(worker, count, Verb::look);
        together.insert(together.end(), worker.begin(), worker.end());
      }
      std::shuffle(together.begin(), together.end(), generator);
      add_neighbours(together, count, Verb::look);
      REQUIRE(together.size() == 1);
      CHECK(together[0].value[0] == all[0].value[0]);
    }
  }
}

TEST_CASE("an objective of parts is that of all rows: value, gradient, divergence, commit", "[parts]") {
  for (const char* family : {"gaussian", "binomial", "poisson"}) for (bool intercept : {true, false}) for (Index count : {1, 3, -4}) {
    const bool free = count > 0;
    const Rows rows = some_rows(60, 6, family);
    GlmSettings settings;
    settings.ridge = 0.05;
    settings.intercept = intercept;
    if (free) settings.free = {5};
    Vector b = Vector::Zero(6);
    b[0] = 0.4;
    b[3] = -0.2;
    std::vector<Eigen::MatrixXd> kept;
    GlmOfParts f(in_parts(rows, family, std::abs(count), kept), make_loss(family, Vector(0), Vector(0)), facts_of(rows), settings, b);
    settings.offset = rows.offset;
    Glm whole(design_of(rows.A), make_loss(family, rows.y, rows.w), settings, b);
    const auto same = [&] {
      CHECK(f.value() == close_to(whole.value(), 1e-12));
      CHECK(f.loss() == close_to(whole.loss(), 1e-12));
      CHECK(f.intercept() == close_to(whole.intercept(), 1e-10));
      if (free) CHECK(f.free()[0] == close_to(whole.free()[0], 1e-8));
      CHECK(f.value_rounding() > 0.99 * whole.value_rounding());  // margins are rounded on parts as in memory
      CHECK(f.value_rounding() < 10.0 * whole.value_rounding());
      for (Index j = 0; j < 5; ++j) CHECK(std::abs(f.along(AnyAtom(Coordinate{j, 1.0})) - whole.along(AnyAtom(Coordinate{j, 1.0}))) < 1e-12);
    };
    same();
    const Columns columns{0, 1, 3};
    const Vector d = Eigen::Vector3d(0.2, 0.3, -0.1);
    Vector g;
    whole.gradient_at(columns, g);
    CHECK(f.prepare(columns, d, g.dot(d)) == close_to(whole.prepare(columns, d, g.dot(d))));
    for (double gamma : {1.0, 0.5, 0.3}) CHECK(f.divergence(gamma) == close_to(whole.divergence(gamma), 1e-9));  // free columns go along
    CHECK(f.entangled() == whole.entangled());
    Eigen::MatrixXd H, of_all;
    Followed followed;
    f.hessian_at(columns, H, followed);
    whole.hessian_at(columns, of_all, followed);
    CHECK((H - of_all).lpNorm<Eigen::Infinity>() < 1e-12 * of_all.lpNorm<Eigen::Infinity>());
    f.commit(0.5);
    whole.commit(0.5);
    same();
    const AnyAtom v{Coordinate{2, 1.0}};
    const Move<AnyAtom> move{StepKind::towards, 1.0, -1.0, 0.0, &v, nullptr, whole.along_point() - whole.along(v), 1.0};
    CHECK(f.along_point() == close_to(whole.along_point(), 1e-10));
    CHECK(f.prepare(move) == close_to(whole.prepare(move), 1e-12));
    f.commit(0.1);
    whole.commit(0.1);
    same();
  }
}

TEST_CASE("a part that is made anew by the recipe answers as the one that was lost", "[parts]") {
  const Rows rows = some_rows(40, 5, "binomial");
  std::vector<Eigen::MatrixXd> kept;
  const auto parts = in_parts(rows, "binomial", 1, kept);
  GlmOfParts f(parts, make_loss("binomial", Vector(0), Vector(0)), facts_of(rows));
  const Columns columns{0, 1};
  Vector v, g, lean(2), square(2);
  f.curvature(v);
  f.design().weighted_moments(columns, 0, v, lean, square);
  const Vector d = Eigen::Vector2d(-0.5, 0.5);
  f.gradient_at(columns, g);
  f.prepare(columns, d, g.dot(d));
  f.commit(1.0);
  f.gradient_at(columns, g);
  f.prepare(columns, d, g.dot(d));
  std::vector<Eigen::MatrixXd> again;
  const auto fresh = in_parts(rows, "binomial", 1, again);
  for (const Question& question : f.recipe()) fresh->ask(question);
  for (const Question& question : {Question{Verb::gradient}, Question{Verb::gram, columns, {0.0, 0.0, 1.0}},
                                   Question{Verb::shift, {}, {f.intercept(), 0.7, 0.1}}, Question{Verb::look, {}, {f.intercept(), 1.0}}}) {
    const Vector here = parts->ask(question), there = fresh->ask(question);
    REQUIRE(here.size() == there.size());
    CHECK((here - there).lpNorm<Eigen::Infinity>() < 1e-13);
  }
}

TEST_CASE("the corrective method forms its Hessian where columns cannot be had, for every set", "[parts]") {
  const Rows rows = some_rows(80, 12, "binomial");
  std::vector<int> group;
  for (int j = 0; j < 12; ++j) group.push_back(j / 3);
  std::vector<std::unique_ptr<Budget>> sets;
  sets.push_back(std::make_unique<L1Budget>(Vector(), Vector()));
  sets.push_back(std::make_unique<L1Budget>(Vector::Constant(12, -0.1), Vector::Constant(12, 0.3)));
  sets.push_back(std::make_unique<SimplexBudget>(12));
  sets.push_back(std::make_unique<GroupBudget>(group));
  for (const auto& set : sets) {
    set->set_radius(1.0);
    std::vector<Eigen::MatrixXd> kept;
    GlmOfParts f(in_parts(rows, "binomial", 3, kept), make_loss("binomial", Vector(0), Vector(0)), facts_of(rows));
    f.set_budget(set.get(), true);
    BudgetCorrective corrector(*set);
    struct Handle : NoCorrection {
      BudgetCorrective* held;
      explicit Handle(BudgetCorrective* held = nullptr) : held(held) {}
      Correction correct_instead(Regression& f, double gap, double L, Counts& counts) { return held->correct_instead(f, gap, L, counts); }
      bool correct(Regression& f, double gap, Counts& counts) { return held->correct(f, gap, counts); }
    };
    Cfw<AnyAtom> direction;
    AutoConditioned<> step;
    Control control;
    control.rel_tol = 1e-10;
    control.max_iter = 100;
    Regression& objective = f;
    FrankWolfe<Regression, Budget, Cfw<AnyAtom>, Handle> run(objective, *set, direction, step, control, Handle(&corrector));
    run.go();
    CHECK(run.status() == Status::converged);
  }
}

namespace {

// All parts are lost just before question `when`, made anew and led back by the recipe.
struct LostOnce final : Parts {
  std::function<std::shared_ptr<Parts>()> make;
  long when, asked = 0;
  std::shared_ptr<Parts> parts = make();
  std::function<std::vector<Question>()> recipe;

  LostOnce(std::function<std::shared_ptr<Parts>()> f, long k) : make(std::move(f)), when(k) {}
  void set_recipe(std::function<std::vector<Question>()> given) override { recipe = std::move(given); }
  Vector ask(const Question& question) override {
    if (++asked == when) {
      parts = make();
      for (const Question& before : recipe()) parts->ask(before);
    }
    return parts->ask(question);
  }
};

}  // namespace

TEST_CASE("parts may be lost at any question, the very first ones of an objective among them", "[parts]") {
  const Rows rows = some_rows(60, 5, "binomial");
  std::vector<Eigen::MatrixXd> kept;
  const auto make = [&] { return in_parts(rows, "binomial", 3, kept); };
  GlmSettings settings;
  settings.free = {4};
  const auto gradient_of = [&](const std::shared_ptr<Parts>& parts) {
    GlmOfParts f(parts, make_loss("binomial", Vector(0), Vector(0)), facts_of(rows), settings, Vector::Unit(5, 1));
    return Vector(f.gradient());
  };
  const auto counted = std::make_shared<LostOnce>(make, 0);
  const Vector wanted = gradient_of(counted);
  REQUIRE(counted->asked > 5);
  for (long when = 1; when <= counted->asked; ++when) {
    INFO("lost before question " << when);
    CHECK((gradient_of(std::make_shared<LostOnce>(make, when)) - wanted).lpNorm<Eigen::Infinity>() <= 1e-12);
  }
}

namespace {

// Counts the columns that gradients are asked for, and the questions.
struct CountedColumns final : Parts {
  std::shared_ptr<Parts> parts;
  Index cols, read = 0;
  long gradients = 0;

  CountedColumns(std::shared_ptr<Parts> all, Index p) : parts(std::move(all)), cols(p) {}
  Vector ask(const Question& question) override {
    if (question.verb == Verb::gradient) {
      ++gradients;
      read += question.columns.empty() ? cols : static_cast<Index>(question.columns.size());
    }
    return parts->ask(question);
  }
};

// A pairwise run, and how many columns its gradients read; every gradient is compared with one from scratch.
Index columns_read(bool screen, Index p, double radius) {
  constexpr long iterations = 100;
  const Rows rows = some_rows(300, p, "binomial");
  std::vector<Eigen::MatrixXd> kept, again;
  const auto parts = std::make_shared<CountedColumns>(in_parts(rows, "binomial", 3, kept), p);
  RowFacts facts = facts_of(rows);
  if (!screen) facts.norms = Vector();
  GlmOfParts f(parts, make_loss("binomial", Vector(0), Vector(0)), facts);
  L1Budget ball{Vector(), Vector()};
  ball.set_radius(radius);
  f.set_budget(&ball);
  const auto fresh_parts = in_parts(rows, "binomial", 1, again);
  Pfw<AnyAtom> direction;
  AutoConditioned<> step;
  Control control;
  control.max_iter = iterations;
  control.tol = control.rel_tol = 0.0;
  long checked = 0;
  control.callback = [&](const Row&) {
    GlmOfParts fresh(fresh_parts, make_loss("binomial", Vector(0), Vector(0)), facts, {}, f.point());
    CHECK(f.gradient().cwiseAbs().maxCoeff() == close_to(fresh.gradient().cwiseAbs().maxCoeff(), 1e-10));
    CHECK(f.along_point() == close_to(fresh.along_point(), 1e-9));
    ++checked;
    return false;
  };
  Regression& objective = f;
  Budget& set = ball;
  FrankWolfe<Regression, Budget, Pfw<AnyAtom>> run(objective, set, direction, step, control);
  run.go();
  CHECK(checked > iterations / 2);
  return parts->read;
}

}  // namespace

TEST_CASE("a screened gradient of parts has the maximum of the full one, and reads fewer columns", "[parts]") {
  const Index all = columns_read(false, 60, 8.0);
  CHECK(5 * columns_read(true, 60, 8.0) < 4 * all);
  columns_read(true, 6, 50.0);  // all of them are in use, in an order of their own
}

TEST_CASE("slopes along atoms that are asked for one after another, again and again, are one question", "[parts]") {
  const Index p = 60;
  const Rows rows = some_rows(300, p, "binomial");
  std::vector<Eigen::MatrixXd> kept;
  const auto parts = std::make_shared<CountedColumns>(in_parts(rows, "binomial", 3, kept), p);
  GlmOfParts f(parts, make_loss("binomial", Vector(0), Vector(0)), facts_of(rows));
  L1Budget ball{Vector(), Vector()};
  ball.set_radius(1.0);
  f.set_budget(&ball);
  const auto look = [&] {  // and move on
    f.gradient();
    const long before = parts->gradients;
    Vector g;
    for (Index j = 20; j < 50; ++j) f.along(AnyAtom(Coordinate{j, 1.0}));
    const long asked = parts->gradients - before;
    f.gradient_at({21, 35, 49}, g);
    for (Index k = 0; k < 3; ++k) CHECK(f.along(AnyAtom(Coordinate{21 + 14 * k, 1.0})) == close_to(g[k]));
    const AnyAtom atom(Coordinate{0, 1.0});
    f.prepare(Move<AnyAtom>{StepKind::towards, 1.0, -1.0, 0.0, &atom, nullptr, f.along_point() - f.along(atom), 1.0});
    f.commit(1e-3);
    return asked;
  };
  look();
  look();
  for (int k = 0; k < 5; ++k) CHECK(look() <= 1);
}

#include <acfw.hpp>
#include <acfw/correctors/completion_corrective.hpp>
#include <acfw/correctors/factored_of_parts.hpp>
#include <acfw/objectives/effects_of_parts.hpp>
#include <acfw/parts/part.hpp>
#include <acfw/sets/completion_ball.hpp>
#include "check.hpp"

#include <random>

using namespace acfw;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Every third cell of a matrix of rank two with noise, weights that differ.
Entries some_entries(Index rows, Index cols, bool weighted) {
  std::mt19937 generator(11);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A(rows, 2), B(cols, 2);
  for (Index i = 0; i < rows; ++i) for (Index k = 0; k < 2; ++k) A(i, k) = normal(generator);
  for (Index j = 0; j < cols; ++j) for (Index k = 0; k < 2; ++k) B(j, k) = normal(generator);
  Entries out;
  out.rows = rows;
  out.cols = cols;
  out.start = {0};
  std::vector<double> value, weight;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (generator() % 3) continue;
      out.col.push_back(static_cast<int>(j));
      value.push_back(A.row(i).dot(B.row(j)) + 0.3 * normal(generator));
      weight.push_back(1.0 + 0.5 * static_cast<double>(generator() % 3));
    }
    out.start.push_back(static_cast<int>(out.col.size()));
  }
  out.value = Eigen::Map<const Vector>(value.data(), static_cast<Index>(value.size()));
  if (weighted) out.weight = Eigen::Map<const Vector>(weight.data(), static_cast<Index>(weight.size()));
  return out;
}

double total_weight(const Entries& all) { return all.weight.size() > 0 ? all.weight.sum() : static_cast<double>(all.size()); }

EntryFacts facts_of(const Entries& all, double delta) {
  EntryFacts facts{all.rows, all.cols, static_cast<double>(all.size()), 1.0 / total_weight(all), delta, Vector::Zero(all.cols)};
  for (Index e = 0; e < all.size(); ++e) {
    facts.share[all.col[static_cast<std::size_t>(e)]] += (all.weight.size() > 0 ? all.weight[e] : 1.0) * facts.scale;
  }
  return facts;
}

using EntryParts = PartsOf<EntriesPart>;

Entries rows_of(const Entries& all, Index from, Index to) {
  const int first = all.start[static_cast<std::size_t>(from)], last = all.start[static_cast<std::size_t>(to)];
  Entries some;
  some.rows = to - from;
  some.cols = all.cols;
  for (Index i = from; i <= to; ++i) some.start.push_back(all.start[static_cast<std::size_t>(i)] - first);
  some.col.assign(all.col.begin() + first, all.col.begin() + last);
  some.value = all.value.segment(first, last - first);
  if (all.weight.size() > 0) some.weight = all.weight.segment(first, last - first);
  return some;
}

EntriesPart part_of(const Entries& all, Index from, Index to, double delta, EffectsWanted wanted) {
  return EntriesPart(rows_of(all, from, to), {delta, 1.0 / total_weight(all), 1, wanted});
}

std::shared_ptr<EntryParts> in_parts(const Entries& all, Index count, double delta) {
  auto parts = std::make_shared<EntryParts>();
  for (Index k = 0; k < count; ++k) parts->add(part_of(all, k * all.rows / count, (k + 1) * all.rows / count, delta, {}));
  return parts;
}

struct Found {
  double value, lower;
  Index rank;
  Status status;
};

Found solve_parts(const std::shared_ptr<Parts>& parts, const EntryFacts& facts, double radius, double rel_tol, bool corrective = true) {
  CompletionOfParts f(parts, facts, radius);
  auto deadline = std::make_shared<Deadline>(infinity, [] {});
  BallOfParts ball(f, 0.0, rel_tol, deadline);
  FactoredOfParts corrector(ball, {}, corrective);
  Cfw<PairOfParts> direction;
  AutoConditioned<> step;
  Control control;
  control.rel_tol = rel_tol;
  control.max_iter = corrective ? 200 : 2000;
  FrankWolfe<CompletionOfParts, BallOfParts, Cfw<PairOfParts>, FactoredOfParts> run(f, ball, direction, step, control, corrector);
  run.go();
  return {f.value(), run.lower(), f.rank(), run.status()};
}

Found solve_whole(Entries all, double delta, double radius, double rel_tol) {
  if (all.weight.size() > 0) all.weight /= all.weight.sum();
  Completion f(all, delta, 1, radius);
  auto deadline = std::make_shared<Deadline>(infinity, [] {});
  CompletionBall ball(f, radius, 0.0, rel_tol, deadline);
  CompletionCorrective corrector(f, std::make_shared<FactoredCorrector>(ball.ball(), FactoredCorrector::Settings{}));
  Cfw<RankOne> direction;
  AutoConditioned<> step;
  Control control;
  control.rel_tol = rel_tol;
  control.max_iter = 200;
  FrankWolfe<Completion, CompletionBall, Cfw<RankOne>, CompletionCorrective> run(f, ball, direction, step, control, corrector);
  run.go();
  return {f.value(), run.lower(), f.rank(), run.status()};
}

// Before question `when` the first of the parts is lost: it is made anew, at the rows that were saved last, and led back.
struct OneLost final : Parts {
  std::function<std::vector<EntriesPart>()> make;
  long when, asked = 0;
  std::vector<EntriesPart> parts = make();
  Eigen::MatrixXd saved = Eigen::MatrixXd(parts[0].rows(), 0);
  std::function<std::vector<Question>()> recipe;

  OneLost(std::function<std::vector<EntriesPart>()> f, long k) : make(std::move(f)), when(k) {}
  void set_recipe(std::function<std::vector<Question>()> given) override { recipe = std::move(given); }
  bool save_rows(bool candidate) override {
    saved = parts[0].left(candidate);
    return true;
  }
  Vector ask(const Question& question) override {
    if (++asked == when) {
      parts[0] = std::move(make()[0]);
      parts[0].set_left(saved);
      if (recipe) for (const Question& before : recipe()) parts[0].answer(before);
      if (is_of_a_phase(question.verb)) throw PartsLost();
    }
    std::vector<PartialSum> sums;
    for (std::size_t k = 0; k < parts.size(); ++k) sums.push_back({0, static_cast<Index>(k), parts[k].answer(question)});
    add_neighbours(sums, static_cast<Index>(parts.size()), question.verb);
    return sums[0].value;
  }
};

std::vector<EntriesPart> two_parts(const Entries& all, double delta, EffectsWanted wanted = {}) {
  const Index half = all.rows / 2;
  std::vector<EntriesPart> out;
  out.push_back(part_of(all, 0, half, delta, wanted));
  out.push_back(part_of(all, half, all.rows, delta, wanted));
  return out;
}

}  // namespace

TEST_CASE("a triangle joined along the tree is that of all rows", "[parts]") {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd F(23, 4);
  for (Index k = 0; k < F.size(); ++k) F.data()[k] = normal(generator);
  std::vector<PartialSum> leaves;
  for (Index k = 0; k < 5; ++k) {
    const Index from = k * 23 / 5, to = (k + 1) * 23 / 5;
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(4, 4);
    R.topRows(std::min<Index>(4, to - from)) = householder_qr(F.middleRows(from, to - from)).R;
    leaves.push_back({0, k, Eigen::Map<const Vector>(R.data(), 16)});
  }
  add_neighbours(leaves, 5, Verb::triangle);
  const Eigen::Map<const Eigen::MatrixXd> R(leaves[0].value.data(), 4, 4);
  CHECK((R.transpose() * R - F.transpose() * F).norm() < 1e-12);
}

TEST_CASE("a completion of parts ends where that of all entries does, with a certificate", "[parts]") {
  for (double delta : {infinity, 0.5}) for (bool weighted : {false, true}) {
    const Entries all = some_entries(60, 25, weighted);
    for (double radius : {5.0, 30.0}) {
      const Found whole = solve_whole(all, delta, radius, 1e-9);
      for (Index count : {1, 2, 5}) {
        INFO("delta " << delta << " weighted " << weighted << " radius " << radius << " parts " << count);
        const Found found = solve_parts(in_parts(all, count, delta), facts_of(all, delta), radius, 1e-9);
        CHECK(found.status == Status::converged);
        CHECK(found.value - found.lower <= std::max(1e-9 * found.value, Control().tol));
        CHECK(std::abs(found.value - whole.value) <= 2e-9 * whole.value);
      }
    }
  }
}

TEST_CASE("Algorithm 2 runs on parts too", "[parts]") {
  const Entries all = some_entries(40, 20, false);
  const Found found = solve_parts(in_parts(all, 3, infinity), facts_of(all, infinity), 10.0, 1e-2, false);
  CHECK(found.status == Status::converged);
}

namespace {

// Two parts whose entries are here only while a question that needs them is answered.
struct PartsFromDisk final : Parts {
  std::vector<Entries> disk;
  std::vector<EntriesPart> parts;
  long loads = 0;

  PartsFromDisk(const Entries& all, double delta) {
    for (Index k = 0; k < 2; ++k) {
      disk.push_back(rows_of(all, k * all.rows / 2, (k + 1) * all.rows / 2));
      parts.emplace_back(disk.back(), EntriesPart::Settings{delta, 1.0 / total_weight(all), 1, {}, false});
      parts.back().detach();
    }
  }
  Vector ask(const Question& question) override {
    std::vector<PartialSum> sums;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool needed = EntriesPart::needs_entries(question.verb);
      if (needed) parts[k].attach(disk[k]), ++loads;
      sums.push_back({0, static_cast<Index>(k), parts[k].answer(question)});
      if (needed) parts[k].detach();
    }
    add_neighbours(sums, 2, question.verb);
    return sums[0].value;
  }
};

}  // namespace

TEST_CASE("entries that are away between questions lead to the same point", "[parts]") {
  for (double delta : {0.5, infinity}) for (bool corrective : {true, false}) {
    const Entries all = some_entries(40, 15, true);
    const EntryFacts facts = facts_of(all, delta);
    const double rel_tol = corrective ? 1e-8 : 0.05;
    const auto parts = std::make_shared<PartsFromDisk>(all, delta);
    const Found found = solve_parts(parts, facts, 12.0, rel_tol, corrective);
    const Found kept = solve_parts(in_parts(all, 2, delta), facts, 12.0, rel_tol, corrective);
    CHECK(found.status == kept.status);
    CHECK(found.value == close_to(kept.value, corrective ? 1e-8 : 1e-3));
    CHECK(parts->loads > 20);
  }
}

TEST_CASE("a part of a completion may be lost at any question", "[parts]") {
  const Entries all = some_entries(40, 15, false);
  const EntryFacts facts = facts_of(all, 0.5);
  const auto make = [&] { return two_parts(all, 0.5); };
  const auto counted = std::make_shared<OneLost>(make, 0);
  const Found wanted = solve_parts(counted, facts, 8.0, 1e-9);
  REQUIRE(wanted.status == Status::converged);
  for (long when = 1; when <= counted->asked; when += 1 + when / 20) {
    INFO("lost before question " << when << " of " << counted->asked);
    const Found found = solve_parts(std::make_shared<OneLost>(make, when), facts, 8.0, 1e-9);
    CHECK(found.status == Status::converged);
    CHECK(std::abs(found.value - wanted.value) <= 2e-9 * wanted.value);
  }
}

TEST_CASE("effects of parts are those of all entries, also when a part is lost", "[parts]") {
  const Entries all = some_entries(40, 15, false);
  std::vector<int> start{0}, row;
  std::vector<double> value;
  for (Index j = 0; j < all.cols; ++j) {  // by columns
    for (Index i = 0; i < all.rows; ++i) {
      for (int e = all.start[static_cast<std::size_t>(i)]; e < all.start[static_cast<std::size_t>(i) + 1]; ++e) {
        if (all.col[static_cast<std::size_t>(e)] != j) continue;
        row.push_back(static_cast<int>(i));
        value.push_back(all.value[e]);
      }
    }
    start.push_back(static_cast<int>(row.size()));
  }
  const ColumnEntries entries{all.rows, all.cols, start.data(), row.data(), value.data(), nullptr};
  for (double delta : {infinity, 0.7}) for (int kind = 0; kind < 4; ++kind) {
    const EffectsWanted wanted{true, (kind & 1) != 0, (kind & 2) != 0, 5.0, delta};
    const AdditiveEffects whole = fit_effects(entries, wanted, {0.0, Vector::Zero(all.rows), Vector::Zero(all.cols)});
    for (long when : {0, 1, 5, 11}) {
      OneLost parts([&] { return two_parts(all, delta, wanted); }, when);
      const AdditiveEffects found = fit_effects(parts, all.cols, wanted);
      CHECK(found.mean == close_to(whole.mean, 1e-9));
      CHECK((found.column - whole.column).lpNorm<Eigen::Infinity>() < 1e-9);
      CHECK((parts.parts[0].row_effects() - whole.row.head(20)).lpNorm<Eigen::Infinity>() < 1e-9);
    }
  }
}

namespace {

// A completion of three parts after some iterations of Algorithm 2, at a point of the ball of that radius.
struct Underway {
  Entries all = some_entries(40, 20, true);
  CompletionOfParts f;

  explicit Underway(double radius) : f(in_parts(all, 3, infinity), facts_of(all, infinity), radius) {
    BallOfParts ball(f, 0.0, 1e-2, std::make_shared<Deadline>(infinity, [] {}));
    Cfw<PairOfParts> direction;
    AutoConditioned<> step;
    Control control;
    control.max_iter = 12;
    FrankWolfe<CompletionOfParts, BallOfParts, Cfw<PairOfParts>> run(f, ball, direction, step, control);
    run.go();
  }
};

}  // namespace

TEST_CASE("a phase over factors that ends higher is not taken", "[parts]") {
  Underway at(10.0);
  const double before = at.f.value();
  const Vector w = at.f.weights();
  const CompletionOfParts::RowMajor V = at.f.right();
  SplitDescent worse(at.f, -w, V);  // the matrix with the other sign
  CHECK_FALSE(worse.keep(1e-12));
  CHECK(at.f.value() == close_to(before, 1e-13));
  SplitDescent better(at.f, at.f.weights(), at.f.right());
  LbfgsGoal goal;
  goal.least_steps = goal.most_steps = 10;
  const double promised = better.minimize(goal).value;
  CHECK(promised < before);
  CHECK(better.keep(1e-12));
  CHECK(at.f.value() == close_to(promised, 1e-9));
}

TEST_CASE("a phase over factors begins where the point is, inside of the ball or on its border, and never leaves the ball", "[parts]") {
  for (double radius : {5.0, 10.0, 1e3}) {  // in the last the point is far inside
    Underway at(radius);
    SplitDescent descent(at.f, at.f.weights(), at.f.right());
    LbfgsGoal goal;
    goal.least_steps = goal.most_steps = 0;
    CHECK(descent.minimize(goal).value == close_to(at.f.value(), 1e-10));
    at.f.end_phase();
    SplitDescent further(at.f, at.f.weights(), at.f.right());
    goal.least_steps = goal.most_steps = 8;
    further.minimize(goal);
    further.keep(1e-12);
    CHECK(at.f.weights().cwiseAbs().sum() <= radius * (1.0 + 1e-14));
  }
  Underway at(10.0);
  SplitDescent far(at.f, at.f.weights(), at.f.right());
  const Index rank = at.f.rank();
  const Vector R = at.f.parts().ask({Verb::triangle});
  // three times as long as the ball is wide: what it moves to lies on the border
  at.f.move_to(Eigen::Map<const Eigen::MatrixXd>(R.data(), rank, rank), at.f.right() * at.f.weights().cwiseAbs().cwiseSqrt().asDiagonal(), 30.0, 1e-13, true);
  CHECK(at.f.weights().sum() == close_to(10.0));
}

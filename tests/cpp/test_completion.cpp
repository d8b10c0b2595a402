#include "check.hpp"

#include <Eigen/SVD>
#include <acfw/core/deadline.hpp>
#include <acfw/correctors/factored.hpp>
#include <acfw/directions/cfw.hpp>
#include <acfw/core/frank_wolfe.hpp>
#include <acfw/steps/auto_conditioned.hpp>
#include <chrono>
#include <thread>
#include <tuple>

using namespace acfw;

namespace {

Entries some_entries(Index rows, Index cols, unsigned every = 3) {
  Entries entries;
  entries.rows = rows;
  entries.cols = cols;
  entries.start.push_back(0);
  std::vector<double> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if ((7 * i + 3 * j + i * j) % every == 0) continue;
      entries.col.push_back(static_cast<int>(j));
      values.push_back(std::sin(0.7 * double(i)) * std::cos(0.3 * double(j)) + 0.3 * std::sin(double(i * j)));
    }
    entries.start.push_back(static_cast<int>(entries.col.size()));
  }
  entries.value = Eigen::Map<Vector>(values.data(), static_cast<Index>(values.size()));
  return entries;
}

double huber(double r, double delta) {
  return std::abs(r) <= delta ? 0.5 * r * r : delta * (std::abs(r) - 0.5 * delta);
}

// A model of a 12 x 9 matrix, against differences: entries of U, of V, and the slack.
void check_derivatives(FactoredModel<double>& model, const std::vector<double>& at) {
  auto g = at, scratch = at;
  model.evaluate(at, g);
  for (std::size_t k : {std::size_t{0}, std::size_t{17}, std::size_t{12 * 16}, std::size_t{21 * 16}}) {
    auto up = at, down = at;
    up[k] += 1e-5;
    down[k] -= 1e-5;
    const double slope = (model.evaluate(up, scratch) - model.evaluate(down, scratch)) / 2e-5;
    CHECK(g[k] == close_to(slope, 1e-5).or_by(1e-9));
  }
}

}  // namespace

TEST_CASE("Huber's divergence is exact on every pair of pieces", "[completion]") {
  for (double r : {-3.0, -1.0, -0.5, 0.0, 0.4, 1.0, 2.5}) {
    for (double t : {-6.0, -2.0, -0.3, 0.0, 0.2, 1.7, 5.0}) {
      const double slope = std::min(1.0, std::max(-1.0, r));
      CHECK(huber_divergence(r, t, 1.0) ==
            close_to(huber(r + t, 1.0) - huber(r, 1.0) - slope * t).or_by(1e-14));
    }
  }
  CHECK(huber_divergence(0.3, 1e-12, 1.0) == close_to(0.5e-24));  // a difference of values would be 0
}

TEST_CASE("the kernels of every instruction set agree", "[completion][kernels]") {
  const Entries entries = some_entries(50, 40);
  for (Index rank : {3, 20, 40, 70}) {
    const Terms x{Eigen::MatrixXd::Random(50, rank), Vector::Constant(rank, 0.01),
                  Eigen::MatrixXd::Random(40, rank)};
    std::vector<double> plain, plain_gradient;
    std::vector<float> plain_single;
    on_every_isa([&](Isa level) {
      Completion f(entries, 0.5);
      FactoredModel<double> model(f, 100.0, rank);
      FactoredModel<float> single(f, 100.0, rank);
      const auto at = model.variables(x);
      auto gradient = at;
      const auto at_single = single.variables(x);
      auto gradient_single = at_single;
      std::vector<double> seen{model.evaluate(at, gradient), single.evaluate(at_single, gradient_single)};
      f.assign(compress(x.A, x.w, x.B));
      const RankOne vertex{Vector::LinSpaced(50, -1.0, 1.0), Vector::LinSpaced(40, 0.5, -1.5)};
      f.prepare(towards(exact_vertex(vertex, f.along(vertex)), f.along_point()));
      for (double number : {f.value(), f.along_point(), f.divergence(1e-7), f.divergence(0.8)}) seen.push_back(number);
      if (level == Isa::plain) {
        plain = seen;
        plain_gradient = gradient;
        plain_single = gradient_single;
        return;
      }
      for (std::size_t k = 0; k < seen.size(); ++k) CHECK(seen[k] == close_to(plain[k], k == 1 ? 1e-5 : 1e-12));
      const double largest = Eigen::Map<const Vector>(plain_gradient.data(), plain_gradient.size()).cwiseAbs().maxCoeff();
      REQUIRE(largest > 0.0);
      for (std::size_t e = 0; e < gradient.size(); ++e) {
        CHECK(gradient[e] == close_to(plain_gradient[e]).or_by(1e-14 * largest));
        CHECK(gradient_single[e] == close_to(plain_single[e], 1e-5).or_by(1e-5 * largest));
      }
    });
    CHECK(plain[0] == close_to(plain[1], 1e-5));  // single precision and double
  }
}

TEST_CASE("the model over factors has the derivatives it says, slack included", "[completion]") {
  const Entries entries = some_entries(12, 9);
  Completion f(entries, 0.4);
  FactoredModel<double> model(f, 3.0, 2);
  const auto at = model.variables(
      {Eigen::MatrixXd::Random(12, 2), Vector::Constant(2, 0.1), Eigen::MatrixXd::Random(9, 2)});
  check_derivatives(model, at);
}

TEST_CASE("cells that are not observed count as a norm: values, gradients and factors as in the full matrix", "[completion]") {
  Entries entries = some_entries(12, 9);
  entries.weight = Vector::LinSpaced(entries.size(), 1.0, 3.0);
  const Entries seen = entries;
  constexpr double w0 = 0.2;
  const AllCells all = AllCells::absorb(entries, w0);
  Completion f(entries, std::numeric_limits<double>::infinity(), 1, 100.0, all);
  const ThinSvd x = compress(Eigen::MatrixXd::Random(12, 3), Vector::Constant(3, 0.3), Eigen::MatrixXd::Random(9, 3));
  f.assign(x);
  Eigen::MatrixXd weight = Eigen::MatrixXd::Constant(12, 9, w0), a = Eigen::MatrixXd::Zero(12, 9);
  for (Index i = 0; i < 12; ++i) {
    for (int e = seen.start[i]; e < seen.start[i + 1]; ++e) {
      weight(i, seen.col[e]) = seen.weight[e];
      a(i, seen.col[e]) = seen.value[e];
    }
  }
  weight /= weight.sum();
  const Eigen::MatrixXd X = x.U * x.d.asDiagonal() * x.V.transpose(), r = X - a;
  CHECK(f.value() == close_to(0.5 * (weight.array() * r.array().square()).sum()));
  const Eigen::MatrixXd G = weight.cwiseProduct(r);
  for (Index j = 0; j < 9; ++j) {
    CHECK((f.gradient().apply(Vector::Unit(9, j)) - G.col(j)).norm() < 1e-14);
  }
  CHECK(f.along_point() == close_to(G.cwiseProduct(X).sum()));
  FactoredModel<double> model(f, 5.0, 3);
  check_derivatives(model, model.variables({x.U, x.d, x.V}));
}

TEST_CASE("the tail of the preconditioner multiplies as dense matrices do, on every instruction set",
          "[completion][kernels]") {
  constexpr Index rows = 71, size = 32, stride = 48;  // 71: the last rows are taken one by one
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor W = RowMajor::Random(rows, size), factors = RowMajor::Random(rows, stride);
  on_every_isa([&](Isa) {
    RowMajor D = factors, a(size, size);
    const TailProduct<float> product{rows, size, stride, W.data(), D.data() + stride - size, a.data()};
    project_tail(product);
    const RowMajor inner = W.transpose() * factors.rightCols(size);
    CHECK((a - inner).norm() < 1e-6f * inner.norm());
    expand_tail(product);
    const RowMajor outer = W * a;
    CHECK((D.rightCols(size) - factors.rightCols(size) - outer).norm() < 1e-6f * outer.norm());
    CHECK(D.leftCols(stride - size) == factors.leftCols(stride - size));
  });
}

TEST_CASE("an evaluation in several pieces, and its preconditioner, have the same bits for any number of threads", "[completion]") {
  Entries entries = some_entries(400, 300, 7);
  REQUIRE(row_pieces(entries, 8).size() > 3);
  const auto wave = [](Index rows, double pace) { return Eigen::MatrixXd::NullaryExpr(rows, 20, [=](Index i, Index k) { return std::sin(pace * double(i * (k + 1))); }); };
  const Terms x{wave(400, 0.37), Vector::Constant(20, 0.01), wave(300, 0.71)};
  for (bool scaled : {false, true}) {
    if (scaled) {
      entries.row_scale = Vector::LinSpaced(400, 0.5, 2.0);
      entries.col_scale = Vector::LinSpaced(300, 1.5, 0.7);
    }
    const auto evaluated = [&](int threads) {
      Completion f(entries, 0.5, threads);
      FactoredModel<double> model(f, 300.0, 20, 1e-9);
      const auto at = model.variables(x);
      auto gradient = at;
      const double value = model.evaluate(at, gradient);
      const std::size_t in_V = 400 * 32 + 5 * 32 + 3;  // rows of all pieces add to it
      auto up = at, down = at, scratch = at;
      up[in_V] += 1e-5;
      down[in_V] -= 1e-5;
      CHECK(gradient[in_V] == close_to((model.evaluate(up, scratch) - model.evaluate(down, scratch)) / 2e-5, 1e-5).or_by(1e-9));
      model.evaluate(at, scratch);
      model.set_preconditioner(at);
      auto direction = gradient;
      model.precondition(direction);
      return std::tuple(value, gradient, direction);
    };
    const auto one = evaluated(1);
    CHECK(evaluated(2) == one);
    CHECK(evaluated(3) == one);
  }
}

TEST_CASE("the tail's products are shared among threads where they are many, with the same bits, and not where they are few", "[completion][kernels]") {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (Index rows : {45, 4000}) {
    constexpr Index size = 32;
    const RowMajor W = RowMajor::Random(rows, size), factors = RowMajor::Random(rows, size);
    auto both = [&](int threads) {
      RowMajor D = factors, a(size, size);
      const TailProduct<double> product{rows, size, size, W.data(), D.data(), a.data(), threads};
      CHECK(product.sharing() == (rows == 45 ? 1 : threads));
      project_tail(product);
      expand_tail(product);
      return D;
    };
    const RowMajor alone = both(1);
    CHECK(alone == both(2));
    CHECK(alone == both(3));
  }
}

TEST_CASE("the preconditioner is symmetric and positive, its tail included", "[completion]") {
  const Entries entries = some_entries(40, 30);
  Completion f(entries, 0.4);
  const Terms x{Eigen::MatrixXd::Random(40, 20), Vector::LinSpaced(20, 1.0, 1e-4),
                Eigen::MatrixXd::Random(30, 20)};
  FactoredModel<double> model(f, 30.0, 20, 1e-9);  // an excess far below mu: the tail matters
  const auto at = model.variables(x);
  auto g = at;
  model.evaluate(at, g);
  model.set_preconditioner(at);
  auto a = at, b = g;  // padding is zero in both
  auto Pa = a, Pb = b;
  model.precondition(Pa);
  model.precondition(Pb);
  CHECK(long_dot(a, Pb) == close_to(long_dot(Pa, b), 1e-8).or_by(1e-10 * long_dot(a, Pa)));
  CHECK(long_dot(a, Pa) > 0.0);
  CHECK(long_dot(b, Pb) > 0.0);
}

TEST_CASE("the preconditioner knows that factors which grow shrink all of X", "[completion]") {
  Entries entries = some_entries(60, 50);
  Completion f(entries, std::numeric_limits<double>::infinity());
  // One column holds the mean, and many make it grow or shrink.
  Terms x{Eigen::MatrixXd::Random(60, 16), Vector::Constant(16, 0.02), Eigen::MatrixXd::Random(50, 16)};
  x.A.col(0).setOnes();
  x.B.col(0).setOnes();
  x.w[0] = 4.0;
  f.assign(compress(x.A, x.w, x.B));
  entries.value = f.values() + 0.01 * entries.value;
  FactoredModel<double> model(f, 1.01 * f.point().nuclear_norm(), 16, 1e-9);
  const auto at = model.variables(f.terms());
  auto g = at, up = at, down = at, g_up = at, g_down = at;
  model.evaluate(at, g);
  model.set_preconditioner(at);
  auto along = at;
  model.precondition(along);  // P^{-1} a, so that its curvature according to P is <P^{-1} a, a>
  const double h = 1e-5;
  add_multiple(up.data(), h, along.data(), at.size());
  add_multiple(down.data(), -h, along.data(), at.size());
  model.evaluate(up, g_up);
  model.evaluate(down, g_down);
  add_multiple(g_up.data(), -1.0, g_down.data(), at.size());
  const double curvature = long_dot(along, g_up) / (2.0 * h), expected = long_dot(along, at);
  INFO(curvature << " " << expected);
  CHECK(curvature < 3.0 * expected);
}

namespace {

Eigen::VectorXf in_full(const std::vector<Brief>& x) {
  Eigen::VectorXf out(static_cast<Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::uint32_t whole = static_cast<std::uint32_t>(x[k].bits) << 16;
    std::memcpy(&out[static_cast<Index>(k)], &whole, sizeof whole);
  }
  return out;
}

std::vector<Brief> shortened(const Eigen::VectorXf& x) {
  std::vector<Brief> out(static_cast<std::size_t>(x.size()));
  shorten(x.data(), out.size(), out.data());
  return out;
}

void check_pair_block(std::size_t pairs) {
  constexpr Index n = 48;
  constexpr double tolerance = 1e-5;
  std::vector<std::vector<Brief>> s, p;
  for (std::size_t k = 0; k < pairs; ++k) {
    s.push_back(shortened(Eigen::VectorXf::Random(n)));
    p.push_back(shortened(Eigen::VectorXf::Random(n)));
  }
  const Eigen::VectorXf y = Eigen::VectorXf::Random(n), g = Eigen::VectorXf::Random(n), h = Eigen::VectorXf::Random(n),
                        c = Eigen::VectorXf::Random(2 * PairBlock::most + 1);
  PairBlock block;
  block.n = n;
  block.pairs = pairs;
  Eigen::VectorXf sum = c[0] * h;
  for (std::size_t k = 0; k < pairs; ++k) {
    block.s[k] = s[k].data();
    block.p[k] = p[k].data();
    sum += c[static_cast<Index>(2 * k + 1)] * in_full(s[k]) + c[static_cast<Index>(2 * k + 2)] * in_full(p[k]);
  }
  on_every_isa([&](Isa) {
    std::vector<double> found(4 * pairs, 1.0);  // they are added to
    pair_products(block, y.data(), g.data(), found.data());
    for (std::size_t k = 0; k < pairs; ++k) {
      const Eigen::VectorXf on_s = in_full(s[k]), on_p = in_full(p[k]);
      const double expected[] = {on_s.dot(y), on_p.dot(y), on_s.dot(g), on_p.dot(g)};
      for (std::size_t q = 0; q < 4; ++q) CHECK(found[4 * k + q] - 1.0 == close_to(expected[q], tolerance).or_by(tolerance));
    }
    Eigen::VectorXf d = Eigen::VectorXf::Zero(n);
    const double slope = pair_sum(block, c.data(), h.data(), g.data(), d.data());
    CHECK((d - sum).norm() < tolerance * n);
    CHECK(slope == close_to(static_cast<double>(g.dot(sum)), tolerance).or_by(10.0 * tolerance));
  });
}

}  // namespace

TEST_CASE("numbers of two bytes keep eight bits, are rounded to the nearest, and are the same on every instruction set", "[completion][kernels]") {
  Eigen::VectorXf x = Eigen::VectorXf::Random(64);
  x.head<8>() << 0.0f, -1.0f, 1e-30f, -1e30f, 1.00390625f, 1.01171875f, 3.4e38f, 1e-45f;  // the fifth and sixth lie half way
  const Eigen::VectorXf kept = in_full(shortened(x));
  for (Index k = 0; k < x.size(); ++k) {
    if (k != 6 && k != 7) CHECK(std::abs(kept[k] - x[k]) <= std::ldexp(std::abs(x[k]), -8));
  }
  CHECK(kept[4] == 1.0f);
  CHECK(kept[5] == 1.015625f);
  on_every_isa([&](Isa) { CHECK(in_full(shortened(x)).head<63>() == kept.head<63>()); });
}

TEST_CASE("what a step of L-BFGS reads of its pairs is the same on every instruction set, for any number of them", "[completion][kernels]") {
  for (std::size_t pairs : {0, 1, 2, 5, 8}) check_pair_block(pairs);
}

TEST_CASE("a line search in single precision that finds nothing says so, and ends", "[completion]") {
  LbfgsResult result;
  result.value = 1.0;
  LbfgsGoal goal;
  goal.tries = 4;
  CHECK_FALSE(armijo(-1e-9, result, goal, [](double) { return 1.0 + 1e-12; }));  // what rounding makes of a tiny gain
  CHECK(result.evaluations == 4);
  CHECK(result.value == 1.0);
  double last = 0.0;
  CHECK(armijo(-1.0, result, goal, [&](double step) { return last = 1.0 - step + 2.0 * step * step; }));
  CHECK(result.value == last);
  CHECK(result.value == close_to(0.875));  // the minimum of the parabola, at once
}

TEST_CASE("recompression keeps the matrix, by Householder and by the Gram matrix", "[completion]") {
  for (Index k : {4, 50}) {
    const Eigen::MatrixXd A = Eigen::MatrixXd::Random(300, k), B = Eigen::MatrixXd::Random(250, k);
    const Vector w = Vector::LinSpaced(k, -1.0, 2.0);
    for (double zero : {1e-13, 1e-6}) {
      const ThinSvd x = compress(A, w, B, zero);
      CHECK((x.U * x.d.asDiagonal() * x.V.transpose() - A * w.asDiagonal() * B.transpose()).norm() <
            1e-8 * x.d.norm());
      CHECK((x.U.transpose() * x.U - Eigen::MatrixXd::Identity(x.rank(), x.rank())).norm() < 1e-6);
    }
  }
}

TEST_CASE("a certifying oracle is not misled by the pair it found before", "[golub-kahan]") {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(60, 50);
  for (Index k = 0; k < 50; ++k) G(k, k) = 1.0 / double(k + 1);
  OperatorNuclearBall ball(60, 50, 1.0);
  ball.minimize(MatrixOperator<Eigen::MatrixXd>{G}, 0.0);
  G(30, 30) = 2.0;  // a new leader, orthogonal to the old one
  const auto warm = ball.minimize(MatrixOperator<Eigen::MatrixXd>{G}, 0.1);
  CHECK(warm.value == close_to(-2.0, 0.05));
  const auto fresh = ball.minimize(MatrixOperator<Eigen::MatrixXd>{G}, 0.0);
  CHECK(fresh.exact);
  CHECK(fresh.value == close_to(-2.0));
  CHECK(fresh.bound <= -2.0 + 1e-12);
}

TEST_CASE("a certificate sets aside the pairs that are known well, and no others", "[golub-kahan]") {
  Vector sigma(150);
  for (Index k = 0; k < 150; ++k) sigma[k] = k < 5 ? 1.0 - 1e-10 * double(k) : 0.98 * std::exp(-0.01 * double(k - 5));
  const Eigen::MatrixXd G = sigma.asDiagonal();
  SingularBlock block;
  block.V = Eigen::MatrixXd::Identity(150, 7);
  for (Index k : {5, 6}) {  // Ritz pairs that say nothing of the values between 0.98 and theirs
    block.V.col(k).setZero();
    block.V.col(k).tail(145) = scattered_unit_vector(145, static_cast<std::uint64_t>(k));
  }
  block.sigma = (G * block.V).colwise().norm();
  block.U = G * block.V * block.sigma.cwiseInverse().asDiagonal();
  block.residual = (G.transpose() * block.U - block.V * block.sigma.asDiagonal()).colwise().norm();
  BoundGoal goal;
  goal.excess = 1e-5;
  const SingularBound bound = upper_singular_bound(MatrixOperator<Eigen::MatrixXd>(G), block, goal);
  CHECK(bound.shown);
  CHECK(bound.sigma <= 1.0 + 1e-5);
  CHECK(bound.sigma >= 1.0);
}

TEST_CASE("products with many vectors at once are products with each, on every instruction set and for any threads", "[completion][kernels]") {
  const Entries entries = some_entries(300, 70, 7);
  const Vector values = Vector::LinSpaced(entries.size(), -1.0, 2.0);
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(70, 13), Y = Eigen::MatrixXd::Random(300, 13);
  on_every_isa([&](Isa) {
    const EntryMatrix one(entries, values, 1), two(entries, values, 2);
    const Eigen::MatrixXd GX = one.apply_all(X), GtY = one.apply_transposed_all(Y);
    for (Index k = 0; k < 13; ++k) {
      CHECK((GX.col(k) - one.apply(X.col(k))).norm() < 1e-13 * GX.norm());
      CHECK((GtY.col(k) - one.apply_transposed(Y.col(k))).norm() < 1e-13 * GtY.norm());
    }
    CHECK(GX == two.apply_all(X));
    CHECK(GtY == two.apply_transposed_all(Y));
  });
}

TEST_CASE("a run that ends early ends on a certified gap", "[completion]") {
  const Entries entries = some_entries(90, 60);
  Completion f(entries, 0.3);
  OperatorNuclearBall ball(90, 60, 20.0);
  Cfw<RankOne> direction;
  AutoConditioned<> step;
  Control control;
  control.tol = 0.0;
  control.rel_tol = 1e-8;
  control.max_iter = 6;
  FrankWolfe run(f, ball, direction, step, control);
  run.go();
  CHECK(run.status() == Status::max_iter);
  Eigen::MatrixXd G(90, 60);
  for (Index j = 0; j < 60; ++j) G.col(j) = f.gradient().apply(Vector::Unit(60, j));
  const double exact = f.along_point() + 20.0 * Eigen::JacobiSVD<Eigen::MatrixXd>(G).singularValues()[0];
  CHECK(run.gap() >= exact - 1e-12);
  CHECK(run.gap() <= exact + 1e-6);
}

TEST_CASE("corrected and plain Frank-Wolfe agree, and the certificate holds", "[completion]") {
  const Entries entries = some_entries(25, 18);
  Completion f(entries, 0.3), h(entries, 0.3);
  OperatorNuclearBall ball(25, 18, 6.0), other(25, 18, 6.0);
  Cfw<RankOne> direction, plain;
  AutoConditioned<> step, plain_step;
  Control control;
  control.tol = 0.0;
  control.rel_tol = 1e-8;
  FrankWolfe run(f, ball, direction, step, control, FactoredCorrector(ball, {}));
  run.go();
  CHECK(run.status() == Status::converged);
  CHECK(f.point().nuclear_norm() <= 6.0 * (1.0 + 1e-10));
  control.rel_tol = 1e-2;
  FrankWolfe slow(h, other, plain, plain_step, control);
  slow.go();
  CHECK(h.value() >= f.value() - run.gap());
  CHECK(h.value() - slow.gap() <= f.value());
}

TEST_CASE("where a sharp bound takes long, one that is enough will do, and it is a bound", "[golub-kahan]") {
  const Index n = 400;
  Vector sigma(n);
  for (Index k = 0; k < n; ++k) sigma[k] = 1.0 - 1e-4 * double(k);  // no gap anywhere
  const Eigen::MatrixXd G = sigma.asDiagonal();
  OperatorNuclearBall ball(n, n, 1.0);
  ball.set_finest(1e-7);
  const auto sharp = ball.minimize(MatrixOperator<Eigen::MatrixXd>(G), 0.0);
  CHECK(sharp.bound <= -1.0);
  OperatorNuclearBall easy(n, n, 1.0);
  easy.set_finest(1e-7);
  easy.set_enough(1.01);
  const auto enough = easy.minimize(MatrixOperator<Eigen::MatrixXd>(G), 0.0);
  CHECK(enough.bound <= -1.0);
  CHECK(enough.bound >= -1.01);
}

namespace {

// sum of a_k x_k^2 / 2 - b_k x_k, with a preconditioner that is off by a factor that differs from one to the other.
struct Bowl {
  std::vector<double> a, b;
  int preconditionings = 0;

  double evaluate(const std::vector<double>& x, std::vector<double>& g) {
    double value = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      g[k] = a[k] * x[k] - b[k];
      value += x[k] * (0.5 * a[k] * x[k] - b[k]);
    }
    return value;
  }
  void set_preconditioner(const std::vector<double>&) {}
  void precondition(std::vector<double>& d) {
    ++preconditionings;
    for (std::size_t k = 0; k < d.size(); ++k) d[k] /= a[k] * (1.0 + double(k % 5));
  }
};

Bowl some_bowl(std::size_t n) {
  Bowl bowl{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; k < n; ++k) {
    bowl.a[k] = std::exp(double(k % 13));
    bowl.b[k] = std::sin(double(k));
  }
  return bowl;
}

}  // namespace

TEST_CASE("L-BFGS finds the bottom of a bowl, with one preconditioning a step and the same bits for any number of threads", "[completion]") {
  std::vector<std::vector<double>> found;
  for (int threads : {1, 2, 3}) {
    Bowl bowl = some_bowl(48000);
    std::vector<double> x(bowl.a.size(), 1.0);
    Lbfgs<double, Bowl> lbfgs(bowl, 6, threads);
    LbfgsGoal goal;
    goal.most_steps = 60;
    const LbfgsResult result = lbfgs.minimize(x, goal);
    CHECK(bowl.preconditionings == result.steps + 1);
    for (std::size_t k : {std::size_t{0}, std::size_t{12}, std::size_t{4711}}) {
      CHECK(x[k] == close_to(bowl.b[k] / bowl.a[k], 1e-4).or_by(1e-6));
    }
    found.push_back(x);
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0] == found[2]);
}

TEST_CASE("pairs of two bytes a number serve bowls of any size, to the digits of double", "[completion]") {
  for (double size : {1.0, 1e-120, 1e120}) {
    Bowl bowl = some_bowl(4800);
    for (double& a : bowl.a) a *= size;
    for (double& b : bowl.b) b *= size;
    std::vector<double> x(bowl.a.size(), 1.0);
    LbfgsGoal goal;
    goal.most_steps = 40;
    Lbfgs<double, Bowl>(bowl, 6).minimize(x, goal);
    for (std::size_t k : {std::size_t{0}, std::size_t{12}, std::size_t{4711}}) {
      CHECK(x[k] == close_to(bowl.b[k] / bowl.a[k], 1e-9).or_by(1e-12));
    }
  }
}

TEST_CASE("a model of entries with scales has the derivatives of its value", "[completion]") {
  Entries entries = some_entries(12, 9);
  entries.row_scale = Vector::LinSpaced(12, 0.5, 2.0);
  entries.col_scale = Vector::LinSpaced(9, 1.5, 0.3);
  Completion f(entries, 0.4, 1, 3.0);
  FactoredModel<double> model(f, 3.0, 3);
  Terms x{Eigen::MatrixXd::Random(12, 3), Vector::Ones(3), Eigen::MatrixXd::Random(9, 3)};
  check_derivatives(model, model.variables(x));
}

TEST_CASE("the gradient of entries with scales is that of the matrix whose norm counts", "[completion]") {
  Entries entries = some_entries(12, 9);
  entries.row_scale = Vector::LinSpaced(12, 0.5, 2.0);
  entries.col_scale = Vector::LinSpaced(9, 1.5, 0.3);
  Vector values = Vector::LinSpaced(entries.size(), -1.0, 2.0);
  const EntryMatrix matrix(entries, values);
  const Eigen::MatrixXd full = matrix.apply_all(Eigen::MatrixXd::Identity(9, 9));
  for (Index i = 0; i < 12; ++i) {
    for (int e = entries.start[i]; e < entries.start[i + 1]; ++e) {
      const Index j = entries.col[static_cast<std::size_t>(e)];
      CHECK(full(i, j) == close_to(values[e] * entries.row_scale[i] * entries.col_scale[j]));
    }
  }
  const Vector x = Vector::LinSpaced(9, -1.0, 1.0), y = Vector::LinSpaced(12, 2.0, -1.0);
  CHECK((matrix.apply(x) - full * x).norm() < 1e-12);
  CHECK((matrix.apply_transposed(y) - full.transpose() * y).norm() < 1e-12);
  CHECK((matrix.apply_transposed_all(y) - full.transpose() * y).norm() < 1e-12);
  CHECK(matrix.frobenius() == close_to(full.norm()));
  CHECK(matrix.largest() == close_to(full.cwiseAbs().maxCoeff()));
}

TEST_CASE("a product with G'G in one reading is the product with G and then with G'", "[completion]") {
  Entries entries = some_entries(300, 70, 7);
  for (const bool scaled : {false, true}) {
    if (scaled) {
      entries.row_scale = Vector::LinSpaced(300, 0.5, 2.0);
      entries.col_scale = Vector::LinSpaced(70, 3.0, 0.2);
    }
    const Vector x = scattered_unit_vector(70);
    const EntryMatrix one(entries, entries.value), two(entries, entries.value, 2);
    const Vector twice = one.apply_transposed(one.apply(x));
    CHECK((one.apply_gram(x) - twice).norm() < 1e-13 * twice.norm());
    CHECK(one.apply_gram(x) == two.apply_gram(x));
  }
}

TEST_CASE("a search on G'G finds the leading triplets, through restarts, and their residuals", "[golub-kahan]") {
  Entries entries = some_entries(400, 260, 7);
  const EntryMatrix G(entries, entries.value);
  Eigen::MatrixXd dense(400, 260);
  for (Index j = 0; j < 260; ++j) dense.col(j) = G.apply(Vector::Unit(260, j));
  const Vector exact = Eigen::JacobiSVD<Eigen::MatrixXd>(dense).singularValues();
  KrylovGoal goal;
  goal.pairs = 8;
  goal.exact_pairs = 4;
  goal.accuracy = 1e-8 * exact[0];
  const SingularBlock block = leading_gram_block(G, scattered_unit_vector(260), goal);
  CHECK(block.steps > 32);  // there was a restart
  for (Index k = 0; k < 4; ++k) {
    CHECK(std::abs(block.sigma[k] - exact[k]) < 1e-7 * exact[0]);
    const double residual = (dense.transpose() * block.U.col(k) - block.sigma[k] * block.V.col(k)).norm();
    CHECK(residual < block.residual[k] + 1e-8 * exact[0]);
  }
  CHECK((block.V.transpose() * block.V - Eigen::MatrixXd::Identity(8, 8)).norm() < 1e-10);
  CHECK(leading_gram_block(EntryMatrix(entries, Vector::Zero(entries.size()).eval()), scattered_unit_vector(260), goal).sigma[0] == 0.0);
}

TEST_CASE("within a limit on the rank a run ends by its tolerance", "[completion]") {
  const Entries entries = some_entries(120, 90, 4);
  const auto evaluations = [&](double rel_tol) {
    Completion f(entries, std::numeric_limits<double>::infinity());
    OperatorNuclearBall ball(120, 90, 60.0);
    Cfw<RankOne> direction;
    AutoConditioned<> step;
    Control control;
    control.tol = 0.0;
    control.rel_tol = rel_tol;
    FactoredCorrector::Settings settings;
    settings.rank_max = 3;
    settings.rel_tol = rel_tol;
    FrankWolfe<Completion, OperatorNuclearBall, Cfw<RankOne>, FactoredCorrector> run(f, ball, direction, step, control,
                                                                                     FactoredCorrector(ball, settings));
    run.go();
    CHECK(run.status() == Status::stalled);
    CHECK(f.point().rank() <= 3);
    return std::pair<long, double>(run.counts().value, f.value());
  };
  const auto loose = evaluations(1e-2), tight = evaluations(1e-8);
  CHECK(loose.first < tight.first);
  CHECK(loose.second <= tight.second * (1.0 + 1e-2));
}

TEST_CASE("a run ends where the time that is left is not enough for another phase", "[completion]") {
  const Entries entries = some_entries(120, 90, 4);
  Completion f(entries, std::numeric_limits<double>::infinity());
  OperatorNuclearBall ball(120, 90, 60.0);
  Cfw<RankOne> direction;
  AutoConditioned<> step;
  Control control;
  control.tol = control.rel_tol = 0.0;
  FactoredCorrector::Settings settings;
  int asked = 0;
  settings.seconds_left = [&asked] { return ++asked < 30 ? 1e3 : 0.0; };
  FrankWolfe<Completion, OperatorNuclearBall, Cfw<RankOne>, FactoredCorrector> run(f, ball, direction, step, control,
                                                                                   FactoredCorrector(ball, settings));
  run.go();
  CHECK(run.status() == Status::max_time);
  CHECK(run.gap() > 0.0);
}

TEST_CASE("a phase is charged for what it does besides its steps, and for the certificate after it", "[completion]") {
  PhaseClock clock;
  CHECK(clock.whole_phase() == 0.0);  // nothing is known
  clock.begin();
  clock.look(10);
  const double guess = clock.rest_of_phase();
  CHECK(guess >= 0.0);
  clock.look(20);  // only the first look counts
  CHECK(clock.rest_of_phase() == guess);
  clock.close();
  clock.end(10);
  const double ten = clock.whole_phase();
  CHECK(ten >= clock.rest_of_phase());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a search
  clock.begin();
  CHECK(clock.rest_of_phase() >= 2.0 * 0.005);
  const double before = clock.whole_phase();
  clock.end(20);  // a phase that took no step tells nothing
  CHECK(clock.whole_phase() == before);
}

TEST_CASE("a run whose time is over asks the oracle for nothing but the certificate", "[completion]") {
  const Entries entries = some_entries(60, 50);
  Completion f(entries, 0.5, 1, 30.0);
  OperatorNuclearBall ball(60, 50, 30.0);
  Cfw<RankOne> direction;
  AutoConditioned step;
  Control control;
  control.tol = control.rel_tol = 0.0;
  FactoredCorrector::Settings settings;
  double left = 1e3;
  settings.seconds_left = [&left] { return left; };
  control.callback = [&](const Row&) {  // at the start of an iteration: its phase then has no time left
    left = 0.0;
    return false;
  };
  FrankWolfe<Completion, OperatorNuclearBall, Cfw<RankOne>, FactoredCorrector> run(f, ball, direction, step, control,
                                                                                   FactoredCorrector(ball, settings));
  run.go();
  CHECK(run.status() == Status::max_time);
  CHECK(run.t() == 1);
  CHECK(run.counts().lmo == 3);  // where it began, the first point, and the certificate
}

TEST_CASE("a certificate that begins after the limit has a second of its own", "[completion]") {
  Deadline deadline(0.0, [] {}, 0.0);
  CHECK(deadline.is_over());
  CHECK(deadline.is_long_over());
  Deadline patient(-5.0, [] {});  // five seconds over
  CHECK(patient.is_long_over());
  patient.begin_certificate();
  CHECK(!patient.is_long_over());
  patient.hurry();
  CHECK(patient.hurried());
}

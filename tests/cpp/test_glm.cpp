#include <acfw.hpp>
#include <acfw/correctors/budget_corrective.hpp>
#include <acfw/objectives/glm.hpp>
#include "check.hpp"

#include <random>

using namespace acfw;
using SparseMatrix = Eigen::SparseMatrix<double>;

namespace {

Eigen::MatrixXd some_matrix(Index n, Index p, double density, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, p);
  for (Index j = 0; j < p; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double value = normal(generator);
      if (uniform(generator) < density) A(i, j) = value;
    }
  }
  return A;
}

Vector some_labels(const Eigen::MatrixXd& A) {
  Vector y(A.rows());
  for (Index i = 0; i < A.rows(); ++i) y[i] = A(i, 0) - A(i, 1) + 0.3 * ((i % 5) - 2) > 0.0 ? 1.0 : 0.0;
  return y;
}

Vector mean_weights(Index n) { return Vector::Constant(n, 1.0 / static_cast<double>(n)); }

// A model of the mean loss of a family, at b.
template <class Matrix>
Glm model(const Matrix& A, const Vector& y, double ridge, bool intercept, const Vector& b, const char* family = "binomial") {
  return Glm(design_of(A), make_loss(family, y, mean_weights(A.rows())), {ridge, intercept}, b);
}

}  // namespace

TEST_CASE("the divergence of a move is the difference of values, for every family, intercept profiled or not", "[glm]") {
  const Eigen::MatrixXd A = some_matrix(40, 8, 1.0, 1);
  const SparseMatrix S = some_matrix(40, 8, 0.3, 2).sparseView();
  const Vector y = some_labels(A);
  Vector b = Vector::Zero(8);
  b[2] = 0.7;
  b[5] = -0.4;
  const Coordinate v{1, -1.5}, s{2, 1.5};
  for (const char* family : {"binomial", "gaussian", "poisson"}) for (bool intercept : {false, true}) {
    const auto value_at = [&](const auto& M, const Vector& at) { return model(M, y, 0.05, intercept, at, family).value(); };
    const auto check = [&](Glm f, const auto& M) {
      for (const Move<Coordinate>& shape : {Move<Coordinate>{StepKind::towards, 1.0, -1.0, 0.0, &v, nullptr, 0.0, 1.0},
                                            Move<Coordinate>{StepKind::pairwise, 0.0, -1.0, 1.0, &v, &s, 0.0, 1.0}}) {
        Vector d = shape.on_point * b;
        add_to(d, shape.on_vertex, v);
        if (shape.away) add_to(d, shape.on_away, s);
        Move<Coordinate> move = shape;
        f.place(b);
        move.slope = f.gradient().dot(d);
        CHECK(f.prepare(move) == close_to(d.squaredNorm()));
        for (double gamma : {0.1, 0.6}) {
          const double expected = value_at(M, b - gamma * d) - f.value() + gamma * move.slope;
          CHECK(f.divergence(gamma) == close_to(expected, 1e-8));
        }
        f.commit(0.6);
        CHECK(f.value() == close_to(value_at(M, b - 0.6 * d), std::string(family) == "poisson" ? 1e-9 : 1e-11));
        CHECK((f.point() - (b - 0.6 * d)).norm() < 1e-15);
      }
    };
    check(model(A, y, 0.05, intercept, b, family), A);
    check(model(S, y, 0.05, intercept, b, family), S);
  }
}

TEST_CASE("a screened gradient has the maximum of the full one", "[glm]") {
  const SparseMatrix A = some_matrix(60, 200, 0.1, 3).sparseView();
  const Vector y = some_labels(Eigen::MatrixXd(A));
  for (bool intercept : {false, true}) {
    Glm f = model(A, y, 0.01, intercept, Vector::Zero(200));
    L1Ball ball{5.0};
    Pfw<Coordinate> direction;
    AutoConditioned<> step;
    Control control;
    control.max_iter = 150;
    control.tol = control.rel_tol = 0.0;
    long checked = 0;
    control.callback = [&](const Row&) {
      const Vector b = f.point();
      Glm fresh = model(A, y, 0.01, intercept, b);
      CHECK(f.gradient().cwiseAbs().maxCoeff() == close_to(fresh.gradient().cwiseAbs().maxCoeff(), 1e-10));
      CHECK(f.along_point() == close_to(fresh.along_point(), 1e-10));
      ++checked;
      return false;
    };
    FrankWolfe run(f, ball, direction, step, control);
    run.go();
    CHECK(checked == 150);
    CHECK(f.columns_computed() < 151L * 200 / 2);  // and much of it was never computed
  }
}

TEST_CASE("a screened gradient follows steps far shorter than the way it has come", "[glm]") {
  const Eigen::MatrixXd A = some_matrix(30, 12, 1.0, 8);
  const auto design = design_of(A);
  ScreenedGradient screened(*design, false, 1);
  Vector r = some_matrix(30, 1, 1.0, 9).col(0);
  screened.note(r);
  for (double size : {1.0, 1e-3, 1e-17, 1e-30, 1e-100}) {
    r = size * some_matrix(30, 1, 1.0, 10).col(0);
    screened.note(r);
    screened.refresh_above(0.0);
    const Vector exact = A.transpose() * r;
    CHECK((screened.values() - exact).lpNorm<Eigen::Infinity>() <= 1e-13 * size);
  }
}

TEST_CASE("no old entry of a screened gradient passes for the largest", "[glm]") {
  const Eigen::MatrixXd A = some_matrix(40, 25, 1.0, 11);
  const Vector here = some_matrix(40, 1, 1.0, 12).col(0);
  const auto design = design_of(A);
  ScreenedGradient screened(*design, false, 1);
  screened.note(here);
  for (unsigned seed = 20; seed < 60; ++seed) {  // away, where a few entries are seen, and back to where all are known
    const Vector there = here + some_matrix(40, 1, 1.0, seed).col(0);
    screened.note(there);
    for (Index j = 0; j < 3; ++j) screened.refresh((seed + 7 * j) % 25);
    screened.note(here * (1.0 - 1e-9 * seed));
    screened.refresh_above(0.0);
    const double exact = (A.transpose() * here).lpNorm<Eigen::Infinity>() * (1.0 - 1e-9 * seed);
    CHECK(std::abs(screened.values().lpNorm<Eigen::Infinity>() - exact) <= 1e-12 * exact);
  }
}

TEST_CASE("a full step ends at margins made of the point itself, bit by bit, and its value is that of the point", "[glm]") {
  const SparseMatrix A = some_matrix(60, 12, 0.4, 5).sparseView();
  const Vector y = some_labels(A);
  const Columns columns{3, 7, 9};
  const Vector d = Vector::LinSpaced(3, -0.1, 0.2);
  for (const char* family : {"binomial", "gaussian", "poisson"}) {
    const Glm start = model(A, y, 0.0, false, Vector::LinSpaced(12, -0.3, 0.5), family);
    const auto carried = [&](double length, double gamma) {  // in how many rows another sum would have been found
      Glm f = model(A, y, 0.0, false, start.point(), family);
      Vector g;
      f.gradient_at(columns, g);
      f.prepare(columns, length * d, length * g.dot(d));
      f.divergence(gamma);
      f.commit(gamma);
      Glm anew = model(A, y, 0.0, false, f.point(), family);
      CHECK(f.value() == close_to(anew.value(), 1e-13));
      int differ = 0;
      for (Index i = 0; i < A.rows(); ++i) differ += f.margin(i) != anew.margin(i);
      f.rebuild<AnyAtom>(nullptr);
      CHECK(f.value() == anew.value());
      for (Index i = 0; i < A.rows(); ++i) CHECK(f.margin(i) == anew.margin(i));
      return differ;
    };
    CHECK(carried(1.0, 1.0) == 0);
    CHECK(carried(1.0, 0.5) > 0);
    CHECK(carried(1e-6, 1.0) > 0);  // as a difference of two margins such a step would have lost digits
  }
}

TEST_CASE("the projection onto the l1 ball in a diagonal metric satisfies its optimality conditions", "[glm]") {
  const Vector y = some_matrix(30, 1, 1.0, 4).col(0);
  const Vector h = some_matrix(30, 1, 1.0, 5).col(0).cwiseAbs().array() + 0.01;
  for (double radius : {0.1, 1.0, 5.0, 100.0}) {
    Vector x = y;
    const double mu = project_l1(x, h, radius);
    CHECK(x.lpNorm<1>() <= radius * (1.0 + 1e-12));
    for (Index j = 0; j < 30; ++j) {
      const double pull = h[j] * (y[j] - x[j]);
      if (x[j] != 0.0) CHECK(pull == close_to(mu * (x[j] > 0.0 ? 1.0 : -1.0)).or_by(1e-12));
      CHECK(std::abs(pull) <= mu + 1e-12);
    }
  }
}

TEST_CASE("the corrective method certifies its optimum, on collinear columns too", "[glm]") {
  for (bool collinear : {false, true}) {
    Eigen::MatrixXd A = some_matrix(80, 60, 0.5, 6);
    if (collinear) A.rightCols(30) = A.leftCols(30) + 1e-4 * some_matrix(80, 30, 1.0, 7);
    const Vector y = some_labels(A);
    for (bool intercept : {false, true}) {
      for (double beta : {0.5, 4.0, 40.0}) {
        Glm f = model(A, y, 0.0, intercept, Vector::Zero(60));
        L1Budget ball({}, {});
        ball.set_radius(beta);
        f.set_budget(&ball);
        Cfw<AnyAtom> direction;
        AutoConditioned<> step;
        Control control;
        control.tol = 0.0;
        control.rel_tol = 1e-10;
        FrankWolfe run(f, ball, direction, step, control, BudgetCorrective(ball));
        run.resume(0);
        run.go();
        CHECK(run.status() == Status::converged);
        const Vector b = f.point();
        CHECK(b.lpNorm<1>() <= beta * (1.0 + 1e-12));
        Glm fresh = model(A, y, 0.0, intercept, b);
        const Vector& g = fresh.gradient();
        CHECK(g.dot(b) + beta * g.lpNorm<Eigen::Infinity>() <= 1e-9 * f.value() + 1e-13);
      }
    }
  }
}

TEST_CASE("a pairwise trial on a sparse design without intercept touches the rows of its columns only", "[glm]") {
  SparseMatrix A(1000, 3);
  for (int i = 0; i < 5; ++i) A.insert(i, 0) = 1.0 + i;
  for (int i = 500; i < 1000; ++i) A.insert(i, 1) = 1.0;
  for (int i = 3; i < 9; ++i) A.insert(i, 2) = -1.0;
  A.makeCompressed();
  Vector y = Vector::Zero(1000);
  y.head(300).setOnes();
  Vector b = Vector::Zero(3);
  b[0] = 1.0;
  Glm f = model(A, y, 0.0, false, b);
  f.gradient();
  const Coordinate v{2, 1.0}, s{0, 1.0};
  f.prepare(pairwise(s, f.along(s), 1.0, exact_vertex(v, f.along(v))));
  CHECK(f.rows_touched() == 9);
}

TEST_CASE("the Hessian on a working set is that of the definition, formed at once, in two goes or never", "[glm]") {
  const Eigen::MatrixXd A = some_matrix(300, 12, 0.4, 8);
  const SparseMatrix S = A.sparseView();
  const Vector v = some_matrix(300, 1, 1.0, 9).col(0).cwiseAbs(), scale = Vector::LinSpaced(12, 0.5, 3.0);
  const std::vector<Index> columns{7, 2, 11, 0, 5};
  const Vector d = Vector::LinSpaced(5, -1.0, 2.0);
  const auto check = [&](const auto& M, bool centred) {
    Eigen::MatrixXd W(300, 5);
    for (Index a = 0; a < 5; ++a) W.col(a) = scale[columns[a]] * A.col(columns[a]);
    const Vector lean = W.transpose() * v;
    Eigen::MatrixXd H = W.transpose() * v.asDiagonal() * W + 0.1 * Eigen::MatrixXd::Identity(5, 5);
    if (centred) H -= lean * lean.transpose() / v.sum();
    const Vector expected = H * d;
    const auto design = design_of(M);
    design->set_scale(scale);
    for (bool densely : {true, false}) {
      for (Index keep : {0, 3}) {
        WorkingHessian hessian;
        const std::vector<Index> first(columns.begin(), columns.begin() + keep);
        if (keep > 0) hessian.set(*design, first, v, Vector::Constant(keep, 0.1), centred, densely, 0, 1);
        hessian.set(*design, columns, v, Vector::Constant(5, 0.1), centred, densely, keep, 1);
        CHECK(hessian.formed() == densely);
        CHECK((hessian.diagonal() - H.diagonal()).norm() <= 1e-13 * H.norm());
        Vector Hd;
        hessian.apply(d, Hd);
        CHECK((Hd - expected).norm() <= 1e-13 * H.norm());
      }
    }
  };
  for (bool centred : {false, true}) {
    check(A, centred);
    check(S, centred);
  }
}

TEST_CASE("a Hessian that is kept, and its factor, weigh what the curvatures weigh now", "[glm]") {
  Eigen::MatrixXd A = some_matrix(50, 4, 1.0, 8);
  A.col(3).setOnes();
  const Vector y = some_labels(A);
  Vector b = Vector::Zero(4);
  b[0] = 0.3;
  Glm f = model(A, y, 0.0, false, b, "poisson");
  WorkingSet set;
  set.retain(4, [](Index) { return true; });
  for (Index j : {0, 1, 2}) set.enter(j);
  CHECK(set.update(f, true));
  CHECK(set.lasts());
  Eigen::MatrixXd sides = Eigen::MatrixXd::Ones(3, 1);
  set.hessian().solve({0, 1, 2}, sides);
  f.prepare({3}, Vector::Constant(1, 0.7), 0.0);  // all means by exp(-0.7)
  f.commit(1.0);
  CHECK_FALSE(set.update(f, true));
  Vector v;
  f.curvature(v);
  const Eigen::MatrixXd wanted = A.leftCols(3).transpose() * v.asDiagonal() * A.leftCols(3);
  CHECK((set.hessian().block(0, 3) - wanted).norm() <= 1e-12 * wanted.norm());
  sides.setOnes();
  set.hessian().solve({0, 1, 2}, sides);
  CHECK((wanted * sides - Eigen::MatrixXd::Ones(3, 1)).norm() <= 1e-10);
}

TEST_CASE("a design answers alike dense and compressed, scaled or not, on any number of threads", "[glm]") {
  const Eigen::MatrixXd A = some_matrix(5000, 300, 0.1, 13);
  const SparseMatrix S = A.sparseView();
  const Vector r = some_matrix(5000, 1, 1.0, 14).col(0), x = some_matrix(300, 1, 0.5, 15).col(0);
  const Vector scale = Vector::LinSpaced(300, 0.5, 2.0), w = mean_weights(5000);
  const Eigen::MatrixXd scaled = A * scale.asDiagonal();
  for (const auto& design : {design_of(A), design_of(S)}) {
    design->set_scale(scale);
    Vector g1, g2, z1, z2;
    design->transpose_times(r, g1, 1);
    design->transpose_times(r, g2, 2);
    design->times(x, z1, 1);
    design->times(x, z2, 2);
    CHECK(g1 == g2);
    CHECK(z1 == z2);
    CHECK((g1 - scaled.transpose() * r).norm() <= 1e-13 * g1.norm());
    CHECK((z1 - scaled * x).norm() <= 1e-13 * z1.norm());
    const Design::Moments one = design->moments(r, 1), two = design->moments(r, 2);
    CHECK(one.square == two.square);
    CHECK((one.dot - g1).norm() <= 1e-13 * g1.norm());
    CHECK((one.sum - scaled.colwise().sum().transpose()).norm() <= 1e-11);
    CHECK((one.square - scaled.colwise().squaredNorm().transpose()).norm() <= 1e-12 * one.square.norm());
    Eigen::MatrixXd H1(80, 80), H2(80, 80);
    Columns columns(80);
    for (Index k = 0; k < 80; ++k) columns[static_cast<std::size_t>(k)] = 3 * k;
    design->gram(columns, w, 0, H1, 1);
    design->gram(columns, w, 0, H2, 2);
    CHECK(H1 == H2);
    const double mean = A.col(7).mean();
    CHECK(design->deviation(7, w) == close_to(std::sqrt((A.col(7).array() - mean).square().mean()), 1e-12));
  }
}

TEST_CASE("passes of a loss give the same bits on any number of threads", "[glm]") {
  const Index n = 30000;
  const Vector m = some_matrix(n, 1, 1.0, 16).col(0), u = some_matrix(n, 1, 1.0, 17).col(0);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y[i] = i % 3 == 0 ? 1.0 : 0.0;
  for (const char* family : {"binomial", "gaussian", "poisson"}) {
    const auto one = make_loss(family, y, mean_weights(n)), two = make_loss(family, y, mean_weights(n));
    CHECK(one->look(m, 0.1, 1).sum == two->look(m, 0.1, 2).sum);
    CHECK(one->residual() == two->residual());
    CHECK(one->value(m, 0.1, 1) == two->value(m, 0.1, 2));
    CHECK(one->shift(m, 0.1, u, 0.5, 0.2, 1).divergence == two->shift(m, 0.1, u, 0.5, 0.2, 2).divergence);
  }
}

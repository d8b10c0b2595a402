#include <acfw.hpp>
#include <acfw/objectives/condensed.hpp>
#include <acfw/objectives/glm.hpp>
#include "check.hpp"

using namespace acfw;
using SparseMatrix = Eigen::SparseMatrix<double>;

namespace {

// The levels of a factor, whose columns sum to one, beside ordinary columns, one of them twice and one constant.
Eigen::MatrixXd with_levels(Index n, unsigned seed) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, 9);
  const Eigen::MatrixXd Z = normal_matrix(n, 4, seed);
  for (Index i = 0; i < n; ++i) A(i, (i * i + i / 3) % 4) = 1.0;
  A.middleCols(4, 3) = Z.leftCols(3);
  A.col(7) = A.col(5);
  A.col(8).setConstant(2.0);
  return A;
}

struct Data {
  Vector y, w, offset;
};

Data some_data(const Eigen::MatrixXd& A, unsigned seed) {
  const Index n = A.rows();
  const Eigen::MatrixXd Z = normal_matrix(n, 3, seed);
  return {A.col(1) - 2.0 * A.col(5) + Z.col(0) + Vector::Constant(n, 3.0), (Z.col(1).cwiseAbs() / static_cast<double>(n)).eval(), 0.5 * Z.col(2)};
}

Glm condensed_model(const Condensed& few, const Vector& scale, bool intercept) {
  GlmSettings settings;
  settings.ridge = 0.01;
  settings.intercept = false;
  if (intercept) settings.centres = few.centres;
  few.design->set_scale(scale);
  return Glm(few.design, make_loss("gaussian", few.y, Vector::Ones(few.y.size())), settings);
}

// Value, gradient, intercept and divergence of both at a few points.
void check_same(Glm& few, Glm& all, unsigned seed) {
  const Index p = all.point().size();
  for (unsigned k = 0; k < 5; ++k) {
    Vector b = normal_matrix(p, 1, seed + k);
    b[static_cast<Index>(k)] = 0.0;
    few.place(b);
    all.place(b);
    CHECK(few.value() == close_to(all.value(), 1e-12));
    CHECK(few.loss() == close_to(all.loss(), 1e-12));
    CHECK(few.intercept() == close_to(all.intercept(), 1e-11));
    Columns every;
    for (Index j = 0; j < p; ++j) every.push_back(j);
    Vector g, h;
    few.gradient_at(every, g);
    all.gradient_at(every, h);
    CHECK((g - h).lpNorm<Eigen::Infinity>() <= 1e-12 * (1.0 + h.lpNorm<Eigen::Infinity>()));
    const Vector d = normal_matrix(p, 1, seed + 50 + k);
    few.prepare(every, d, h.dot(d));
    all.prepare(every, d, h.dot(d));
    CHECK(few.divergence(0.3) == close_to(all.divergence(0.3), 1e-11));
  }
}

}  // namespace

TEST_CASE("condensed rows have the values and gradients of all observations, collinear and constant columns among them", "[condensed]") {
  const Eigen::MatrixXd A = with_levels(400, 1);
  const SparseMatrix S = A.sparseView();
  const Data data = some_data(A, 2);
  const Vector scale = normal_matrix(A.cols(), 1, 3).cwiseAbs();
  for (bool intercept : {false, true}) for (bool sparse : {false, true}) {
    const auto design = sparse ? design_of(S) : design_of(A);
    const auto few = condensed(*design, data.y, data.w, data.offset, intercept);
    REQUIRE(few.has_value());
    CHECK(few->design->rows() <= A.cols() + 1);
    CHECK(few->design->rows() == (intercept ? 6 : 7) + 1);
    GlmSettings settings;
    settings.ridge = 0.01;
    settings.intercept = intercept;
    settings.offset = data.offset;
    design->set_scale(scale);
    Glm all(design, make_loss("gaussian", data.y, data.w), settings), small = condensed_model(*few, scale, intercept);
    check_same(small, all, 10);
  }
}

TEST_CASE("columns far from zero keep their digits when they are condensed", "[condensed]") {
  Eigen::MatrixXd A = normal_matrix(300, 4, 5);
  const Data data = some_data(with_levels(300, 1), 6);
  const auto plain = condensed(*design_of(A), data.y, data.w, {}, true);
  A.col(2).array() += 1e5;
  const auto moved = condensed(*design_of(A), data.y, data.w, {}, true);
  REQUIRE((plain.has_value() && moved.has_value()));
  Glm f = condensed_model(*plain, Vector(), true), g = condensed_model(*moved, Vector(), true);
  const Vector b = normal_matrix(4, 1, 7);
  f.place(b);
  g.place(b);
  CHECK(f.value() == close_to(g.value(), 1e-9));
  CHECK(f.intercept() - 1e5 * b[2] == close_to(g.intercept(), 1e-9));
  const SparseMatrix S = A.sparseView();
  CHECK_FALSE(condensed(*design_of(S), data.y, data.w, {}, true).has_value());  // there they would not
}

TEST_CASE("responses that the columns explain but for rounding are not condensed, nor what is not finite", "[condensed]") {
  Eigen::MatrixXd A = normal_matrix(200, 5, 8);
  const Vector w = Vector::Constant(200, 1.0 / 200.0);
  const Vector exact = A * normal_matrix(5, 1, 9);
  CHECK_FALSE(condensed(*design_of(A), exact, w, {}, true).has_value());
  CHECK(condensed(*design_of(A), (exact + normal_matrix(200, 1, 10)).eval(), w, {}, true).has_value());
  CHECK_FALSE(condensed(*design_of(A), Vector::Constant(200, 2.0), w, {}, true).has_value());
  A(7, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(condensed(*design_of(A), exact, w, {}, true).has_value());
}

TEST_CASE("a vanishing gradient of condensed rows is not taken for an exact one", "[condensed]") {
  const Eigen::MatrixXd A = normal_matrix(100, 2, 13);
  const Vector y = A.col(0) + normal_matrix(100, 1, 14);
  const auto few = condensed(*design_of(A), y, Vector::Constant(100, 0.01), {}, true);
  REQUIRE(few.has_value());
  GlmSettings settings;
  settings.intercept = false;
  settings.moments_rounding = few->rounding;
  Glm f(few->design, make_loss("gaussian", few->y, Vector::Ones(few->y.size())), settings);
  L1Budget ball({}, {});
  ball.set_radius(1e3);
  f.set_budget(&ball);
  f.gradient();  // the lengths of the columns are known with it
  CHECK(f.gradient_rounding(Coordinate{0, 0.0}) > 1e-16 * 1e3);
}

TEST_CASE("few rows, or many columns, are left as they are", "[condensed]") {
  const Eigen::MatrixXd tall = normal_matrix(400, 10, 11), wide = normal_matrix(30, 20, 12);
  const SparseMatrix thin = Eigen::MatrixXd::Identity(400, 100).sparseView();
  CHECK(worth_condensing(*design_of(tall), 10.0));
  CHECK_FALSE(worth_condensing(*design_of(wide), 1000.0));
  CHECK_FALSE(worth_condensing(*design_of(thin), 1000.0));
}

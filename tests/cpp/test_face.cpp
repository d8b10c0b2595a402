// Factors that follow a face, and models solved on faces.
#include <acfw/correctors/coordinate_descent.hpp>
#include <acfw/correctors/face_pivoting.hpp>
#include <acfw/correctors/group_face.hpp>
#include <acfw/linear/face_factor.hpp>
#include <acfw/linear/multiply.hpp>
#include <acfw/linear/storage.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Columns first(Index k) {
  Columns all;
  for (Index j = 0; j < k; ++j) all.push_back(j);
  return all;
}

// A Hessian as the corrector has it, of columns `columns` of A under equal weights.
struct Formed {
  std::shared_ptr<Design> design;
  Columns columns;
  WorkingHessian hessian;

  explicit Formed(const Eigen::MatrixXd& A) : design(design_of(A)), columns(first(A.cols())) {
    hessian.set(*design, columns, A.transpose() * A / static_cast<double>(A.rows()));
  }

  CoordinateModel model(const Vector& g, double mu) const {
    CoordinateModel m;
    m.columns = columns;
    m.x = m.start = m.lean = m.ridge = m.q = Vector::Zero(g.size());
    m.base = g;
    m.diagonal = hessian.diagonal();
    m.mu = mu;
    return m;
  }
};

// How far a model is from its optimality conditions.
double violation(const Formed& formed, const CoordinateModel& m) {
  double most = 0.0;
  for (Index k = 0; k < m.x.size(); ++k) {
    const double g = m.base[k] + formed.hessian.column(k).dot(m.x);
    most = std::max(most, m.x[k] != 0.0 ? std::abs(g + (m.x[k] > 0.0 ? m.mu : -m.mu)) : std::abs(g) - m.mu);
  }
  return most;
}

}  // namespace

TEST_CASE("symmetric systems are solved whatever the signs of their eigenvalues, one side or many") {
  const Eigen::MatrixXd A = normal_matrix(7, 7, 21), S = A + A.transpose(), X = normal_matrix(7, 3, 22);
  CHECK((symmetric_solve(S, Eigen::MatrixXd(S * X)) - X).norm() < 1e-10 * X.norm());
  CHECK((symmetric_solve(S, Vector(S * X.col(1))) - X.col(1)).norm() < 1e-10 * X.norm());
  CHECK((product(A.transpose(), X) - A.transpose().lazyProduct(X)).norm() < 1e-13 * A.norm() * X.norm());
}

TEST_CASE("a factor that follows a face is that of the face, whoever came and went") {
  const Index p = 150;
  const Eigen::MatrixXd A = normal_matrix(200, p, 1), K = A.transpose() * A;
  std::mt19937 generator(2);
  FaceFactor factor;
  Columns face = first(100);
  for (int step = 0; step < 30; ++step) {
    factor.follow(K, face);
    REQUIRE(factor.size() == static_cast<Index>(face.size()));
    const Vector x = normal_matrix(factor.size(), 1, 10 + step);
    Eigen::MatrixXd sides = K(factor.members(), factor.members()) * x;
    factor.solve(sides);
    CHECK((sides.col(0) - x).lpNorm<Eigen::Infinity>() <= 1e-9);
    Columns next;
    for (Index j = 0; j < p; ++j) {
      const bool inside = std::find(face.begin(), face.end(), j) != face.end(), turned = generator() % (step % 10 == 9 ? 2 : 25) == 0;
      if (inside != turned) next.push_back(j);
    }
    face = next;
  }
}

TEST_CASE("columns that others span are no members, and leave the factor as it was") {
  Eigen::MatrixXd A = normal_matrix(40, 12, 3);
  A.col(5) = A.col(2);
  A.col(9) = A.col(0) - 2.0 * A.col(1);
  const Eigen::MatrixXd K = A.transpose() * A;
  FaceFactor factor;
  factor.follow(K, first(4));
  factor.follow(K, first(12));
  CHECK(factor.size() == 10);
  for (Index j : {Index{5}, Index{9}}) CHECK(std::find(factor.members().begin(), factor.members().end(), j) == factor.members().end());
  const Vector x = normal_matrix(10, 1, 4);
  Eigen::MatrixXd sides = K(factor.members(), factor.members()) * x;
  factor.solve(sides);
  CHECK((sides.col(0) - x).lpNorm<Eigen::Infinity>() <= 1e-9);
}

TEST_CASE("so do many that come at once, in all panels of the factor") {
  const Index p = 200;
  Eigen::MatrixXd A = normal_matrix(180, p, 8);
  for (Index j = 80; j < p; j += 2) A.col(j) = A.col(j - 80);  // the last of them copies of copies
  const Eigen::MatrixXd K = A.transpose() * A;
  FaceFactor factor;
  factor.follow(K, first(50));
  factor.follow(K, first(p));
  CHECK(factor.size() == p - (p - 80) / 2);
  const Vector x = normal_matrix(factor.size(), 1, 9);
  Eigen::MatrixXd sides = K(factor.members(), factor.members()) * x;
  factor.solve(sides);
  CHECK((sides.col(0) - x).lpNorm<Eigen::Infinity>() <= 1e-8);
}

TEST_CASE("pivots find the minimiser along a path down to an exact fit, where sweeps would need thousands") {
  const Index n = 60;
  for (Index p : {Index{60}, Index{90}}) for (unsigned seed = 1; seed <= 5; ++seed) {
    const Eigen::MatrixXd A = normal_matrix(n, p, seed);
    const Vector g = -A.transpose() * normal_matrix(n, 1, seed + 50) / static_cast<double>(n);
    const Formed formed(A);
    CoordinateModel m = formed.model(g, 0.0);
    const double largest = g.lpNorm<Eigen::Infinity>();
    for (int k = 1; k <= 40; ++k) {
      m.mu = largest * std::pow(1e-4, k / 40.0);
      REQUIRE(FacePivoting().minimise(formed.hessian, m, 0.0));
      CHECK(violation(formed, m) <= 1e-9 * largest);
      CHECK((m.q - A.transpose() * (A * m.x) / static_cast<double>(n)).lpNorm<Eigen::Infinity>() <= 1e-8 * largest);
    }
    CHECK((m.x.array() != 0.0).count() > n / 2);
  }
}

TEST_CASE("copies of columns stay out of the face, and the model is minimised all the same") {
  const Index n = 50, p = 20;
  Eigen::MatrixXd A(n, 2 * p);
  A << normal_matrix(n, p, 6), Eigen::MatrixXd::Zero(n, p);
  A.rightCols(p) = A.leftCols(p);
  const Vector g = -A.transpose() * normal_matrix(n, 1, 7) / static_cast<double>(n);
  const Formed formed(A);
  CoordinateModel m = formed.model(g, 0.05 * g.lpNorm<Eigen::Infinity>());
  REQUIRE(FacePivoting().minimise(formed.hessian, m, 0.0));
  CHECK(violation(formed, m) <= 1e-10);
  CHECK((m.x.array() != 0.0).count() <= p);
}

TEST_CASE("Newton steps on groups in use end where the slope of the penalised model vanishes, and leave the others at rest", "[face]") {
  std::srand(17);
  const Index k = 9;
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(12, k), H = A.transpose() * A;
  const Vector b = 3.0 * Vector::Random(k);
  const std::vector<GroupPlace> groups{{0, 3}, {3, 2}, {5, 4}};
  const double mu = 0.3;
  Vector x = Vector::Ones(k);
  x.segment(3, 2).setZero();
  const auto slopes = [&] { return Vector(H * x - b); };
  for (int step = 0; step < 30; ++step) {
    GroupFace face(H, slopes(), x, groups, mu);
    if (!face.descend()) break;
    x = face.x();
  }
  CHECK(x.segment(3, 2).norm() == 0.0);
  for (Index from : {0, 5}) {
    const Index size = from == 0 ? 3 : 4;
    const Vector part = x.segment(from, size);
    REQUIRE(part.norm() > 1e-3);
    CHECK((slopes().segment(from, size) + mu * part / part.norm()).norm() < 1e-7);
  }
}

TEST_CASE("groups that a Newton step would lead past zero rest there, and the others go on to their minimiser at once", "[face]") {
  std::srand(23);
  const Index k = 12;
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(5, k), H = 1e6 * A.transpose() * A + Eigen::MatrixXd::Identity(k, k);
  const std::vector<GroupPlace> groups{{0, 4}, {4, 4}, {8, 4}};
  const double mu = 50.0;
  // the least point has the first group alone, and its gradient on the others is below mu
  Vector wanted = Vector::Zero(k);
  wanted.head(4) = 2.0 * Vector::Ones(4) + Vector::Random(4);
  Vector force = Vector::Zero(k);
  force.head(4) = mu * wanted.head(4).normalized();
  const Vector b = H * wanted + force;
  Vector x = wanted;
  x.segment(4, 8) = 1e-6 * Vector::Random(8);
  GroupFace face(H, H * x - b, x, groups, mu);
  REQUIRE(face.descend());
  CHECK(face.x().tail(8).norm() == 0.0);
  CHECK((face.x() - wanted).norm() <= 1e-6 * wanted.norm());
}

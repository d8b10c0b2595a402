#include <acfw.hpp>
#include <acfw/linear/storage.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Eigen::SparseMatrix<double> sparse_normal(Index n, Index p, double share, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform;
  return normal_matrix(n, p, seed + 1).unaryExpr([&](double a) { return uniform(generator) < share ? a : 0.0; }).sparseView();
}

}  // namespace

TEST_CASE("columns copied side by side multiply as those of the design do, scaled, in any order, empty ones too", "[packed]") {
  Eigen::SparseMatrix<double> A = sparse_normal(40, 15, 0.2, 1);
  A.col(4) *= 0.0;
  A.prune(0.0);
  auto design = design_of(A);
  design->set_scale(normal_matrix(15, 1, 2));
  const Columns columns = {7, 4, 0, 12, 13};
  const Vector d = normal_matrix(5, 1, 3), q = normal_matrix(40, 1, 4);
  PackedColumns packed;
  for (int twice = 0; twice < 2; ++twice) {
    REQUIRE(design->pack(columns, packed));
    Vector z, expected, dots(5), wanted(5);
    packed.image(d, z);
    design->combine(columns, d, expected);
    packed.inner(q, dots.data());
    design->dots(columns, q, wanted.data());
    CHECK((z - expected).lpNorm<Eigen::Infinity>() <= 1e-14);
    CHECK((dots - wanted).lpNorm<Eigen::Infinity>() <= 1e-14);
  }
  const Eigen::MatrixXd dense = A;
  CHECK_FALSE(design_of(dense)->pack(columns, packed));
}

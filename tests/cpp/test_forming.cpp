#include <acfw.hpp>
#include <acfw/correctors/forming.hpp>
#include <acfw/linear/blocks.hpp>
#include <acfw/linear/storage.hpp>
#include "check.hpp"

#include <numeric>

using namespace acfw;

namespace {

// n rows with s ones each, spread over k columns.
Eigen::SparseMatrix<double> ones(int n, int k, int s) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    for (int a = 0; a < s; ++a) entries.emplace_back(i, (i * 7 + a * (k / s) + i / k) % k, 1.0);
  }
  Eigen::SparseMatrix<double> A(n, k);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

bool pays(Forming& forming, const Eigen::SparseMatrix<double>& A) {
  Columns all(static_cast<std::size_t>(A.cols()));
  std::iota(all.begin(), all.end(), Index{0});
  return forming.pays(*design_of(A), all);
}

}  // namespace

TEST_CASE("a Hessian is formed where few entries meet in a row, and not where its solution costs more than sweeps", "[forming]") {
  Forming forming;
  CHECK(pays(forming, ones(20000, 100, 5)));
  CHECK_FALSE(pays(forming, ones(2000, 1000, 5)));
}

TEST_CASE("whether a Hessian is formed follows how long the last ones lasted, and how many sweeps models took", "[forming]") {
  const auto A = ones(5000, 100, 10);
  Forming forming;
  CHECK(pays(forming, A));
  for (int k = 0; k < 6; ++k) {  // each of no use after one model
    forming.serve();
    forming.end();
  }
  CHECK_FALSE(pays(forming, A));
  const double enough = forming.enough_sweeps();
  CHECK(enough < 1000.0);
  for (int k = 0; k < 3; ++k) forming.swept(enough);  // a model that is given up is the last to be swept
  CHECK(pays(forming, A));
}

TEST_CASE("the Hessian of classes is formed for many observations, and not for more columns than there are", "[forming][classes]") {
  const auto pays_for_classes = [](Index n, Index p) {
    const Eigen::MatrixXd A = Eigen::MatrixXd::Ones(n, p);
    const BlockDesign<DenseStorage> blocks({A.data(), n, n}, n, p, 3);
    Columns all(static_cast<std::size_t>(3 * (p + 1)));
    std::iota(all.begin(), all.end(), Index{0});
    return Forming().pays(blocks, all, 3);
  };
  CHECK(pays_for_classes(5000, 40));
  CHECK_FALSE(pays_for_classes(300, 400));
}

#include <acfw.hpp>
#include <acfw/objectives/fold_in.hpp>
#include "check.hpp"

#include <Eigen/Cholesky>

using namespace acfw;

namespace {

struct NewRows {
  Eigen::MatrixXd factor = normal_matrix(9, 3, 5);
  Entries entries;

  explicit NewRows(bool scaled) {
    entries.rows = 4;
    entries.cols = 9;
    entries.start = {0};
    std::vector<double> value, weight;
    const Eigen::MatrixXd noise = normal_matrix(4, 9, 6);
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 9; ++j) {
        if ((i + j) % 2 || i == 3) continue;  // nothing is known of the last
        entries.col.push_back(static_cast<int>(j));
        value.push_back(3.0 * noise(i, j));
        weight.push_back(0.5 + 0.25 * static_cast<double>(j));
      }
      entries.start.push_back(static_cast<int>(entries.col.size()));
    }
    entries.value = Eigen::Map<const Vector>(value.data(), static_cast<Index>(value.size()));
    entries.weight = Eigen::Map<const Vector>(weight.data(), static_cast<Index>(weight.size()));
    if (scaled) {
      entries.row_scale = Vector::LinSpaced(4, 0.5, 2.0);
      entries.col_scale = Vector::Ones(9);
    }
  }
};

}  // namespace

TEST_CASE("a row that is folded in has no slope left: the pull of its entries is its ridge", "[fold-in]") {
  for (bool scaled : {false, true}) for (double delta : {std::numeric_limits<double>::infinity(), 1.0}) {
    const NewRows p(scaled);
    const Eigen::MatrixXd found = FoldIn(p.factor, delta).rows(p.entries, 1);
    REQUIRE(found.cols() == 4);
    bool cut = false;
    for (Index i = 0; i < 4; ++i) {
      const double s = scaled ? p.entries.row_scale[i] : 1.0;
      const Vector x = found.col(i) / s;
      Vector pull = Vector::Zero(3);
      for (int e = p.entries.start[static_cast<std::size_t>(i)]; e < p.entries.start[static_cast<std::size_t>(i) + 1]; ++e) {
        const Vector seen = s * p.factor.row(p.entries.col[static_cast<std::size_t>(e)]).transpose();
        const double r = p.entries.value[e] - seen.dot(x);
        cut = cut || std::abs(r) > delta;
        pull += p.entries.weight[e] * std::max(-delta, std::min(delta, r)) * seen;
      }
      INFO("row " << i << " scaled " << scaled << " delta " << delta);
      CHECK((pull - x).norm() <= 1e-5 * (1.0 + x.norm()));
      CHECK((i == 3 || x.norm() > 0.1));
    }
    CHECK(cut == std::isfinite(delta));
    CHECK(found.col(3).norm() == 0.0);
  }
}

TEST_CASE("a row that is folded in under the squared loss is the ridge regression on its entries", "[fold-in]") {
  const NewRows p(false);
  const Eigen::MatrixXd found = FoldIn(p.factor, std::numeric_limits<double>::infinity()).rows(p.entries, 2);
  for (Index i = 0; i < 3; ++i) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Identity(3, 3);
    Vector g = Vector::Zero(3);
    for (int e = p.entries.start[static_cast<std::size_t>(i)]; e < p.entries.start[static_cast<std::size_t>(i) + 1]; ++e) {
      const Vector seen = p.factor.row(p.entries.col[static_cast<std::size_t>(e)]).transpose();
      H += p.entries.weight[e] * seen * seen.transpose();
      g += p.entries.weight[e] * p.entries.value[e] * seen;
    }
    CHECK((found.col(i) - H.llt().solve(g)).norm() <= 1e-6 * found.col(i).norm());
  }
}

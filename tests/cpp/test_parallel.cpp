#include <acfw/core/parallel.hpp>
#include <acfw/linear/storage.hpp>
#include <atomic>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "check.hpp"

using namespace acfw;

TEST_CASE("a parallel loop makes every call once, on two threads where it may and there is work for two", "[parallel]") {
  for (int threads : {1, 2}) {
    for (long count : {0L, 1L, 4L, 5L, 1000L}) {
      std::vector<int> calls(static_cast<std::size_t>(count));
      std::vector<std::thread::id> by(calls.size());
      std::atomic<int> arrived{0};
      for_each(
          count, threads,
          [&](long k) {
            ++calls[static_cast<std::size_t>(k)];
            by[static_cast<std::size_t>(k)] = std::this_thread::get_id();
            // nobody takes everything before somebody else is there
            ++arrived;
            for (int wait = 0; wait < 10000 && arrived < 8 && threads > 1; ++wait) std::this_thread::yield();
          },
          4);
      for (int n : calls) CHECK(n == 1);
      const std::set<std::thread::id> seen(by.begin(), by.end());
#ifdef _OPENMP
      const bool shared = threads > 1 && count > 4;
      if (count > 0) CHECK(seen.size() == (shared ? 2u : 1u));
#endif
    }
  }
}

TEST_CASE("an exception leaves a parallel loop as it leaves any other", "[parallel]") {
  for (int threads : {1, 2}) {
    CHECK_THROWS_AS(for_each(1000, threads, [](int k) { if (k == 700) throw std::domain_error("700"); }), std::domain_error);
  }
}

TEST_CASE("sums over blocks take in every entry once, with the same bits for any number of threads", "[parallel]") {
  for (long count : {0L, 1L, 99L, 100L, 101L, 12345L}) {
    const auto sum = [count](int threads) {
      return sum_over_blocks<double>(count, 100L, threads, [](long from, long to) {
        double part = 0.0;
        for (long k = from; k < to; ++k) part += 1.0 / (1.0 + static_cast<double>(k));
        return part;
      });
    };
    double plain = 0.0;
    for (long k = 0; k < count; ++k) plain += 1.0 / (1.0 + static_cast<double>(k));
    CHECK(std::abs(sum(1) - plain) <= 1e-13);
    CHECK(sum(2) == sum(1));
    CHECK(sum(3) == sum(1));
  }
}

namespace {

// Compressed columns that note who visits blocks of their rows.
struct Watched : CompressedStorage {
  struct Visitors {
    std::mutex one_by_one;
    std::set<std::thread::id> seen;
    std::size_t note() {
      const std::lock_guard<std::mutex> lock(one_by_one);
      seen.insert(std::this_thread::get_id());
      return seen.size();
    }
  };
  Visitors* visitors;

  template <class Visit>
  void visit_between(Index j, Index low, Index high, Visit f) const {
    for (int wait = 0; visitors->note() < 2 && wait < 10000; ++wait) std::this_thread::yield();
    CompressedStorage::visit_between(j, low, high, f);
  }
};

// The same of whole columns.
struct WatchedColumns : CompressedStorage {
  Watched::Visitors* visitors;

  template <class Visit>
  void visit(Index j, Visit f) const {
    for (int wait = 0; visitors->note() < 2 && wait < 10000; ++wait) std::this_thread::yield();
    CompressedStorage::visit(j, f);
  }
};

// <g, x> + x'A'VA x / 2 + mu ||x||_1 from zero, on all columns.
CoordinateModel model_from_zero(const Design& A, const Vector& v, double mu) {
  CoordinateModel model;
  const Index k = A.cols();
  model.columns.resize(static_cast<std::size_t>(k));
  std::iota(model.columns.begin(), model.columns.end(), Index{0});
  model.x = model.start = model.moved = model.ridge = Vector::Zero(k);
  model.base = Vector::LinSpaced(k, -30.0, 20.0);
  model.mu = mu;
  model.q = Vector::Zero(A.rows());
  model.bending.v = v;
  Vector lean(k);
  model.diagonal.resize(k);
  A.weighted_moments(model.columns, 0, v, lean, model.diagonal);
  model.shift.resize(0);
  return model;
}

}  // namespace

TEST_CASE("threads share the rows of compressed columns, and no bit depends on it", "[parallel]") {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3000, 40);
  for (Index i = 0; i < dense.size(); ++i) {
    if (generator() % 4 == 0) dense.data()[i] = normal(generator);
  }
  const Eigen::SparseMatrix<double> A = dense.sparseView();
  Watched::Visitors visitors;
  DesignByColumns<Watched> design({{A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr()}, &visitors}, A.rows(), A.cols(), false);
  design.set_scale(Vector::LinSpaced(40, 0.5, 2.0));
  Columns columns;
  for (Index j = 0; j < 40; ++j) columns.push_back((7 * j) % 40);
  const Vector c = Vector::LinSpaced(40, -1.0, 1.0), v = Vector::LinSpaced(3000, 0.1, 0.9);
  Vector alone, shared;
  Eigen::MatrixXd H(40, 40), H2(40, 40);
  design.combine(columns, c, alone, 1);
  design.gram(columns, v, 0, H, 1);
  CHECK(visitors.seen.empty());
  for (Index keep : {Index{0}, Index{25}}) {
    visitors.seen.clear();
    design.combine(columns, c, shared, 2);
    H2 = H;
    design.gram(columns, v, keep, H2, 2);
    CHECK(shared == alone);
    CHECK(H2.rightCols(40 - keep) == H.rightCols(40 - keep));
#ifdef _OPENMP
    CHECK(visitors.seen.size() == 2);
#endif
  }
}

TEST_CASE("threads share a few long columns, and no bit depends on it", "[parallel]") {
  const Eigen::MatrixXd dense = Eigen::MatrixXd::Random(4000, 12);
  const Eigen::SparseMatrix<double> A = dense.sparseView();
  Watched::Visitors visitors;
  DesignByColumns<WatchedColumns> design({{A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr()}, &visitors}, A.rows(), A.cols(), false);
  Columns columns(12);
  std::iota(columns.begin(), columns.end(), Index{0});
  const Vector v = Vector::LinSpaced(4000, 0.1, 0.9);
  Vector lean(12), square(12), lean2(12), square2(12);
  design.weighted_moments(columns, 0, v, lean, square, 1);
  visitors.seen.clear();
  design.weighted_moments(columns, 0, v, lean2, square2, 2);
  CHECK(lean2 == lean);
  CHECK(square2 == square);
#ifdef _OPENMP
  CHECK(visitors.seen.size() == 2);
#endif
}

TEST_CASE("threads share a sweep over long columns, and no bit depends on how many", "[parallel]") {
  std::mt19937 generator(2);
  std::normal_distribution<double> normal;
  const Index n = 5000, p = 20;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, p);
  for (Index i = 0; i < dense.size(); ++i) {
    if (generator() % 3 == 0) dense.data()[i] = normal(generator);
  }
  dense.col(3).head(n / 2).setZero();  // nothing in two of its lanes
  const Eigen::SparseMatrix<double> A = dense.sparseView();
  Watched::Visitors visitors;
  DesignByColumns<Watched> design({{A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr()}, &visitors}, n, p, false);
  design.set_scale(Vector::LinSpaced(p, 0.5, 2.0));
  const Vector v = Vector::LinSpaced(n, 0.1, 0.9);
  Columns order;
  for (Index k = 0; k < p; ++k) order.push_back((7 * k) % p);

  CoordinateModel alone = model_from_zero(design, v, 3.0);
  const Eigen::MatrixXd scaled = dense * Vector::LinSpaced(p, 0.5, 2.0).asDiagonal();
  Vector x = alone.x, q = alone.q;
  for (int sweep = 0; sweep < 3; ++sweep) {
    design.sweep(order, alone);
    for (Index k : order) {
      const double h = scaled.col(k).cwiseAbs2().dot(v), g = alone.base[k] + scaled.col(k).dot(q), target = x[k] - g / h;
      const double next = std::copysign(std::max(std::abs(target) - 3.0 / h, 0.0), target);
      q += (next - x[k]) * v.cwiseProduct(scaled.col(k));
      x[k] = next;
    }
  }
  CHECK((x - alone.x).norm() <= 1e-13 * x.norm());
  CHECK(x.cwiseAbs().minCoeff() == 0.0);
  for (int threads : {2, 3, 4, 9}) {
    visitors.seen.clear();
    CoordinateModel shared = model_from_zero(design, v, 3.0);
    shared.threads = threads;
    for (int sweep = 0; sweep < 3; ++sweep) design.sweep(order, shared);
    CHECK(shared.x == alone.x);
    CHECK(shared.q == alone.q);
#ifdef _OPENMP
    CHECK(visitors.seen.size() == static_cast<std::size_t>(std::min(threads, Lanes::count)));
#endif
  }
}

#include "checks.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "acfw/core/eigen.hpp"
#include "acfw/kernels/dispatch.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

// Is every index in [0, end)? Either difference has its sign bit set where one is not; without a comparison this is as fast as
// memory, and every fit of a sparse matrix waits for it.
ACFW_HOT bool all_below(const int* index, R_xlen_t size, int end) {
  unsigned signs = 0;
  for (R_xlen_t k = 0; k < size; ++k) {
    const unsigned row = static_cast<unsigned>(index[k]);
    signs |= row | (static_cast<unsigned>(end) - 1u - row);
  }
  return size == 0 || signs >> 31 == 0;
}

}  // namespace

// Is every value finite? One pass, no temporary of the size of x.
// [[Rcpp::export]]
bool all_finite(Rcpp::NumericVector x) {
  return Eigen::Map<const Eigen::VectorXd>(x.begin(), x.size()).allFinite();
}

// Packages and users build such objects by hand.
// [[Rcpp::export]]
bool valid_compressed(Rcpp::IntegerVector dim, Rcpp::IntegerVector p, Rcpp::IntegerVector i, double entries) {
  if (dim.size() != 2 || dim[0] < 0 || dim[1] < 0 || p.size() != static_cast<R_xlen_t>(dim[1]) + 1 || p[0] != 0) return false;
  if (!std::is_sorted(p.begin(), p.end()) || p[dim[1]] != i.size() || static_cast<double>(i.size()) != entries) return false;
  return all_below(i.begin(), i.size(), dim[0]);
}

// [[Rcpp::export]]
int processors() {
#ifdef _OPENMP
  return omp_get_num_procs();
#else
  return 1;
#endif
}

namespace {

// Can the system start so many more threads, all there at once?
bool can_start(int more) {
  std::vector<std::thread> started;
  std::mutex gate;
  bool all = true;
  {
    const std::lock_guard<std::mutex> closed(gate);
    try {
      for (int k = 0; k < more; ++k) started.emplace_back([&gate] { const std::lock_guard<std::mutex> through(gate); });
    } catch (const std::exception&) {
      all = false;
    }
  }
  for (std::thread& one : started) one.join();
  return all;
}

}  // namespace

// As many of the threads asked for as there are processors; one where the system refuses to start more, for want of memory say, to which
// OpenMP's own answer is to end R. Those it has started stay.
// [[Rcpp::export]]
int startable_threads(double wanted) {
  static int had = 1;
  const int most = static_cast<int>(std::min(wanted, static_cast<double>(processors())));
  if (most > had && can_start(most - 1)) had = most;
  return std::min(most, had);
}

#include <Rcpp.h>

#include <Eigen/Core>

#ifdef _OPENMP
#include <omp.h>
#endif

// Is every value finite? One pass, no temporary of the size of x.
// [[Rcpp::export]]
bool all_finite(Rcpp::NumericVector x) {
  return Eigen::Map<const Eigen::VectorXd>(x.begin(), x.size()).allFinite();
}

// Can the slots of a compressed matrix be followed without leaving them? Packages and users build such objects by hand.
// [[Rcpp::export]]
bool valid_compressed(Rcpp::IntegerVector dim, Rcpp::IntegerVector p, Rcpp::IntegerVector i, double entries) {
  if (dim.size() != 2 || dim[0] < 0 || dim[1] < 0 || p.size() != static_cast<R_xlen_t>(dim[1]) + 1 || p[0] != 0) return false;
  if (!std::is_sorted(p.begin(), p.end()) || p[dim[1]] != i.size() || static_cast<double>(i.size()) != entries) return false;
  unsigned largest = 0;  // as unsigned numbers negative ones are larger than any row
  for (const int row : i) largest = std::max(largest, static_cast<unsigned>(row));
  return i.size() == 0 || largest < static_cast<unsigned>(dim[0]);
}

// [[Rcpp::export]]
int processors() {
#ifdef _OPENMP
  return omp_get_num_procs();
#else
  return 1;
#endif
}

// How many threads Eigen's products use on their own account: one, `threads` is for the user to say.
// [[Rcpp::export]]
int eigen_threads() { return Eigen::nbThreads(); }

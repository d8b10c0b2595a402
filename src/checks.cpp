#include <Rcpp.h>

#include <Eigen/Core>

// Is every value finite? One pass, no temporary of the size of x.
// [[Rcpp::export]]
bool all_finite(Rcpp::NumericVector x) {
  return Eigen::Map<const Eigen::VectorXd>(x.begin(), x.size()).allFinite();
}

// How many threads Eigen's products use on their own account: one, `threads` is for the user to say.
// [[Rcpp::export]]
int eigen_threads() { return Eigen::nbThreads(); }

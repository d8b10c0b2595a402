#include "acfw/product.hpp"

#include <RcppEigen.h>

// A B by the kernel that the objectives use, for tests and benchmarks.
// [[Rcpp::export]]
Eigen::MatrixXd dense_product(const Eigen::Map<Eigen::MatrixXd> A, const Eigen::Map<Eigen::MatrixXd> B, int threads) {
  Eigen::MatrixXd C(A.rows(), B.cols());
  acfw::multiply(A, B, C, 1.0, false, threads);
  return C;
}

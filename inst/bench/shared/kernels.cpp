// Kernels of the core by themselves, for the benchmarks: compiled by Rcpp::sourceCpp() against the installed headers.
// [[Rcpp::depends(acfw, RcppEigen)]]
// [[Rcpp::plugins(cpp17, openmp)]]
#define EIGEN_DONT_PARALLELIZE
#include <RcppEigen.h>

#include <acfw/linear/multiply.hpp>
#include <acfw/linear/storage.hpp>
#include <algorithm>
#include <chrono>

namespace {

template <class Body>
double best_seconds(int times, Body body) {
  double best = INFINITY;
  for (int k = 0; k < times; ++k) {
    const auto start = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Reads `size` words in blocks, one block a task; eight sums so that only the memory is waited for.
template <class Word>
Word read_through(const Word* data, R_xlen_t size, int threads) {
  constexpr R_xlen_t block = 1 << 16;
  const R_xlen_t blocks = (size + block - 1) / block;
  std::vector<Word> sums(blocks);
  acfw::for_each(blocks, threads, [&](acfw::Index b) {
    const Word* at = data + b * block;
    const R_xlen_t end = std::min(block, size - b * block);
    Word sum[8] = {};
    R_xlen_t k = 0;
    for (; k + 8 <= end; k += 8) {
      for (int lane = 0; lane < 8; ++lane) sum[lane] += at[k + lane];
    }
    for (; k < end; ++k) sum[0] += at[k];
    for (int lane = 1; lane < 8; ++lane) sum[0] += sum[lane];
    sums[b] = sum[0];
  });
  Word total = 0;
  for (Word sum : sums) total += sum;
  return total;
}

}  // namespace

// How fast the transposed product moves its matrix, beside a plain streaming read of the same arrays: best seconds of `times`
// runs, c(product, stream).
// [[Rcpp::export]]
Rcpp::NumericVector bench_transpose(Rcpp::RObject x, Eigen::VectorXd r, int times, int threads) {
  acfw::Vector out;
  volatile double sink = 0.0;
  double product = 0.0, stream = 0.0;
  if (Rf_isS4(x)) {
    const Rcpp::S4 sparse(x);
    const Rcpp::IntegerVector dim = sparse.slot("Dim"), i = sparse.slot("i"), p = sparse.slot("p");
    const Rcpp::NumericVector value = sparse.slot("x");
    const acfw::CompressedDesign A(p.begin(), i.begin(), value.begin(), dim[0], dim[1]);
    product = best_seconds(times, [&] { A.transpose_times(r, out, threads); });
    stream = best_seconds(times, [&] {
      sink = read_through(value.begin(), value.size(), threads) +
             read_through(reinterpret_cast<const unsigned*>(i.begin()), i.size(), threads);
    });
  } else {
    const Rcpp::NumericMatrix dense(x);
    const acfw::DenseDesign A(dense.begin(), dense.nrow(), dense.ncol(), dense.nrow());
    product = best_seconds(times, [&] { A.transpose_times(r, out, threads); });
    stream = best_seconds(times, [&] { sink = read_through(dense.begin(), dense.size(), threads); });
  }
  (void)sink;
  return Rcpp::NumericVector::create(product, stream);
}

// A B by the kernel that the objectives use.
// [[Rcpp::export]]
Eigen::MatrixXd dense_product(const Eigen::Map<Eigen::MatrixXd> A, const Eigen::Map<Eigen::MatrixXd> B, int threads) {
  Eigen::MatrixXd C(A.rows(), B.cols());
  acfw::multiply(A, B, C, 1.0, false, threads);
  return C;
}

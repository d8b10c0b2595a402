// For inst/bench: how fast the transposed product moves its matrix, beside a plain streaming read of the same arrays.
#include <RcppEigen.h>

#include <acfw/linear_map.hpp>
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
  acfw::for_each_column(blocks, threads, [&](acfw::Index b) {
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

// Best seconds of `times` runs: c(product, stream).
// [[Rcpp::export]]
Rcpp::NumericVector bench_transpose(Rcpp::RObject x, Eigen::VectorXd r, int times, int threads) {
  acfw::Vector out;
  volatile double sink = 0.0;
  double product = 0.0, stream = 0.0;
  if (Rf_isS4(x)) {
    const Rcpp::S4 sparse(x);
    const Rcpp::IntegerVector dim = sparse.slot("Dim"), i = sparse.slot("i"), p = sparse.slot("p");
    const Rcpp::NumericVector value = sparse.slot("x");
    const acfw::SparseMap map(dim[0], dim[1], value.size(), p.begin(), i.begin(), value.begin());
    product = best_seconds(times, [&] { acfw::transpose_times(map, r, out, threads); });
    stream = best_seconds(times, [&] {
      sink = read_through(value.begin(), value.size(), threads) +
             read_through(reinterpret_cast<const unsigned*>(i.begin()), i.size(), threads);
    });
  } else {
    const Rcpp::NumericMatrix dense(x);
    const acfw::DenseMap map(dense.begin(), dense.nrow(), dense.ncol());
    product = best_seconds(times, [&] { acfw::transpose_times(map, r, out, threads); });
    stream = best_seconds(times, [&] { sink = read_through(dense.begin(), dense.size(), threads); });
  }
  (void)sink;
  return Rcpp::NumericVector::create(product, stream);
}

#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include "designs.h"

#include "acfw/linear/blocks.hpp"
#include "acfw/linear/storage.hpp"

namespace {

// The design, and the R object that its numbers belong to.
template <class Kind>
struct Anchored : Kind {
  template <class... Args>
  Anchored(const Rcpp::RObject& owner, Args... args) : Kind(args...), owner(owner) {}
  Rcpp::RObject owner;
};

}  // namespace

std::shared_ptr<acfw::Design> design_from_r(const Rcpp::RObject& x) {
  if (Rf_isS4(x)) {
    const Rcpp::S4 sparse(x);
    const Rcpp::IntegerVector dim = sparse.slot("Dim"), i = sparse.slot("i"), p = sparse.slot("p");
    const Rcpp::NumericVector value = sparse.slot("x");
    return std::make_shared<Anchored<acfw::CompressedDesign>>(x, p.begin(), i.begin(), value.begin(), dim[0], dim[1]);
  }
  const Rcpp::NumericMatrix dense(x);
  return std::make_shared<Anchored<acfw::DenseDesign>>(x, dense.begin(), dense.nrow(), dense.ncol(), dense.nrow());
}

std::shared_ptr<acfw::Design> blocks_from_r(const Rcpp::RObject& x, acfw::Index blocks) {
  if (Rf_isS4(x)) {
    const Rcpp::S4 sparse(x);
    const Rcpp::IntegerVector dim = sparse.slot("Dim"), i = sparse.slot("i"), p = sparse.slot("p");
    const Rcpp::NumericVector value = sparse.slot("x");
    const acfw::CompressedStorage storage{p.begin(), i.begin(), value.begin()};
    return std::make_shared<Anchored<acfw::BlockDesign<acfw::CompressedStorage>>>(x, storage, dim[0], dim[1], blocks);
  }
  const Rcpp::NumericMatrix dense(x);
  const acfw::DenseStorage storage{dense.begin(), dense.nrow(), dense.nrow()};
  return std::make_shared<Anchored<acfw::BlockDesign<acfw::DenseStorage>>>(x, storage, dense.nrow(), dense.ncol(), blocks);
}

// Standard deviations of the columns under weights that sum to one; 0 where a column is constant up to rounding.
// [[Rcpp::export]]
Rcpp::NumericVector column_deviations(Rcpp::RObject x, Eigen::VectorXd w, int threads) {
  const auto A = design_from_r(x);
  Rcpp::NumericVector sd(A->cols());
  double* out = sd.begin();
  acfw::for_each(A->cols(), threads, [&](acfw::Index j) { out[j] = A->deviation(j, w); }, 64);
  return sd;
}

// What to subtract from the columns, which an intercept absorbs, so that no digits are lost: mostly zeros.
// [[Rcpp::export]]
Rcpp::NumericVector column_shifts(Rcpp::RObject x) {
  const auto A = design_from_r(x);
  Rcpp::NumericVector shift(A->cols());
  for (acfw::Index j = 0; j < A->cols(); ++j) shift[j] = A->remote_centre(j);
  return shift;
}

// The largest entry of x diag(scale) in size; an empty scale leaves x as it is.
// [[Rcpp::export]]
double largest_entry(Rcpp::RObject x, Eigen::VectorXd scale) {
  const auto A = design_from_r(x);
  double largest = 0.0;
  for (acfw::Index j = 0; j < A->cols(); ++j) {
    largest = std::max(largest, (scale.size() > 0 ? std::abs(scale[j]) : 1.0) * A->largest(j));
  }
  return largest;
}

// The place of the first entry that is not finite, (row, column) from 1; an empty vector if there is none.
// [[Rcpp::export]]
Rcpp::NumericVector first_not_finite(Rcpp::RObject x) {
  const bool sparse = Rf_isS4(x);
  const Rcpp::NumericVector value(sparse ? SEXP(Rcpp::S4(x).slot("x")) : SEXP(x));
  const auto bad = std::find_if(value.begin(), value.end(), [](double a) { return !std::isfinite(a); });
  if (bad == value.end()) return Rcpp::NumericVector(0);
  const R_xlen_t at = bad - value.begin();
  if (!sparse) {
    const R_xlen_t rows = Rcpp::NumericMatrix(x).nrow();
    return Rcpp::NumericVector::create(static_cast<double>(at % rows + 1), static_cast<double>(at / rows + 1));
  }
  const Rcpp::IntegerVector i = Rcpp::S4(x).slot("i"), p = Rcpp::S4(x).slot("p");
  const auto column = std::upper_bound(p.begin(), p.end(), static_cast<int>(at)) - p.begin();
  return Rcpp::NumericVector::create(i[at] + 1.0, static_cast<double>(column));
}

// What acfw_matrix_completion() and its methods need beside the session: effects of rows and columns, entries of a
// product of thin factors, new rows.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include "acfw/kernels/entry_loss.hpp"
#include "acfw/linear/multiply.hpp"
#include "acfw/objectives/fold_in.hpp"
#include "observed.h"

using acfw::Index;
using acfw::Vector;

// The objective at X = 0.
// [[Rcpp::export]]
double completion_loss_at_zero(Rcpp::List observed, double delta) {
  const Observed in(observed);
  double sum = 0.0, total = in.w0 * (in.cells() - static_cast<double>(in.x.size()));
  for (int c = 0; c < in.dim[1]; ++c) {
    for (int e = in.p[c]; e < in.p[c + 1]; ++e) {
      const double r = in.centred(e, c), w = in.weights.size() > 0 ? in.weights[e] : 1.0;
      sum += w * acfw::huber_value(r, acfw::huber_derivative(r, delta));
      total += w;
    }
  }
  return sum / total;
}

// X at the pairs (i, j), numbered from 0: sum_k u_ik d_k v_jk.
// [[Rcpp::export]]
Rcpp::NumericVector factor_entries(Eigen::Map<Eigen::MatrixXd> u, Eigen::Map<Eigen::VectorXd> d,
                                   Eigen::Map<Eigen::MatrixXd> v, Rcpp::IntegerVector i,
                                   Rcpp::IntegerVector j) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor left = u * d.asDiagonal(), right = v;
  Rcpp::NumericVector out(i.size());
  for (R_xlen_t e = 0; e < i.size(); ++e) {
    out[e] = i[e] == NA_INTEGER || j[e] == NA_INTEGER ? NA_REAL : left.row(i[e]).dot(right.row(j[e]));
  }
  return out;
}

// u diag(d) v'.
// [[Rcpp::export]]
Eigen::MatrixXd factor_product(Eigen::MatrixXd u, Eigen::Map<Eigen::VectorXd> d, Eigen::MatrixXd v) {
  Eigen::MatrixXd out(u.rows(), v.rows());
  if (d.size() == 0) return Eigen::MatrixXd::Zero(u.rows(), v.rows());
  u *= d.asDiagonal();
  acfw::multiply(u, v.transpose(), out);
  return out;
}

// mean + row_i + column_j: those wanted are fitted, the others are as in observed$offset. Delta is infinite for the squared loss.
// [[Rcpp::export]]
Rcpp::List additive_effects(Rcpp::List observed, bool mean, bool rows, bool columns, double shrink, double delta) {
  const Observed in(observed);
  const auto given = [](const Rcpp::NumericVector& effect, int size) {
    return effect.size() > 0 ? Rcpp::as<Vector>(effect) : Vector(Vector::Zero(size));
  };
  const acfw::AdditiveEffects fit =
      acfw::fit_effects(in.entries(), {mean, rows, columns, shrink, delta},
                        {in.mean, given(in.row, in.dim[0]), given(in.column, in.dim[1])});
  return Rcpp::List::create(Rcpp::_["mean"] = fit.mean,
                            Rcpp::_["row"] = rows || in.row.size() > 0 ? fit.row : Vector(0),
                            Rcpp::_["column"] = columns || in.column.size() > 0 ? fit.column : Vector(0));
}

// Coefficients of the rows of `observed` on `factor`, a row each.
// [[Rcpp::export]]
Eigen::MatrixXd fold_in_rows(Rcpp::List observed, Eigen::MatrixXd factor, double delta, int threads) {
  return acfw::FoldIn(factor, delta).rows(make_entries(Observed(observed), false), threads).transpose();
}

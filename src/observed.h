// The observed entries of a matrix as R holds them, and as the engine reads them.
#pragma once

#include <Rcpp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/linear/entries.hpp"
#include "acfw/objectives/additive_effects.hpp"

// Column pointers `p`, row numbers `i` from 0, values `x`; what is fitted
// is x - mean - row[i] - column[j].
struct Observed {
  Rcpp::IntegerVector p, i, dim;
  Rcpp::NumericVector x, weights, row, column, row_scale, column_scale;
  double mean, w0;  // w0: the weight of cells that are not observed

  explicit Observed(const Rcpp::List& list)
      : p(list["p"]),
        i(list["i"]),
        dim(list["dim"]),
        x(list["x"]),
        weights(Rf_isNull(list["weights"]) ? Rcpp::NumericVector(0) : Rcpp::NumericVector(list["weights"])) {
    const Rcpp::List offset = list["offset"];
    mean = Rcpp::as<double>(offset["mean"]);
    w0 = Rcpp::as<double>(list["w0"]);
    if (list.containsElementNamed("scale")) {
      const Rcpp::List scale = list["scale"];
      row_scale = scale["row"];
      column_scale = scale["column"];
    }
    row = offset["row"];
    column = offset["column"];
  }

  double offset(int r, int c) const {
    return mean + (row.size() > 0 ? row[r] : 0.0) + (column.size() > 0 ? column[c] : 0.0);
  }

  acfw::ColumnEntries entries() const {
    return {dim[0], dim[1], p.begin(), i.begin(), x.begin(), weights.size() > 0 ? weights.begin() : nullptr};
  }

  // What is fitted at an entry. What only rounding has left of a number is no data.
  double centred(int e, int c) const {
    const double off = offset(i[e], c), left = x[e] - off;
    constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
    return std::abs(left) <= rounding * std::abs(off) ? 0.0 : left;
  }
};

// By rows; by columns, which is how they come, if `transposed`.
inline acfw::Entries make_entries(const Observed& in, bool transposed) {
  using acfw::Index;
  const int rows = in.dim[0], cols = in.dim[1];
  const R_xlen_t size = in.x.size();
  acfw::Entries out;
  out.rows = transposed ? cols : rows;
  out.cols = transposed ? rows : cols;
  out.start.assign(static_cast<std::size_t>(out.rows) + 1, 0);
  out.col.resize(static_cast<std::size_t>(size));
  out.value.resize(size);
  if (in.weights.size() > 0) out.weight.resize(size);
  if (in.row_scale.size() > 0) {
    out.row_scale = Rcpp::as<acfw::Vector>(transposed ? in.column_scale : in.row_scale);
    out.col_scale = Rcpp::as<acfw::Vector>(transposed ? in.row_scale : in.column_scale);
  }
  if (!transposed) {
    for (R_xlen_t e = 0; e < size; ++e) ++out.start[static_cast<std::size_t>(in.i[e]) + 1];
    for (Index r = 0; r < out.rows; ++r) out.start[r + 1] += out.start[r];
  } else {
    std::copy(in.p.begin(), in.p.end(), out.start.begin());
  }
  std::vector<int> next(out.start.begin(), out.start.end() - 1);
  for (int c = 0; c < cols; ++c) {
    for (int e = in.p[c]; e < in.p[c + 1]; ++e) {
      const int to = transposed ? e : next[static_cast<std::size_t>(in.i[e])]++;
      out.col[static_cast<std::size_t>(to)] = transposed ? in.i[e] : c;
      out.value[to] = in.centred(e, c);
      if (in.weights.size() > 0) out.weight[to] = in.weights[e];
    }
  }
  return out;
}


// The observed entries of a matrix as R holds them, and as the engine reads them.
#pragma once

#include <Rcpp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acfw/linear/entries.hpp"
#include "acfw/objectives/additive_effects.hpp"
#include "occupied.h"

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

  double cells() const { return static_cast<double>(dim[0]) * dim[1]; }

  OccupiedSides occupied() const {
    std::vector<int> in_row(static_cast<std::size_t>(dim[0])), in_column(static_cast<std::size_t>(dim[1]));
    for (R_xlen_t e = 0; e < i.size(); ++e) ++in_row[static_cast<std::size_t>(i[e])];
    for (int c = 0; c < dim[1]; ++c) in_column[static_cast<std::size_t>(c)] = p[c + 1] - p[c];
    return {Occupied(in_row), Occupied(in_column)};
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

// By rows; by columns, which is how they come, if `transposed`. With the rows and columns that are occupied, or all.
inline acfw::Entries make_entries(const Observed& in, bool transposed, const OccupiedSides& occupied = {}) {
  using acfw::Index;
  const int rows = occupied.rows.size(in.dim[0]), cols = occupied.columns.size(in.dim[1]);
  const R_xlen_t size = in.x.size();
  acfw::Entries out;
  out.rows = transposed ? cols : rows;
  out.cols = transposed ? rows : cols;
  out.start.assign(static_cast<std::size_t>(out.rows) + 1, 0);
  out.col.resize(static_cast<std::size_t>(size));
  out.value.resize(size);
  if (in.weights.size() > 0) out.weight.resize(size);
  if (in.row_scale.size() > 0) {
    out.row_scale = occupied.rows.gathered(Rcpp::as<acfw::Vector>(in.row_scale));
    out.col_scale = occupied.columns.gathered(Rcpp::as<acfw::Vector>(in.column_scale));
    if (transposed) out.row_scale.swap(out.col_scale);
  }
  const auto row = [&](R_xlen_t e) { return occupied.rows.place(in.i[e]); };
  if (transposed) {
    for (int c = 0; c < in.dim[1]; ++c) {
      const int to = occupied.columns.place(c);
      if (to >= 0) out.start[static_cast<std::size_t>(to) + 1] = in.p[c + 1];
    }
  } else {
    for (R_xlen_t e = 0; e < size; ++e) ++out.start[static_cast<std::size_t>(row(e)) + 1];
    for (Index r = 0; r < out.rows; ++r) out.start[r + 1] += out.start[r];
  }
  std::vector<int> next(out.start.begin(), out.start.end() - 1);
  for (int c = 0; c < in.dim[1]; ++c) {
    for (int e = in.p[c]; e < in.p[c + 1]; ++e) {
      const int to = transposed ? e : next[static_cast<std::size_t>(row(e))]++;
      out.col[static_cast<std::size_t>(to)] = transposed ? row(e) : occupied.columns.place(c);
      out.value[to] = in.centred(e, c);
      if (in.weights.size() > 0) out.weight[to] = in.weights[e];
    }
  }
  return out;
}

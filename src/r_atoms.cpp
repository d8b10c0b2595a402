#include "r_atoms.h"

#include "checks.h"

#include <algorithm>

using acfw::AnyAtom;
using acfw::Index;

namespace {

[[noreturn]] void invalid(const std::string& message) { throw InvalidResult{"lmo", message}; }

void require_size(Index found, Index wanted) {
  if (found != wanted) {
    invalid("returned " + std::to_string(found) + " values, but the point has " + std::to_string(wanted));
  }
}

void require_finite(const double* values, Index size) {
  if (!Eigen::Map<const Eigen::VectorXd>(values, size).allFinite()) invalid("returned NA, NaN or infinite values");
}

Eigen::VectorXd numeric(SEXP value) {
  if (!Rf_isNumeric(value)) invalid("returned something that is not numeric");
  const Rcpp::NumericVector values(value);
  require_finite(values.begin(), values.size());
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), values.size());
}

// From entries counted from one; whatever R hands over, no index leaves the point.
acfw::Sparse from_entries(const Rcpp::NumericVector& index, const Rcpp::NumericVector& x, Index size) {
  if (index.size() != x.size()) invalid("returned indices and values of different lengths");
  require_finite(x.begin(), x.size());
  acfw::Sparse atom;
  for (double i : index) {
    if (!(i >= 1.0 && i <= static_cast<double>(size))) invalid("returned an index outside the point");
    atom.index.push_back(static_cast<Index>(i) - 1);
  }
  atom.value.assign(x.begin(), x.end());
  return atom;
}

acfw::Sparse from_sparse_vector(const Rcpp::S4& value, Index size) {
  for (const char* slot : {"length", "i", "x"}) {
    if (!Rf_isNumeric(value.slot(slot))) invalid("returned a sparse vector whose slots are not numeric");
  }
  require_size(static_cast<Index>(Rf_asReal(value.slot("length"))), size);
  return from_entries(value.slot("i"), value.slot("x"), size);
}

acfw::Sparse from_sparse_matrix(const Rcpp::S4& value, Index size) {
  const auto contradictory = [] { invalid("returned a sparse matrix whose slots contradict one another"); };
  for (const char* slot : {"Dim", "i", "p"}) {
    if (TYPEOF(value.slot(slot)) != INTSXP) contradictory();
  }
  if (TYPEOF(value.slot("x")) != REALSXP) contradictory();
  const Rcpp::IntegerVector dim = value.slot("Dim"), row = value.slot("i"), start = value.slot("p");
  const Rcpp::NumericVector x = value.slot("x");
  if (!valid_compressed(dim, start, row, static_cast<double>(x.size()))) contradictory();
  require_size(static_cast<Index>(dim[0]) * dim[1], size);
  require_finite(x.begin(), x.size());
  acfw::Sparse atom;
  for (int j = 0; j < dim[1]; ++j) {
    for (int k = start[j]; k < start[j + 1]; ++k) {
      atom.index.push_back(row[k] + static_cast<Index>(dim[0]) * j);
      atom.value.push_back(x[k]);
    }
  }
  return atom;
}

AnyAtom from_list(const Rcpp::List& value, Index size) {
  if (value.containsElementNamed("u") && value.containsElementNamed("v")) {
    acfw::RankOne atom{numeric(value["u"]), numeric(value["v"])};
    require_size(atom.u.size() * atom.v.size(), size);
    return atom;
  }
  if (value.containsElementNamed("index") && value.containsElementNamed("value")) {
    if (!Rf_isNumeric(value["index"]) || !Rf_isNumeric(value["value"]))
      invalid("returned entries that are not numeric");
    acfw::Sparse atom = from_entries(value["index"], value["value"], size);
    if (atom.index.size() == 1) return acfw::Coordinate{atom.index[0], atom.value[0]};
    return atom;
  }
  invalid("returned a list; a rank-one matrix is list(u = , v = )");
}

}  // namespace

AnyAtom atom_from_r(SEXP value, Index size) {
  if (TYPEOF(value) == REALSXP && !Rf_isObject(value)) {
    require_size(Rf_xlength(value), size);
    require_finite(REAL(value), size);
    return acfw::Dense{Eigen::Map<const Eigen::VectorXd>(REAL(value), size)};
  }
  if (Rf_isS4(value)) {
    if (Rf_inherits(value, "dsparseVector")) return from_sparse_vector(value, size);
    if (Rf_inherits(value, "dgCMatrix")) return from_sparse_matrix(value, size);
    invalid(
        "returned an object that is no atom; use a numeric vector, a dsparseVector, a dgCMatrix or list(u = , v = )");
  }
  if (TYPEOF(value) == VECSXP) return from_list(value, size);
  acfw::Dense atom{numeric(value)};
  require_size(atom.value.size(), size);
  return atom;
}

SEXP atom_to_r(const AnyAtom& atom) {
  using Rcpp::_;
  if (const auto* one = std::get_if<acfw::Coordinate>(&atom)) {
    return Rcpp::List::create(_["index"] = static_cast<double>(one->index + 1), _["value"] = one->value);
  }
  if (const auto* some = std::get_if<acfw::Sparse>(&atom)) {
    Rcpp::NumericVector index(some->index.size());
    std::transform(some->index.begin(), some->index.end(), index.begin(), [](acfw::Index i) { return static_cast<double>(i + 1); });
    return Rcpp::List::create(_["index"] = index, _["value"] = some->value);
  }
  if (const auto* pair = std::get_if<acfw::RankOne>(&atom)) {
    Rcpp::List r = Rcpp::List::create(_["u"] = Rcpp::NumericVector(pair->u.begin(), pair->u.end()),
                                      _["v"] = Rcpp::NumericVector(pair->v.begin(), pair->v.end()));
    r.attr("class") = "acfw_rank_one";
    return r;
  }
  const acfw::Vector& full = std::get<acfw::Dense>(atom).value;
  return Rcpp::NumericVector(full.begin(), full.end());
}

SEXP atom_to_r_shaped(const AnyAtom& atom, Index size, SEXP like) {
  if (std::holds_alternative<acfw::RankOne>(atom)) return atom_to_r(atom);
  Rcpp::NumericVector full(size);
  acfw::add_to(Eigen::Map<Eigen::VectorXd>(full.begin(), size), 1.0, atom);
  for (const char* name : {"dim", "dimnames", "names"}) {
    const Rcpp::RObject value = Rf_getAttrib(like, Rf_install(name));
    if (!value.isNULL()) full.attr(name) = value;
  }
  return full;
}

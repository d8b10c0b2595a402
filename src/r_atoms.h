// Atoms between R and the core. In R an atom is what an oracle may return: a numeric vector or matrix, a sparse
// vector or matrix of package Matrix, or a pair list(u =, v =) standing for u v'; a stored active set also uses
// list(index =, value =), counted from one.
#pragma once

#include <Rcpp.h>

#include <string>

#include "acfw/core/atoms.hpp"

/// Something a closure returned that the run cannot go on with: which closure, and what is wrong.
struct InvalidResult {
  std::string arg;
  std::string message;
};

/// The atom that `value`, returned for a point of `size` entries, stands for.
acfw::AnyAtom atom_from_r(SEXP value, acfw::Index size);

SEXP atom_to_r(const acfw::AnyAtom& atom);

/// The atom as a numeric vector shaped like `like` (its dim and names), or the pair for a rank-one matrix.
SEXP atom_to_r_shaped(const acfw::AnyAtom& atom, acfw::Index size, SEXP like);

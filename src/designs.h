// Matrices of R as designs: mapped, not copied, and kept alive as long as the design lives.
#pragma once

#include <Rcpp.h>

#include <memory>

#include "acfw/linear/design.hpp"

/// Of a double matrix or a dgCMatrix whose slots have been checked.
std::shared_ptr<acfw::Design> design_from_r(const Rcpp::RObject& x);

/// `blocks` copies of it side by side, each with a column of ones at its end.
std::shared_ptr<acfw::Design> blocks_from_r(const Rcpp::RObject& x, acfw::Index blocks);

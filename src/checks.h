#pragma once

#include <Rcpp.h>

/// Can the slots of a compressed matrix be followed without leaving them?
bool valid_compressed(Rcpp::IntegerVector dim, Rcpp::IntegerVector p, Rcpp::IntegerVector i, double entries);

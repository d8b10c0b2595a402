// Rcpp with its conversions of Eigen's types, before anyone else includes either. A system header for the reason that
// acfw/core/eigen.hpp gives.
#pragma once
#pragma GCC system_header

#include <RcppEigen.h>

#include <RcppEigen.h>

#include "acfw/decompositions_impl.hpp"

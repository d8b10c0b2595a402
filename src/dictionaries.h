// From the description of a set that R keeps in an lmo_*() object to the dictionary of the core.
#pragma once

#include <Rcpp.h>

#include "acfw/sets/any_set.hpp"

acfw::AnyDictionary make_dictionary(const Rcpp::List& spec);

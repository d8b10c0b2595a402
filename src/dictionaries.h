// From the description of a set that R keeps in an lmo_*() object to the dictionary of the core.
#pragma once

#include <Rcpp.h>

#include "acfw/dictionaries/any_dictionary.hpp"

acfw::AnyDictionary make_dictionary(const Rcpp::List& spec);

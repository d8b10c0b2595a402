#include "acfw/decompositions_impl.hpp"

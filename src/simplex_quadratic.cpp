#include "acfw/correctors/simplex_quadratic_impl.hpp"

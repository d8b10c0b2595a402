// What takes long to compile, compiled once: see acfw/core/bodies.hpp.
#include "acfw/correctors/simplex_quadratic_impl.hpp"
#include "acfw/linear/decompositions_impl.hpp"
#include "acfw/linear/golub_kahan_impl.hpp"
#include "acfw/linear/gram_lanczos_impl.hpp"
#include "acfw/linear/multiply_impl.hpp"
#include "acfw/linear/singular_bound_impl.hpp"
#include "acfw/linear/storage_impl.hpp"

// Problems whose points are matrices, and what takes long to compile (see acfw/core/bodies.hpp), compiled together: see Makevars.
#include "completion_shards.cpp"
#include "completion_tools.cpp"
#include "dictionary_learning.cpp"
#include "dr_mmse.cpp"
#include "matrix_completion.cpp"

#include "acfw/correctors/simplex_quadratic_impl.hpp"
#include "acfw/linear/decompositions_impl.hpp"
#include "acfw/linear/golub_kahan_impl.hpp"
#include "acfw/linear/gram_lanczos_impl.hpp"
#include "acfw/linear/multiply_impl.hpp"
#include "acfw/linear/singular_bound_impl.hpp"
#include "acfw/linear/storage_impl.hpp"

// Problems whose points are matrices, compiled together: see Makevars.
#include "completion_shards.cpp"
#include "completion_tools.cpp"
#include "dictionary_learning.cpp"
#include "dr_mmse.cpp"
#include "matrix_completion.cpp"

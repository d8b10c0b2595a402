// acfw_glm() in memory and on shards, acfw() with its sets, and what is R's side of every problem, compiled together: see Makevars.
#include "glm.cpp"
#include "shards.cpp"

#include "checks.cpp"
#include "checksum.cpp"
#include "designs.cpp"
#include "dictionaries.cpp"
#include "generic.cpp"
#include "r_atoms.cpp"
#include "session.cpp"

#include "RcppExports.cpp"  // last: it uses all names of Rcpp

// acfw() with its sets, and what is R's side of every problem, compiled together: see Makevars.
#include "r_eigen.h"

#include "RcppExports.cpp"
#include "checks.cpp"
#include "checksum.cpp"
#include "designs.cpp"
#include "dictionaries.cpp"
#include "generic.cpp"
#include "r_atoms.cpp"
#include "session.cpp"

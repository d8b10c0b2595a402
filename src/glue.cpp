// Short files that are R's side and little else, compiled together: see Makevars.
#include "r_eigen.h"

#include "RcppExports.cpp"
#include "checks.cpp"
#include "checksum.cpp"
#include "designs.cpp"
#include "r_atoms.cpp"
#include "session.cpp"

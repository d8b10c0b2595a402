// acfw() and its sets, compiled together: see Makevars.
#include "dictionaries.cpp"
#include "generic.cpp"

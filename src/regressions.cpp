// acfw_glm() in memory and on shards, compiled together: see Makevars.
#include "glm.cpp"
#include "shards.cpp"

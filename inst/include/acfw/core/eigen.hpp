// Eigen's matrices and vectors, as every header here includes them: as a system header, for gcc finds something to say about
// its vector types in each expression, and a plain installation would print forty thousand lines of it.
#pragma once
#pragma GCC system_header

#include <Eigen/Core>

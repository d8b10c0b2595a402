// Some functions take long to compile, and every file that sees their bodies pays for them. A program of one file need not care:
// headers bring the bodies along, as inline functions. A program of several defines ACFW_BODIES_ELSEWHERE for all its files,
// and compiles each `*_impl.hpp` in one of them, as this package does in src/.
#pragma once

#ifdef ACFW_BODIES_ELSEWHERE
#define ACFW_BODY
#else
#define ACFW_BODY inline
#endif

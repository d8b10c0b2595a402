// A checksum of the data of a problem, by which a fit recognises it. Beyond a megabyte a vector is sampled, cache line by cache
// line and evenly: reading all of a large design would cost as much as a fit. What a sample misses shows in the value at
// the point, which a continued run compares as well.
#include <Rcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "acfw/core/atoms.hpp"

namespace {

using acfw::detail::mix;

constexpr std::size_t line = 64, most_lines = 16384;

std::uint64_t hash_bytes(const void* start, std::size_t size, std::uint64_t hash) {
  const auto* bytes = static_cast<const unsigned char*>(start);
  const auto word = [&](std::size_t at, std::size_t length) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + at, length);
    return value;
  };
  hash = mix(hash, size);
  const std::size_t lines = size / line, skip = lines / most_lines + 1;
  for (std::size_t k = 0; k < lines; k += skip) {
    for (std::size_t at = k * line; at < (k + 1) * line; at += 8) hash = mix(hash, word(at, 8));
  }
  for (std::size_t at = lines * line; at < size; at += 8) hash = mix(hash, word(at, std::min<std::size_t>(8, size - at)));
  return hash;
}

std::uint64_t hash_object(SEXP x, std::uint64_t hash) {
  const std::size_t size = static_cast<std::size_t>(Rf_xlength(x));
  const SEXP dim = Rf_getAttrib(x, R_DimSymbol);
  if (dim != R_NilValue && !Rf_isS4(x)) hash = hash_object(dim, hash);
  switch (TYPEOF(x)) {
    case REALSXP: return hash_bytes(REAL(x), size * sizeof(double), mix(hash, REALSXP));
    case INTSXP: return hash_bytes(INTEGER(x), size * sizeof(int), mix(hash, INTSXP));
    case LGLSXP: return hash_bytes(LOGICAL(x), size * sizeof(int), mix(hash, LGLSXP));
    case STRSXP:
      for (std::size_t k = 0; k < size; ++k) {
        hash = hash_bytes(CHAR(STRING_ELT(x, k)), static_cast<std::size_t>(LENGTH(STRING_ELT(x, k))), hash);
      }
      return mix(hash, STRSXP);
    case VECSXP:
      for (std::size_t k = 0; k < size; ++k) hash = hash_object(VECTOR_ELT(x, k), mix(hash, k));
      return mix(hash, VECSXP);
    default: break;
  }
  if (Rf_isS4(x)) {  // a compressed matrix
    for (const char* slot : {"Dim", "p", "i", "x"}) {
      if (R_has_slot(x, Rf_install(slot))) hash = hash_object(R_do_slot(x, Rf_install(slot)), hash);
    }
  }
  return mix(hash, static_cast<std::uint64_t>(TYPEOF(x)));
}

}  // namespace

// [[Rcpp::export]]
std::string checksum(SEXP x) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_object(x, 0x5eed)));
  return text;
}

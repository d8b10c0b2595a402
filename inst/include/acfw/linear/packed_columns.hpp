// Some columns of a sparse design, copied side by side: by columns for inner products, by rows for images. In the design itself thousands of
// short columns lie apart from one another, and a column that is added to a vector reads and writes all over it; so a copy, which
// costs about as much as three products, is soon paid for where many follow.
//
//   acfw::PackedColumns packed;
//   if (A.pack(columns, packed)) packed.image(d, z);     // z = A_W d
#pragma once

#include <algorithm>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/eigen.hpp"
#include "acfw/core/parallel.hpp"

namespace acfw {

/// The sum of a[k] r[i[k]]. Four sums side by side: one chain of additions would wait for itself, not for the memory.
inline double sparse_dot(const int* i, const double* a, int size, const double* r) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int k = 0;
  for (; k + 4 <= size; k += 4) {
    s0 += a[k] * r[i[k]];
    s1 += a[k + 1] * r[i[k + 1]];
    s2 += a[k + 2] * r[i[k + 2]];
    s3 += a[k + 3] * r[i[k + 3]];
  }
  for (; k < size; ++k) s0 += a[k] * r[i[k]];
  return (s0 + s1) + (s2 + s3);
}

class PackedColumns {
 public:
  void begin() {
    columns_.start.assign(1, 0);
    columns_.place.clear();
    columns_.value.clear();
  }
  void add(Index i, double value) {
    columns_.place.push_back(static_cast<int>(i));
    columns_.value.push_back(value);
  }
  void end_column() { columns_.start.push_back(static_cast<int>(columns_.place.size())); }

  /// After the last column: sorts the entries into rows.
  void end(Index rows) {
    rows_.start.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (int i : columns_.place) ++rows_.start[static_cast<std::size_t>(i) + 1];
    for (std::size_t i = 0; i + 1 < rows_.start.size(); ++i) rows_.start[i + 1] += rows_.start[i];
    next_.assign(rows_.start.begin(), rows_.start.end() - 1);
    rows_.place.resize(columns_.place.size());
    rows_.value.resize(columns_.place.size());
    for (std::size_t k = 0; k + 1 < columns_.start.size(); ++k) {
      for (auto e = static_cast<std::size_t>(columns_.start[k]); e < static_cast<std::size_t>(columns_.start[k + 1]); ++e) {
        const auto at = static_cast<std::size_t>(next_[static_cast<std::size_t>(columns_.place[e])]++);
        rows_.place[at] = static_cast<int>(k);
        rows_.value[at] = columns_.value[e];
      }
    }
  }

  /// out[k] = <column k, q>
  void inner(const Vector& q, double* out, int threads = 1) const { columns_.multiply(q.data(), out, threads); }

  /// z = the sum of d[k] times column k
  void image(const Vector& d, Vector& z, int threads = 1) const {
    z.resize(static_cast<Index>(rows_.start.size()) - 1);
    rows_.multiply(d.data(), z.data(), threads);
  }

 private:
  // Sparse vectors one after another: where each begins, and the place and the value of every entry.
  struct Vectors {
    std::vector<int> start, place;
    std::vector<double> value;

    void multiply(const double* r, double* out, int threads) const {
      const std::size_t count = start.size() - 1, blocks = (count + block - 1) / block;
      for_each(blocks, place.size() < worth_sharing ? 1 : threads, [&](std::size_t b) {
        for (std::size_t k = b * block; k < std::min(count, (b + 1) * block); ++k) {
          out[k] = sparse_dot(place.data() + start[k], value.data() + start[k], start[k + 1] - start[k], r);
        }
      });
    }

    static constexpr std::size_t block = 512;            // vectors, handed to a thread at a time
    static constexpr std::size_t worth_sharing = 32768;  // entries
  };

  Vectors columns_, rows_;
  std::vector<int> next_;
};

}  // namespace acfw

// The bodies of storage.hpp and blocks.hpp, which see: designs behind their verbs, compiled once for each storage.
#pragma once

#include <cmath>

#include "acfw/linear/blocks.hpp"
#include "acfw/linear/multiply.hpp"

namespace acfw {

// Blocks of rows, multiplied with themselves: the upper triangle, in strips of columns. fill(a, first, root, part) gives the part of
// column a, times the root of v, in the rows from `first` on; see(first, root, part) may look at the part of all columns.
template <class Fill, class See>
void DenseDesign::multiply_blocks(Index k, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads, Fill fill, See see) const {
  constexpr Index block = 256, strip = 96;
  H.block(0, keep, k, k - keep).setZero();
  Eigen::MatrixXd part(block, k);
  if (static_cast<double>(std::min(block, rows())) * static_cast<double>(k) < worth_sharing) threads = 1;
  for (Index first = 0; first < rows(); first += block) {
    poll();
    const Index size = std::min(block, rows() - first);
    const Vector root = v.segment(first, size).cwiseSqrt();
    for_each(k, threads, [&](Index a) { fill(a, first, root, part.col(a).head(size)); }, 32);
    for_each((k - keep + strip - 1) / strip, threads, [&](Index s) {
      const Index b = keep + s * strip, width = std::min(strip, k - b);
      multiply(part.topLeftCorner(size, b + width).transpose(), part.block(0, b, size, width),
               H.block(0, b, b + width, width), 1.0, true);
    });
    see(first, root, part.topRows(size));
  }
  for (Index b = keep; b < k; ++b) {
    for (Index a = b + 1; a < k; ++a) H(a, b) = H(b, a);
  }
}

// Each thread takes blocks of rows, so that every entry is summed in one order.
ACFW_BODY void DenseDesign::add_columns(const Columns& columns, const Vector& c, Vector& z, int threads) const {
  constexpr Index block = 512;
  for_each((rows() + block - 1) / block, threads, [&](Index b) {
    const Index first = b * block, size = std::min(block, rows() - first);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double ck = c[static_cast<Index>(k)] * scale(columns[k]);
      if (ck != 0.0) z.segment(first, size) += ck * A_.column(columns[k]).segment(first, size);
    }
  });
}

ACFW_BODY void DenseDesign::gram(const Columns& columns, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads) const {
  const auto fill = [&](Index a, Index first, const Vector& root, Eigen::Ref<Vector> part) {
    const Index j = columns[static_cast<std::size_t>(a)];
    part = scale(j) * root.cwiseProduct(A_.column(j).segment(first, root.size()));
  };
  multiply_blocks(static_cast<Index>(columns.size()), v, keep, H, threads, fill, [](Index, const Vector&, const auto&) {});
}

// Means first: what is left of a column far from zero keeps its digits.
ACFW_BODY Design::SecondMoments DenseDesign::second_moments(const Vector& w, const Vector& z, bool centred, int threads) const {
  Design::SecondMoments out{Vector::Zero(cols()), Eigen::MatrixXd(cols(), cols()), Vector::Zero(cols())};
  if (centred) {
    transpose_times(w, out.mean, threads);
    out.mean /= w.sum();
  }
  const auto fill = [&](Index j, Index first, const Vector& root, Eigen::Ref<Vector> part) {
    part = root.cwiseProduct((A_.column(j).segment(first, root.size()).array() - out.mean[j]).matrix());
  };
  multiply_blocks(cols(), w, 0, out.gram, threads, fill, [&](Index first, const Vector& root, const auto& part) {
    out.dot.noalias() += part.transpose() * root.cwiseProduct(z.segment(first, root.size()));
  });
  return out;
}

ACFW_BODY double DenseDesign::deviation(Index j, const Vector& w) const {
  const auto a = A_.column(j);
  const double mean = w.dot(a), square = w.dot((a.array() - mean).square().matrix());
  const double error = w.dot((a.array() - mean).matrix()), sd = std::sqrt(std::max(square - error * error, 0.0));
  const bool ordinary = square > 1e-100 && square < 1e100 && std::abs(mean) < 1e100;
  if (!ordinary) return DesignByColumns<DenseStorage>::deviation(j, w);
  return sd <= 1e-10 * std::hypot(sd, mean) ? 0.0 : sd;
}

ACFW_BODY void DenseDesign::raw_moments(Index from, Index to, const Vector& r, Moments& out) const {
  constexpr Index block = 2048;  // small enough to be read three times from the cache
  for (Index j = from; j < to; ++j) {
    double dot = 0.0, sum = 0.0, square = 0.0;
    for (Index i = 0; i < rows(); i += block) {
      const Index size = std::min(block, rows() - i);
      const auto part = A_.column(j).segment(i, size);
      dot += part.dot(r.segment(i, size));
      sum += part.sum();
      square += part.squaredNorm();
    }
    out.dot[j] = dot;
    out.sum[j] = sum;
    out.square[j] = square;
  }
}

ACFW_BODY void CompressedDesign::learn(int threads) {
  level_.assign(static_cast<std::size_t>(cols()), 0.0);
  const double same = sum_over_blocks<double>(cols(), Index{16}, entries() < worth_sharing ? 1 : threads, [&](Index first, Index last) {
    double entries = 0.0;
    for (Index j = first; j < last; ++j) {
      const double* from = A_.value + A_.start[j];
      const double* to = A_.value + A_.start[j + 1];
      const double a = from < to ? *from : 0.0;
      if (!std::all_of(from, to, [a](double b) { return b == a; })) continue;
      level_[static_cast<std::size_t>(j)] = a;
      entries += static_cast<double>(to - from);
    }
    return entries;
  });
  A_.level = 4.0 * same > entries() ? level_.data() : nullptr;
}

#ifdef ACFW_BODIES_ELSEWHERE
template class DesignByColumns<DenseStorage>;
template class DesignByColumns<CompressedStorage>;
template class DesignByColumns<BlockStorage<DenseStorage>>;
template class DesignByColumns<BlockStorage<CompressedStorage>>;
#endif

}  // namespace acfw

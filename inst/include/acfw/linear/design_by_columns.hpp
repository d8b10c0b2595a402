// A storage that can visit its columns gets all verbs of a design by deriving from `DesignByColumns` and giving it four of its own:
//
//   struct Storage {
//     Index size(Index j) const;                                  // entries stored in column j
//     template <class Visit> void visit(Index j, Visit f) const;  // f(i, a) for each of them
//     double dot(Index j, const double* r) const;
//     void add(Index j, double c, double* z) const;               // z += c times column j
//   };
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "acfw/core/eigen.hpp"
#include "acfw/core/parallel.hpp"
#include "acfw/linear/design.hpp"
#include "acfw/linear/lanes.hpp"
#include "acfw/linear/row_blocks.hpp"

namespace acfw {

template <class Storage>
class DesignByColumns : public Design {
 public:
  DesignByColumns(Storage storage, Index rows, Index cols, bool dense) : Design(rows, cols, dense), A_(std::move(storage)) {
    double entries = 0.0;
    for (Index j = 0; j < cols; ++j) entries += static_cast<double>(A_.size(j));
    set_entries(entries);
  }

  Index column_size(Index j) const override { return A_.size(j); }

  void add_column(Index j, double c, Vector& z, Columns* touched) const override {
    c *= scale(j);
    if (!touched) return A_.add(j, c, z.data());
    A_.visit(j, [&](Index i, double a) {
      const double change = c * a;
      if (change == 0.0) return;  // or its row would be entered twice
      if (z[i] == 0.0) touched->push_back(i);
      z[i] += change;
    });
  }

  // Threads take blocks of rows where a storage can find them, so that every entry is summed in one order.
  void add_columns(const Columns& columns, const Vector& c, Vector& z, int threads) const override {
    const RowBlocks blocks = blocks_for(columns, threads);
    for_each(blocks.count, threads, [&](Index b) {
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double ck = c[static_cast<Index>(k)] * scale(columns[k]);
        if (ck == 0.0) continue;
        if (blocks.count == 1) A_.add(columns[k], ck, z.data());
        else visit_in(blocks, b, columns[k], [&](Index i, double a) { z[i] += ck * a; });
      }
    });
  }

  void weighted_moments(const Columns& columns, Index from, const Vector& v, Vector& lean, Vector& square,
                        int threads) const override {
    const Index count = static_cast<Index>(columns.size()) - from;
    in_chunks(count, threads, [&](Index first, Index last) {
      for (Index k = from + first; k < from + last; ++k) {
        const Index j = columns[static_cast<std::size_t>(k)];
        const double s = scale(j);  // of every entry: its square alone may overflow
        double sum = 0.0, sum2 = 0.0;
        A_.visit(j, [&](Index i, double a) {
          const double x = s * a, vx = v[i] * x;
          sum += vx;
          sum2 += vx * x;
        });
        lean[k] = sum;
        square[k] = sum2;
      }
    });
  }

  void add_sizes(const Columns& columns, const Vector& c, Vector& z) const override {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double size = std::abs(c[static_cast<Index>(k)] * scale(columns[k]));
      A_.visit(columns[k], [&](Index i, double a) { z[i] += size * std::abs(a); });
    }
  }

  void sizes_along(const Vector& r, Vector& out, int threads) const override {
    out.setZero(cols());
    in_chunks(cols(), threads, [&](Index from, Index to) {
      for (Index j = from; j < to; ++j) {
        double sum = 0.0;
        A_.visit(j, [&](Index i, double a) { sum += std::abs(a) * r[i]; });
        out[j] = std::abs(scale(j)) * sum;
      }
    });
  }

  double sweep(const Columns& order, CoordinateModel& model) const override {
    if (in_lanes(model)) return sweep_in_lanes(order, model);
    return descend(
        order, model, [&](Index j) { return scale(j) * A_.dot(j, model.q.data()); },
        [&](Index j, double c) { add_weighted(j, c, model); });
  }

  void step(Index k, double by, CoordinateModel& model) const override {
    model.x[k] += by;
    model.shift_by(k, by);
    add_weighted(model.columns[static_cast<std::size_t>(k)], by, model);
  }

  double image(const Columns& some, const Vector& d, const CoordinateModel& model, Vector& q) const override {
    Columns columns(some.size());
    for (std::size_t a = 0; a < some.size(); ++a) columns[a] = model.columns[static_cast<std::size_t>(some[a])];
    combine(columns, d, q, model.threads);
    return model.bending.apply(q);
  }

  bool pack(const Columns& columns, PackedColumns& out) const override {
    if (dense()) return false;
    out.begin();
    for (Index j : columns) {
      A_.visit(j, [&, s = scale(j)](Index i, double a) { out.add(i, s * a); });
      out.end_column();
    }
    out.end(rows());
    return true;
  }

  // The columns of W by rows; each row adds its outer product. Threads share the rows while they are sorted and the columns of H
  // while products are added, so that every entry is summed in one order.
  void gram(const Columns& columns, const Vector& v, Index keep, Eigen::MatrixXd& H, int threads) const override {
    const Index k = static_cast<Index>(columns.size());
    H.block(0, keep, k, k - keep).setZero();
    const RowBlocks blocks = blocks_for(columns, threads);
    std::vector<ByRows> parts(static_cast<std::size_t>(blocks.count));
    for_each(blocks.count, threads, [&](Index b) { parts[static_cast<std::size_t>(b)] = by_rows(blocks, b, columns); });
    const Index strips = blocks.count > 1 ? threads : 1;
    for_each(strips, threads, [&](Index s) {
      for (const ByRows& part : parts) part.add_outer_products(v, strip_edge(s, strips, keep, k), strip_edge(s + 1, strips, keep, k), H);
    });
    for (Index b = keep; b < k; ++b) {
      for (Index a = keep; a < b; ++a) H(b, a) = H(a, b);
    }
  }

  // The rank-one term is taken off afterwards: columns far from zero lose digits by it.
  Design::SecondMoments second_moments(const Vector& w, const Vector& z, bool centred, int threads) const override {
    Design::SecondMoments out{Vector::Zero(cols()), Eigen::MatrixXd(cols(), cols()), Vector(cols())};
    Columns all(static_cast<std::size_t>(cols()));
    std::iota(all.begin(), all.end(), Index{0});
    gram(all, w, 0, out.gram, threads);
    dots(all, w.cwiseProduct(z), out.dot.data(), threads);
    if (!centred) return out;
    Vector square(cols());
    weighted_moments(all, 0, w, out.mean, square, threads);
    out.mean /= w.sum();
    out.gram -= w.sum() * out.mean * out.mean.transpose();
    return out;
  }

  // In two passes, the second of which corrects the mean, on entries brought near one: no cancellation, no overflow.
  double deviation(Index j, const Vector& w) const override {
    const double most = largest(j);
    const bool ordinary = most > 0.0 && std::isfinite(most);
    const double unit = ordinary ? std::ldexp(1.0, -std::clamp(std::ilogb(most), -1000, 1000)) : 1.0;
    const double rest = weight_not_stored(j, w);
    double mean = 0.0;
    A_.visit(j, [&](Index i, double a) { mean += w[i] * (unit * a); });
    double square = rest * mean * mean, error = -rest * mean;
    A_.visit(j, [&](Index i, double a) {
      const double apart = unit * a - mean;
      square += w[i] * apart * apart;
      error += w[i] * apart;
    });
    if (!std::isfinite(mean) || !std::isfinite(square)) return std::numeric_limits<double>::quiet_NaN();
    const double sd = std::sqrt(std::max(square - error * error, 0.0));
    return sd <= 1e-10 * std::hypot(sd, mean) ? 0.0 : sd / unit;
  }

  Range range(Index j) const override {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    A_.visit(j, [&](Index, double a) {
      low = std::min(low, a);
      high = std::max(high, a);
    });
    if (A_.size(j) < rows()) return {std::min(low, 0.0), std::max(high, 0.0)};
    return {low, high};
  }

  double largest(Index j) const override {
    double most = 0.0;
    A_.visit(j, [&](Index, double a) { most = std::isnan(a) ? a : std::max(most, std::abs(a)); });
    return most;
  }

 protected:
  void raw_dots(const Index* columns, Index from, Index to, const double* r, double* out) const override {
    for (Index k = from; k < to; ++k) out[k] = A_.dot(columns ? columns[k] : k, r);
  }

  void raw_moments(Index from, Index to, const Vector& r, Moments& out) const override {
    for (Index j = from; j < to; ++j) {
      double sum = 0.0, square = 0.0;
      A_.visit(j, [&](Index, double a) {
        sum += a;
        square += a * a;
      });
      out.dot[j] = A_.dot(j, r.data());
      out.sum[j] = sum;
      out.square[j] = square;
    }
  }

  Storage A_;

 private:
  static constexpr double long_column = 1024.0;  // entries, on average: less is not worth the talk

  // One block of rows unless sharing them is possible and worth it.
  RowBlocks blocks_for(const Columns& columns, int threads) const {
    if (threads > 1 && detail::knows_rows<Storage>) {
      double entries = 0.0;
      for (Index j : columns) entries += static_cast<double>(A_.size(j));
      const Index count = 4 * threads;
      if (threads_for(entries, threads) > 1 && rows_in_order(threads)) return {count, (rows() + count - 1) / count};
    }
    return {1, rows()};
  }

  template <class Visit>
  void visit_in(const RowBlocks& blocks, Index b, Index j, Visit f) const {
    if constexpr (detail::knows_rows<Storage>) {
      if (blocks.count > 1) return A_.visit_between(j, blocks.first(b), blocks.first(b + 1), f);
    }
    A_.visit(j, f);
  }

  // Looked at once, and only where it matters.
  bool rows_in_order(int threads) const {
    if (in_order_ < 0) {
      std::atomic<bool> astray{false};
      in_chunks(cols(), threads, [&](Index from, Index to) {
        for (Index j = from; j < to; ++j) {
          Index last = -1;
          bool rises = true;
          A_.visit(j, [&](Index i, double) {
            rises &= i > last;
            last = i;
          });
          if (!rises) astray = true;
        }
      });
      in_order_ = astray ? 0 : 1;
    }
    return in_order_ > 0;
  }

  ByRows by_rows(const RowBlocks& blocks, Index b, const Columns& columns) const {
    ByRows out;
    out.from = blocks.first(b);
    const Index size = std::max<Index>(std::min(blocks.size, rows() - out.from), 0);
    out.first.assign(static_cast<std::size_t>(size) + 1, 0);
    const auto count_of = [&](Index i) -> int& { return out.first[static_cast<std::size_t>(i - out.from) + 1]; };
    for (Index j : columns) visit_in(blocks, b, j, [&](Index i, double) { ++count_of(i); });
    for (std::size_t i = 0; i + 1 < out.first.size(); ++i) out.first[i + 1] += out.first[i];
    std::vector<int> next(out.first.begin(), out.first.end() - 1);
    out.place.resize(static_cast<std::size_t>(out.first.back()));
    out.entry.resize(out.place.size());
    for (std::size_t a = 0; a < columns.size(); ++a) {
      visit_in(blocks, b, columns[a], [&, s = scale(columns[a])](Index i, double x) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(i - out.from)]++);
        out.place[at] = static_cast<int>(a);
        out.entry[at] = s * x;
      });
    }
    return out;
  }

  mutable int in_order_ = -1;  // -1: not known

  // Long columns, whatever the number of threads: it must not change a bit.
  bool in_lanes(const CoordinateModel& model) const {
    return detail::knows_rows<Storage> && !model.bending.coupled() && entries() >= long_column * static_cast<double>(cols()) &&
           rows_in_order(model.threads);
  }

  double sweep_in_lanes(const Columns& order, CoordinateModel& model) const {
    double change = 0.0;
    if constexpr (detail::knows_rows<Storage>) {
      const Lanes lanes{rows()};
      LaneTalk talk;
      as_team(std::min(model.threads, Lanes::count), [&](int member, int members) {
        const int first = Lanes::first(member, members), last = Lanes::first(member + 1, members);
        Index turn = 0;
        const auto report = [&](Index j) {
          A_.dots_in_lanes(j, lanes, first, last, model.q.data(), [&](int lane, double part) { talk.part(lane) = part; });
        };
        const auto move = [&](Index j, double by) { add_weighted_between(j, by, lanes.edge(first), lanes.edge(last), model); };
        const auto sum = [&](Index j) {
          report(j);
          return scale(j) * talk.gather(++turn, members);
        };
        const auto tell = [&](Index j, double by) {
          talk.announce(by, turn);
          if (by != 0.0) move(j, by);
        };
        if (member == 0) {
          change = descend(order, model, sum, tell);
        } else {
          for (Index k : order) {
            const Index j = model.columns[static_cast<std::size_t>(k)];
            report(j);
            if (const double by = talk.follow(member, ++turn); by != 0.0) move(j, by);
          }
        }
      });
    }
    return change;
  }

  void add_weighted_between(Index j, double c, Index low, Index high, CoordinateModel& model) const {
    if constexpr (detail::knows_rows<Storage>) {
      double* q = model.q.data();
      const double* v = model.bending.v.data();
      const double by = c * scale(j), even = by * model.bending.even;
      if (even != 0.0) return A_.visit_between(j, low, high, [q, even](Index i, double a) { q[i] += even * a; });
      A_.visit_between(j, low, high, [v, q, by](Index i, double a) { q[i] += by * a * v[i]; });
    }
  }

  void add_weighted(Index j, double c, CoordinateModel& model) const {
    double* q = model.q.data();
    const double by = c * scale(j);
    if (by == 0.0) return;
    if (model.bending.coupled()) return A_.visit(j, [&](Index i, double a) { model.bending.add(i, by * a, q); });
    if (model.bending.even > 0.0) return A_.add(j, by * model.bending.even, q);
    const double* v = model.bending.v.data();
    A_.visit(j, [v, q, by](Index i, double a) { q[i] += by * a * v[i]; });
  }

  // The weight of the rows of which column j stores no entry, where all weights sum to one.
  double weight_not_stored(Index j, const Vector& w) const {
    if (A_.size(j) == rows()) return 0.0;
    double stored = 0.0;
    A_.visit(j, [&](Index i, double) { stored += w[i]; });
    if (stored < 0.99) return 1.0 - stored;
    Vector rest = w;  // few: the difference would be all rounding
    A_.visit(j, [&](Index i, double) { rest[i] = 0.0; });
    return rest.sum();
  }
};

}  // namespace acfw

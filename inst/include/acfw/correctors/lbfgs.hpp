// Limited-memory BFGS for a smooth model in many variables, started from the model's own preconditioner. The
// model is anything with evaluate(x, g) = value, set_preconditioner(x) at a point just evaluated, and
// precondition(d), d <- P^{-1} d; values are in double, vectors in whatever precision the model works in.
//
// Where a vector has millions of entries, reading the pairs costs as much as the model. The two-loop recursion needs nothing of
// them but inner products: with P^{-1} y kept in place of y, and P^{-1} g beside g, those are had by reading every vector once,
// and the direction is one sum of them. It also means one preconditioning a step. Pairs are kept in two bytes a number, whatever the model
// works in: they say where to go and not where one is. A line search moves the point itself, so that there are five vectors beside them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "acfw/core/parallel.hpp"
#include "acfw/kernels/long_vector.hpp"
#include "acfw/kernels/pair_block.hpp"

namespace acfw {

struct LbfgsGoal {
  int least_steps = 0;
  int most_steps = 30;
  double small_decrease =
      0.0;                   ///< between the two, stop when a step can be expected to gain no more than this,
  double small_share = 1.0;  ///< and no more than this share of what has been gained
  int tries = 12;            ///< evaluations of a line search
  int judge_every = 0;       ///< steps between two questions to who judges the point; 0: nobody does,
  int extra_steps = 0;       ///< and how many he may ask for where gains are small
  std::function<bool()> out_of_time;  ///< asked before every evaluation; it may also throw: x is then where it was tried last
};

struct LbfgsResult {
  double value = 0.0;
  int steps = 0;
  int evaluations = 0;
  bool good = false;     ///< says who judged the point
  bool rounded = false;  ///< a line search found nothing: rounding had the last word
};

/// Armijo's rule by quadratic interpolation from the full step: evaluate(step) is the value there, the last one called is where the
/// search ends. False if it found nothing.
template <class Evaluate>
bool armijo(double slope, LbfgsResult& result, const LbfgsGoal& goal, Evaluate evaluate) {
  double step = 1.0;
  for (int tries = 0; tries < goal.tries; ++tries) {
    if (goal.out_of_time && goal.out_of_time()) return false;
    const double value = evaluate(step);
    ++result.evaluations;
    if (value <= result.value + 1e-4 * step * slope) {
      result.value = value;
      return true;
    }
    const double curvature = value - result.value - step * slope;
    const double best = curvature > 0.0 ? -0.5 * step * step * slope / curvature : 0.5 * step;
    step = std::clamp(best, 0.1 * step, 0.6 * step);
  }
  return false;
}

template <class Real, class Model>
class Lbfgs {
 public:
  using Variables = std::vector<Real>;

  /// `first_scale`: of the preconditioned gradient while there are no pairs, as the model knows itself.
  explicit Lbfgs(Model& model, std::size_t memory = 5, int threads = 1, double first_scale = 1.0)
      : model_(model), memory_(std::min(memory, most)), threads_(threads), first_scale_(first_scale) {}

  LbfgsResult minimize(Variables& x, const LbfgsGoal& goal) {
    return minimize(x, goal, [](const Variables&, const Variables&) { return false; });
  }

  /// Decreases the model from x, in place. x never gets worse, but by rounding. Where somebody judges the point, is_good(x, gradient) ends
  /// it, and small gains do not before some steps more.
  template <class IsGood>
  LbfgsResult minimize(Variables& x, const LbfgsGoal& goal, IsGood is_good) {
    LbfgsResult result;
    Variables g(x.size()), d(x.size()), trial_g(x.size());
    result.value = model_.evaluate(x, g);
    result.evaluations = 1;
    choose_unit(g);
    model_.set_preconditioner(x);
    h_ = g;
    model_.precondition(h_);
    const double first = result.value;
    int next_judgement = goal.least_steps, extra = 0;
    while (result.steps < goal.most_steps && !(goal.out_of_time && goal.out_of_time())) {
      double slope = direction(d, g);
      if (!(slope < 0.0) && !pairs_.empty()) {
        pairs_.clear();
        slope = direction(d, g);
      }
      const double gain = -0.5 * slope, gained = first - result.value;
      const bool enough = gain <= goal.small_decrease && gain <= goal.small_share * gained && result.steps >= goal.least_steps;
      if (!(slope < 0.0) || (enough && extra++ >= goal.extra_steps)) break;
      if (goal.judge_every > 0 && result.steps >= next_judgement) {
        if ((result.good = is_good(x, g))) break;
        next_judgement = result.steps + goal.judge_every;
      }
      const double step = search(x, d, slope, trial_g, result, goal);
      if (step == 0.0) {
        if (goal.out_of_time && goal.out_of_time()) break;
        result.rounded = true;
        if (pairs_.empty()) break;
        pairs_.clear();
        continue;
      }
      remember(step, d, g, trial_g);
      g.swap(trial_g);
      ++result.steps;
    }
    return result;
  }

 private:
  static constexpr std::size_t most = PairBlock::most;
  static constexpr std::size_t block = 512, chunk = 32 * block;
  using Stretch = std::array<float, block>;

  /// s and P^{-1} y of a step, 1 / <s, y>, and products with the current gradient.
  struct Pair {
    std::unique_ptr<Brief[]> s, p;
    double rho = 0.0;
    double sg = 0.0, pg = 0.0;
    std::array<double, most> sy{}, py{};  ///< with y of this pair and of those that came after it
  };

  // d = -H g by the two-loop recursion, on inner products alone; returns <g, d>.
  double direction(Variables& d, const Variables& g) const {
    const std::size_t m = pairs_.size();
    std::array<double, most> on_s{}, on_p{};
    const double scale = m > 0 ? scale_ : first_scale_;
    for (std::size_t k = m; k-- > 0;) {
      double sq = pairs_[k].sg;
      for (std::size_t l = k + 1; l < m; ++l) sq -= on_p[l] * pairs_[k].sy[l - k];
      on_p[k] = pairs_[k].rho * sq;
    }
    for (std::size_t k = 0; k < m; ++k) {
      double yr = pairs_[k].pg;
      for (std::size_t l = 0; l < m; ++l) yr -= on_p[l] * (l < k ? pairs_[l].py[k - l] : pairs_[k].py[l - k]);
      yr *= scale;
      for (std::size_t l = 0; l < k; ++l) yr += on_s[l] * pairs_[l].sy[k - l];
      on_s[k] = on_p[k] - pairs_[k].rho * yr;
    }
    std::array<float, 2 * most + 1> c{static_cast<float>(-scale)};
    for (std::size_t k = 0; k < m; ++k) {
      c[2 * k + 1] = static_cast<float>(-on_s[k]);
      c[2 * k + 2] = static_cast<float>(scale * on_p[k]);
    }
    return over_blocks(d.size(), 1, [&](std::size_t from, std::size_t to, double* sums) {
      const std::size_t n = to - from;
      Stretch h_room, g_room, d_room;
      const float* h = in_single(&h_[from], n, 1.0, h_room);
      const float* at = in_single(&g[from], n, unit_, g_room);
      float* aim = d_room.data();
      if constexpr (same) aim = &d[from];
      sums[0] += pair_sum(pairs_on(from, to), c.data(), h, at, aim);
      if constexpr (!same) std::copy(aim, aim + n, &d[from]);
    })[0] / unit_;
  }

  static constexpr bool same = std::is_same_v<Real, float>;

  // Gradients of data far from one would leave the range of single precision.
  void choose_unit(const Variables& g) {
    double largest = 0.0;
    for (Real one : g) largest = std::max(largest, std::abs(static_cast<double>(one)));
    unit_ = !same && largest > 0.0 && std::isfinite(1.0 / largest) ? 1.0 / largest : 1.0;
  }

  // A stretch of a vector, times `unit`, as the kernels read it.
  static const float* in_single(const Real* from, std::size_t n, double unit, Stretch& room) {
    if constexpr (same) return from;
    for (std::size_t k = 0; k < n; ++k) room[k] = static_cast<float>(unit * from[k]);
    return room.data();
  }

  PairBlock pairs_on(std::size_t from, std::size_t to) const {
    PairBlock out;
    out.n = to - from;
    out.pairs = pairs_.size();
    for (std::size_t k = 0; k < out.pairs; ++k) {
      out.s[k] = &pairs_[k].s[from];
      out.p[k] = &pairs_[k].p[from];
    }
    return out;
  }

  // Moves x along d as far as it pays, and returns how far that was: 0 if nowhere.
  double search(Variables& x, const Variables& d, double slope, Variables& trial_g, LbfgsResult& result, const LbfgsGoal& goal) {
    double at = 0.0;
    const auto move_to = [&](double step) {
      over_blocks(x.size(), 0, [&](std::size_t from, std::size_t to, double*) { add_multiple(&x[from], step - at, &d[from], to - from); });
      at = step;
    };
    const bool found = armijo(slope, result, goal, [&](double step) {
      move_to(step);
      return model_.evaluate(x, trial_g);
    });
    if (!found && at != 0.0) move_to(0.0);
    return at;
  }

  // The new pair, and all inner products with y and with the new gradient, in one reading. d, the step, is then the next vector's room.
  void remember(double step, Variables& d, const Variables& g, const Variables& trial_g) {
    Pair pair;
    if (pairs_.size() == memory_) {  // the oldest lends its storage
      pair = std::move(pairs_.front());
      pairs_.erase(pairs_.begin());
    } else {
      pair.s.reset(new Brief[d.size()]);  // not cleared: whoever writes it first clears its pages
      pair.p.reset(new Brief[d.size()]);
    }
    const double dd = over_blocks(d.size(), 1, [&](std::size_t from, std::size_t to, double* sum) {
      Stretch room;
      for (std::size_t k = from; k < to; ++k) room[k - from] = static_cast<float>(step * d[k]);
      shorten(room.data(), to - from, &pair.s[from]);
      sum[0] += long_dot(&d[from], &d[from], to - from);
    })[0];
    d = trial_g;
    model_.precondition(d);
    pairs_.push_back(std::move(pair));
    Pair& last = pairs_.back();
    const std::size_t m = pairs_.size();
    const auto sums = over_blocks(d.size(), 4 * m + 1, [&](std::size_t from, std::size_t to, double* sum) {
      const std::size_t n = to - from;
      std::array<Real, block> y;
      Stretch p, y_room, g_room;
      difference(y.data(), &trial_g[from], &g[from], n);
      difference(p.data(), &d[from], &h_[from], n);
      shorten(p.data(), n, &last.p[from]);
      pair_products(pairs_on(from, to), in_single(y.data(), n, unit_, y_room), in_single(&trial_g[from], n, unit_, g_room), sum);
      sum[4 * m] += long_dot(y.data(), y.data(), n);
    });
    h_.swap(d);
    const double* sum = sums.data();
    for (std::size_t k = 0; k < m; ++k) {
      pairs_[k].sy[m - 1 - k] = *sum++ / unit_;
      pairs_[k].py[m - 1 - k] = *sum++ / unit_;
      pairs_[k].sg = *sum++ / unit_;
      pairs_[k].pg = *sum++ / unit_;
    }
    const double sy = last.sy[0], ss = step * step * dd, yy = sum[0];
    if (!(sy > 1e-10 * std::sqrt(ss) * std::sqrt(yy))) return pairs_.pop_back();
    scale_ = sy / last.py[0];
    last.rho = 1.0 / sy;
  }

  // part(from, to, sums) over blocks that stay in the cache; sums are added in an order that does not depend on threads.
  template <class Part>
  std::array<double, 4 * most + 1> over_blocks(std::size_t n, std::size_t count, Part part) const {
    using Sums = std::array<double, 4 * most + 1>;
    const std::size_t chunks = (n + chunk - 1) / chunk;
    std::vector<Sums> all(chunks, Sums{});
    for_each(static_cast<long>(chunks), threads_, [&](long c) {
      const std::size_t first = static_cast<std::size_t>(c) * chunk, last = std::min(n, first + chunk);
      double* sums = all[static_cast<std::size_t>(c)].data();
      for (std::size_t from = first; from < last; from += block) part(from, std::min(last, from + block), sums);
    });
    Sums total{};
    for (const Sums& one : all) {
      for (std::size_t k = 0; k < count; ++k) total[k] += one[k];
    }
    return total;
  }

  Model& model_;
  std::size_t memory_;
  int threads_;
  Variables h_;  // P^{-1} g at x
  std::vector<Pair> pairs_;
  double scale_ = 1.0, first_scale_;
  double unit_ = 1.0;  // of gradients, for products
};

}  // namespace acfw

// A quadratic model on a few columns W of a design, as coordinate descent sees it:
//
//   <g, x - x0> + (x - x0)'H(x - x0) / 2 + mu ||x||_1,   H = A_W'L A_W - N'F^{-1}N + diag(ridge),   lower <= x <= upper,
//
// L the second derivative of the loss: a diagonal V, or a block for the margins of each observation that bend one another. The second term
// is what the followers take away, an intercept and columns that no budget holds back, whose Hessian is F and N = (their columns)'L A_W.
// The image of the step is kept as the vector q = L A(x - x0) over the rows and a number for each follower, so that a coordinate
// costs one column and an inner product in H one pass over the rows. Which columns those are, and how they are stored, only the design
// knows: `Design::sweep` goes through them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "acfw/core/atoms.hpp"
#include "acfw/core/eigen.hpp"
#include "acfw/linear/packed_columns.hpp"

namespace acfw {

using Columns = std::vector<Index>;

/// The second derivative of a loss over the rows: v on the diagonal, and -cc' beside it for the rows of one observation, of which there
/// are `together`, one after another. Where they do not bend one another there is no c.
struct Bending {
  Vector v, c;
  double even = 0.0;  ///< what all of v is, where that is known
  Index together = 1;
  std::vector<int> first;  ///< of the rows of the observation that a row belongs to; empty where there is no c

  bool coupled() const { return c.size() > 0; }

  void couple(Index rows_together) {
    together = rows_together;
    first.resize(static_cast<std::size_t>(c.size()));
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int>(i - i % static_cast<std::size_t>(together));
  }

  /// z becomes L z; returns what z'L z was.
  double apply(Vector& z) const {
    double curvature = 0.0;
    if (!coupled()) {
      curvature = (v.array() * z.array().square()).sum();
      z.array() *= v.array();
      return curvature;
    }
    Vector others(together);  // the sum of c z over the other rows, from below and from above
    for (Index i = 0; i < z.size(); i += together) {
      others.setZero();
      for (Index k = 1; k < together; ++k) others[k] = others[k - 1] + c[i + k - 1] * z[i + k - 1];
      double above = 0.0;
      for (Index k = together - 1; k >= 0; --k) {
        others[k] += above;
        above += c[i + k] * z[i + k];
      }
      for (Index k = 0; k < together; ++k) {
        const double bent = v[i + k] * z[i + k] - c[i + k] * others[k];
        curvature += z[i + k] * bent;
        z[i + k] = bent;
      }
    }
    return curvature;
  }

  /// q += by times column i of L.
  void add(Index i, double by, double* q) const {
    q[i] += by * v[i];
    if (!coupled()) return;
    const double c_by = by * c[i];
    const Index from = first[static_cast<std::size_t>(i)];
    for (Index l = from; l < from + together; ++l) q[l] -= l == i ? 0.0 : c_by * c[l];
  }
};

/// Followers that have been taken out of a Hessian on columns: N, a row for each of them, and F.
struct Followed {
  Eigen::MatrixXd lean, bent;
};

struct CoordinateModel {
  Columns columns;
  Vector x;         ///< the coordinates of W
  Vector start;     ///< x0,
  Vector base;      ///< and g, the gradient there
  Vector diagonal;  ///< of H
  Vector ridge;
  Eigen::MatrixXd lean;      ///< N, a row for each follower,
  Eigen::MatrixXd response;  ///< and F^{-1} N
  Vector lower, upper;  ///< empty where there are no limits
  Vector moved;         ///< by how much the last sweep over coordinate k changed its entry of the gradient
  double mu = 0.0;
  Vector q;      ///< over the rows: the image of x - x0
  Vector shift;  ///< F^{-1} N (x - x0): how far the followers have gone
  Bending bending;
  int threads = 1;  ///< that may share the rows

  /// The k-th entry of the gradient, from the inner product of its column with q.
  double slope(Index k, double dot) const { return base[k] + dot - leaning(k, shift) + ridge[k] * (x[k] - start[k]); }

  /// How followers that have gone by `by` change the k-th entry of the gradient.
  double leaning(Index k, const Vector& by) const {
    double sum = 0.0;
    for (Index f = 0; f < by.size(); ++f) sum += lean(f, k) * by[f];
    return sum;
  }

  /// Where the model is least along coordinate k, at which the quadratic has slope g.
  double minimiser(Index k, double g) const {
    const double h = diagonal[k], target = x[k] - g / h, shrink = mu / h;
    if (lower.size() > 0 && lower[k] == 0.0) return std::min(std::max(target - shrink, 0.0), upper[k]);  // mu of any sign
    const double least = target > shrink ? target - shrink : target < -shrink ? target + shrink : 0.0;
    return lower.size() > 0 ? std::min(std::max(least, lower[k]), upper[k]) : least;
  }

  /// With what force slope g draws coordinate k away from where it is.
  double pull(Index k, double g) const {
    if (lower.size() == 0) return std::abs(g);
    if (lower[k] == 0.0) return x[k] < upper[k] || g > 0.0 ? -g : -mu;
    return (g > 0.0 ? x[k] > lower[k] : x[k] < upper[k]) ? std::abs(g) : 0.0;
  }

  /// What rounding leaves of a gap, at least: no less can be asked for.
  double rounding() const { return 4.0 * std::numeric_limits<double>::epsilon() * (base.cwiseAbs().dot(x.cwiseAbs()) + std::abs(mu) * x.lpNorm<1>()); }

  void shift_by(Index k, double by) {
    for (Index f = 0; f < shift.size(); ++f) shift[f] += by * response(f, k);
  }
};

/// What coordinate descent needs of a matrix: a design, or a Hessian that has been formed.
class Sweepable {
 public:
  virtual ~Sweepable() = default;

  /// One sweep over the places `order` of the model's columns; returns the largest change of an entry of the gradient.
  virtual double sweep(const Columns& order, CoordinateModel& model) const = 0;

  /// Moves coordinate k of the model by `by`, whatever the model says to that.
  virtual void step(Index k, double by, CoordinateModel& model) const = 0;

  /// out[k] = <column columns[k], q>
  virtual void inner(const Columns& columns, const Vector& q, double* out, int threads) const = 0;

  /// q = the image of a step d over the places `some` of the model's columns, as the model keeps that of its own; returns d'A'L A d.
  virtual double image(const Columns& some, const Vector& d, const CoordinateModel& model, Vector& q) const = 0;

  /// A copy of some columns for many products, where that makes them faster; tells whether it did.
  virtual bool pack(const Columns& /*columns*/, PackedColumns& /*out*/) const { return false; }

  /// Can one solve with H itself?
  virtual bool solves() const { return false; }
  /// What that costs on a face, in sweeps over it.
  virtual double price(const Columns& face) const { return 1.0 + static_cast<double>(face.size()) / 24.0; }
  /// Solves with the rows and columns `face` of H, for all right-hand sides at once.
  virtual void solve(const Columns& face, Eigen::MatrixXd& sides) const { static_cast<void>(face), sides.setZero(); }

 protected:
  // `dot(j)` is the inner product of column j with q, `add(j, c)` adds c times its weighted column to q; it is called where c is zero, too,
  // for who shares the work waits for the news.
  template <class Dot, class Add>
  static double descend(const Columns& order, CoordinateModel& model, Dot dot, Add add) {
    double change = 0.0;
    for (Index k : order) {
      const Index j = model.columns[static_cast<std::size_t>(k)];
      const double g = model.slope(k, dot(j)), to = model.minimiser(k, g), by = to - model.x[k];
      model.moved[k] = model.diagonal[k] * std::abs(by);
      add(j, by);
      if (by == 0.0) continue;
      model.x[k] = to;  // exactly: zeros are zeros
      model.shift_by(k, by);
      change = std::max(change, model.moved[k]);
    }
    return change;
  }
};

}  // namespace acfw

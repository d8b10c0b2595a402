// What the tests compare numbers with. Catch's `Approx` adds 1 to the size of what it compares, and forgives 1e-5: a
// number of 1e-24 passes for 0, and most digits are never looked at. So it may not be used here.
#pragma once

#include <catch.h>

#include <acfw/core/atoms.hpp>
#include <acfw/kernels/dispatch.hpp>
#include <cmath>
#include <ostream>
#include <random>
#include <vector>

#pragma GCC poison Approx

namespace acfw {

/// `seen == close_to(wanted)`: equal up to a relative difference; an absolute one is forgiven only where a test says so.
///
///   CHECK(x == close_to(y));                    // to twelve digits
///   CHECK(x == close_to(y, 1e-8).or_by(1e-14));
class close_to {
 public:
  explicit close_to(double wanted, double relative = 1e-12) : wanted_(wanted), relative_(relative) {}

  close_to or_by(double absolute) const {
    close_to copy = *this;
    copy.absolute_ = absolute;
    return copy;
  }

  friend bool operator==(double seen, const close_to& c) {
    const double apart = std::abs(seen - c.wanted_);  // NaN is close to nothing
    return seen == c.wanted_ || apart <= c.relative_ * std::abs(c.wanted_) || apart <= c.absolute_;
  }

  friend std::ostream& operator<<(std::ostream& out, const close_to& c) {
    const auto before = out.precision(17);
    out << c.wanted_ << " (relative " << c.relative_ << ", absolute " << c.absolute_ << ')';
    out.precision(before);
    return out;
  }

 private:
  double wanted_, relative_, absolute_ = 0.0;
};

/// Of the standard normal distribution.
inline Eigen::MatrixXd normal_matrix(Index n, Index p, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(n, p, [&] { return normal(generator); });
}

/// Calls `test` once for every instruction set that this machine has kernels for, the plain one first.
template <class Test>
void on_every_isa(Test test) {
  struct Restore {
    Isa best = isa();
    ~Restore() { isa() = best; }
  } const restore;
  for (int level = 0; level <= static_cast<int>(restore.best); ++level) {
    isa() = static_cast<Isa>(level);
    INFO("instruction set " << level << " of " << static_cast<int>(restore.best));
    test(isa());
  }
}

}  // namespace acfw

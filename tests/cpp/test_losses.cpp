#include <acfw.hpp>
#include "check.hpp"

#include <acfw/kernels/logistic.hpp>
#include <acfw/losses/families.hpp>

#include <cmath>
#include <vector>

using namespace acfw;

namespace {

// softplus(z + t) - softplus(z) - sigmoid(z) t in extended precision, as a reference where it does not cancel.
long double reference(long double z, long double t) {
  const auto soft = [](long double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); };
  const long double p = z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
  return soft(z + t) - soft(z) - p * t;
}

double softplus_divergence(double z, double t) { return softplus_shift(z, tails(z), t).divergence; }

}  // namespace

TEST_CASE("the logistic divergence keeps its digits at every size of step", "[losses]") {
  for (double z : {-40.0, -8.0, -1.0, 0.0, 0.3, 2.0, 8.0, 40.0}) {
    for (double t : {1e-2, 9.99e-3, -9.99e-3, 0.5, -0.5, 3.0, -3.0, 29.0, 31.0, -60.0, 200.0}) {
      const double wanted = static_cast<double>(reference(z, t));
      if (wanted < 1e-12) continue;  // the reference itself has cancelled
      CHECK(softplus_divergence(z, t) == close_to(wanted, 1e-7));
    }
    // far below what differences of values can resolve: p q t^2 / 2
    const auto [p, q] = tails(z);
    for (double t : {1e-4, -1e-6, 1e-9}) {
      CHECK(softplus_divergence(z, t) == close_to(0.5 * p * q * t * t * (1.0 + (q - p) * t / 3.0), 1e-8));
    }
  }
}

TEST_CASE("the series and the closed form meet without a step", "[losses]") {
  for (double z : {-5.0, 0.2, 3.0}) {
    const double below = softplus_divergence(z, std::nextafter(1e-2, 0.0));
    const double above = softplus_divergence(z, 1e-2);
    CHECK(below == close_to(above, 1e-11));
  }
}

TEST_CASE("nothing overflows, whatever the scale", "[losses]") {
  for (double z : {-1e300, -1e8, 0.0, 1e8, 1e300}) {
    CHECK(std::isfinite(tails(z).p));
    CHECK(std::isfinite(softplus(-std::abs(z))));
    for (double t : {-1e8, 1e-300, 1e8}) {
      CHECK_FALSE(std::isnan(softplus_divergence(z, t)));
      CHECK(softplus_divergence(z, t) >= 0.0);
    }
  }
}

TEST_CASE("divergences of a linear model are differences of its values where those can be trusted", "[objectives]") {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(30, 8);
  const Vector y = (A * Vector::Random(8)).unaryExpr([](double z) { return z > 0 ? 1.0 : 0.0; });
  auto f = logistic(A, y, 0.1, Vector::Zero(8));
  L1Ball ball{2.0};
  for (int k = 0; k < 5; ++k) {
    const auto v = ball.minimize(f.gradient());
    const auto move = towards(v, f.along_point());
    f.prepare(move);
    const double before = f.value(), divergence = f.divergence(0.3);
    f.commit(0.3);
    CHECK(divergence == close_to(f.value() - before + 0.3 * move.slope, 1e-10));
    CHECK(f.point().lpNorm<1>() <= 2.0 + 1e-14);
  }
}

TEST_CASE("passes over the observations agree with one observation at a time, on every instruction set", "[losses][kernels]") {
  const Index n = 203;  // no multiple of any register
  Vector m(n), y(n), w(n), u(n), p(n), q(n), r(n);
  for (Index i = 0; i < n; ++i) {
    m[i] = i < 8 ? 300.0 * (i - 3.5) : 12.0 * std::sin(1.7 * static_cast<double>(i));
    y[i] = i % 3 == 0 ? 1.0 : 0.0;
    w[i] = 0.5 + 0.01 * static_cast<double>(i);
    u[i] = (i % 5 == 0 ? 2.0 : 1e-3) * std::cos(static_cast<double>(i));
  }
  const double b0 = 0.3, gamma = 0.7, delta = 1e-4;
  const LogisticRows rows{n, m.data(), y.data(), w.data()};
  on_every_isa([&](Isa) {
    const ResidualSums at = logistic_residuals(rows, b0, {p.data(), q.data(), r.data()});
    const ShiftSums moved = logistic_shift(rows, b0, {p.data(), q.data(), r.data()}, u.data(), gamma, delta);
    double sum = 0.0, weight = 0.0, value = 0.0, divergence = 0.0, slope = 0.0;
    for (Index i = 0; i < n; ++i) {
      const Tails here = tails(m[i] + b0);
      CHECK(p[i] == close_to(here.p, 4e-15).or_by(1e-300));
      CHECK(q[i] == close_to(here.q, 4e-15).or_by(1e-300));
      CHECK(r[i] == close_to(w[i] * (y[i] > 0.5 ? -here.q : here.p), 4e-15).or_by(1e-300));
      sum += r[i];
      weight += w[i] * here.p * here.q;
      value += w[i] * softplus(y[i] > 0.5 ? -(m[i] + b0) : m[i] + b0);
      const Shift shift = softplus_shift(m[i] + b0, here, delta - gamma * u[i]);
      divergence += w[i] * shift.divergence;
      slope += w[i] * shift.change;
    }
    CHECK(at.sum == close_to(sum, 1e-13));
    CHECK(at.weight == close_to(weight, 1e-13));
    CHECK(logistic_loss(rows, b0) == close_to(value, 1e-13));
    CHECK(moved.divergence == close_to(divergence, 1e-12));
    CHECK(moved.slope == close_to(slope, 1e-12));
  });
}

TEST_CASE("passes over counts agree with one count at a time, on every instruction set, whatever the margins and the step", "[losses][kernels]") {
  std::vector<double> m, y, u;
  for (double margin : {-1e4, -720.0, -30.0, -1.0, -1e-3, 0.0, 0.2, 1.0, 3.0, 5.0}) {
    for (double count : {0.0, 1.0, 2.0, 150.0}) {
      for (double step : {0.0, 1e-9, -1e-3, 0.3, -0.34, 0.36, -2.0}) {
        m.push_back(margin);
        y.push_back(count);
        u.push_back(step);
      }
    }
  }
  m.push_back(1.0), y.push_back(3.0), u.push_back(0.1);  // a last one that fills no register
  const Vector counts = Eigen::Map<Vector>(y.data(), static_cast<Index>(y.size())), margins = Eigen::Map<Vector>(m.data(), counts.size());
  const Vector step = Eigen::Map<Vector>(u.data(), counts.size());
  on_every_isa([&](Isa) {
    for (Index i = 0; i < counts.size(); ++i) {  // all weight on one of them
      Vector w = Vector::Zero(counts.size());
      w[i] = 0.5;
      const auto loss = make_loss("poisson", counts, w);
      const double z = margins[i] - 0.25, mean = std::exp(z), t = 0.125 - 0.5 * step[i];
      const double wanted = counts[i] > 0.0 ? counts[i] * above_tangent(z - std::log(counts[i])) : mean;
      CHECK(loss->value(margins, -0.25) == close_to(0.5 * wanted, 1e-12));
      const ResidualSums at = loss->look(margins, -0.25);
      CHECK(at.sum == close_to(0.5 * (mean - counts[i]), 1e-12).or_by(1e-15 * (mean + counts[i])));
      CHECK(at.weight == close_to(0.5 * mean, 1e-13));
      CHECK(loss->residual()[i] == close_to(at.sum, 1e-15));
      const ShiftSums moved = loss->shift(margins, -0.25, step, 0.5, 0.125);
      CHECK(moved.divergence == close_to(0.5 * mean * above_tangent(t), 1e-12));
      CHECK(moved.slope == close_to(0.5 * mean * std::expm1(t), 1e-12));
      CHECK(moved.curvature == close_to(0.5 * mean * std::exp(t), 1e-12));
    }
  });
}

TEST_CASE("far steps of several classes have the divergence of their values, also where probabilities have underflowed", "[losses]") {
  const long double never = 0.0L;
  for (double far : {20.0, 45.0, 400.0, 900.0}) {
    for (double step : {0.5, 31.0, 60.0, 500.0, 2000.0}) {
      for (double gap : {0.0, 3.0}) {
        const Vector m = Eigen::Vector3d(0.0, -far, -gap), u = Eigen::Vector3d(0.1, -step, 0.2), y = Eigen::Vector3d(1.0, 0.0, 0.0);
        auto loss = make_loss("multinomial", y, Vector::Ones(3), 3);
        loss->look(m, 0.0);
        const double seen = loss->shift(m, 0.0, u, 1.0, 0.0).divergence;
        // log sum p exp(t) - <p, t> for the shift t = -u, all in long doubles and relative to the first class
        long double total = never, moved = never, along = never;
        for (Index k = 0; k < 3; ++k) total += std::exp(static_cast<long double>(m[k]));
        for (Index k = 0; k < 3; ++k) {
          const long double t = static_cast<long double>(u[0]) - static_cast<long double>(u[k]);
          const long double p = std::exp(static_cast<long double>(m[k])) / total;
          along += p * t;
          moved += p * (std::expm1(t) - t);
        }
        // log(1 + sum p (e^t - 1 - t) + along) - along
        const long double truth = std::log1p(moved + along) - along;
        INFO("far " << far << ", step " << step << ", gap " << gap);
        CHECK(seen == close_to(static_cast<double>(truth), 1e-9).or_by(1e-17));
        CHECK(seen >= 0.0);
      }
    }
  }
}

TEST_CASE("the loss of many observations of several classes keeps its digits, whatever their sizes and weights", "[losses]") {
  const Index n = 5000;
  for (bool weighted : {false, true}) {
    for (double far : {0.0, 3.0, 30.0, 200.0}) {
      Vector m(3 * n), u(3 * n), y = Vector::Zero(3 * n), w(3 * n);
      for (Index i = 0; i < n; ++i) {
        const double own = far * (1.0 + 0.3 * std::sin(static_cast<double>(i)));
        m.segment<3>(3 * i) << own, -own, 0.1 * std::cos(static_cast<double>(i));
        u.segment<3>(3 * i) << 1e-3, 2e-3 * static_cast<double>(i % 7), -1.0;
        y[3 * i] = 1.0;
        w.segment<3>(3 * i).setConstant(weighted && i % 3 == 0 ? 1e-3 * static_cast<double>(1 + i % 11) : 1.0);
      }
      const auto loss = make_loss("multinomial", y, w, 3);
      loss->look(m, 0.0);
      long double value = 0.0L, divergence = 0.0L;
      for (Index i = 0; i < n; ++i) {
        long double others = 0.0L, along = 0.0L, moved = 0.0L;
        for (Index k = 1; k < 3; ++k) others += std::exp(static_cast<long double>(m[3 * i + k] - m[3 * i]));
        value += w[3 * i] * std::log1p(others);
        for (Index k = 1; k < 3; ++k) {
          const long double p = std::exp(static_cast<long double>(m[3 * i + k] - m[3 * i])) / (1.0L + others), t = u[3 * i] - u[3 * i + k];
          along += p * t;
          moved += p * (std::expm1(t) - t);
        }
        divergence += w[3 * i] * (std::log1p(moved + along) - along);
      }
      INFO("far " << far << ", weighted " << weighted);
      CHECK(loss->value(m, 0.0) == close_to(static_cast<double>(value), 1e-12));
      CHECK(loss->shift(m, 0.0, u, 1.0, 0.0).divergence == close_to(static_cast<double>(divergence), 1e-9));
      m[7] = std::numeric_limits<double>::quiet_NaN();
      CHECK_FALSE(std::isfinite(loss->look(m, 0.0).loss));
    }
  }
}

TEST_CASE("the divergence of counts keeps its digits at every size of step, the far ones too", "[losses]") {
  for (double z : {-30.0, -1.0, 0.0, 2.0, 20.0}) for (double t : {1e-9, -1e-5, 9.99e-3, -0.0101, 0.5, -3.0, 40.0, -60.0, 300.0}) {
    const auto loss = make_loss("poisson", Vector::Constant(1, 3.0), Vector::Ones(1));
    const Vector m = Vector::Constant(1, z), u = Vector::Constant(1, -t);
    loss->look(m, 0.0);
    const long double x = t, series = x * x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6 * (1 + x / 7)))));
    const long double above = std::fabs(x) < 0.02L ? series : std::expm1(x) - x;
    const double wanted = static_cast<double>(std::exp(static_cast<long double>(z)) * above);
    INFO("margin " << z << " step " << t);
    CHECK(loss->shift(m, 0.0, u, 1.0, 0.0).divergence == close_to(wanted));
    CHECK(loss->divergence_on({0}, m, 0.0, u, 1.0) == close_to(wanted));
  }
}

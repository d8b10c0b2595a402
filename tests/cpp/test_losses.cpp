#include <acfw.hpp>
#include <catch.h>

#include <cmath>

using namespace acfw;

namespace {

// softplus(z + t) - softplus(z) - sigmoid(z) t in extended precision, as a reference where it does not cancel.
long double reference(long double z, long double t) {
  const auto soft = [](long double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); };
  const long double p = z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
  return soft(z + t) - soft(z) - p * t;
}

}  // namespace

TEST_CASE("the logistic divergence keeps its digits at every size of step", "[losses]") {
  for (double z : {-40.0, -8.0, -1.0, 0.0, 0.3, 2.0, 8.0, 40.0}) {
    for (double t : {1e-2, 9.99e-3, -9.99e-3, 0.5, -0.5, 3.0, -3.0, 29.0, 31.0, -60.0, 200.0}) {
      const double wanted = static_cast<double>(reference(z, t));
      if (wanted < 1e-12) continue;  // the reference itself has cancelled
      CHECK(softplus_divergence(z, t) == Approx(wanted).epsilon(1e-7));
    }
    // far below what differences of values can resolve: p q t^2 / 2
    const double p = sigmoid(z), q = sigmoid(-z);
    for (double t : {1e-4, -1e-6, 1e-9}) {
      CHECK(softplus_divergence(z, t) == Approx(0.5 * p * q * t * t * (1.0 + (q - p) * t / 3.0)).epsilon(1e-8));
    }
  }
}

TEST_CASE("the series and the closed form meet without a step", "[losses]") {
  for (double z : {-5.0, 0.2, 3.0}) {
    const double below = softplus_divergence(z, std::nextafter(1e-2, 0.0));
    const double above = softplus_divergence(z, 1e-2);
    CHECK(below == Approx(above).epsilon(1e-11));
  }
}

TEST_CASE("nothing overflows, whatever the scale", "[losses]") {
  for (double z : {-1e300, -1e8, 0.0, 1e8, 1e300}) {
    CHECK(std::isfinite(sigmoid(z)));
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
    CHECK(divergence == Approx(f.value() - before + 0.3 * move.slope).epsilon(1e-10));
    CHECK(f.point().lpNorm<1>() <= 2.0 + 1e-14);
  }
}

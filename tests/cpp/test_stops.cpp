// Limits of time hold inside of corrections: who is told to stop is told between two parts of the work, and leaves at once.
#include <acfw/correctors/budget_corrective.hpp>
#include <acfw/linear/storage.hpp>
#include <acfw/objectives/glm.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

// Counts over a ball in which they can nearly be met: models on singular columns, one after another.
struct RareCounts {
  Eigen::MatrixXd A = 0.5 * normal_matrix(40, 90, 7);
  Vector y = Vector(40);
  L1Budget ball{{}, {}};

  explicit RareCounts(double radius) {
    for (Index i = 0; i < y.size(); ++i) y[i] = static_cast<double>((7 * i) % 11);
    ball.set_radius(radius);
  }

  Glm objective() { return Glm(design_of(A), make_loss("poisson", y, Vector::Constant(40, 1.0 / 40.0)), {}, Vector::Zero(90)); }
  double gap(Glm& f) { return f.along_point() - ball.minimize(f.gradient()).value; }
};

struct Asked {
  long before = 0, after = 0;  // that the answer was yes
  long values = 0;
  double fell = 0.0;
};

// One correction, told to stop at the question number `last`.
template <class Corrector>
Asked correct_until(RareCounts& p, long last) {
  Glm f = p.objective();
  Corrector corrector(p.ball);
  Asked asked;
  corrector.set_stop([&] {
    const bool over = asked.before >= last;
    ++(over ? asked.after : asked.before);
    return over;
  });
  const double value = f.value(), gap = p.gap(f);
  Counts counts;
  corrector.correct(f, gap, counts);
  asked.values = counts.value;
  asked.fell = value - f.value();
  return asked;
}

}  // namespace

TEST_CASE("a correction in the ball asks inside of its models whether it is over, and leaves when it is", "[corrective]") {
  RareCounts p(20.0);
  const Asked whole = correct_until<L1WorkingSet>(p, 1000000);
  CHECK(whole.after == 0);
  CHECK(whole.before > 2 * whole.values);  // not only before every step, but between two faces of its model
  for (long last : {0L, 1L, 2L, 5L}) {
    const Asked asked = correct_until<L1WorkingSet>(p, last);
    INFO("told at question " << last);
    CHECK(asked.after >= 1);
    CHECK(asked.after <= 2);  // the model says so, and then the correction
    CHECK(asked.values <= last + 1);
    CHECK(asked.fell >= 0.0);
  }
}

TEST_CASE("a correction by penalties leaves when it is told to", "[corrective]") {
  RareCounts p(20.0);
  std::vector<int> group(90);
  for (std::size_t j = 0; j < group.size(); ++j) group[j] = static_cast<int>(j / 3);
  GroupBudget ball(group);
  ball.set_radius(20.0);
  for (long last : {0L, 1L, 4L}) {
    Glm f = p.objective();
    f.set_budget(&ball);
    BudgetCorrective corrector(ball);
    long asked = 0;
    corrector.set_stop([&] { return ++asked > last; });
    const double value = f.value(), gap = f.along_point() - ball.minimize(f.gradient()).value;
    Counts counts;
    corrector.correct(f, gap, counts);
    INFO("told at question " << last);
    CHECK(asked <= last + 2);
    CHECK(counts.value <= 40 * last);  // none before the first question
    CHECK(f.value() <= value);
  }
}

#include <acfw.hpp>
#include <acfw/core/path.hpp>
#include <memory>
#include <stdexcept>

#include "check.hpp"

using namespace acfw;

namespace {

// x'Qx/2 + c'x over l1 balls of growing radius, each from the solution of the one before.
struct Radii : PathProblem {
  using Run = FrankWolfe<Quadratic, L1Ball, Pfw<Coordinate>>;

  explicit Radii(std::vector<double> all) : radii(std::move(all)), f(Q, c, 0.0, Vector::Zero(4)) {}

  void begin(std::size_t k, const Control& limits) override {
    ball.radius = radii[k];
    direction = Pfw<Coordinate>{};
    step = AutoConditioned<>{};
    time_left.push_back(limits.max_time);
    loop = std::make_unique<Run>(f, ball, direction, step, limits);
  }
  void run() override {
    if (radii[results.size()] == throws_at) {
      throws_at = 0.0;
      throw std::runtime_error("an interrupt");
    }
    loop->go();
  }
  void end() override { loop->interrupt(); }
  Status keep() override {
    results.push_back(f.point());
    gaps.push_back(loop->gap());
    return loop->status();
  }
  void mark(Status why) override { marks.push_back(why); }
  bool enough() override { return radii[results.size() - 1] >= last_worth; }

  Eigen::MatrixXd Q = Vector::LinSpaced(4, 1.0, 4.0).asDiagonal();
  Vector c = Vector::Constant(4, -1.0);
  std::vector<double> radii, gaps, time_left;
  std::vector<Vector> results;
  std::vector<Status> marks;
  double throws_at = 0.0, last_worth = 1e9;
  Quadratic f;
  L1Ball ball{1.0};
  Pfw<Coordinate> direction;
  AutoConditioned<> step;
  std::unique_ptr<Run> loop;
};

}  // namespace

TEST_CASE("a path keeps every station, and solves it", "[path]") {
  Radii problem({0.1, 0.5, 1.0});
  Path path(problem, 3, Control{});
  path.go();
  REQUIRE(path.kept() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(problem.results[k].lpNorm<1>() == close_to(problem.radii[k], 1e-9));
    CHECK(problem.gaps[k] < 1e-5);
  }
}

TEST_CASE("what is not worth a run is not begun", "[path]") {
  Radii problem({0.1, 0.5, 1.0});
  problem.last_worth = 0.5;
  Path path(problem, 3, Control{});
  path.go();
  CHECK(path.kept() == 2);
  CHECK(problem.time_left.size() == 2);
}

TEST_CASE("the time limit is that of the whole path", "[path]") {
  Radii problem({0.1, 0.5, 1.0});
  Control control;
  control.max_time = 1e3;
  Path path(problem, 3, control);
  path.go();
  CHECK(problem.time_left[0] <= 1e3);
  CHECK(problem.time_left[2] < problem.time_left[0]);
  Radii hurried({0.1, 0.5, 1.0});
  control.max_time = 0.0;
  Path none(hurried, 3, control);
  none.go();
  CHECK(none.kept() == 1);  // no path without an answer
}

TEST_CASE("a path that an exception has left goes on where it was, or ends there with what it has", "[path]") {
  Radii problem({0.1, 0.5, 1.0});
  problem.throws_at = 0.5;
  Path path(problem, 3, Control{});
  CHECK_THROWS(path.go());
  CHECK(path.kept() == 1);
  path.go();
  CHECK(path.kept() == 3);
  CHECK(problem.time_left.size() == 3);  // nothing was begun twice

  Radii left({0.1, 0.5, 1.0});
  left.throws_at = 0.5;
  Path ended(left, 3, Control{});
  CHECK_THROWS(ended.go());
  ended.interrupt();
  CHECK(ended.kept() == 2);
  ended.go();
  CHECK(ended.kept() == 2);
}

TEST_CASE("an interrupt between two stations is answered at the next", "[path]") {
  Radii problem({0.1, 0.5, 1.0});
  int polls = 0;
  Path path(problem, 3, Control{}, [&] {
    if (++polls == 2) throw std::runtime_error("an interrupt");
  });
  CHECK_THROWS(path.go());
  CHECK(path.kept() == 1);
  path.interrupt();
  CHECK(path.kept() == 2);
}

TEST_CASE("what comes after the last station is noted there", "[path]") {
  Radii problem({0.1});
  Path path(problem, 1, Control{});
  path.go();
  path.interrupt();
  CHECK(path.kept() == 1);
  CHECK(problem.marks == std::vector<Status>{Status::interrupted});
}

TEST_CASE("the way to a station may be left as well: then the path ends at that station", "[path]") {
  struct Approached final : Radii {
    using Radii::Radii;
    void approach(std::size_t k) override {
      if (k == 1) throw std::runtime_error("an interrupt");
    }
  } problem({0.1, 0.5, 1.0});
  Path path(problem, 3, Control{});
  CHECK_THROWS(path.go());
  CHECK(path.kept() == 1);
  path.interrupt();
  CHECK(path.kept() == 2);
}

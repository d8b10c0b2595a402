#include "check.hpp"

using namespace acfw;

TEST_CASE("kernels for wide registers are compiled where the stack is aligned for them, and nowhere else", "[kernels]") {
#ifdef ACFW_NARROW
  CHECK(ACFW_DISPATCH == 0);
  CHECK(isa() == Isa::plain);
#elif defined(__x86_64__)
  CHECK(ACFW_DISPATCH == 1);
  CHECK(isa() == detected_isa());
#endif
}

TEST_CASE("every instruction set up to the processor's own is visited, and the processor's own is left", "[kernels]") {
  const Isa best = isa();
  std::vector<Isa> seen;
  on_every_isa([&](Isa level) { seen.push_back(level); });
  CHECK(seen.size() == static_cast<std::size_t>(best) + 1);
  CHECK(seen.front() == Isa::plain);
  CHECK(seen.back() == best);
  CHECK(isa() == best);
}

TEST_CASE("the comparison of these tests is relative, and knows no number that is close to NaN", "[check]") {
  CHECK(0.5e-24 == close_to(0.5e-24));
  CHECK_FALSE(0.0 == close_to(0.5e-24));
  CHECK_FALSE(1.0 + 1e-11 == close_to(1.0));
  CHECK(1.0 + 1e-13 == close_to(1.0));
  CHECK_FALSE(1e-300 == close_to(0.0));
  CHECK(1e-300 == close_to(0.0).or_by(1e-299));
  CHECK_FALSE(std::nan("") == close_to(1.0, 1e300));
  CHECK_FALSE(1.0 == close_to(std::nan("")));
}

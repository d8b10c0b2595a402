#include <acfw/core/parallel.hpp>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "check.hpp"

using namespace acfw;

TEST_CASE("a parallel loop makes every call once, on two threads where it may and there is work for two", "[parallel]") {
  for (int threads : {1, 2}) {
    for (long count : {0L, 1L, 4L, 5L, 1000L}) {
      std::vector<int> calls(static_cast<std::size_t>(count));
      std::vector<std::thread::id> by(calls.size());
      std::atomic<int> arrived{0};
      for_each(
          count, threads,
          [&](long k) {
            ++calls[static_cast<std::size_t>(k)];
            by[static_cast<std::size_t>(k)] = std::this_thread::get_id();
            // nobody takes everything before somebody else is there
            ++arrived;
            for (int wait = 0; wait < 10000 && arrived < 8 && threads > 1; ++wait) std::this_thread::yield();
          },
          4);
      for (int n : calls) CHECK(n == 1);
      const std::set<std::thread::id> seen(by.begin(), by.end());
#ifdef _OPENMP
      const bool shared = threads > 1 && count > 4;
      if (count > 0) CHECK(seen.size() == (shared ? 2u : 1u));
#endif
    }
  }
}

TEST_CASE("an exception leaves a parallel loop as it leaves any other", "[parallel]") {
  for (int threads : {1, 2}) {
    CHECK_THROWS_AS(for_each(1000, threads, [](int k) { if (k == 700) throw std::domain_error("700"); }), std::domain_error);
  }
}

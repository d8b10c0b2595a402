// How threads share one sweep of coordinate descent over long sparse columns. Coordinates have to wait for one another, rows do not:
// the rows are cut into a fixed number of lanes, each thread keeps to its own, and for every coordinate the inner product is the sum of those of
// the lanes, in their order, so that its bits are the same for any number of threads. The first member of the team decides how far the
// coordinate goes; the others hear of it and move their rows meanwhile. A turn costs two messages between caches, a fraction of a microsecond.
#pragma once

#include <array>
#include <atomic>
#include <thread>

#include "acfw/core/atoms.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace acfw {

/// Rows in lanes, and which of them belong to a member of a team.
struct Lanes {
  static constexpr int count = 4;
  Index rows;

  Index edge(int lane) const { return lane * rows / count; }
  static int first(int member, int members) { return member * count / members; }
};

/// What the members of a team tell one another, turn by turn, in one sweep.
class LaneTalk {
 public:
  /// Where a lane's part of the inner product goes.
  double& part(int lane) { return parts_[static_cast<std::size_t>(lane)].value; }

  /// A member who follows: its parts of this turn are there; what the leader makes of all of them.
  double follow(int member, Index turn) {
    said_[static_cast<std::size_t>(member)].turn.store(turn, std::memory_order_release);
    wait_for(said_[0].turn, turn);
    return step_.value;
  }

  /// The leader: the sum of all parts, once they are there.
  double gather(Index turn, int members) const {
    for (int member = 1; member < members; ++member) wait_for(said_[static_cast<std::size_t>(member)].turn, turn);
    double sum = 0.0;
    for (const Number& one : parts_) sum += one.value;
    return sum;
  }

  /// The leader: how far the coordinate goes.
  void announce(double step, Index turn) {
    step_.value = step;
    said_[0].turn.store(turn, std::memory_order_release);
  }

 private:
  static constexpr int apart = 128;  // bytes, so that no two share a line of a cache
  struct Number {
    double value = 0.0;
    char rest[apart - sizeof(double)];
  };
  struct Turn {
    std::atomic<Index> turn{0};
    char rest[apart - sizeof(std::atomic<Index>)];
  };

  // Others may have a say in when a thread runs: who waits long lets them.
  static void wait_for(const std::atomic<Index>& said, Index turn) {
    for (int spins = 0; said.load(std::memory_order_acquire) < turn; ++spins) {
      if (spins >= patience) std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
      else _mm_pause();
#endif
    }
  }

  static constexpr int patience = 2000;
  std::array<Number, Lanes::count> parts_;
  std::array<Turn, Lanes::count> said_;
  Number step_;
};

}  // namespace acfw

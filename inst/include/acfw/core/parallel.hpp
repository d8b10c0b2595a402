// The one parallel loop of the library, what is made of it for long vectors, and a team for what is no loop. Every k writes results of its own, so that an answer does not
// depend on the number of threads; an exception inside the loop is carried out of it, which OpenMP alone would not do.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace acfw {

/// body(k) for k in [0, count), handed out in chunks; in parallel where more than one thread is asked for and there is more
/// than one chunk.
template <class Count, class Body>
void for_each(Count count, int threads, Body body, int chunk = 1) {
#ifdef _OPENMP
  if (threads > 1 && count > static_cast<Count>(chunk)) {
    std::exception_ptr first = nullptr;
    std::atomic<bool> failed{false};
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
    for (Count k = 0; k < count; ++k) {
      if (failed.load(std::memory_order_relaxed)) continue;
      try {
        body(k);
      } catch (...) {
        if (!failed.exchange(true)) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
    return;
  }
#else
  (void)threads;
  (void)chunk;
#endif
  for (Count k = 0; k < count; ++k) body(k);
}

/// body(from, to) on blocks of [0, count), `block` long but for the last.
template <class Count, class Body>
void in_blocks(Count count, Count block, int threads, Body body) {
  for_each((count + block - 1) / block, threads, [&](Count k) { body(k * block, std::min(count, (k + 1) * block)); });
}

/// The sum of what body(from, to) finds in them, added in their order: the same bits for any number of threads.
template <class Sums, class Count, class Body>
Sums sum_over_blocks(Count count, Count block, int threads, Body body) {
  if (count <= block) return body(Count{0}, count);
  std::vector<Sums> parts(static_cast<std::size_t>((count + block - 1) / block));
  in_blocks(count, block, threads, [&](Count from, Count to) { parts[static_cast<std::size_t>(from / block)] = body(from, to); });
  Sums all = parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) all += parts[k];
  return all;
}

/// body(member, members) on all members of a team at the same time, of as many as there are threads to be had: at most `threads`, and
/// at least one. It must not throw.
template <class Body>
void as_team(int threads, Body body) {
#ifdef _OPENMP
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
    body(omp_get_thread_num(), omp_get_num_threads());
    return;
  }
#else
  (void)threads;
#endif
  body(0, 1);
}

}  // namespace acfw

// The one parallel loop of the library, and a team for what is no loop. Every k writes results of its own, so that an answer does not
// depend on the number of threads; an exception inside the loop is carried out of it, which OpenMP alone would not do.
#pragma once

#include <atomic>
#include <exception>

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

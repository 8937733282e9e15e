// SPDX-License-Identifier: Apache-2.0
// CPU time, for tests of growth: eight times the input may take eight times as long, and takes 64
// times as long where something is quadratic.
//
//   const double small = least_milliseconds([&] { read(small_page); });
#ifndef SPINNERET_TESTS_SUPPORT_CPU_TIME_H_
#define SPINNERET_TESTS_SUPPORT_CPU_TIME_H_

#include <algorithm>
#include <ctime>

namespace spinneret {

// Returns the least of three readings of this thread's CPU time: whatever runs beside it only adds
// to a reading.
template <typename Work>
double least_milliseconds(Work&& work) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    timespec begin = {};
    timespec end = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    least = std::min(least, static_cast<double>(end.tv_sec - begin.tv_sec) * 1e3 +
                                static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e6);
  }
  return least;
}

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_CPU_TIME_H_

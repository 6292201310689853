#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace workloads {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The median time of single calls after a warm-up: at least five calls, for about a second.
template <class Function>
double seconds_per_call(Function function) {
  constexpr double warm_up_seconds = 0.2;
  constexpr double least_seconds = 1.0;
  constexpr std::size_t least_calls = 5;
  const Clock::time_point begin = Clock::now();
  do {
    function();
  } while (seconds_since(begin) < warm_up_seconds);
  std::vector<double> seconds;
  const Clock::time_point measured = Clock::now();
  while (seconds.size() < least_calls || seconds_since(measured) < least_seconds) {
    const Clock::time_point start = Clock::now();
    function();
    seconds.push_back(seconds_since(start));
  }
  return median(std::move(seconds));
}

}  // namespace workloads

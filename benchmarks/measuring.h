#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <utility>
#include <vector>

// What the programs that measure have in common: times, and words of the command line.

namespace measuring {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The median time of so many calls.
template <class Function>
double median_seconds(int calls, Function function) {
  std::vector<double> seconds;
  for (int call = 0; call < calls; ++call) {
    const Clock::time_point start = Clock::now();
    function();
    seconds.push_back(seconds_since(start));
  }
  return median(std::move(seconds));
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

/// The words of the command line, the name of the program first.
using Words = std::span<char* const>;

/// The word of that index as a number; `otherwise` where there is none.
inline double number_in(Words words, std::size_t index, double otherwise) {
  return index < words.size() ? std::atof(words[index]) : otherwise;
}

/// The same as a whole number, at least 1.
inline int count_in(Words words, std::size_t index, int otherwise) {
  return index < words.size() ? std::max(1, std::atoi(words[index])) : otherwise;
}

/// The exit code of `run`; 1 after an exception, whose message is printed after the name of the program.
template <class Run>
int run_program(const char* name, int count, char** words, Run run) {
  try {
    return run(Words(words, static_cast<std::size_t>(count)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace measuring

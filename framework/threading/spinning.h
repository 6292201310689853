#pragma once

#include <chrono>
#include <cstdint>

namespace rhyton::threading {

/// Hints the processor that the thread is spinning.
inline void relax_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `condition` holds, for at most about that time. Returns whether it held.
template <class Condition>
bool spin_until(Condition condition, std::int64_t nanoseconds) {
  if (condition()) return true;
  if (nanoseconds <= 0) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
  do {
    // Reading the clock costs as much as a few pauses, so it is not read after each of them.
    for (int i = 0; i < 32; ++i) {
      relax_processor();
      if (condition()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// How long waiting threads spin before they sleep, if `threads` of them run: not at all with more threads than cores,
/// since a spinning thread would keep a core from one that has work.
std::int64_t spin_nanoseconds(int threads);

}  // namespace rhyton::threading

#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace rhyton::test {

/// Calls `work(number)` on that many threads at once; rethrows the exception of the first of them that threw.
inline void on_threads(int threads, const std::function<void(int number)>& work) {
  std::atomic<int> waiting{threads};
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
  std::vector<std::thread> started;
  for (int number = 0; number < threads; ++number) {
    started.emplace_back([&, number] {
      // All begin together, so that the first calls overlap.
      waiting.fetch_sub(1);
      while (waiting.load() > 0) std::this_thread::yield();
      try {
        work(number);
      } catch (...) {
        failures[static_cast<std::size_t>(number)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : started) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace rhyton::test

#pragma once

#include <rhyton/framework/context.h>

namespace rhyton::test {

/// Kernels run on this many threads until the end of a test.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) { config::set_num_threads(threads); }
  ~ThreadCount() { config::set_num_threads(0); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
};

}  // namespace rhyton::test

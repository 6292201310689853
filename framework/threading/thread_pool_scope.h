#pragma once

#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton::threading {

/// During its lifetime, parallel work of this thread uses that pool instead of the process's: a replica's share of the
/// cores.
class ThreadPoolScope {
 public:
  explicit ThreadPoolScope(ThreadPool& pool);
  ~ThreadPoolScope();
  ThreadPoolScope(const ThreadPoolScope&) = delete;
  ThreadPoolScope& operator=(const ThreadPoolScope&) = delete;

  /// The innermost scope's pool; null outside of any.
  static ThreadPool* current();

 private:
  ThreadPool* outer_;
};

}  // namespace rhyton::threading

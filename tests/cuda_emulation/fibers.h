#pragma once

#include <csetjmp>
#include <cstddef>

#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RHYTON_FIBERS_ARE_WATCHED 1
#endif

namespace rhyton::cuda_emulation {

/// A call of a function with a stack of its own, which can be left and entered again in the middle; or, made without a
/// function, the thread that it is made on.
class Fiber {
 public:
  Fiber();
  /// `entry` begins with the first switch and may not return. The argument has to outlive the fiber.
  explicit Fiber(void (*entry)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Goes on with another fiber until somebody switches back to this one, which has to be the one that runs.
  void switch_to(Fiber& other);

 private:
  static void begin();
  void arrive();

  void (*entry_)() = nullptr;
  void* stack_ = nullptr;
  bool has_begun_ = true;
  ucontext_t context_{};
#ifndef RHYTON_FIBERS_ARE_WATCHED
  std::jmp_buf registers_{};
#endif
  // What the sanitizers have to be told.
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
  void* watched_fiber_ = nullptr;
};

}  // namespace rhyton::cuda_emulation

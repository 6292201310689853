#pragma once

#include <csetjmp>
#include <cstddef>

#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RHYTON_FIBERS_ARE_WATCHED 1
#endif

namespace rhyton::cuda_emulation {

/// A call of a function with its own stack, which can be suspended and resumed in the middle; or, without a function,
/// the thread that it is created on.
class Fiber {
 public:
  Fiber();
  /// `entry` starts at the first switch and must not return. The argument must outlive the fiber.
  explicit Fiber(void (*entry)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Switches to another fiber and returns when a fiber switches back. This fiber must be the running one.
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
  // Data for the sanitizers.
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
  void* watched_fiber_ = nullptr;
};

}  // namespace rhyton::cuda_emulation

// The checked form of longjmp rejects switching to another stack.
#undef _FORTIFY_SOURCE

#include <fibers.h>

#include <sys/mman.h>

#include <calls.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace rhyton::cuda_emulation {
namespace {

constexpr std::size_t guard_bytes = 4096;
#ifdef RHYTON_FIBERS_ARE_WATCHED
constexpr std::size_t stack_size = 512 * 1024;
#else
constexpr std::size_t stack_size = 128 * 1024;
#endif

// The two sides of the current switch.
thread_local Fiber* leaving = nullptr;
thread_local Fiber* entering = nullptr;

}  // namespace

Fiber::Fiber() {
#ifdef __SANITIZE_THREAD__
  watched_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(void (*entry)()) : entry_(entry), has_begun_(false) {
  stack_ = mmap(nullptr, guard_bytes + stack_size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack_ == MAP_FAILED) fail("No memory is left for the stack of a thread.");
  mprotect(stack_, guard_bytes, PROT_NONE);
  stack_bottom_ = static_cast<char*>(stack_) + guard_bytes;
  stack_bytes_ = stack_size;
  getcontext(&context_);
  context_.uc_stack.ss_sp = static_cast<char*>(stack_) + guard_bytes;
  context_.uc_stack.ss_size = stack_size;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::begin, 0);
#ifdef __SANITIZE_THREAD__
  watched_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (stack_ == nullptr) return;
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(watched_fiber_);
#endif
  munmap(stack_, guard_bytes + stack_size);
}

void Fiber::begin() {
  Fiber& self = *entering;
  self.arrive();
  self.entry_();
  fail("The function of a fiber has returned.");
}

void Fiber::arrive() {
#ifdef __SANITIZE_ADDRESS__
  // The bounds of an ordinary thread's stack are known only after it has been left.
  __sanitizer_finish_switch_fiber(fake_stack_, &leaving->stack_bottom_, &leaving->stack_bytes_);
#endif
}

void Fiber::switch_to(Fiber& other) {
  leaving = this;
  entering = &other;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake_stack_, other.stack_bottom_, other.stack_bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(other.watched_fiber_, 0);
#endif
#ifdef RHYTON_FIBERS_ARE_WATCHED
  if (!other.has_begun_) {
    other.has_begun_ = true;
    swapcontext(&context_, &other.context_);
  } else {
    // AddressSanitizer treats the stack named in a context as new and discards its state.
    other.context_.uc_stack.ss_size = 0;
    swapcontext(&context_, &other.context_);
  }
  arrive();
#else
  // Without the system calls of swapcontext.
  if (_setjmp(registers_) != 0) return;
  if (!other.has_begun_) {
    other.has_begun_ = true;
    setcontext(&other.context_);
  }
  std::longjmp(other.registers_, 1);
#endif
}

}  // namespace rhyton::cuda_emulation

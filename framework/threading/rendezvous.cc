#include <rhyton/framework/threading/rendezvous.h>

#include <string>

#include <rhyton/framework/threading/spinning.h>

namespace rhyton::threading {

Rendezvous::Rendezvous(int members) : members_(members), spin_nanoseconds_(threading::spin_nanoseconds(members)) {
  if (members < 1) throw ValueError("A rendezvous needs at least 1 member, got " + std::to_string(members) + ".");
}

void Rendezvous::require_all() const {
  if (is_abandoned_.load(std::memory_order_acquire)) throw Abandoned();
}

void Rendezvous::arrive() {
  // Before the check for a failure: a later failure increments it.
  const std::uint32_t generation = generation_.load(std::memory_order_acquire);
  require_all();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    return;
  }
  const auto is_over = [&] { return generation_.load(std::memory_order_acquire) != generation; };
  while (!spin_until(is_over, spin_nanoseconds_)) generation_.wait(generation, std::memory_order_acquire);
  require_all();
}

void Rendezvous::abandon() {
  is_abandoned_.store(true, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

void Rendezvous::reset() {
  arrived_.store(0, std::memory_order_relaxed);
  is_abandoned_.store(false, std::memory_order_release);
}

}  // namespace rhyton::threading

#include <rhyton/framework/threading/team.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/rendezvous.h>
#include <rhyton/framework/threading/spinning.h>

namespace rhyton::threading {
namespace {

bool is_consequence(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Abandoned&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

Team::Team(int members) : members_(members), spin_nanoseconds_(threading::spin_nanoseconds(members)) {
  if (members < 1) throw ValueError("A team needs at least 1 member, got " + std::to_string(members) + ".");
  failures_.resize(static_cast<std::size_t>(members));
  threads_.reserve(static_cast<std::size_t>(members - 1));
  try {
    for (int member = 1; member < members; ++member) threads_.emplace_back([this, member] { follow(member); });
  } catch (...) {
    is_stopping_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    throw;
  }
}

Team::~Team() {
  is_stopping_.store(true, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::take_part(const Work& work, int member) {
  try {
    work(member);
  } catch (...) {
    failures_[static_cast<std::size_t>(member)] = std::current_exception();
  }
}

void Team::run(Work work) {
  work_ = &work;
  unfinished_.store(members_ - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_part(work, 0);
  const auto is_done = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
  while (!spin_until(is_done, spin_nanoseconds_)) {
    const std::int32_t left = unfinished_.load(std::memory_order_acquire);
    if (left != 0) unfinished_.wait(left, std::memory_order_acquire);
  }
  std::exception_ptr first;
  bool is_first_a_consequence = true;
  for (std::exception_ptr& failure : failures_) {
    if (failure && is_first_a_consequence) {
      const bool consequence = is_consequence(failure);
      if (!first || !consequence) first = failure;
      is_first_a_consequence = consequence;
    }
    failure = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

void Team::follow(int member) {
  std::uint32_t seen = 0;
  while (true) {
    const auto is_called = [&] { return round_.load(std::memory_order_acquire) != seen; };
    while (!spin_until(is_called, spin_nanoseconds_)) round_.wait(seen, std::memory_order_acquire);
    if (is_stopping_.load(std::memory_order_acquire)) return;
    // Each round waits for all members, so that none can miss one.
    ++seen;
    take_part(*work_, member);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  }
}

}  // namespace rhyton::threading

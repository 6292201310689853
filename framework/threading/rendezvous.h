#pragma once

#include <atomic>
#include <cstdint>

#include <rhyton/framework/error.h>

namespace rhyton::threading {

/// Thrown to threads that wait for a member of their team that has failed; the failure itself is that member's
/// exception.
class Abandoned final : public RuntimeError {
 public:
  Abandoned() : RuntimeError("Another member of the team has failed.") {}
};

/// A synchronization point of a fixed number of threads that can be used repeatedly.
class Rendezvous {
 public:
  /// Throws ValueError for less than one member.
  explicit Rendezvous(int members);

  /// Returns when every member has called it equally often. Throws Abandoned when a member has called `abandon`
  /// instead.
  void arrive();
  /// Makes present and future calls of `arrive` throw until `reset`.
  void abandon();
  /// Restores the initial state. No thread may be inside `arrive`.
  void reset();

  int members() const { return members_; }

 private:
  void require_all() const;

  static constexpr std::size_t cache_line = 64;

  int members_;
  std::int64_t spin_nanoseconds_;
  alignas(cache_line) std::atomic<int> arrived_{0};
  /// Counts how often all members have arrived.
  alignas(cache_line) std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> is_abandoned_{false};
};

}  // namespace rhyton::threading

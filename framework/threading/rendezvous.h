#pragma once

#include <atomic>
#include <cstdint>

#include <rhyton/framework/error.h>

namespace rhyton::threading {

/// Thrown by those who wait for a member of their team that has failed; what failed is that member's own exception.
class Abandoned final : public RuntimeError {
 public:
  Abandoned() : RuntimeError("Another member of the team has failed.") {}
};

/// A place where a fixed number of threads meet, again and again.
class Rendezvous {
 public:
  /// Throws ValueError for less than one member.
  explicit Rendezvous(int members);

  /// Returns when every member has called it as often. Throws Abandoned when a member has called `abandon` instead.
  void arrive();
  /// Makes all who wait here, and who come, throw, until `reset`.
  void abandon();
  /// As it was made. Nobody may be inside `arrive`.
  void reset();

  int members() const { return members_; }

 private:
  void require_all() const;

  static constexpr std::size_t cache_line = 64;

  int members_;
  std::int64_t spin_nanoseconds_;
  alignas(cache_line) std::atomic<int> arrived_{0};
  /// Counts the meetings.
  alignas(cache_line) std::atomic<std::uint32_t> meeting_{0};
  std::atomic<bool> is_abandoned_{false};
};

}  // namespace rhyton::threading

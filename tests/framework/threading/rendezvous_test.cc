#include <rhyton/framework/threading/rendezvous.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace rhyton::threading {
namespace {

/// Calls `work(member)` on this many threads and waits for them.
template <class Work>
void on_threads(int count, const Work& work) {
  std::vector<std::thread> threads;
  for (int member = 0; member < count; ++member) threads.emplace_back([&work, member] { work(member); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Rendezvous, NobodyGoesOnBeforeAllAreThere) {
  for (const int members : {1, 2, 3, 7}) {
    SCOPED_TRACE(std::to_string(members) + " members");
    Rendezvous rendezvous(members);
    EXPECT_EQ(rendezvous.members(), members);
    constexpr int synchronizations = 100;
    std::atomic<int> arrivals = 0;
    std::atomic<int> early = 0;
    on_threads(members, [&](int) {
      for (int synchronization = 1; synchronization <= synchronizations; ++synchronization) {
        ++arrivals;
        rendezvous.arrive();
        if (arrivals.load() < members * synchronization) ++early;
      }
    });
    EXPECT_EQ(arrivals.load(), members * synchronizations);
    EXPECT_EQ(early.load(), 0);
  }
}

TEST(Rendezvous, WhatWasWrittenBeforeIsSeenBehind) {
  constexpr int members = 3;
  Rendezvous rendezvous(members);
  // Not atomic: only the synchronization points order writes and reads.
  std::vector<std::int64_t> values(members, 0);
  std::atomic<int> wrong = 0;
  on_threads(members, [&](int member) {
    for (std::int64_t synchronization = 1; synchronization <= 200; ++synchronization) {
      values[static_cast<std::size_t>(member)] = synchronization;
      rendezvous.arrive();
      for (const std::int64_t value : values) {
        if (value != synchronization) ++wrong;
      }
      rendezvous.arrive();
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Rendezvous, WhoWaitsForAMemberThatFailsThrows) {
  for (const int members : {2, 3, 7}) {
    SCOPED_TRACE(std::to_string(members) + " members");
    Rendezvous rendezvous(members);
    std::atomic<int> abandoned = 0;
    for (int round = 0; round < 20; ++round) {
      // One synchronization point that all reach, and one that the last member misses.
      on_threads(members, [&](int member) {
        try {
          rendezvous.arrive();
          if (member == members - 1) return rendezvous.abandon();
          rendezvous.arrive();
        } catch (const Abandoned& error) {
          EXPECT_STREQ(error.what(), "Another member of the team has failed.");
          ++abandoned;
        }
      });
      rendezvous.reset();
    }
    EXPECT_EQ(abandoned.load(), (members - 1) * 20);
  }
}

TEST(Rendezvous, WhoComesAfterAFailureThrowsUntilItIsReset) {
  Rendezvous rendezvous(1);
  rendezvous.arrive();
  rendezvous.abandon();
  EXPECT_THROW(rendezvous.arrive(), Abandoned);
  EXPECT_THROW(rendezvous.arrive(), Abandoned);
  rendezvous.reset();
  EXPECT_NO_THROW(rendezvous.arrive());
}

TEST(Rendezvous, RefusesLessThanOneMember) {
  try {
    Rendezvous rendezvous(0);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "A rendezvous needs at least 1 member, got 0.");
  }
}

}  // namespace
}  // namespace rhyton::threading

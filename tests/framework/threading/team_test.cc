#include <rhyton/framework/threading/team.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/rendezvous.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::threading {
namespace {

/// The message of the exception of type `E` with which the run ends.
template <class E, class Work>
std::string message_of_run(Team& team, const Work& work) {
  return test::message_of<E>([&] { team.run(work); });
}

TEST(Team, EveryMemberDoesItsPartOnce) {
  for (const int members : {1, 2, 3, 7}) {
    Team team(members);
    EXPECT_EQ(team.members(), members);
    for (int round = 0; round < 20; ++round) {
      std::vector<int> calls(static_cast<std::size_t>(members), 0);
      team.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; });
      EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), members);
    }
  }
}

TEST(Team, MembersKeepTheirThreadsAndTheCallerIsMemberZero) {
  Team team(3);
  std::vector<std::thread::id> first(3);
  team.run([&](int member) { first[static_cast<std::size_t>(member)] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3U);
  std::vector<std::thread::id> second(3);
  team.run([&](int member) { second[static_cast<std::size_t>(member)] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
}

TEST(Team, MembersMayWaitForEachOther) {
  for (const int members : {2, 3, 7}) {
    Team team(members);
    Rendezvous rendezvous(members);
    std::vector<int> synchronizations(static_cast<std::size_t>(members), 0);
    team.run([&](int member) {
      for (int i = 0; i < 30; ++i) {
        rendezvous.arrive();
        ++synchronizations[static_cast<std::size_t>(member)];
      }
    });
    EXPECT_EQ(std::count(synchronizations.begin(), synchronizations.end(), 30), members);
  }
}

TEST(Team, RethrowsTheExceptionOfTheLowestMember) {
  Team team(4);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(message_of_run<ValueError>(team,
                                         [](int member) {
                                           if (member % 2 == 1) throw ValueError("member " + std::to_string(member));
                                         }),
              "member 1");
  }
}

TEST(Team, RethrowsACauseRatherThanItsConsequences) {
  Team team(4);
  Rendezvous rendezvous(4);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(message_of_run<std::runtime_error>(team,
                                                 [&](int member) {
                                                   if (member == 2) {
                                                     rendezvous.abandon();
                                                     throw std::runtime_error("the cause");
                                                   }
                                                   rendezvous.arrive();
                                                 }),
              "the cause");
    rendezvous.reset();
  }
}

TEST(Team, RethrowsAConsequenceWhereThereIsNothingElse) {
  Team team(2);
  EXPECT_THROW(team.run([](int member) {
    if (member == 1) throw Abandoned();
  }),
               Abandoned);
}

TEST(Team, WorksOnAfterAnException) {
  Team team(3);
  EXPECT_THROW(team.run([](int) { throw ValueError("all"); }), ValueError);
  std::vector<int> calls(3, 0);
  EXPECT_NO_THROW(team.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; }));
  EXPECT_EQ(calls, (std::vector<int>{1, 1, 1}));
}

TEST(Team, SeveralTeamsWorkSideBySide) {
  std::vector<std::int64_t> sums(3, 0);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&sums, caller] {
      Team team(2);
      std::vector<std::int64_t> parts(2, 0);
      for (int round = 0; round < 100; ++round)
        team.run([&](int member) { parts[static_cast<std::size_t>(member)] += round; });
      sums[caller] = parts[0] + parts[1];
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, 2 * (99 * 100 / 2));
}

TEST(Team, RefusesLessThanOneMember) {
  try {
    Team team(0);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "A team needs at least 1 member, got 0.");
  }
}

}  // namespace
}  // namespace rhyton::threading

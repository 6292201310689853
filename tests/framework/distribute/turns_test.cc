#include <rhyton/framework/distribute/turns.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/rendezvous.h>
#include <rhyton/framework/threading/team.h>

namespace rhyton::distribute {
namespace {

TEST(Turns, MembersRunOneAfterTheOther) {
  for (const int members : {1, 2, 5}) {
    Turns turns(members);
    threading::Team team(members);
    for (int round = 0; round < 20; ++round) {
      // Not atomic: only the turns order the writers.
      std::vector<int> order;
      team.run([&](int member) {
        turns.begin(member);
        order.push_back(member);
        turns.end(member);
      });
      for (int member = 0; member < members; ++member) EXPECT_EQ(order[static_cast<std::size_t>(member)], member);
    }
  }
}

TEST(Turns, WhoWaitsInASumGivesTheTurnAway) {
  constexpr int members = 3;
  Turns turns(members);
  const std::shared_ptr<ReplicaGroup> group = ReplicaGroup::make(members);
  threading::Team team(members);
  std::vector<int> order;
  team.run([&](int member) {
    const std::shared_ptr<Communicator> communicator = turns.wrap(group->member(member), member);
    EXPECT_EQ(communicator->size(), members);
    EXPECT_EQ(communicator->rank(), member);
    EXPECT_EQ(communicator->description(), "3 replicas");
    turns.begin(member);
    for (int sum = 0; sum < 3; ++sum) {
      order.push_back(member);
      float value = 1;
      const std::vector<ReductionBuffer> buffers{{&value, &value, 1, DType::float32}};
      communicator->all_reduce(buffers, nullptr);
      EXPECT_EQ(value, 3);
    }
    turns.end(member);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(Turns, NobodyWaitsForAMemberThatFails) {
  constexpr int members = 3;
  for (int failing = 0; failing < members; ++failing) {
    Turns turns(members);
    threading::Team team(members);
    std::vector<int> abandoned(members, 0);
    EXPECT_THROW(team.run([&](int member) {
      try {
        turns.begin(member);
        if (member == failing) throw ValueError("a replica fails");
        turns.end(member);
      } catch (const threading::Abandoned&) {
        abandoned[static_cast<std::size_t>(member)] = 1;
        throw;
      } catch (...) {
        turns.abandon();
        throw;
      }
    }),
                 ValueError);
    // The members before it have had their turn.
    for (int member = failing + 1; member < members; ++member)
      EXPECT_EQ(abandoned[static_cast<std::size_t>(member)], 1);
  }
}

}  // namespace
}  // namespace rhyton::distribute

#include <rhyton/framework/distribute/background_sums.h>

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/rendezvous.h>
#include <rhyton/framework/threading/team.h>

namespace rhyton::distribute {
namespace {

/// A gate that blocks until it is opened.
class Door {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

ReductionBuffer in_place(float& value) { return {&value, &value, 1, DType::float32}; }

/// Sets every member's only element to the sum of all.
void add_up(const BackgroundSums::Brought& brought) {
  float sum = 0;
  for (const std::vector<ReductionBuffer>& own : brought) sum += *static_cast<const float*>(own.front().input);
  for (const std::vector<ReductionBuffer>& own : brought) *static_cast<float*>(own.front().output) = sum;
}

TEST(BackgroundSums, GoOnWhileMembersDoOtherThings) {
  Door door;
  BackgroundSums sums(1, [&](const BackgroundSums::Brought& brought) {
    door.pass();
    add_up(brought);
  });
  float first = 1;
  float second = 2;
  EXPECT_EQ(sums.begin(0, {{in_place(first)}}), 0);
  EXPECT_EQ(sums.begin(0, {{in_place(second)}}), 1);
  door.open();
  sums.finish(0, 1);
  sums.finish(1, 1);
}

TEST(BackgroundSums, AreCarriedOutInTheirOrder) {
  constexpr int members = 3;
  constexpr int rounds = 50;
  std::vector<float> order;
  BackgroundSums sums(members, [&](const BackgroundSums::Brought& brought) {
    order.push_back(*static_cast<const float*>(brought.front().front().input));
    add_up(brought);
  });
  threading::Team team(members);
  team.run([&](int member) {
    std::vector<float> values(rounds);
    for (int round = 0; round < rounds; ++round) {
      values[static_cast<std::size_t>(round)] = static_cast<float>(round);
      EXPECT_EQ(sums.begin(member, {{in_place(values[static_cast<std::size_t>(round)])}}), round);
    }
    for (int round = 0; round < rounds; ++round) {
      sums.finish(round, rounds - 1);
      EXPECT_EQ(values[static_cast<std::size_t>(round)], static_cast<float>(members * round));
    }
  });
  for (int round = 0; round < rounds; ++round)
    EXPECT_EQ(order[static_cast<std::size_t>(round)], static_cast<float>(round));
}

TEST(BackgroundSums, AreNotFinishedBeforeAllMembersHaveBegunTheLast) {
  // Member 1 fails between the first sum and the last: member 0 must not get the first one, although it is complete.
  BackgroundSums sums(2, &add_up);
  threading::Team team(2);
  std::atomic<bool> got_first = false;
  EXPECT_THROW(team.run([&](int member) {
    float first = 1;
    float last = 1;
    sums.begin(member, {{in_place(first)}});
    if (member == 1) {
      sums.finish(0, 0);
      sums.abandon();
      throw ValueError("a replica fails");
    }
    sums.begin(member, {{in_place(last)}});
    sums.finish(0, 1);
    got_first = true;
  }),
               ValueError);
  EXPECT_FALSE(got_first);
  sums.reset();
}

TEST(BackgroundSums, AfterAFailureMemoryIsLeftAlone) {
  Door entered;
  Door door;
  std::atomic<int> carried_out = 0;
  BackgroundSums sums(1, [&](const BackgroundSums::Brought& brought) {
    entered.open();
    door.pass();
    add_up(brought);
    ++carried_out;
  });
  {
    std::vector<float> values{1, 2, 3};
    for (float& value : values) sums.begin(0, {{in_place(value)}});
    entered.pass();
    sums.abandon();
    std::thread opener([&] { door.open(); });
    // The current one is finished, the others never begin.
    EXPECT_THROW(sums.finish(2, 2), threading::Abandoned);
    EXPECT_EQ(carried_out, 1);
    EXPECT_THROW(sums.begin(0, {{in_place(values[0])}}), threading::Abandoned);
    EXPECT_THROW(sums.finish_all(), threading::Abandoned);
    sums.reset();
    opener.join();
  }
  float value = 4;
  EXPECT_EQ(sums.begin(0, {{in_place(value)}}), 0);
  sums.finish_all();
  EXPECT_EQ(carried_out, 2);
}

TEST(BackgroundSums, ThrowWhatASumThrew) {
  BackgroundSums sums(2, [](const BackgroundSums::Brought&) { throw RuntimeError("the network is gone"); });
  for (int round = 0; round < 10; ++round) {
    threading::Team team(2);
    std::atomic<int> thrown = 0;
    EXPECT_THROW(team.run([&](int member) {
      float value = 1;
      try {
        const std::int64_t number = sums.begin(member, {{in_place(value)}});
        sums.finish(number, number);
      } catch (const RuntimeError&) {
        ++thrown;
        throw;
      }
    }),
                 RuntimeError);
    EXPECT_EQ(thrown, 2);
    sums.reset();
  }
}

TEST(BackgroundSums, EndWithWhatIsUnderWay) {
  float value = 1;
  float never = 1;
  {
    Door entered;
    BackgroundSums sums(1, [&](const BackgroundSums::Brought& brought) {
      entered.open();
      *static_cast<float*>(brought.front().front().output) += 1;
    });
    sums.begin(0, {{in_place(value)}});
    entered.pass();
  }
  EXPECT_EQ(value, 2);
  BackgroundSums unused(1, &add_up);
  EXPECT_EQ(never, 1);
}

}  // namespace
}  // namespace rhyton::distribute

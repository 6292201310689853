#include <rhyton/framework/distribute/replica_group.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/team.h>

namespace rhyton::distribute {
namespace {

/// One member's tensors of several dtypes and of sizes below and above the limit for sharing the sum among members.
struct SharedTensors {
  std::vector<float> small = std::vector<float>(3);
  std::vector<double> single = std::vector<double>(1);
  std::vector<float> large = std::vector<float>(4096 * 3 + 17);
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(5000);
  std::vector<float> nothing = {};
  std::vector<std::int32_t> odd = std::vector<std::int32_t>(4097);

  friend bool operator==(const SharedTensors&, const SharedTensors&) = default;

  template <class Visit>
  void for_each(const Visit& visit) {
    visit(small);
    visit(single);
    visit(large);
    visit(counts);
    visit(nothing);
    visit(odd);
  }
};

template <class T>
ReductionBuffer in_place(std::vector<T>& values) {
  return {values.data(), values.data(), static_cast<std::int64_t>(values.size()), dtype_of<T>};
}

std::vector<ReductionBuffer> buffers_of(SharedTensors& tensors) {
  std::vector<ReductionBuffer> buffers;
  tensors.for_each([&](auto& values) { buffers.push_back(in_place(values)); });
  return buffers;
}

SharedTensors random_tensors(unsigned seed) {
  std::mt19937 random(seed);
  SharedTensors tensors;
  tensors.for_each([&](auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    for (T& value : values) {
      const auto whole = static_cast<int>(random() % 2001) - 1000;
      value = std::is_integral_v<T> ? static_cast<T>(whole) : static_cast<T>(whole) / static_cast<T>(7);
    }
  });
  return tensors;
}

std::vector<SharedTensors> random_members(int members) {
  std::vector<SharedTensors> all;
  for (int member = 0; member < members; ++member) all.push_back(random_tensors(static_cast<unsigned>(member)));
  return all;
}

/// The sum in the order of the members.
SharedTensors sum_of(std::vector<SharedTensors> members) {
  SharedTensors total = members.front();
  for (std::size_t m = 1; m < members.size(); ++m) {
    const auto add = [](auto& to, const auto& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    add(total.small, members[m].small);
    add(total.single, members[m].single);
    add(total.large, members[m].large);
    add(total.counts, members[m].counts);
    add(total.odd, members[m].odd);
  }
  return total;
}

/// All members' communicators.
std::vector<std::shared_ptr<Communicator>> communicators_of(const std::shared_ptr<ReplicaGroup>& group, int members) {
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (int member = 0; member < members; ++member) communicators.push_back(group->member(member));
  return communicators;
}

TEST(ReplicaGroup, EveryMemberGetsTheSum) {
  for (int members = 1; members <= 7; ++members) {
    SCOPED_TRACE(std::to_string(members) + " members");
    const std::vector<SharedTensors> given = random_members(members);
    const SharedTensors expected = sum_of(given);
    const auto communicators = communicators_of(ReplicaGroup::make(members), members);
    threading::Team team(members);
    for (int round = 0; round < 3; ++round) {
      std::vector<SharedTensors> tensors = given;
      team.run([&](int member) {
        const auto at = static_cast<std::size_t>(member);
        communicators[at]->all_reduce(buffers_of(tensors[at]), nullptr);
      });
      // Bit by bit: the order of additions is the order of the members.
      for (const SharedTensors& sums : tensors) EXPECT_TRUE(sums == expected);
    }
  }
}

TEST(ReplicaGroup, OutputsMayLieElsewhere) {
  constexpr int members = 3;
  const auto communicators = communicators_of(ReplicaGroup::make(members), members);
  std::vector<std::vector<float>> inputs;
  for (int member = 0; member < members; ++member) inputs.emplace_back(5000, static_cast<float>(member + 1));
  const std::vector<std::vector<float>> before = inputs;
  std::vector<std::vector<float>> outputs(members, std::vector<float>(5000));
  threading::Team team(members);
  team.run([&](int member) {
    const auto at = static_cast<std::size_t>(member);
    const std::vector<ReductionBuffer> buffers{{inputs[at].data(), outputs[at].data(), 5000, DType::float32}};
    communicators[at]->all_reduce(buffers, nullptr);
  });
  EXPECT_EQ(inputs, before);
  for (const std::vector<float>& output : outputs) EXPECT_EQ(output, std::vector<float>(5000, 6.0F));
}

TEST(ReplicaGroup, ManySumsFollowEachOther) {
  constexpr int members = 3;
  const auto communicators = communicators_of(ReplicaGroup::make(members), members);
  std::vector<std::int64_t> values(members, 1);
  threading::Team team(members);
  team.run([&](int member) {
    const auto at = static_cast<std::size_t>(member);
    for (int round = 0; round < 30; ++round) {
      const std::vector<ReductionBuffer> buffers{{&values[at], &values[at], 1, DType::int64}};
      communicators[at]->all_reduce(buffers, nullptr);
    }
  });
  std::int64_t expected = 1;
  for (int round = 0; round < 30; ++round) expected *= members;
  EXPECT_EQ(values, std::vector<std::int64_t>(members, expected));
}

TEST(ReplicaGroup, MembersKnowTheirPlace) {
  const std::shared_ptr<ReplicaGroup> group = ReplicaGroup::make(3);
  for (int member = 0; member < 3; ++member) {
    EXPECT_EQ(group->member(member)->rank(), member);
    EXPECT_EQ(group->member(member)->size(), 3);
  }
  EXPECT_EQ(group->member(0)->description(), "3 replicas");
}

/// The exceptions of the members when each of them sums the tensors of `tensors_of`.
template <class TensorsOf>
std::vector<std::string> messages_of(int members, const std::shared_ptr<ReplicaGroup>& group,
                                     const TensorsOf& tensors_of) {
  std::vector<std::string> messages(static_cast<std::size_t>(members));
  threading::Team team(members);
  team.run([&](int member) {
    try {
      std::vector<std::vector<float>> tensors = tensors_of(member);
      std::vector<ReductionBuffer> buffers;
      for (std::vector<float>& tensor : tensors) buffers.push_back(in_place(tensor));
      group->member(member)->all_reduce(buffers, nullptr);
    } catch (const threading::Abandoned&) {
      messages[static_cast<std::size_t>(member)] = "abandoned";
    } catch (const RuntimeError& error) {
      messages[static_cast<std::size_t>(member)] = error.what();
      group->abandon();
    }
  });
  group->reset();
  return messages;
}

/// Whether all messages are that one or report the failure of another member, and at least one is that one.
void expect_one_is(const std::vector<std::string>& messages, const std::string& expected) {
  int found = 0;
  for (const std::string& message : messages) {
    if (message == expected) ++found;
    EXPECT_TRUE(message == expected || message == "abandoned") << message;
  }
  EXPECT_GT(found, 0);
}

TEST(ReplicaGroup, UnequalTensorsAreNamed) {
  const std::string expectation = "Replicas that sum must bring tensors of the same shapes in the same order: ";
  for (const int members : {2, 3, 5}) {
    const std::shared_ptr<ReplicaGroup> group = ReplicaGroup::make(members);
    for (int round = 0; round < 20; ++round) {
      expect_one_is(
          messages_of(members, group,
                      [](int member) {
                        const std::size_t size = member == 1 ? 7000 : 5000;
                        return std::vector<std::vector<float>>{std::vector<float>(3), std::vector<float>(size)};
                      }),
          expectation +
              "tensor 1 of replica 0 has 5000 elements of float32, that of replica 1 has 7000 "
              "elements of float32.");
      const int last = members - 1;
      expect_one_is(messages_of(members, group,
                                [&](int member) {
                                  return std::vector<std::vector<float>>(member == last ? 1 : 2, std::vector<float>(3));
                                }),
                    expectation + "replica 0 has 2 tensors, replica " + std::to_string(last) + " has 1.");
    }
  }
}

TEST(ReplicaGroup, WorksOnAfterAFailure) {
  constexpr int members = 4;
  const std::shared_ptr<ReplicaGroup> group = ReplicaGroup::make(members);
  const auto communicators = communicators_of(group, members);
  threading::Team team(members);
  for (int round = 0; round < 30; ++round) {
    const int failing = round % members;
    std::atomic<int> abandoned = 0;
    EXPECT_THROW(team.run([&](int member) {
      float value = 1;
      const std::vector<ReductionBuffer> buffers{{&value, &value, 1, DType::float32}};
      communicators[static_cast<std::size_t>(member)]->all_reduce(buffers, nullptr);
      if (member == failing) {
        group->abandon();
        throw ValueError("a replica fails");
      }
      try {
        communicators[static_cast<std::size_t>(member)]->all_reduce(buffers, nullptr);
      } catch (const threading::Abandoned&) {
        ++abandoned;
        throw;
      }
    }),
                 ValueError);
    group->reset();

    std::vector<float> values(members, 2.0F);
    team.run([&](int member) {
      float& value = values[static_cast<std::size_t>(member)];
      const std::vector<ReductionBuffer> buffers{{&value, &value, 1, DType::float32}};
      communicators[static_cast<std::size_t>(member)]->all_reduce(buffers, nullptr);
    });
    EXPECT_EQ(values, std::vector<float>(members, 8.0F));
  }
}

/// Emulates processes by threads of this one.
class Job {
 public:
  explicit Job(int processes) : group_(ReplicaGroup::make(processes)), processes_(processes) {}

  std::shared_ptr<ProcessGroup> process(int rank) { return std::make_shared<Process>(*this, rank); }

 private:
  class Process final : public ProcessGroup {
   public:
    Process(Job& job, int rank) : job_(job), member_(job.group_->member(rank)) {}

    int size() const override { return job_.processes_; }
    int rank() const override { return member_->rank(); }
    void all_reduce(std::span<const ReductionBuffer> buffers) override { member_->all_reduce(buffers, nullptr); }
    void broadcast(std::span<std::byte>, int) override { throw NotImplementedError("broadcast"); }
    std::vector<std::string> all_gather(const std::string&) override { throw NotImplementedError("all_gather"); }
    void barrier() override { throw NotImplementedError("barrier"); }
    [[noreturn]] void fail(const std::string& message) override { throw RuntimeError(message); }

   private:
    Job& job_;
    std::shared_ptr<Communicator> member_;
  };

  std::shared_ptr<ReplicaGroup> group_;
  int processes_;
};

TEST(ReplicaGroup, SumsOverReplicasOfSeveralProcesses) {
  constexpr int processes = 2;
  for (const int members : {1, 3}) {
    SCOPED_TRACE(std::to_string(members) + " members of each process");
    Job job(processes);
    const std::vector<SharedTensors> given = random_members(processes * members);
    std::vector<SharedTensors> sums;
    for (int process = 0; process < processes; ++process) {
      const auto first = given.begin() + process * members;
      sums.push_back(sum_of({first, first + members}));
    }
    const SharedTensors expected = sum_of(sums);

    std::vector<SharedTensors> tensors = given;
    std::vector<std::thread> threads;
    for (int process = 0; process < processes; ++process) {
      threads.emplace_back([&, process] {
        const std::shared_ptr<ReplicaGroup> group = ReplicaGroup::make(members, job.process(process));
        threading::Team team(members);
        team.run([&](int member) {
          const std::shared_ptr<Communicator> communicator = group->member(member);
          EXPECT_EQ(communicator->size(), processes * members);
          EXPECT_EQ(communicator->rank(), process * members + member);
          EXPECT_EQ(communicator->description(), std::to_string(members) + " replicas of each of 2 processes");
          communicator->all_reduce(buffers_of(tensors[static_cast<std::size_t>(communicator->rank())]), nullptr);
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const SharedTensors& result : tensors) EXPECT_TRUE(result == expected);
  }
}

TEST(ReplicaGroup, SumsThatAreBegunAreThoseOfWholeOnes) {
  constexpr int processes = 2;
  constexpr std::size_t rounds = 3;
  for (const int members : {1, 3}) {
    SCOPED_TRACE(std::to_string(members) + " members of each process");
    const std::vector<SharedTensors> given = random_members(processes * members);
    const auto run = [&](std::int64_t bucket_bytes, const auto& sum_three) {
      Job job(processes);
      std::vector<std::vector<SharedTensors>> tensors(rounds, given);
      std::vector<std::thread> threads;
      for (int process = 0; process < processes; ++process) {
        threads.emplace_back([&, process] {
          const auto group = ReplicaGroup::make(members, job.process(process), ReductionToOneDevice(), bucket_bytes);
          threading::Team team(members);
          team.run([&](int member) {
            const std::shared_ptr<Communicator> communicator = group->member(member);
            EXPECT_EQ(communicator->overlaps(), bucket_bytes > 0);
            std::vector<std::vector<ReductionBuffer>> buffers;
            for (std::vector<SharedTensors>& of_all : tensors) {
              buffers.push_back(buffers_of(of_all[static_cast<std::size_t>(communicator->rank())]));
            }
            sum_three(*communicator, buffers);
          });
        });
      }
      for (std::thread& thread : threads) thread.join();
      return tensors;
    };
    const auto whole = run(0, [](Communicator& communicator, const auto& buffers) {
      for (const std::vector<ReductionBuffer>& one : buffers) communicator.all_reduce(one, nullptr);
    });
    const auto begun = run(1, [](Communicator& communicator, const auto& buffers) {
      const std::int64_t first = communicator.begin_all_reduce(buffers[0]);
      const std::int64_t second = communicator.begin_all_reduce(buffers[1]);
      communicator.finish_all_reduce(first, second);
      // A whole sum waits for the sums that were begun before it.
      communicator.all_reduce(buffers[2], nullptr);
      communicator.finish_all_reduce(second, second);
    });
    EXPECT_TRUE(begun == whole);
  }
}

TEST(ReplicaGroup, OnlySumsOverProcessesAreCutIntoBuckets) {
  const std::vector<TensorSpec> large(4, TensorSpec{Shape{1 << 20}, DType::float32});
  Job job(2);
  constexpr std::int64_t enough = 1 << 22;
  const auto alone = ReplicaGroup::make(2, nullptr, ReductionToOneDevice(), enough)->member(0);
  const auto whole = ReplicaGroup::make(2, job.process(0))->member(0);
  const auto cut = ReplicaGroup::make(2, job.process(0), ReductionToOneDevice(), enough)->member(0);
  EXPECT_EQ(alone->buckets_of(large), std::vector<std::size_t>{4});
  EXPECT_EQ(whole->buckets_of(large), std::vector<std::size_t>{4});
  EXPECT_EQ(cut->buckets_of(large), std::vector<std::size_t>(4, 1));
}

}  // namespace
}  // namespace rhyton::distribute

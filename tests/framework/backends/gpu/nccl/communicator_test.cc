#include <rhyton/framework/backends/gpu/nccl/communicator.h>

#if __has_include(<nccl.h>)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/nccl/group.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cards.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/message_of.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#include <nccl_emulation.h>
#endif

namespace rhyton::gpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Tests of this many GPUs, each a separate card.
class NcclCommunicatorTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (card_count() < GetParam()) GTEST_SKIP() << "There are less than " << GetParam() << " cards.";
    try {
      nccl_library();
    } catch (const NotFoundError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  int size() const { return GetParam(); }

  /// Calls `body` for each member on its own thread.
  template <class Body>
  void on_each_member(const Body& body) const {
    const std::string id = make_communicator_id();
    on_each_rank(size(), [&](int rank) {
      NcclCommunicator communicator(id, size(), rank, gpu_of_card(rank));
      body(communicator, gpu_of_card(rank));
    });
  }
};

ReductionBuffer in_place(const DeviceElements& elements, std::int64_t count, DType dtype) {
  return {elements.data(), elements.data(), count, dtype};
}

void sum_in_place(NcclCommunicator& communicator, LogicalDevice& device, const DeviceElements& elements,
                  std::int64_t count, DType dtype = float32) {
  const ReductionBuffer buffers[] = {in_place(elements, count, dtype)};
  communicator.all_reduce(buffers, &device.stream());
}

INSTANTIATE_TEST_SUITE_P(, NcclCommunicatorTest, testing::Values(1, 2, 3, 4),
                         [](const auto& info) { return std::to_string(info.param) + "Gpus"; });

TEST_P(NcclCommunicatorTest, GivesEachMemberTheSumOfAll) {
  for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64}) {
    on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
      const DeviceElements input(Tensor::full(Shape{100}, communicator.rank() + 1, dtype), device);
      const DeviceElements output(Tensor::zeros(Shape{100}, dtype), device);
      const ReductionBuffer buffers[] = {{input.data(), output.data(), 100, dtype}};
      communicator.all_reduce(buffers, &device.stream());
      const double sum = size() * (size() + 1) / 2.0;
      EXPECT_EQ(values_of(output.read()), std::vector<double>(100, sum)) << name_of(dtype);
      EXPECT_EQ(values_of(input.read()), std::vector<double>(100, communicator.rank() + 1)) << name_of(dtype);
    });
  }
}

TEST_P(NcclCommunicatorTest, TellsWhoIsInTheGroup) {
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    EXPECT_EQ(communicator.size(), size());
    EXPECT_EQ(communicator.rank(), device.physical_index());
    EXPECT_EQ(communicator.description(), std::to_string(size()) + " GPUs through NCCL");
  });
}

TEST_P(NcclCommunicatorTest, GivesAllMembersTheSameBits) {
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(size()));
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    std::vector<float> elements;
    for (int i = 0; i < 1000; ++i) {
      elements.push_back(1.0F / static_cast<float>(1 + i * 7 % 13 + communicator.rank() * 31));
    }
    const DeviceElements values(Tensor::from_data(Shape{1000}, elements), device);
    sum_in_place(communicator, device, values, 1000);
    sums[static_cast<std::size_t>(communicator.rank())] = values_of(values.read());
  });
  for (const std::vector<double>& each : sums) EXPECT_EQ(each, sums.front());
}

TEST_P(NcclCommunicatorTest, SumsSeveralBuffersInOneCall) {
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    const DeviceElements first(Tensor::full(Shape{6}, 1.0), device);
    const DeviceElements second(Tensor::full(Shape{3}, 2, int32), device);
    const ReductionBuffer buffers[] = {
        // The first two are adjacent, and one has no elements.
        {first.data(), first.data(), 2, float32},
        {static_cast<float*>(first.data()) + 2, static_cast<float*>(first.data()) + 2, 3, float32},
        {nullptr, nullptr, 0, float64},
        {second.data(), second.data(), 3, int32},
    };
    communicator.all_reduce(buffers, &device.stream());
    std::vector<double> expected(5, size());
    expected.push_back(1.0);
    EXPECT_EQ(values_of(first.read()), expected);
    EXPECT_EQ(values_of(second.read()), std::vector<double>(3, 2.0 * size()));
  });
}

TEST_P(NcclCommunicatorTest, SumsWhatTheStreamHasWrittenBefore) {
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    DeviceElements values(Tensor::full(Shape{10}, 1.0), device);
    const DeviceElements seen(Tensor::full(Shape{10}, 0.0), device);
    values.write(Tensor::full(Shape{10}, 3.0));
    sum_in_place(communicator, device, values, 10);
    device.stream().copy(seen.data(), values.data(), 10 * sizeof(float));
    values.write(Tensor::full(Shape{10}, 5.0));
    sum_in_place(communicator, device, values, 10);
    EXPECT_EQ(values_of(values.read()), std::vector<double>(10, 5.0 * size()));
    EXPECT_EQ(values_of(seen.read()), std::vector<double>(10, 3.0 * size()));
  });
}

TEST_P(NcclCommunicatorTest, CanBeRecorded) {
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    DeviceElements values(Tensor::full(Shape{10}, 1.0), device);
    device.stream().begin_recording();
    // Two in one recording, which is not replayed at the same time as the others.
    sum_in_place(communicator, device, values, 10);
    sum_in_place(communicator, device, values, 10);
    const std::unique_ptr<RecordedWork> recording = device.stream().end_recording();
    EXPECT_EQ(values_of(values.read()), std::vector<double>(10, 1.0));
    recording->replay();
    EXPECT_EQ(values_of(values.read()), std::vector<double>(10, size() * size()));
    values.write(Tensor::full(Shape{10}, 2.0));
    recording->replay();
    sum_in_place(communicator, device, values, 10);
    recording->replay();
    EXPECT_EQ(values_of(values.read()), std::vector<double>(10, 2.0 * std::pow(size(), 5)));
  });
}

TEST_P(NcclCommunicatorTest, RefusesOtherStreamsAndDtypes) {
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    const DeviceElements values(Tensor::full(Shape{10}, 1.0), device);
    const ReductionBuffer buffers[] = {in_place(values, 10, float32)};
    EXPECT_THROW(communicator.all_reduce(buffers, nullptr), ValueError);
    EXPECT_THROW(communicator.all_reduce(buffers, &first_gpu().stream()), ValueError);
    EXPECT_THROW(sum_in_place(communicator, device, values, 10, bool_), InvalidArgumentError);
    EXPECT_THROW(sum_in_place(communicator, device, values, 10, uint8), InvalidArgumentError);
    // None of it was submitted.
    sum_in_place(communicator, device, values, 10);
    EXPECT_EQ(values_of(values.read()), std::vector<double>(10, size()));
  });
}

TEST_P(NcclCommunicatorTest, DoesNothingWithoutElements) {
  on_each_member([&](NcclCommunicator& communicator, LogicalDevice& device) {
    communicator.all_reduce({}, &device.stream());
    const ReductionBuffer empty[] = {{nullptr, nullptr, 0, float32}};
    communicator.all_reduce(empty, &device.stream());
  });
}

TEST(NcclCommunicator, RefusesIdsAndRanksThatCannotBe) {
  const std::string id(sizeof(ncclUniqueId), 'x');
  EXPECT_THAT([&] { NcclCommunicator("short", 2, 0, gpu_of_card(0)); },
              ThrowsMessage<ValueError>(HasSubstr("128 bytes, not 5")));
  EXPECT_THROW(NcclCommunicator(id, 2, 2, gpu_of_card(0)), ValueError);
  EXPECT_THROW(NcclCommunicator(id, 2, -1, gpu_of_card(0)), ValueError);
  EXPECT_THROW(NcclCommunicator(id, 0, 0, gpu_of_card(0)), ValueError);
  EXPECT_THROW(NcclCommunicator(id, 1, 0, cpu()), ValueError);
}

TEST(NcclGroup, CannotHaveTwoLogicalGpusOfOneCard) {
  LogicalDevice* const one_card[] = {&first_gpu(), &second_gpu()};
  EXPECT_FALSE(can_join(one_card));
  LogicalDevice* const alone[] = {&second_gpu()};
  EXPECT_TRUE(can_join(alone));
  if (card_count() < 2) return;
  LogicalDevice* const two_cards[] = {&first_gpu(), &gpu_of_card(1)};
  EXPECT_TRUE(can_join(two_cards));
}

TEST(NcclLibrary, IsToldToBeMissing) {
  EXPECT_THAT([] { load_nccl_library("libno_such_nccl.so"); },
              ThrowsMessage<NotFoundError>(AllOf(StartsWith("Nccl kernel is not found, not using nccl allreduce. "),
                                                 HasSubstr("libno_such_nccl.so"), HasSubstr("RHYTON_NCCL_LIBRARY"))));
  EXPECT_THAT([] { load_nccl_library("libc.so.6"); },
              ThrowsMessage<NotFoundError>(HasSubstr("lacks the function ncclGetVersion")));
}

// Functions for tests on the emulation only.

#ifdef RHYTON_CUDA_EMULATION

using cuda_emulation::nccl_counters;
using cuda_emulation::NcclCounters;

/// Members that tests destroy or make fail.
struct Pair {
  Pair() {
    const std::string id = make_communicator_id();
    on_each_rank(2,
                 [&](int rank) { members[rank] = std::make_unique<NcclCommunicator>(id, 2, rank, gpu_of_card(rank)); });
  }

  std::unique_ptr<NcclCommunicator> members[2];
  DeviceElements values[2] = {{Tensor::full(Shape{10}, 1.0), gpu_of_card(0)},
                              {Tensor::full(Shape{10}, 1.0), gpu_of_card(1)}};

  void sum(int rank) { sum_in_place(*members[rank], gpu_of_card(rank), values[rank], 10); }
};

TEST(EmulatedNccl, TellsVersionAndFile) { EXPECT_THAT(describe(nccl_library()), StartsWith("NCCL 2.28.9, in ")); }

TEST(EmulatedNccl, GivesEachGroupAnIdOfItsOwn) {
  EXPECT_EQ(make_communicator_id().size(), sizeof(ncclUniqueId));
  EXPECT_NE(make_communicator_id(), make_communicator_id());
}

TEST(EmulatedNccl, RefusesTwoMembersOnOneCard) {
  const std::string id = make_communicator_id();
  std::string messages[2];
  on_each_rank(2, [&](int rank) {
    try {
      NcclCommunicator(id, 2, rank, gpu_of_card(1, rank));
    } catch (const RuntimeError& error) {
      messages[rank] = error.what();
    }
  });
  EXPECT_THAT(messages[1], AllOf(HasSubstr("device:GPU:13' (rank 1 of 2 of NCCL)"), HasSubstr("ncclCommInitRank"),
                                 HasSubstr("invalid usage"), HasSubstr("Duplicate GPU")));
  EXPECT_THAT(messages[0], HasSubstr("Duplicate GPU"));
}

TEST(EmulatedNccl, IsGivenNeighboursAsOneBufferAndAllInOneGroup) {
  const std::string id = make_communicator_id();
  NcclCommunicator communicator(id, 1, 0, gpu_of_card(0));
  const DeviceElements values(Tensor::full(Shape{10}, 1.0), gpu_of_card(0));
  auto* const data = static_cast<float*>(values.data());
  using Calls = std::pair<std::int64_t, std::int64_t>;
  const auto calls_of = [&](const std::vector<ReductionBuffer>& buffers) {
    const NcclCounters before = nccl_counters();
    communicator.all_reduce(buffers, &gpu_of_card(0).stream());
    const NcclCounters after = nccl_counters();
    return Calls(after.all_reduces - before.all_reduces, after.groups - before.groups);
  };
  const ReductionBuffer first{data, data, 4, float32};
  const ReductionBuffer second{data + 4, data + 4, 6, float32};
  EXPECT_EQ(calls_of({first}), Calls(1, 0));
  EXPECT_EQ(calls_of({first, second}), Calls(1, 0));
  EXPECT_EQ(calls_of({second, first}), Calls(2, 1));
  EXPECT_EQ(calls_of({first, {data + 4, data + 4, 2, int32}}), Calls(2, 1));
  EXPECT_EQ(calls_of({first, {data + 4, data, 4, float32}}), Calls(2, 1));
}

TEST(EmulatedNccl, IsNotWaitedForByTheHost) {
  Pair pair;
  const std::int64_t before = cuda_emulation::counters().synchronizations;
  // The other member's call comes later from the same thread.
  pair.sum(0);
  pair.sum(1);
  EXPECT_EQ(cuda_emulation::counters().synchronizations, before);
  EXPECT_EQ(values_of(pair.values[0].read()), std::vector<double>(10, 2.0));
  EXPECT_EQ(values_of(pair.values[1].read()), std::vector<double>(10, 2.0));
}

TEST(EmulatedNccl, IsLeftInOrderWhenAllWentWell) {
  const NcclCounters before = nccl_counters();
  {
    Pair pair;
    pair.sum(0);
    pair.sum(1);
  }
  EXPECT_EQ(nccl_counters().destroyed - before.destroyed, 2);
  EXPECT_EQ(nccl_counters().aborted, before.aborted);
}

TEST(EmulatedNccl, ErrorsNameTheOpTheDeviceAndItsOwnText) {
  Pair pair;
  const NcclCounters before = nccl_counters();
  cuda_emulation::fail_next_nccl("ncclAllReduce", ncclSystemError);
  EXPECT_THAT([&] { pair.sum(0); },
              ThrowsMessage<RuntimeError>(AllOf(StartsWith("AllReduce on '/job:localhost/replica:0/task:0/device:GPU:"),
                                                HasSubstr("(rank 0 of 2 of NCCL): ncclAllReduce failed with unhandled "
                                                          "system error"))));
  // The failure is permanent.
  EXPECT_THAT([&] { pair.sum(0); }, ThrowsMessage<RuntimeError>(HasSubstr("ncclAllReduce failed")));
  pair.members[0].reset();
  EXPECT_EQ(nccl_counters().aborted - before.aborted, 1);
}

TEST(EmulatedNccl, EndsGroupsThatHaveFailed) {
  Pair pair;
  const NcclCounters before = nccl_counters();
  cuda_emulation::fail_next_nccl("ncclAllReduce", ncclInternalError);
  const ReductionBuffer buffers[] = {in_place(pair.values[0], 2, float32), in_place(pair.values[0], 2, int32)};
  EXPECT_THROW(pair.members[0]->all_reduce(buffers, &gpu_of_card(0).stream()), RuntimeError);
  EXPECT_EQ(nccl_counters().groups - before.groups, 1);
  EXPECT_EQ(nccl_counters().all_reduces, before.all_reduces);
}

TEST(EmulatedNccl, TellsOfMembersThatAreLost) {
  Pair pair;
  const NcclCounters before = nccl_counters();
  cuda_emulation::set_nccl_async_error(ncclRemoteError);
  EXPECT_THAT([&] { pair.sum(1); },
              ThrowsMessage<RuntimeError>(HasSubstr("remote process exited or there was a network error")));
  pair.members[0].reset();
  pair.members[1].reset();
  EXPECT_EQ(nccl_counters().aborted - before.aborted, 2);
}

TEST(EmulatedNccl, AMemberThatWaitsIsFreedByAbort) {
  Pair pair;
  pair.sum(0);
  std::thread waiting([&] { gpu_of_card(0).stream().synchronize(); });
  pair.members[0]->abort();
  waiting.join();
  EXPECT_THAT([&] { pair.sum(0); }, ThrowsMessage<RuntimeError>(HasSubstr("a member has failed")));
  // The remaining member must not be waited for either.
  pair.members[1]->abort();
}

TEST(EmulatedNccl, ACallThatWaitsForTheOthersIsFreedByAbort) {
  Pair pair;
  const NcclCounters before = nccl_counters();
  cuda_emulation::block_next_nccl_sum();
  std::string message;
  std::thread waiting([&] { message = test::message_of<RuntimeError>([&] { pair.sum(0); }); });
  while (nccl_counters().blocked == before.blocked) std::this_thread::yield();
  pair.members[0]->abort();
  waiting.join();
  EXPECT_THAT(message, HasSubstr("the group was left because a member has failed"));
  EXPECT_EQ(nccl_counters().aborted - before.aborted, 1);
  pair.members[0].reset();
  EXPECT_EQ(nccl_counters().aborted - before.aborted, 1);
  pair.members[1]->abort();
}

TEST(EmulatedNccl, IsAbortedByExceptions) {
  const NcclCounters before = nccl_counters();
  const auto fail = [] {
    Pair pair;
    pair.sum(0);
    throw ValueError("something else");
  };
  EXPECT_THROW(fail(), ValueError);
  EXPECT_EQ(nccl_counters().aborted - before.aborted, 2);
}

#endif

}  // namespace
}  // namespace rhyton::gpu

#endif

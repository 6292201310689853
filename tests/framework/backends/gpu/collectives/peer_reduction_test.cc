#include <rhyton/framework/backends/gpu/collectives/peer_reduction.h>

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cards.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu {
namespace {

constexpr DType summed_dtypes[] = {float32, float64, float16, bfloat16, int32, int64};

GpuStream& stream_of(LogicalDevice& device) { return static_cast<GpuStream&>(device.stream()); }

/// Small integers with exact sums in all dtypes, different for each member.
Tensor small_integers(std::int64_t count, int member, DType dtype) {
  std::vector<float> elements;
  for (std::int64_t i = 0; i < count; ++i) elements.push_back(static_cast<float>((i * 7 + member * 5) % 11 - 5));
  return Tensor::from_data(Shape{count}, elements).cast(dtype);
}

Tensor sum_of_small_integers(std::int64_t count, int members, DType dtype) {
  std::vector<float> sums(static_cast<std::size_t>(count));
  for (int member = 0; member < members; ++member) {
    const Tensor elements = small_integers(count, member, float32);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += elements.data<float>()[i];
  }
  return Tensor::from_data(Shape{count}, sums).cast(dtype);
}

/// Members' elements on devices, and their sum.
class Members {
 public:
  void add(const Tensor& elements, LogicalDevice& device, std::int64_t offset = 0) {
    elements_.push_back(std::make_unique<DeviceElements>(elements, device, offset));
    devices_.push_back(&device);
    spec_ = elements.spec();
  }

  /// Makes the first member's stream write the sum to the memory of all members.
  void sum() {
    GpuStream& stream = stream_of(*devices_.front());
    for (LogicalDevice* const device : devices_) stream.wait_for(device->stream());
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (const auto& elements : elements_) {
      inputs.push_back(elements->data());
      outputs.push_back(elements->data());
    }
    sum_in_order(inputs, outputs, spec_.shape.size(), spec_.dtype, stream);
    for (LogicalDevice* const device : devices_) stream_of(*device).wait_for(stream);
  }

  DeviceElements& operator[](std::size_t member) { return *elements_[member]; }
  std::size_t size() const { return elements_.size(); }

 private:
  std::vector<std::unique_ptr<DeviceElements>> elements_;
  std::vector<LogicalDevice*> devices_;
  TensorSpec spec_;
};

TEST(GpuPeerReduction, SumsMembersOfOneCardInPlace) {
  for (const DType dtype : summed_dtypes) {
    for (const int count : {1, 2, 3, 5, 16}) {
      for (const std::int64_t elements : {1, 3, 4, 5, 1000, 100'003}) {
        SCOPED_TRACE(testing::Message() << name_of(dtype) << ", " << count << " members, " << elements);
        Members members;
        for (int member = 0; member < count; ++member) {
          members.add(small_integers(elements, member, dtype), member % 2 == 0 ? first_gpu() : second_gpu());
        }
        members.sum();
        const std::vector<double> expected = values_of(sum_of_small_integers(elements, count, dtype));
        for (std::size_t member = 0; member < members.size(); ++member) {
          ASSERT_EQ(values_of(members[member].read()), expected);
        }
      }
    }
  }
}

TEST(GpuPeerReduction, TakesMemoryThatIsNotAlignedForPacks) {
  for (const DType dtype : summed_dtypes) {
    Members members;
    members.add(small_integers(1001, 0, dtype), first_gpu());
    members.add(small_integers(1001, 1, dtype), second_gpu(), 1);
    members.sum();
    const std::vector<double> expected = values_of(sum_of_small_integers(1001, 2, dtype));
    EXPECT_EQ(values_of(members[0].read()), expected) << name_of(dtype);
    EXPECT_EQ(values_of(members[1].read()), expected) << name_of(dtype);
  }
}

TEST(GpuPeerReduction, WritesNothingElse) {
  const DeviceElements input(small_integers(5, 0, float32), first_gpu());
  const DeviceElements output(Tensor::full(Shape{8}, -1.0), first_gpu());
  const void* const inputs[] = {input.data(), input.data()};
  void* const outputs[] = {output.data()};
  sum_in_order(inputs, outputs, 5, float32, stream_of(first_gpu()));
  EXPECT_EQ(values_of(input.read()), values_of(small_integers(5, 0, float32)));
  std::vector<double> expected = values_of(small_integers(5, 0, float32));
  for (double& each : expected) each *= 2;
  expected.insert(expected.end(), 3, -1.0);
  EXPECT_EQ(values_of(output.read()), expected);
}

TEST(GpuPeerReduction, AddsInTheOrderOfTheMembers) {
  const auto sum = [](const std::vector<float>& elements) {
    Members members;
    for (const float element : elements) members.add(Tensor::full(Shape{100}, element), first_gpu());
    members.sum();
    return members[1].read().data<float>()[99];
  };
  EXPECT_EQ(sum({1e8F, 1.0F, -1e8F}), 0.0F);
  EXPECT_EQ(sum({1e8F, -1e8F, 1.0F}), 1.0F);
}

TEST(GpuPeerReduction, RoundsHalfTypesOnce) {
  for (const DType dtype : {float16, bfloat16}) {
    // A single one is less than half of the last bit.
    const double large = dtype == float16 ? 4096 : 512;
    Members members;
    members.add(Tensor::full(Shape{9}, large, dtype), first_gpu());
    for (int i = 0; i < 4; ++i) members.add(Tensor::full(Shape{9}, 1.0, dtype), first_gpu());
    members.sum();
    EXPECT_EQ(values_of(members[0].read()), std::vector<double>(9, large + 4)) << name_of(dtype);
  }
}

TEST(GpuPeerReduction, WrapsIntegersAround) {
  Members members;
  members.add(Tensor::from_data(Shape{1}, {std::numeric_limits<std::int64_t>::max()}), first_gpu());
  members.add(Tensor::from_data(Shape{1}, {std::int64_t{1}}), first_gpu());
  members.sum();
  EXPECT_EQ(members[0].read().data<std::int64_t>()[0], std::numeric_limits<std::int64_t>::min());
}

TEST(GpuPeerReduction, StandsBetweenWhatTheMembersStreamsDoBeforeAndAfter) {
  Members members;
  for (int member = 0; member < 2; ++member) {
    members.add(Tensor::full(Shape{1000}, 7.0), member == 0 ? first_gpu() : second_gpu());
  }
  // There is no synchronization here until the end.
  const DeviceElements seen(Tensor::full(Shape{1000}, 0.0), second_gpu());
  members[1].write(Tensor::full(Shape{1000}, 30.0));
  members.sum();
  second_gpu().stream().copy(seen.data(), members[1].data(), 1000 * sizeof(float));
  members[1].write(Tensor::full(Shape{1000}, 100.0));
  members.sum();
  EXPECT_EQ(values_of(members[0].read()), std::vector<double>(1000, 137.0));
  EXPECT_EQ(values_of(members[1].read()), std::vector<double>(1000, 137.0));
  EXPECT_EQ(values_of(seen.read()), std::vector<double>(1000, 37.0));
}

TEST(GpuPeerReduction, CanBeRecorded) {
  const DeviceElements total(Tensor::full(Shape{10}, 1.0), first_gpu());
  const DeviceElements amount(Tensor::full(Shape{10}, 2.0), first_gpu());
  const void* const inputs[] = {total.data(), amount.data()};
  void* const outputs[] = {total.data()};
  GpuStream& stream = stream_of(first_gpu());
  stream.begin_recording();
  sum_in_order(inputs, outputs, 10, float32, stream);
  const std::unique_ptr<RecordedWork> recording = stream.end_recording();
  recording->replay();
  recording->replay();
  EXPECT_EQ(values_of(total.read()), std::vector<double>(10, 5.0));
}

TEST(GpuPeerReduction, SumsOverCardsThatReachEachOther) {
  if (card_count() < 3) GTEST_SKIP() << "There are less than three cards.";
  Members members;
  for (int card = 0; card < 3; ++card) {
    if (!reaches(stream_of(gpu_of_card(0)), stream_of(gpu_of_card(card)))) GTEST_SKIP() << "They cannot.";
    members.add(small_integers(1003, card, float32), gpu_of_card(card));
  }
  // A repeated call is not an error.
  EXPECT_TRUE(reaches(stream_of(gpu_of_card(0)), stream_of(gpu_of_card(1))));
  members.sum();
  for (std::size_t card = 0; card < 3; ++card) {
    EXPECT_EQ(values_of(members[card].read()), values_of(sum_of_small_integers(1003, 3, float32)));
  }
}

TEST(GpuPeerReduction, ReachesTheOtherLogicalGpusOfTheCard) {
  EXPECT_TRUE(reaches(stream_of(first_gpu()), stream_of(second_gpu())));
}

#ifdef RHYTON_CUDA_EMULATION
TEST(GpuPeerReduction, AsksTheDriverForAccessOnce) {
  ASSERT_TRUE(reaches(stream_of(gpu_of_card(0)), stream_of(gpu_of_card(1))));
  cuda_emulation::fail_next("cudaDeviceCanAccessPeer", cudaErrorUnknown);
  cuda_emulation::fail_next("cudaDeviceEnablePeerAccess", cudaErrorUnknown);
  EXPECT_TRUE(reaches(stream_of(gpu_of_card(0)), stream_of(gpu_of_card(1))));
  // The failures are still to come.
  int can_access = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can_access, 0, 1), cudaErrorUnknown);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorUnknown);
  cudaGetLastError();
}

TEST(GpuPeerReduction, DoesNotReachCardsWithoutAWayToEachOther) {
  cuda_emulation::set_peer_access(false);
  EXPECT_FALSE(reaches(stream_of(gpu_of_card(2)), stream_of(gpu_of_card(3))));
  EXPECT_TRUE(reaches(stream_of(gpu_of_card(2)), stream_of(gpu_of_card(2, 1))));
  cuda_emulation::set_peer_access(true);
}
#endif

TEST(GpuPeerReduction, RefusesWhatItCannotSum) {
  GpuStream& stream = stream_of(first_gpu());
  const DeviceElements elements(Tensor::full(Shape{4}, 1.0), first_gpu());
  const std::vector<const void*> inputs(17, elements.data());
  const std::vector<void*> outputs(17, elements.data());
  const auto sum = [&](std::size_t input_count, std::size_t output_count, DType dtype) {
    sum_in_order(std::span(inputs).first(input_count), std::span(outputs).first(output_count), 1, dtype, stream);
  };
  EXPECT_THROW(sum(0, 1, float32), ValueError);
  EXPECT_THROW(sum(1, 0, float32), ValueError);
  EXPECT_THROW(sum(17, 1, float32), ValueError);
  EXPECT_THROW(sum(1, 17, float32), ValueError);
  EXPECT_THROW(sum(1, 1, bool_), InvalidArgumentError);
  EXPECT_THROW(sum(1, 1, uint8), InvalidArgumentError);
}

TEST(GpuPeerReduction, DoesNothingForNoElements) {
  const void* const inputs[] = {nullptr};
  void* const outputs[] = {nullptr};
  EXPECT_NO_THROW(sum_in_order(inputs, outputs, 0, float32, stream_of(first_gpu())));
}

}  // namespace
}  // namespace rhyton::gpu

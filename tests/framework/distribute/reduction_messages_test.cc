#include <rhyton/framework/distribute/reduction_messages.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

constexpr std::int64_t packed_floats = packed_reduction_bytes / 4;

ReductionBuffer buffer_of(std::int64_t elements, DType dtype) {
  return {.input = nullptr, .output = nullptr, .elements = elements, .dtype = dtype};
}

std::vector<std::int64_t> lengths_of(const std::vector<ReductionMessage>& messages) {
  std::vector<std::int64_t> lengths;
  for (const ReductionMessage& message : messages) lengths.push_back(message.elements);
  return lengths;
}

TEST(ReductionMessages, PacksSmallBuffersTogether) {
  const std::vector<ReductionBuffer> buffers = {buffer_of(3, float32), buffer_of(0, float32), buffer_of(5, float32)};
  const auto messages = reduction_messages(buffers);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].elements, 8);
  ASSERT_EQ(messages[0].pieces.size(), 2U) << "nothing has to be sent of an empty buffer";
  EXPECT_EQ(messages[0].pieces[1].buffer, 2U);
}

TEST(ReductionMessages, KeepsDtypesApart) {
  const std::vector<ReductionBuffer> buffers = {buffer_of(3, float32), buffer_of(3, float64), buffer_of(3, float32)};
  EXPECT_EQ(lengths_of(reduction_messages(buffers)), (std::vector<std::int64_t>{3, 3, 3}));
}

TEST(ReductionMessages, BeginsAnotherWhereOneIsFull) {
  const std::vector<ReductionBuffer> buffers = {buffer_of(packed_floats - 1, float32), buffer_of(1, float32),
                                                buffer_of(1, float32)};
  EXPECT_EQ(lengths_of(reduction_messages(buffers)), (std::vector<std::int64_t>{packed_floats, 1}));
}

TEST(ReductionMessages, LeavesALargeBufferWhole) {
  const std::vector<ReductionBuffer> buffers = {buffer_of(1, float32), buffer_of(10 * packed_floats, float32),
                                                buffer_of(1, float32)};
  EXPECT_EQ(lengths_of(reduction_messages(buffers)), (std::vector<std::int64_t>{1, 10 * packed_floats, 1}));
}

TEST(ReductionMessages, CutsALargeBufferThatIsSummedInAWiderDtype) {
  const std::vector<ReductionBuffer> buffers = {buffer_of(2 * packed_floats + 7, float16)};
  const auto messages = reduction_messages(buffers);
  EXPECT_EQ(lengths_of(messages), (std::vector<std::int64_t>{packed_floats, packed_floats, 7}));
  EXPECT_EQ(messages[2].pieces[0].first, 2 * packed_floats);
  EXPECT_EQ(messages[2].sum_dtype, float32);
}

TEST(ReductionMessages, RefusesWhatCannotBeSummed) {
  for (const DType dtype : {uint8, bool_}) {
    const std::vector<ReductionBuffer> buffers = {buffer_of(1, dtype)};
    EXPECT_THROW(reduction_messages(buffers), ValueError);
  }
}

TEST(GatherInputs, NeedsNoOtherMemoryForOutputsThatLieOneAfterAnother) {
  const std::vector<float> inputs = {1, 2, 3, 4, 5};
  std::vector<float> outputs(5);
  const std::vector<ReductionBuffer> buffers = {{inputs.data(), outputs.data(), 2, float32},
                                                {inputs.data() + 2, outputs.data() + 2, 3, float32}};
  std::vector<std::byte> staging;
  const auto messages = reduction_messages(buffers);
  EXPECT_EQ(gather_inputs(buffers, messages[0], staging), reinterpret_cast<std::byte*>(outputs.data()));
  EXPECT_TRUE(staging.empty());
  EXPECT_EQ(outputs, inputs);
}

TEST(GatherInputs, PacksOutputsThatDoNot) {
  std::vector<float> a = {1, 2};
  std::vector<float> b = {3};
  const std::vector<ReductionBuffer> buffers = {{b.data(), b.data(), 1, float32}, {a.data(), a.data(), 2, float32}};
  const auto messages = reduction_messages(buffers);
  std::vector<std::byte> staging;
  auto* const packed = reinterpret_cast<float*>(gather_inputs(buffers, messages[0], staging));
  EXPECT_EQ(std::vector<float>(packed, packed + 3), (std::vector<float>{3, 1, 2}));
  for (int i = 0; i < 3; ++i) packed[i] *= 10;
  scatter_sums(buffers, messages[0], reinterpret_cast<std::byte*>(packed));
  EXPECT_EQ(a, (std::vector<float>{10, 20}));
  EXPECT_EQ(b, (std::vector<float>{30}));
}

TEST(GatherInputs, WidensHalfTypesAndRoundsOnce) {
  std::vector<BFloat16> values = {BFloat16(1.0F), BFloat16(-3.5F)};
  const std::vector<ReductionBuffer> buffers = {{values.data(), values.data(), 2, bfloat16}};
  const auto messages = reduction_messages(buffers);
  std::vector<std::byte> staging;
  auto* const wide = reinterpret_cast<float*>(gather_inputs(buffers, messages[0], staging));
  EXPECT_EQ(wide[0], 1.0F);
  EXPECT_EQ(wide[1], -3.5F);
  wide[0] += 1.0F / 1024;  // less than the precision of bfloat16
  scatter_sums(buffers, messages[0], reinterpret_cast<std::byte*>(wide));
  EXPECT_EQ(static_cast<float>(values[0]), 1.0F);
}

}  // namespace
}  // namespace rhyton::distribute

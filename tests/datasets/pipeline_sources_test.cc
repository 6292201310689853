// Sources of pipelines, and steps that join, flatten and pad; golden_pipelines_test.cc compares them with TensorFlow.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_sources.h>
#include <rhyton/datasets/windows.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The values of the first x of all elements, one after the other.
std::vector<double> values_in(const Dataset& dataset, std::uint64_t pass = 0) {
  std::vector<double> values;
  const auto elements = dataset.iterator(pass);
  while (const std::optional<Batch> element = elements->next()) {
    for (const double value : element->x.front().to_vector()) values.push_back(value);
  }
  return values;
}

Batch first_of(const Dataset& dataset) { return *dataset.iterator(0)->next(); }

TEST(Range, CountsWithoutTheStop) {
  EXPECT_THAT(values_in(range(3)), ElementsAre(0, 1, 2));
  EXPECT_THAT(values_in(range(5, -2, -3)), ElementsAre(5, 2, -1));
  EXPECT_EQ(range(4).element_spec().x.front(), (TensorSpec{{}, DType::int64}));
  EXPECT_EQ(first_of(range(4, {.output_type = float32})).x[0].dtype(), DType::float32);
  EXPECT_THROW(range(0, 3, 0), InvalidArgumentError);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(range(smallest, largest, largest).cardinality(), 3);
  EXPECT_EQ(range(largest, smallest, smallest).cardinality(), 2);
  EXPECT_EQ(values_in(range(largest - 1, largest, 2)).size(), 1U);
}

TEST(FromTensors, IsOneElement) {
  const Pipeline data = from_tensors(Tensor::zeros({2, 3}), Tensor::scalar(5));
  EXPECT_EQ(data.cardinality(), 1);
  EXPECT_EQ(data.element_spec().x.front().shape, (Shape{2, 3}));
  EXPECT_EQ(first_of(data).y[0].item(), 5);
  EXPECT_EQ(values_in(data.repeat(2)).size(), 12U);
  EXPECT_THROW(from_tensors(Tensor()), ValueError);
}

TEST(FromGenerator, BeginsAnewInEachPass) {
  const auto count_to_three = [] {
    return [i = 0]() mutable { return i < 3 ? std::optional(Tensor::scalar(i++)) : std::nullopt; };
  };
  const Pipeline data = from_generator(count_to_three, {.x = {{{}, DType::int32}}});
  EXPECT_EQ(data.cardinality(), std::nullopt);
  for (const std::uint64_t pass : {0U, 1U}) EXPECT_THAT(values_in(data, pass), ElementsAre(0, 1, 2));
}

TEST(FromGenerator, RefusesElementsThatDoNotMatchTheSignature) {
  const auto pairs = [] {
    return [is_first = true]() mutable -> std::optional<std::pair<Tensor, Tensor>> {
      if (!std::exchange(is_first, false)) return std::nullopt;
      return std::pair(Tensor::zeros({2, 5}), Tensor::scalar(1));
    };
  };
  const TensorSpec label = {{}, DType::int32};
  EXPECT_EQ(first_of(from_generator(pairs, {.x = {{{2, -1}, float32}}, .y = {label}})).x[0].shape(), (Shape{2, 5}));
  EXPECT_EQ(message_of<TypeError>([&] {
              first_of(from_generator(pairs, {.x = {{{3, -1}, float32}}, .y = {label}}));
            }),
            "`generator` yielded an element of float32 (2, 5) where an element of float32 (3, None) was expected.");
  EXPECT_THROW(first_of(from_generator(pairs, {.x = {{{2, 5}, float64}}, .y = {label}})), TypeError);
  EXPECT_THAT(message_of<TypeError>([&] {
                first_of(from_generator(pairs, {.x = {{{2, 5}, float32}}}));
              }),
              HasSubstr("did not match the expected structure"));
}

TEST(Zip, MakesOneElementOfSeveral) {
  const Pipeline data = zip(range(5), range(10, 13), range(20, 29));
  EXPECT_EQ(data.cardinality(), 3);
  const Batch element = first_of(data);
  EXPECT_EQ(element.x[0].item(), 0);
  EXPECT_EQ(element.y[0].item(), 10);
  EXPECT_EQ(element.sample_weight[0].item(), 20);
  EXPECT_EQ(zip(range(5), range(3).repeat()).cardinality(), 5);
  EXPECT_EQ(zip(range(5).repeat(), range(3).repeat()).cardinality(), infinite_cardinality);
  const Pipeline inputs = zip({.x = {range(5), range(7)}, .y = {range(6)}});
  EXPECT_EQ(inputs.element_spec().x.size(), 2U);
  EXPECT_THROW(zip({.x = {}}), TypeError);
}

TEST(Random, IsTheSameForASeed) {
  const Pipeline numbers = random({.seed = 4}).take(6);
  EXPECT_EQ(values_in(numbers), values_in(random({.seed = 4}).take(6)));
  EXPECT_EQ(values_in(numbers, 0), values_in(numbers, 1));
  EXPECT_NE(values_in(numbers), values_in(random({.seed = 5}).take(6)));
  const Pipeline anew = random({.seed = 4, .rerandomize_each_iteration = true}).take(6);
  EXPECT_NE(values_in(anew, 0), values_in(anew, 1));
  for (const double value : values_in(numbers)) EXPECT_TRUE(value >= 0 && value < 4294967296.0);
}

TEST(Concatenate, RefusesOtherDtypesAndLeavesDifferentLengthsOpen) {
  const Pipeline both = range(6).batch(2).concatenate(range(9).batch(3));
  EXPECT_EQ(both.cardinality(), 6);
  const Pipeline rows = from_tensors(Tensor::zeros({2, 3})).concatenate(from_tensors(Tensor::zeros({4, 3})));
  EXPECT_EQ(rows.element_spec().x.front().shape, (Shape{-1, 3}));
  EXPECT_THAT(message_of<TypeError>([] { range(2).concatenate(range(2, {.output_type = int32})); }),
              HasSubstr("Incompatible dataset elements:\n  [int64 ()] vs.   [int32 ()]"));
}

TEST(Shard, RefusesIndicesOutOfRange) {
  EXPECT_THAT(values_in(range(7).shard(3, 1)), ElementsAre(1, 4));
  EXPECT_EQ(message_of<InvalidArgumentError>([] { range(7).shard(3, 3); }),
            "Index must be between 0 and 2 (currently index = 3).");
  EXPECT_THROW(range(7).shard(0, 0), InvalidArgumentError);
}

TEST(Unbatch, UndoesBatchAndRefusesDifferentLengths) {
  const Pipeline data = zip(range(5), range(10, 15));
  EXPECT_EQ(data.batch(2).unbatch().element_spec().x, data.element_spec().x);
  EXPECT_EQ(first_of(data.batch(2).unbatch().skip(3)).y[0].item(), 13);
  EXPECT_EQ(message_of<InvalidArgumentError>(
                [] { values_in(from_tensors(Tensor::zeros({2}), Tensor::zeros({3})).unbatch()); }),
            "Input element must have the same batch size in each component. Component 0 had size 2 but component 1 had "
            "size 3.");
  EXPECT_THROW(std::ignore = range(3).unbatch().element_spec(), ValueError);
}

TEST(FlatMap, ShufflesInnerPipelinesAnewInEachPass) {
  const Pipeline data = range(2).flat_map([](const Tensor&) { return range(30).shuffle(30, {.seed = 1}); });
  EXPECT_EQ(data.cardinality(), std::nullopt);
  EXPECT_EQ(data.element_spec().x.front().dtype, DType::int64);
  EXPECT_NE(values_in(data, 0), values_in(data, 1));
  EXPECT_EQ(values_in(data, 1), values_in(data, 1));
}

TEST(Window, MakesTheTimeSeriesOfTheTutorials) {
  const Pipeline data = range(10)
                            .window(5, {.shift = 1, .drop_remainder = true})
                            .flat_map([](const Pipeline& window) { return window.batch(5); })
                            .map([](const Tensor& w) { return std::pair(w.slice(0, 4), w[-1]); })
                            .batch(2);
  const Batch batch = first_of(data);
  EXPECT_EQ(batch.x[0].to_vector(), (std::vector<double>{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(batch.y[0].to_vector(), (std::vector<double>{4, 5}));
  EXPECT_EQ(values_in(data).size(), 24U);
}

TEST(Window, IsARangeOfDataSets) {
  std::vector<std::int64_t> sizes;
  for (const Pipeline& window : range(7).window(3)) sizes.push_back(window.cardinality().value());
  EXPECT_THAT(sizes, ElementsAre(3, 3, 1));
  EXPECT_EQ(range(7).window(3).cardinality(), 3);
  EXPECT_EQ(range(7).window(3, {.shift = 2, .drop_remainder = true}).cardinality(), 3);
  EXPECT_EQ(range(7).repeat().window(3).cardinality(), infinite_cardinality);
  EXPECT_THROW(range(7).window(0), ValueError);
  EXPECT_THROW(range(7).window(2, {.shift = 0}), ValueError);
}

TEST(PaddedBatch, PadsEachTensorWithItsValue) {
  const Pipeline data = range(1, 4).map([](const Tensor& n) {
    const auto length = static_cast<std::int64_t>(n.item());
    return std::pair(Tensor::full({length, 2}, 7), Tensor::full({length}, length, DType::int64));
  });
  const Pipeline padded =
      data.padded_batch(2, {.padded_shapes = {.x = {{-1, 3}}, .y = {{4}}}, .padding_values = {.x = {0.5}, .y = {-1}}});
  EXPECT_EQ(padded.element_spec().x.front(), (TensorSpec{{-1, -1, 3}, float32}));
  const Batch batch = first_of(padded);
  EXPECT_EQ(batch.x[0].shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(batch.x[0].to_vector(), (std::vector<double>{7, 7, .5, .5, .5, .5, 7, 7, .5, 7, 7, .5}));
  EXPECT_EQ(batch.y[0].to_vector(), (std::vector<double>{1, -1, -1, -1, 2, 2, -1, -1}));
  EXPECT_EQ(padded.batch_size(), 2);
  const Pipeline open = data.padded_batch(3);
  EXPECT_EQ(open.element_spec().x.front().shape, (Shape{-1, -1, 2}));
  EXPECT_EQ(first_of(open).x[0].shape(), (Shape{3, 3, 2}));
}

TEST(PaddedBatch, RefusesShapesAndValuesThatDoNotFit) {
  const Pipeline data = range(1, 4).map([](const Tensor& n) { return Tensor::zeros({3}, DType::int64) + n; });
  EXPECT_THAT(
      message_of<InvalidArgumentError>([&] { first_of(data.padded_batch(2, {.padded_shapes = {.x = {{2}}}})); }),
      HasSubstr("Attempted to pad to a smaller size than the input element"));
  EXPECT_THAT(message_of<InvalidArgumentError>([&] {
                first_of(data.padded_batch(2, {.padded_shapes = {.x = {{2, 2}}}}));
              }),
              HasSubstr("expected rank 2 but got element with rank 1"));
  EXPECT_THROW(first_of(data.padded_batch(2, {.padded_shapes = {.x = {{3}}, .y = {{3}}}})), ValueError);
  EXPECT_THROW(first_of(data.padded_batch(2, {.padding_values = {.x = {0.5}}})), TypeError);
  EXPECT_THROW(data.padded_batch(0), ValueError);
}

TEST(BucketBySequenceLength, RefusesWhatHasNoBoundary) {
  const auto length = [](const Tensor& x) { return x.shape()[0]; };
  const Pipeline data = range(1, 6).map([](const Tensor& n) { return Tensor::zeros({n.data<std::int64_t>()[0]}); });
  const Pipeline buckets = data.bucket_by_sequence_length(length, {3}, {2, 2});
  std::vector<Shape> shapes;
  for (const Batch& batch : buckets) shapes.push_back(batch.x[0].shape());
  EXPECT_THAT(shapes, ElementsAre(Shape{2, 2}, Shape{2, 4}, Shape{1, 5}));
  EXPECT_THROW(values_in(data.bucket_by_sequence_length(length, {3}, {2, 2}, {.pad_to_bucket_boundary = true})),
               InvalidArgumentError);
  EXPECT_THROW(range(3).bucket_by_sequence_length([](const Tensor&) { return 1; }, {3}, {2, 2},
                                                  {.pad_to_bucket_boundary = true}),
               ValueError);
  EXPECT_EQ(message_of<ValueError>([&] { data.bucket_by_sequence_length(length, {3}, {2}); }),
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)=1` and "
            "`len(bucket_boundaries)=1`.");
}

TEST(Reduce, PassesTheStateFromElementToElement) {
  const Tensor zero = Tensor::scalar(std::int64_t{0});
  const auto add = [](const Tensor& sum, const Tensor& x) { return sum + x; };
  EXPECT_EQ(range(5).reduce(zero, add).item(), 10);
  EXPECT_EQ(range(0).reduce(zero, add).item(), 0);
  EXPECT_EQ(message_of<TypeError>(
                [&] { range(5).reduce(zero, [](const Tensor& sum, const Tensor&) { return sum.cast(float32); }); }),
            "The element types for the new state must match the initial state. Expected (int64 | |) but got (float32 | "
            "|).");
  const Batch sums =
      zip(range(3), range(10, 13)).reduce(Batch{.x = {zero, zero}}, [](const Batch& state, const Batch& element) {
        return Batch{.x = {state.x[0] + element.x[0], state.x[1] + element.y[0]}};
      });
  EXPECT_EQ(sums.x[1].item(), 33);
}

}  // namespace
}  // namespace rhyton::datasets

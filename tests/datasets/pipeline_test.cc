// Pipelines of data sets, compared with what tf.data does.

#include <rhyton/datasets/pipeline.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::datasets {
namespace {

using test::message_of;

/// The elements 0, 1, …, count - 1.
Pipeline counted(std::int64_t count) { return from_tensor_slices(arange(0, count, 1, DType::float32)); }

/// The values of the first x of each element of a pass.
std::vector<std::vector<double>> values_of(const Dataset& dataset, std::uint64_t pass = 0) {
  std::vector<std::vector<double>> values;
  const auto elements = dataset.iterator(pass);
  while (const std::optional<Batch> element = elements->next()) values.push_back(element->x.front().to_vector());
  return values;
}

/// The same in one list.
std::vector<double> flat_values_of(const Dataset& dataset, std::uint64_t pass = 0) {
  std::vector<double> flat;
  for (const std::vector<double>& values : values_of(dataset, pass))
    flat.insert(flat.end(), values.begin(), values.end());
  return flat;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(FromTensorSlices, GivesOneElementForEachSample) {
  const Tensor x = arange(0, 6, 1, DType::float32).reshape({3, 2});
  const Tensor y = arange(0, 3, 1, DType::int32);
  const Pipeline slices = from_tensor_slices(x, y);
  EXPECT_EQ(slices.cardinality(), 3);
  EXPECT_EQ(slices.element_spec().x, (std::vector<TensorSpec>{{{2}, DType::float32}}));
  EXPECT_EQ(slices.element_spec().y, (std::vector<TensorSpec>{{{}, DType::int32}}));
  std::vector<double> labels;
  for (const Batch& element : slices) {
    EXPECT_EQ(element.x[0].shape(), Shape{2});
    EXPECT_TRUE(element.sample_weight.empty());
    labels.push_back(element.y[0].item());
  }
  EXPECT_EQ(labels, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(values_of(slices)[2], (std::vector<double>{4, 5}));
}

TEST(FromTensorSlices, TakesSeveralArraysAndWeights) {
  const Tensor a = arange(0, 4, 1, DType::float32);
  const Pipeline slices = from_tensor_slices({.x = {a, a * 2}, .y = {a * 3}, .sample_weight = {a * 4}});
  const Batch batch = *slices.skip(3).batch(1).iterator()->next();
  EXPECT_EQ(batch.x[1].to_vector(), std::vector<double>{6});
  EXPECT_EQ(batch.y[0].to_vector(), std::vector<double>{9});
  EXPECT_EQ(batch.sample_weight[0].to_vector(), std::vector<double>{12});
}

TEST(FromTensorSlices, TakesATuple) {
  const Tensor a = arange(0, 4, 1, DType::float32);
  const Batch batch = *from_tensor_slices({a, a * 2, a * 3}).skip(3).batch(1).iterator()->next();
  EXPECT_EQ(batch.x[0].to_vector(), std::vector<double>{3});
  EXPECT_EQ(batch.y[0].to_vector(), std::vector<double>{6});
  EXPECT_EQ(batch.sample_weight[0].to_vector(), std::vector<double>{9});
  EXPECT_TRUE(from_tensor_slices({a}).iterator()->next()->y.empty());
  EXPECT_THROW(from_tensor_slices({a, a, a, a}), ValueError);
}

TEST(FromTensorSlices, RefusesArraysThatDoNotFitTogether) {
  EXPECT_EQ(message_of<ValueError>([] {
              from_tensor_slices(Tensor::zeros({3, 2}), Tensor::zeros({4}));
            }),
            "The arrays of `from_tensor_slices` have different numbers of samples: 3 and 4.");
  EXPECT_EQ(message_of<ValueError>([] { from_tensor_slices(Tensor::scalar(1.0F)); }),
            "Unbatching a tensor is only supported for rank >= 1");
  EXPECT_THROW(from_tensor_slices(Tensor()), ValueError);
  EXPECT_THROW(from_tensor_slices(Batch{.x = {}}), ValueError);
}

TEST(PipelineBatch, StacksElementsAndKeepsTheRemainder) {
  const Pipeline batches = counted(5).batch(2);
  EXPECT_EQ(batches.cardinality(), 3);
  EXPECT_EQ(batches.element_spec().x, (std::vector<TensorSpec>{{{-1}, DType::float32}}));
  EXPECT_EQ(values_of(batches), (std::vector<std::vector<double>>{{0, 1}, {2, 3}, {4}}));
  const Pipeline full = counted(5).batch(2, {.drop_remainder = true});
  EXPECT_EQ(full.cardinality(), 2);
  EXPECT_EQ(values_of(full), (std::vector<std::vector<double>>{{0, 1}, {2, 3}}));
  EXPECT_THROW(counted(5).batch(0), ValueError);
}

TEST(PipelineBatch, RefusesElementsOfDifferentShapesInTensorFlowsWords) {
  const Pipeline growing =
      counted(3).map([](const Tensor& x) { return Tensor::zeros({2 + static_cast<std::int64_t>(x.item())}); });
  EXPECT_EQ(message_of<InvalidArgumentError>([&] { values_of(growing.batch(2)); }),
            "Cannot batch tensors with different shapes in component 0. First element had shape [2] and element 1 had "
            "shape [3].");
}

TEST(PipelineMap, AppliesFunctionsOfXOfXAndYAndOfElements) {
  EXPECT_EQ(flat_values_of(counted(3).map([](const Tensor& x) { return x * 10; })), (std::vector<double>{0, 10, 20}));

  const Tensor x = arange(0, 4, 1, DType::float32);
  const Pipeline pairs = from_tensor_slices(x, x).batch(3).map(
      [](const Tensor& a, const Tensor& b) { return std::pair(a.cast(int32), b + 1); });
  EXPECT_EQ(pairs.element_spec().x, (std::vector<TensorSpec>{{{-1}, DType::int32}}));
  EXPECT_EQ(pairs.cardinality(), 2);
  const Batch first = *pairs.iterator()->next();
  EXPECT_EQ(first.x[0].dtype(), DType::int32);
  EXPECT_EQ(first.y[0].to_vector(), (std::vector<double>{1, 2, 3}));

  const Pipeline split = counted(2).map([](const Batch& e) { return Batch{.x = {e.x[0], e.x[0] + 5}}; });
  EXPECT_EQ(split.element_spec().x.size(), 2U);
}

TEST(PipelineMap, LeavesLengthsOpenInWhichTheFirstTwoElementsDiffer) {
  const auto growing = [](const Tensor& x) { return Tensor::zeros({1 + static_cast<std::int64_t>(x.item()), 3}); };
  EXPECT_EQ(counted(3).map(growing).element_spec().x.front().shape, (Shape{-1, 3}));
  EXPECT_EQ(counted(1).map(growing).element_spec().x.front().shape, (Shape{1, 3}));
  const BatchSpec signature = {.x = {{{-1, -1}, DType::float32}}};
  EXPECT_EQ(counted(1).map(growing, {.output_signature = signature}).element_spec().x, signature.x);
}

TEST(PipelineMap, RefusesFunctionsOfOtherTensors) {
  const Tensor x = Tensor::zeros({2});
  const Pipeline pairs = from_tensor_slices(x, x).map([](const Tensor& a) { return a; });
  EXPECT_EQ(message_of<TypeError>([&] { values_of(pairs); }),
            "The function takes x, but an element has 1 x, 1 y and 0 sample weights. A function of a "
            "`datasets::Batch` takes any element. (element 0 of `map`)");
  const Pipeline single = counted(2).map([](const Tensor& a, const Tensor&) { return a; });
  EXPECT_THROW(values_of(single), TypeError);
}

TEST(PipelineShuffle, OrdersAllElementsAnewInEachPass) {
  const Pipeline shuffled = counted(100).shuffle(100, {.seed = 7});
  const std::vector<double> first = flat_values_of(shuffled, 0);
  EXPECT_NE(first, flat_values_of(counted(100)));
  EXPECT_NE(first, flat_values_of(shuffled, 1));
  EXPECT_EQ(sorted(first), flat_values_of(counted(100)));
  EXPECT_EQ(first, flat_values_of(counted(100).shuffle(100, {.seed = 7})));
  EXPECT_NE(first, flat_values_of(counted(100).shuffle(100, {.seed = 8})));
  EXPECT_EQ(shuffled.cardinality(), 100);
  const Pipeline same = counted(100).shuffle(100, {.seed = 7, .reshuffle_each_iteration = false});
  EXPECT_EQ(flat_values_of(same, 0), flat_values_of(same, 5));
}

TEST(PipelineShuffle, MovesAnElementForwardByLessThanTheBuffer) {
  const std::vector<double> order = flat_values_of(counted(50).shuffle(5, {.seed = 1}));
  for (std::size_t place = 0; place < order.size(); ++place) EXPECT_LT(order[place], static_cast<double>(place) + 5);
  EXPECT_EQ(flat_values_of(counted(9).shuffle(1)), flat_values_of(counted(9)));
  EXPECT_THROW(counted(9).shuffle(0), ValueError);
}

TEST(PipelineShuffle, DrawsItsSeedFromTheGlobalOne) {
  set_random_seed(3);
  const std::vector<double> first = flat_values_of(counted(40).shuffle(40));
  set_random_seed(3);
  EXPECT_EQ(flat_values_of(counted(40).shuffle(40)), first);
}

TEST(Pipeline, TakesSkipsFiltersAndRepeats) {
  EXPECT_EQ(flat_values_of(counted(5).take(2)), (std::vector<double>{0, 1}));
  EXPECT_EQ(flat_values_of(counted(5).skip(3)), (std::vector<double>{3, 4}));
  EXPECT_EQ(counted(5).skip(7).cardinality(), 0);
  EXPECT_EQ(counted(5).take(-1).cardinality(), 5);
  EXPECT_EQ(counted(5).skip(-1).cardinality(), 0);
  EXPECT_EQ(flat_values_of(counted(2).repeat(3)), (std::vector<double>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(counted(2).repeat(3).cardinality(), 6);
  const Pipeline odd = counted(6).filter([](const Batch& e) { return static_cast<int>(e.x[0].item()) % 2 == 1; });
  EXPECT_EQ(flat_values_of(odd), (std::vector<double>{1, 3, 5}));
  EXPECT_EQ(odd.cardinality(), std::nullopt);
  EXPECT_THROW(counted(5).take(-2), ValueError);
}

TEST(PipelineRepeat, IsWithoutEndByDefault) {
  const Pipeline endless = counted(3).repeat();
  EXPECT_EQ(endless.cardinality(), infinite_cardinality);
  EXPECT_EQ(endless.batch(2).cardinality(), infinite_cardinality);
  EXPECT_EQ(flat_values_of(endless.take(7)), (std::vector<double>{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(endless.take(7).cardinality(), 7);
  EXPECT_TRUE(flat_values_of(counted(3).take(0).repeat()).empty());
}

TEST(PipelineRepeat, ShufflesEachRoundAnew) {
  const std::vector<double> rounds = flat_values_of(counted(30).shuffle(30, {.seed = 2}).repeat(2));
  const std::vector<double> first(rounds.begin(), rounds.begin() + 30);
  const std::vector<double> second(rounds.begin() + 30, rounds.end());
  EXPECT_NE(first, second);
  EXPECT_EQ(sorted(first), sorted(second));
}

TEST(PipelineCache, RunsWhatComesBeforeOnlyOnce) {
  int calls = 0;
  const Pipeline cached = counted(3)
                              .map([&calls](const Tensor& x) {
                                ++calls;
                                return x + 1;
                              })
                              .cache();
  EXPECT_EQ(flat_values_of(cached, 0), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(flat_values_of(cached, 1), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(calls, 3);
}

TEST(Pipeline, ContinuesAnyDataSet) {
  const Dataset batches = counted(4).batch(2);
  EXPECT_EQ(flat_values_of(Pipeline(batches).map([](const Tensor& x) { return -x; }).take(1)),
            (std::vector<double>{0, -1}));
}

}  // namespace
}  // namespace rhyton::datasets

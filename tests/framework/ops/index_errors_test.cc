// Indices out of range and lengths that do not fit: the messages; and what TensorFlow leaves open.

#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using test::message_of;

template <class Function>
std::string refused(const Function& function) {
  return message_of<InvalidArgumentError>([&] { static_cast<void>(function()); });
}

Tensor indices(const Shape& shape, const std::vector<std::int64_t>& values) {
  return cast(Tensor::from_data(shape, values), int32);
}

Tensor numbers(const Shape& shape) { return reshape(cast(range(shape.size()), float32), shape); }

TEST(IndexErrors, Take) {
  EXPECT_EQ(refused([] { return take(numbers({4, 2}), indices({2}, {1, 7}), 0); }), "indices[1] = 7 is not in [0, 4)");
  EXPECT_EQ(refused([] {
              return take(numbers({4, 2}), indices({2}, {1, -7}), 0);
            }),
            "indices[1] = -3 is not in [0, 4)");
}

TEST(IndexErrors, TakeAlongAxis) {
  EXPECT_EQ(refused([] {
              return take_along_axis(numbers({4, 2}), indices({1, 2}, {4, 0}), 0);
            }),
            "indices[0,0] = 4 is not in [0, 4)");
  EXPECT_EQ(message_of<ValueError>([] {
              take_along_axis(numbers({4, 2}), indices({1}, {1}), 0);
            }),
            "`x` and `indices` must have the same number of dimensions, but receive shape (4, 2) and (1,).");
}

TEST(IndexErrors, Scatter) {
  EXPECT_EQ(refused([] {
              return scatter(indices({2, 1}, {0, 3}), numbers({2}), {3});
            }),
            "indices[1] = [3] does not index into shape [3]");
  EXPECT_EQ(refused([] {
              return scatter(indices({2, 2}, {0, 1, 2, -1}), numbers({2}), {3, 2});
            }),
            "indices[1] = [2,-1] does not index into shape [3,2]");
  EXPECT_EQ(message_of<ValueError>([] { scatter_reduction_from_name("sum"); }),
            "Invalid reduction: sum. Supported values are: None, 'add', 'max', 'min', 'mul'.");
}

TEST(IndexErrors, Slices) {
  EXPECT_EQ(refused([] { return slice(numbers({4}), indices({1}, {-1}), {2}); }),
            "Expected begin[0] in [0, 4], but got -1");
  EXPECT_EQ(refused([] { return slice(numbers({4}), indices({1}, {3}), {2}); }),
            "Expected size[0] in [0, 1], but got 2");
  EXPECT_EQ(refused([] { return slice_update(numbers({4}), indices({1}, {0}), numbers({5})); }),
            "Update dim size 5 greater than dynamic slice dimension: 4. [Op:XlaDynamicUpdateSlice]");
}

TEST(IndexErrors, Segments) {
  EXPECT_EQ(refused([] {
              return segment_sum(numbers({4}), indices({4}, {0, 2, 0, 9}), 4);
            }),
            "segment_ids[3] = 9 is out of range [0, 4)");
}

TEST(IndexErrors, TopK) {
  EXPECT_EQ(refused([] { return top_k(numbers({2}), 3).values; }),
            "input must have at least k columns. Had 2, needed 3 [Op:TopKV2]");
}

TEST(IndexErrors, Einsum) {
  EXPECT_EQ(message_of<ValueError>([] {
              einsum("ij;jk", numbers({2, 3}));
            }),
            "Subscripts have incorrect format: ij;jk");
  EXPECT_EQ(refused([] {
              return einsum("ij,jk", numbers({2, 3}), numbers({2, 3}));
            }),
            "Expected dimension 3 at axis 0 of the input shaped [2,3] but got dimension 2 [Op:Einsum]");
}

TEST(Sorting, NanIsTheLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from_data<float>({5}, {3, nan, 1, nan, 2});
  EXPECT_EQ(argsort(x).to_vector(), (std::vector<double>{2, 4, 0, 1, 3}));
  EXPECT_EQ(top_k(x, 3).indices.to_vector(), (std::vector<double>{1, 3, 0}));
}

TEST(Sorting, LongAxesOfEveryOrder) {
  const std::int64_t length = 10007;
  const Tensor order = range(length, int64) * 7919;
  const Tensor x = cast(order - (cast(cast(order, float64) / 10007.0, int64) * length), int32);
  EXPECT_EQ(sort(x).to_vector(), range(length).to_vector());
  EXPECT_EQ(take(x, argsort(x), 0).to_vector(), range(length).to_vector());
  EXPECT_EQ(top_k(x, 3).values.to_vector(), (std::vector<double>{10006, 10005, 10004}));
}

TEST(Sorting, ArgpartitionSeparatesAlongAnyAxis) {
  const Tensor x = Tensor::from_data<float>({2, 3}, {5.5, 1.25, 4, -2, 3, -1});
  EXPECT_EQ(argpartition(x, 1).to_vector(), (std::vector<double>{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(argpartition(x, 0, 0).to_vector(), (std::vector<double>{1, 0, 1, 0, 1, 0}));
}

TEST(Padding, ModesThatTensorFlowLacks) {
  const Tensor x = Tensor::from_data<float>({3}, {1, 2, 3});
  EXPECT_EQ(pad(x, {{2, 1}}, PadMode::edge).to_vector(), (std::vector<double>{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(pad(x, {{4, 2}}, PadMode::wrap).to_vector(), (std::vector<double>{3, 1, 2, 3, 1, 2, 3, 1, 2}));
}

}  // namespace
}  // namespace rhyton

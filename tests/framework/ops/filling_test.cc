// Tensors filled with a number, and elements limited to bounds.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/ops/golden_calls.h>

namespace rhyton {
namespace {

using golden::Call;
using golden::Functions;
using Tensors = std::vector<Tensor>;

std::optional<DType> dtype_at(const Call& c, std::size_t i) {
  return c.size() > i ? std::optional(dtype_from_name(c.word(i))) : std::nullopt;
}

Shape shape_at(const Call& c, std::size_t i) {
  const std::vector<std::int64_t> lengths = c.integers(i);
  return Shape(std::span<const std::int64_t>(lengths));
}

bool is_tensor(const Call& c, std::size_t i) { return c.has(i, "x") || c.has(i, "y") || c.has(i, "z"); }

Tensors full_of(const Call& c) {
  if (is_tensor(c, 1)) return {full(shape_at(c, 0), c.tensor(1), dtype_at(c, 2))};
  return {full(shape_at(c, 0), c.scalar(1), dtype_at(c, 2))};
}

Tensors full_like_of(const Call& c) {
  if (is_tensor(c, 1)) return {full_like(c.tensor(0), c.tensor(1))};
  return {c.size() > 2 ? full_like(c.tensor(0), c.scalar(1), *dtype_at(c, 2)) : full_like(c.tensor(0), c.scalar(1))};
}

Tensors clip_of(const Call& c) {
  const Tensor x = c.tensor(0);
  if (is_tensor(c, 1)) return {is_tensor(c, 2) ? clip(x, c.tensor(1), c.tensor(2)) : clip(x, c.tensor(1), c.scalar(2))};
  return {is_tensor(c, 2) ? clip(x, c.scalar(1), c.tensor(2)) : clip(x, c.scalar(1), c.scalar(2))};
}

TEST(Filling, GivesTheValuesOfKeras) {
  const Functions functions = {
      {"zeros", [](const Call& c) { return Tensors{zeros(shape_at(c, 0), dtype_at(c, 1))}; }},
      {"ones", [](const Call& c) { return Tensors{ones(shape_at(c, 0), dtype_at(c, 1))}; }},
      {"zeros_like",
       [](const Call& c) {
         return Tensors{c.size() > 1 ? zeros_like(c.tensor(0), *dtype_at(c, 1)) : zeros_like(c.tensor(0))};
       }},
      {"ones_like",
       [](const Call& c) {
         return Tensors{c.size() > 1 ? ones_like(c.tensor(0), *dtype_at(c, 1)) : ones_like(c.tensor(0))};
       }},
      {"full", &full_of},
      {"full_like", &full_like_of},
      {"clip", &clip_of},
  };
  golden::compare("filling", functions);
}

TEST(Filling, IsInFloatxWithoutADtype) {
  context().set_floatx("float16");
  EXPECT_EQ(zeros({2}).dtype(), DType::float16);
  EXPECT_EQ(ones({2}).dtype(), DType::float16);
  EXPECT_EQ(full({2}, 1).dtype(), DType::float16);
  EXPECT_EQ(full({2}, true).dtype(), DType::float16);
  EXPECT_EQ(eye(2).dtype(), DType::float16);
  EXPECT_EQ(tri(2).dtype(), DType::float16);
  context().set_floatx("float32");
  EXPECT_EQ(zeros({2}).dtype(), DType::float32);
}

TEST(Filling, RefusesNumbersThatTheDtypeDoesNotHave) {
  EXPECT_THROW(full({2}, 300, DType::uint8), ValueError);
  EXPECT_THROW(full_like(zeros({2}), 300, DType::uint8), ValueError);
}

TEST(Clip, KeepsTheRangeOfTheDtype) {
  const Tensor bytes = Tensor::from_data<std::uint8_t>({3}, {0, 100, 255});
  const Tensor lowest = Tensor::from_data<std::int32_t>({3}, {-1, 150, -1});
  const Tensor highest = Tensor::from_data<std::int32_t>({3}, {300, 300, 200});
  const Tensor y = clip(bytes, lowest, highest);
  EXPECT_EQ(y.dtype(), DType::uint8);
  EXPECT_EQ(y.to_vector(), (std::vector<double>{0, 150, 200}));
  EXPECT_EQ(clip(bytes, -1, highest).to_vector(), (std::vector<double>{0, 100, 200}));
}

TEST(Clip, TakesTheUpperBoundBelowTheLowerOne) {
  const Tensor x = Tensor::from_data<float>({3}, {-2, 0, 2});
  EXPECT_EQ(clip(x, 1, -1).to_vector(), (std::vector<double>{-1, -1, -1}));
  EXPECT_EQ(clip(x, full({3}, 1), full({3}, -1)).to_vector(), (std::vector<double>{-1, -1, -1}));
}

TEST(Clip, RefusesBoundsThatDoNotFit) {
  const Tensor x = zeros({1, 3});
  try {
    clip(x, zeros({2, 1}), 1);
    ADD_FAILURE();
  } catch (const ValueError& error) {
    EXPECT_EQ(std::string(error.what()),
              "Shapes (1, 3) and (2, 1) are incompatible: a bound of `clip` must broadcast to the shape of x");
  }
  EXPECT_THROW(clip(zeros({3}, DType::int32), zeros({3}), 1), InvalidArgumentError);
  EXPECT_THROW(clip(zeros({3}, DType::int32), 0.5, ones({3}, DType::int32)), InvalidArgumentError);
}

TEST(PadModes, AreGivenByName) {
  const Tensor x = Tensor::from_data<float>({1, 3}, {1, 2, 3});
  EXPECT_EQ(pad(x, {{0, 0}, {1, 2}}, "constant").to_vector(), (std::vector<double>{0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(pad(x, {{0, 0}, {1, 2}}, "constant", 7).to_vector(), (std::vector<double>{7, 1, 2, 3, 7, 7}));
  EXPECT_EQ(pad(x, {{0, 0}, {1, 2}}, "reflect").to_vector(), (std::vector<double>{2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(pad(x, {{0, 0}, {1, 2}}, "symmetric").to_vector(), (std::vector<double>{1, 1, 2, 3, 3, 2}));
  // One pair, or one number, for all axes.
  const Tensor column = reshape(x, {3, 1});
  EXPECT_EQ(pad(column, {{1, 0}}).shape(), Shape({4, 2}));
  EXPECT_EQ(pad(column, {{1, 0}}).to_vector(), (std::vector<double>{0, 0, 0, 1, 0, 2, 0, 3}));
  EXPECT_EQ(pad(column, {{0, 1}}, "symmetric").to_vector(), (std::vector<double>{1, 1, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(pad(column, 1, "constant", 5).to_vector(),
            (std::vector<double>{5, 5, 5, 5, 1, 5, 5, 2, 5, 5, 3, 5, 5, 5, 5}));
  EXPECT_EQ(pad(column, 1).shape(), Shape({5, 3}));
  EXPECT_THROW(pad(column, {{0, 0}, {1, 2}, {0, 0}}), InvalidArgumentError);
  EXPECT_THROW(pad(x, {{0, 0}, {1, 2}}, "mirror"), ValueError);
  try {
    pad(x, {{0, 0}, {1, 2}}, "reflect", 7);
    ADD_FAILURE();
  } catch (const ValueError& error) {
    EXPECT_EQ(std::string(error.what()),
              "Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode=reflect");
  }
}

}  // namespace
}  // namespace rhyton

#include <cstdint>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/adaptive_average_pooling1d.h>
#include <rhyton/layers/pooling/adaptive_average_pooling2d.h>
#include <rhyton/layers/pooling/adaptive_average_pooling3d.h>
#include <rhyton/layers/pooling/adaptive_max_pooling1d.h>
#include <rhyton/layers/pooling/adaptive_max_pooling2d.h>
#include <rhyton/layers/pooling/adaptive_max_pooling3d.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

SymbolicTensor adaptively_pooled(const Shape& shape) { return Input({.shape = shape}); }

const Tensor steps = Tensor::from_data<float>({1, 5, 1}, {1, 5, 3, 2, 4});

TEST(AdaptivePooling, CoversTheStepsEvenly) {
  // Windows of 1 to 2, 2 to 4, 4 to 5.
  EXPECT_EQ(AdaptiveMaxPooling1D(3)(steps).to_vector(), (Values{5, 5, 4}));
  EXPECT_EQ(AdaptiveAveragePooling1D(3)(steps).to_vector(), (Values{3, 10.0F / 3, 3}));
  EXPECT_EQ(AdaptiveAveragePooling1D(5)(steps).to_vector(), steps.to_vector());
  EXPECT_EQ(AdaptiveAveragePooling1D(10)(steps).to_vector(), (Values{1, 1, 5, 5, 3, 3, 2, 2, 4, 4}));
}

// Keras pools windows that are longer than the input, which TensorFlow refuses in models.
TEST(AdaptivePooling, ToASizeOfOneIsGlobalPooling) {
  GradientTape tape;
  tape.watch(steps);
  const Tensor largest = AdaptiveMaxPooling1D(1)(steps);
  EXPECT_EQ(largest.to_vector(), (Values{5}));
  EXPECT_EQ(tape.gradient(largest, steps).to_vector(), (Values{0, 1, 0, 0, 0}));
  EXPECT_EQ(AdaptiveAveragePooling1D(1)(steps).to_vector(), (Values{3}));
  EXPECT_EQ(AdaptiveAveragePooling2D(3)(Tensor::full({1, 1, 1, 2}, 4.0)).to_vector(), Values(18, 4.0));
}

TEST(AdaptivePooling, LengthsMayBeUnknown) {
  EXPECT_EQ(AdaptiveMaxPooling1D(3)(adaptively_pooled({-1, 2})).shape(), (Shape{-1, 3, 2}));
  EXPECT_EQ(AdaptiveAveragePooling2D({2, 7})(adaptively_pooled({-1, 5, -1})).shape(), (Shape{-1, 2, 7, -1}));
  EXPECT_EQ(AdaptiveMaxPooling3D(2, {.data_format = "channels_first"})(adaptively_pooled({3, -1, -1, 5})).shape(),
            (Shape{-1, 3, 2, 2, 2}));
}

TEST(AdaptivePooling, RefusesOtherSizesNamesAndRanks) {
  EXPECT_THAT([] { AdaptiveMaxPooling2D(0); },
              ThrowsMessage<ValueError>(HasSubstr("The `output_size` argument must be a tuple of 2 integers.")));
  EXPECT_THROW(AdaptiveAveragePooling3D({1, -1, 1}), ValueError);
  EXPECT_THAT(
      [] { AdaptiveMaxPooling2D(2, {.data_format = "last"}); },
      ThrowsMessage<ValueError>(HasSubstr("Invalid data_format: last. Expected 'channels_first' or 'channels_last'.")));
  EXPECT_THROW(AdaptiveMaxPooling1D(2)(adaptively_pooled({3})), ValueError);
  EXPECT_THROW(AdaptiveMaxPooling1D(2)(Tensor::zeros({1, 0, 1})), ValueError);
  EXPECT_THROW(AdaptiveMaxPooling1D::from_config(io::Json::object()), Error);
}

TEST(AdaptivePooling, LargeSizesNeedNoMemoryBeforeACall) {
  constexpr std::int64_t longest = (std::int64_t{1} << 31) - 1;
  EXPECT_EQ(AdaptiveMaxPooling1D(longest)(adaptively_pooled({5, 1})).shape(), (Shape{-1, longest, 1}));
  EXPECT_EQ(AdaptiveMaxPooling2D(longest)(adaptively_pooled({-1, 7, 1})).shape(), (Shape{-1, longest, longest, 1}));
  EXPECT_THAT([&] { AdaptiveAveragePooling1D(longest + 1); }, ThrowsMessage<ValueError>(HasSubstr("is at most")));
}

TEST(AdaptivePooling, ReadsIntegersAndListsAndWritesLists) {
  const auto layer = AdaptiveMaxPooling2D::from_config(io::Json::parse(R"({"name": "a", "output_size": 3})"));
  EXPECT_EQ(layer.get_config().dump(), R"({"name": "a", "trainable": true, "dtype": "float32", "output_size": [3, 3], )"
                                       R"("data_format": "channels_last"})");
  EXPECT_EQ(AdaptiveAveragePooling1D(4).get_config()["output_size"].dump(), "[4]");
}

TEST(AdaptivePooling, FollowsTheDtypePolicy) {
  EXPECT_EQ(AdaptiveAveragePooling1D(2, {.dtype = "mixed_float16"})(steps).dtype(), DType::float16);
  EXPECT_EQ(AdaptiveMaxPooling1D(3, {.dtype = "mixed_float16"})(adaptively_pooled({5, 1})).dtype(), DType::float16);
}

static_assert(std::is_constructible_v<AdaptiveMaxPooling1D, int> &&
              !std::is_constructible_v<AdaptiveMaxPooling1D, double>);
static_assert(std::is_constructible_v<AdaptiveMaxPooling2D, int> &&
              !std::is_constructible_v<AdaptiveMaxPooling2D, double>);

}  // namespace
}  // namespace rhyton::layers

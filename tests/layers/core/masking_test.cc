#include <rhyton/layers/core/masking.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(Masking, MasksTheStepsWhoseFeaturesAllHaveTheValue) {
  const Tensor x = Tensor::from_data<float>({1, 4, 2}, {5, 5, 5, 1, 0, 0, 2, 3});
  const Tensor y = Masking({.mask_value = 5})(x);
  EXPECT_EQ(y.to_vector(), (Values{0, 0, 5, 1, 0, 0, 2, 3}));
  EXPECT_EQ(y.mask().shape(), (Shape{1, 4}));
  EXPECT_EQ(y.mask().to_vector(), (Values{0, 1, 1, 1}));
  EXPECT_EQ(Masking()(x).mask().to_vector(), (Values{1, 1, 0, 1}));
}

TEST(Masking, KeepsNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor y = Masking()(Tensor::from_data<double>({1, 1, 1}, {nan}).cast(DType::float32));
  EXPECT_TRUE(std::isnan(y.item()));
  EXPECT_EQ(y.mask().to_vector(), (Values{1}));
}

TEST(Masking, HasNoGradientInMaskedSteps) {
  const Tensor x = Tensor::from_data<float>({1, 2, 2}, {0, 0, 0, 3});
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(sum(Masking()(x)), x).to_vector(), (Values{0, 0, 1, 1}));
}

TEST(Masking, FindsTheStepsOnceForItsOutputAndItsMask) {
  const Layer layer = Masking();
  const graph::Graph graph =
      graph::trace({{.spec = {{2, 3, 4}, DType::float32}}}, [&](const std::vector<Tensor>& inputs) {
        const Tensor y = layer(inputs[0]);
        return std::vector<Tensor>{y, y.mask()};
      });
  const auto is_comparison = [](const graph::Node& node) { return node.op->name() == "NotEqual"; };
  EXPECT_EQ(std::ranges::count_if(graph.nodes(), is_comparison), 1);
}

TEST(Masking, IsSavedWithItsValue) {
  const Layer layer = Masking({.mask_value = -1.5, .name = "mask"});
  const Layer again = deserialize(serialize(layer));
  EXPECT_EQ(again.get_config(), layer.get_config());
  EXPECT_EQ(again.get_config()["mask_value"], io::Json(-1.5));
  EXPECT_TRUE(again(Input({.shape = {3, 2}})).has_mask());
}

}  // namespace
}  // namespace rhyton::layers

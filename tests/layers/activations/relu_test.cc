#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(ReLU, CutsAndScales) {
  const Tensor a = Tensor::from_data<float>({2, 3}, {1, -2, 3, 4, 5, -6});
  EXPECT_EQ(ReLU()(a).to_vector(), (Values{1, 0, 3, 4, 5, 0}));
  EXPECT_EQ(ReLU({.max_value = 3.5, .negative_slope = 0.5, .threshold = 2.0})(a).to_vector(),
            (Values{-0.5, -2, 3, 3.5, 3.5, -4}));
  EXPECT_THROW(ReLU({.negative_slope = -1.0}), ValueError);
  EXPECT_EQ(deserialize(serialize(ReLU({.max_value = 2.0})))(a).to_vector(), (Values{1, 0, 2, 2, 2, 0}));
}

TEST(ReLU, RefusesNegativeArgumentsInKerasWords) {
  const auto message = [](const ReLUOptions& options) -> std::string {
    try {
      ReLU relu(options);
    } catch (const ValueError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message({.max_value = -1.0}),
            "max_value of a ReLU layer cannot be a negative value. Received: max_value=-1.0");
  EXPECT_EQ(message({.negative_slope = -0.5}),
            "negative_slope of a ReLU layer cannot be None or a negative value. Received: negative_slope=-0.5");
  EXPECT_EQ(message({.threshold = -2.0}),
            "threshold of a ReLU layer cannot be None or a negative value. Received: threshold=-2.0");
}

}  // namespace
}  // namespace rhyton::layers

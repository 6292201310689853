// Training of convolutions whose window reaches far beyond the images.

#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/sequential.h>

namespace rhyton::models {
namespace {

using layers::Conv2D;
using layers::Input;

Sequential convolutions() {
  set_random_seed(3);
  return Sequential({
      Input({.shape = {6, 5, 2}}),
      Conv2D(3, {2, 3}, {.padding = "same", .dilation_rate = {100, 1}}),            // no tap on the images
      Conv2D(2, {3, 2}, {.padding = "same", .dilation_rate = {1 << 29, 1 << 30}}),  // one row of taps, no column
      Conv2D(2, {4, 3}, {.padding = "same", .dilation_rate = {13, 40}}),
      Conv2D(1, 3, {.padding = "same"}),
  });
}

TEST(WideDilation, ACompiledStepTrainsAsAnEagerOne) {
  const Tensor x = Tensor::full({4, 6, 5, 2}, 0.5);
  const Tensor y = Tensor::full({4, 6, 5, 1}, 1.0);
  std::vector<std::vector<Tensor>> weights;
  for (const bool run_eagerly : {true, false}) {
    const Sequential model = convolutions();
    model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = run_eagerly});
    for (int step = 0; step < 3; ++step) model.train_on_batch(x, y);
    weights.push_back(model.get_weights());
  }
  for (std::size_t i = 0; i < weights[0].size(); ++i) {
    const std::vector<double> eager = weights[0][i].to_vector();
    const std::vector<double> compiled = weights[1][i].to_vector();
    ASSERT_EQ(eager.size(), compiled.size());
    for (std::size_t k = 0; k < eager.size(); ++k) EXPECT_NEAR(eager[k], compiled[k], 1e-6) << "weight " << i;
  }
}

}  // namespace
}  // namespace rhyton::models

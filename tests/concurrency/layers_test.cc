#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

namespace rhyton::layers {
namespace {

using test::bytes_of;
using test::on_threads;
using test::random_tensor;

TEST(ConcurrentCalls, HaveLossesOfTheirOwn) {
  const models::Sequential model({Input({.shape = {4}}), Dense(8, {.activity_regularizer = regularizers::L2(0.1)})});
  std::vector<Tensor> inputs;
  std::vector<double> expected;
  for (unsigned i = 0; i < 4; ++i) {
    inputs.push_back(random_tensor({3, 4}, i));
    model.clear_losses();
    model(inputs.back());
    expected.push_back(model.losses().at(0).item());
  }
  std::atomic<int> wrong{0};
  on_threads(4, [&](int number) {
    const auto at = static_cast<std::size_t>(number);
    for (int i = 0; i < 200; ++i) {
      model.clear_losses();
      model(inputs[at]);
      const std::vector<Tensor> losses = model.losses();
      wrong += losses.size() != 1 || losses[0].item() != expected[at] ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentCalls, GiveTheGradientsOfOneThread) {
  const models::Sequential model = test::dense_model();
  const Tensor x = random_tensor({5, 6}, 3);
  const auto gradients = [&] {
    GradientTape tape;
    const Tensor loss = mean(square(model(x)));
    return bytes_of(tape.gradient(loss, model.trainable_weights()));
  };
  const test::Bytes expected = gradients();
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 100; ++i) wrong += gradients() != expected ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentCalls, MayLearnStatistics) {
  const Layer layer = BatchNormalization();
  const Tensor x = random_tensor({16, 4}, 4);
  on_threads(4, [&](int) {
    for (int i = 0; i < 100; ++i) layer(x, {.training = true});
  });
  // The final statistics are those of the batch, since all calls had the same one.
  const Tensor y = layer(x);
  EXPECT_LT(max(abs(mean(y, {0}))).item(), 1.0);
}

}  // namespace
}  // namespace rhyton::layers

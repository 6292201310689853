// Models with steps of their own where several replicas train: right, or refused.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/models/training/custom_models.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::distribute {
namespace {

using models::make_model;
using models::test_models::CustomLoss;
using models::test_models::CustomStep;
using models::test_models::OwnTrackers;
using models::test_models::perceptron;
using test::message_of;
using ::testing::HasSubstr;

/// The model has a `call` of its own and the default steps.
class OwnCall final : public models::ModelImpl {
 public:
  std::string class_name() const override { return "OwnCall"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    return {dense_(inputs[0])};
  }

 private:
  layers::Dense dense_ = track("dense", layers::Dense(2));
};

const Tensor& x() {
  static const Tensor data = test::random_tensor({12, 3}, 1);
  return data;
}
const Tensor& y() {
  static const Tensor data = test::random_tensor({12, 2}, 2);
  return data;
}

TEST(OwnSteps, AreRefusedWithSeveralReplicas) {
  const MirroredStrategy strategy(logical_cpus(2));
  const auto scope = strategy.scope();
  const auto step = make_model<CustomStep>(perceptron());
  step.compile({.loss = "mse"});
  EXPECT_THAT(message_of<NotImplementedError>([&] { step.fit(x(), y(), {.verbose = 0}); }),
              HasSubstr("overrides `train_step`, which is not supported where several replicas"));
  EXPECT_NO_THROW(step.evaluate(x(), y(), {.verbose = 0}));
  const auto loss = make_model<CustomLoss>(perceptron());
  loss.compile({.loss = "mse"});
  EXPECT_THAT(message_of<NotImplementedError>([&] { loss.evaluate(x(), y(), {.verbose = 0}); }),
              HasSubstr("overrides `compute_loss`"));
}

TEST(OwnSteps, PredictionsAreThoseOfOneDevice) {
  const auto alone = make_model<OwnTrackers>(perceptron());
  const MirroredStrategy strategy(logical_cpus(2));
  const auto scope = strategy.scope();
  const auto model = make_model<OwnTrackers>(perceptron());
  model.set_weights(alone.get_weights());
  EXPECT_TRUE(test::same_bits(model.predict(x(), {.batch_size = 5, .verbose = 0}),
                              alone.predict(x(), {.batch_size = 5, .verbose = 0})));
}

TEST(OwnSteps, AnOwnCallTrainsAsOnOneDevice) {
  const auto trained = [] {
    const auto model = make_model<OwnCall>();
    model.build({-1, 3});
    model.set_weights({Tensor::full({3, 2}, 1.0, float32), Tensor::zeros({2})});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.fit(x(), y(), {.batch_size = 5, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  const std::vector<Tensor> alone = trained();
  const MirroredStrategy strategy(logical_cpus(2));
  const auto scope = strategy.scope();
  const std::vector<Tensor> mirrored = trained();
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_LT(test::relative_distance(mirrored[i], alone[i]), 1e-6);
}

}  // namespace
}  // namespace rhyton::distribute

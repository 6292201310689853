// Models with Lambda layers: training, and what files hold of them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/lambda.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/model_checkpoint.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Input;
using layers::Lambda;
using layers::SymbolicTensor;
using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Counts the batches that were begun.
class BatchCount final : public callbacks::CallbackImpl {
 public:
  explicit BatchCount(int& batches) : batches_(batches) {}
  void on_train_batch_begin(callbacks::TrainingControl&, std::int64_t, callbacks::Logs&) override { ++batches_; }

 private:
  int& batches_;
};

Sequential squaring_model() {
  return Sequential({Input({.shape = {1}}), Dense(1, {.kernel_initializer = "ones"}),
                     Lambda([](const Tensor& x) { return square(x); }, {.name = "squared"})});
}

class LambdaLayers : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  const Tensor x_ = column({1, 2, 3, 4});
  test::TemporaryFolder folder_;
};

TEST_F(LambdaLayers, AreTrainedThrough) {
  const Sequential model = squaring_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  // y = (w x)² with w = 1, of which the derivative of the loss (w² - 4)² with respect to w is -12.
  const Tensor one = column({1});
  model.fit(one, column({4}), {.verbose = 0});
  EXPECT_NEAR(model.get_weights()[0].to_vector()[0], 1.12, 1e-5);
}

TEST_F(LambdaLayers, TakePartInFunctionalModels) {
  const SymbolicTensor a = Input({.shape = {1}});
  const SymbolicTensor b = Input({.shape = {1}});
  const Lambda product([](const std::vector<Tensor>& x) { return x[0] * x[1]; });
  const std::vector<SymbolicTensor> parts = Lambda([](const Tensor& x) {
                                              return std::vector<Tensor>{x + 1.0, x - 1.0};
                                            }).call_many({product({a, b})});
  const Model model({.inputs = {a, b}, .outputs = parts});
  const std::vector<Tensor> outputs = model.predict_many({x_, x_}, {.verbose = 0});
  EXPECT_EQ(outputs[0].to_vector(), (std::vector<double>{2, 5, 10, 17}));
  EXPECT_EQ(outputs[1].to_vector(), (std::vector<double>{0, 3, 8, 15}));
}

TEST_F(LambdaLayers, AreNotSavedAndThatIsFoundBeforeTheFirstStep) {
  const Sequential model = squaring_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string message = message_of<ValueError>([&] { model.save(path("model.keras")); });
  EXPECT_THAT(message, AllOf(HasSubstr("A Lambda layer cannot be serialized: its function is C++ code"),
                             HasSubstr("`save_weights`"), HasSubstr("(layer 'squared' of class Lambda)")));
  EXPECT_THAT(message_of<ValueError>([&] { model.save(path("model.h5")); }), HasSubstr("layer 'squared'"));
  EXPECT_FALSE(std::filesystem::exists(path("model.keras")));
  int batches = 0;
  EXPECT_EQ(message_of<ValueError>([&] {
              model.fit(x_, x_,
                        {.verbose = 0,
                         .callbacks = {callbacks::make_callback<BatchCount>(batches),
                                       callbacks::ModelCheckpoint(path("checkpoint.keras"))}});
            }),
            message);
  EXPECT_EQ(batches, 0);
}

TEST_F(LambdaLayers, HaveNoPartInFilesOfWeights) {
  const Sequential model = squaring_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string weights = path("model.weights.h5");
  model.fit(x_, x_, {.verbose = 0, .callbacks = {callbacks::ModelCheckpoint(weights, {.save_weights_only = true})}});
  const Sequential other = squaring_model();
  other.load_weights(weights);
  EXPECT_EQ(other.predict(x_, {.verbose = 0}).to_vector(), model.predict(x_, {.verbose = 0}).to_vector());
}

}  // namespace
}  // namespace rhyton::models

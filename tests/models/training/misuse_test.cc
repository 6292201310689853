// Invalid use: an exception with Keras's message, and an unchanged model.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/models/golden_models.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using layers::Conv2D;
using layers::Dense;
using layers::Input;
using layers::SymbolicTensor;
using test::message_of;
using test::random_tensor;
using test::same_bits;
using ::testing::HasSubstr;

/// Expects the action to throw Keras's message, word by word.
template <class Exception = ValueError, class Action>
void expect_keras_message(const std::string& golden, const Action& action) {
  SCOPED_TRACE(golden);
  EXPECT_EQ(message_of<Exception>(action), golden_message(golden));
}

/// Expects Keras's message to contain that of the action: Keras adds the call in which it occurred.
template <class Exception = ValueError, class Action>
void expect_within_keras_message(const std::string& golden, const Action& action) {
  SCOPED_TRACE(golden);
  const std::string message = message_of<Exception>(action);
  EXPECT_FALSE(message.empty());
  EXPECT_THAT(golden_message(golden), HasSubstr(message));
}

class Misuse : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }

  /// The model of the golden messages: softmax over three classes.
  static Sequential classifier(const CompileOptions& options = {.optimizer = "sgd",
                                                                .loss = "sparse_categorical_crossentropy"}) {
    Sequential model({Input({.shape = {4}}), Dense(3, {.activation = "softmax"})});
    model.compile(options);
    return model;
  }
  /// Two inputs, "a" and "b".
  static Model two_inputs() {
    const SymbolicTensor a = Input({.shape = {4}, .name = "a"});
    const SymbolicTensor b = Input({.shape = {4}, .name = "b"});
    Model model({.inputs = {a, b}, .outputs = Dense(1)(layers::Add()({a, b}))});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    return model;
  }
  /// Two outputs, "a" and "b".
  static Model two_outputs(const CompileOptions& options) {
    const SymbolicTensor x = Input({.shape = {4}});
    Model model({.inputs = x, .outputs = {Dense(1, {.name = "a"})(x), Dense(1, {.name = "b"})(x)}});
    model.compile(options);
    return model;
  }

  const Tensor x_ = random_tensor({6, 4}, 1);
  const Tensor labels_ = Tensor::from_data<std::int32_t>({6}, {0, 1, 2, 0, 1, 2});
  const Tensor ones_ = Tensor::full({6, 1}, 1);
};

// --- Construction of models ------------------------------------------------------------------------------------------

TEST_F(Misuse, LayersThatDoNotFitTogether) {
  expect_keras_message("conv2d_on_rank_3", [] { Sequential({Input({.shape = {28, 28}}), Conv2D(4, {3, 3})}); });
  clear_session();
  expect_keras_message("conv2d_kernel_beyond_image", [] {
    Sequential({Input({.shape = {3, 3, 1}}), Conv2D(4, {5, 5})});
  });
  clear_session();
  expect_keras_message("max_pooling2d_on_rank_2", [] { Sequential({Input({.shape = {10}}), layers::MaxPooling2D()}); });
  clear_session();
  expect_within_keras_message("reshape_mismatch", [] {
    Sequential({Input({.shape = {12}}), layers::Reshape({3, 5})});
  });
  expect_keras_message("add_incompatible", [] {
    layers::Add()({SymbolicTensor(Input({.shape = {3}})), SymbolicTensor(Input({.shape = {4}}))});
  });
  expect_keras_message("concatenate_mismatch", [] {
    layers::Concatenate()({SymbolicTensor(Input({.shape = {3, 4}})), SymbolicTensor(Input({.shape = {2, 4}}))});
  });
}

TEST_F(Misuse, LayersThatDoNotFitTheDataOfAModelWithoutInput) {
  const Sequential model({Conv2D(4, {3, 3}), layers::Flatten(), Dense(1)});
  model.compile({.loss = "mse"});
  EXPECT_THAT(message_of<ValueError>([&] { model.fit(x_, ones_, {.verbose = 0}); }),
              HasSubstr("expected min_ndim=4, found ndim=2. Full shape received: (None, 4)"));
}

TEST_F(Misuse, SizesThatCannotBe) {
  expect_keras_message("dense_units_-1", [] { Dense(-1); });
  expect_keras_message("dense_units_0", [] { Dense(0); });
  expect_keras_message("conv2d_filters_-1", [] { Conv2D(-1, {3, 3}); });
}

TEST_F(Misuse, EqualNames) {
  expect_keras_message("duplicate_name_sequential", [] {
    Sequential({Dense(3, {.name = "a"}), Dense(3, {.name = "a"})});
  });
  expect_keras_message("duplicate_name_functional", [] {
    const SymbolicTensor x = Input({.shape = {4}});
    Model({.inputs = x, .outputs = Dense(3, {.name = "a"})(Dense(3, {.name = "a"})(x))});
  });
}

TEST_F(Misuse, WeightsOfAModelThatIsNotBuilt) {
  const Sequential model({Dense(3)});
  EXPECT_TRUE(model.get_weights().empty());
  EXPECT_TRUE(model.weights().empty());
  expect_keras_message("unbuilt_count_params", [&] { model.count_params(); });
  expect_keras_message("unbuilt_set_weights", [&] { model.set_weights({Tensor::zeros({3})}); });
}

// --- Names -------------------------------------------------------------------------------------------------------

TEST_F(Misuse, UnknownNames) {
  expect_keras_message("unknown_activation", [] { Dense(3, {.activation = "nonsense"}); });
  expect_keras_message("unknown_activation_layer", [] { layers::Activation("nonsense"); });
  expect_keras_message("unknown_initializer", [] { Dense(3, {.kernel_initializer = "nonsense"}); });
  expect_keras_message("unknown_regularizer", [] { Dense(3, {.kernel_regularizer = "nonsense"}); });
  expect_keras_message("unknown_optimizer", [] { classifier({.optimizer = "nonsense"}); });
  expect_keras_message("unknown_loss",
                       [&] { classifier({.optimizer = "sgd", .loss = "nonsense"}).fit(x_, labels_, {.verbose = 0}); });
  expect_keras_message("unknown_metric", [&] {
    classifier({.optimizer = "sgd", .loss = "mse", .metrics = {"nonsense"}}).fit(x_, ones_, {.verbose = 0});
  });
}

// --- compile -----------------------------------------------------------------------------------------------------

TEST_F(Misuse, UseBeforeCompile) {
  const Sequential model({Input({.shape = {4}}), Dense(3)});
  expect_keras_message("fit_before_compile", [&] { model.fit(x_, labels_, {.verbose = 0}); });
  expect_keras_message("evaluate_before_compile", [&] { model.evaluate(x_, labels_, {.verbose = 0}); });
  expect_keras_message("train_on_batch_before_compile", [&] { model.train_on_batch(x_, labels_); });
  EXPECT_EQ(message_of<ValueError>([&] { model.test_on_batch(x_, labels_); }),
            golden_message("evaluate_before_compile"));
  EXPECT_THROW(model.optimizer(), ValueError);
}

TEST_F(Misuse, NothingToTrainFor) {
  EXPECT_THAT(message_of<ValueError>([&] { classifier({.optimizer = "sgd"}).fit(x_, labels_, {.verbose = 0}); }),
              HasSubstr("No loss to compute. Provide a `loss` argument in `compile()`."));
}

TEST_F(Misuse, LossesAndMetricsThatDoNotFitTheOutputs) {
  const std::vector<Tensor> y = {ones_, ones_};
  const auto fit = [&](const CompileOptions& options) { two_outputs(options).fit(x_, y, {.verbose = 0}); };
  const std::string too_many = message_of<ValueError>([&] { fit({.loss = {"mse", "mse", "mse"}}); });
  EXPECT_THAT(golden_message("losses_too_many"), HasSubstr(too_many));
  EXPECT_FALSE(too_many.empty());
  expect_keras_message("losses_unknown_output", [&] {
    fit({.loss = std::map<std::string, losses::Loss>{{"a", "mse"}, {"c", "mse"}}});
  });
  expect_keras_message("loss_weights_too_many", [&] { fit({.loss = {"mse", "mse"}, .loss_weights = {1, 2, 3}}); });
  using List = MetricsArgument::List;
  for (const MetricsArgument& metrics :
       {MetricsArgument(std::vector<List>{{"mae"}, {"mae"}, {"mae"}}), MetricsArgument({"mae"}),
        MetricsArgument(std::map<std::string, List>{{"c", {"mae"}}})}) {
    EXPECT_THAT(message_of<ValueError>([&] { fit({.loss = "mse", .metrics = metrics}); }),
                HasSubstr("Invalid `metrics`. `metrics` should contain metrics objects and either be a dict or a list "
                          "matching the output names of the functional model ['a', 'b']"));
  }
}

// --- Data --------------------------------------------------------------------------------------------------------

TEST_F(Misuse, LabelsOutOfRange) {
  for (const bool eagerly : {false, true}) {
    for (const bool from_logits : {false, true}) {
      SCOPED_TRACE(std::string(eagerly ? "eagerly" : "compiled") + (from_logits ? ", logits" : ""));
      const Sequential model({Input({.shape = {4}}), Dense(3, {.activation = from_logits ? "linear" : "softmax"})});
      model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.1}),
                     .loss = losses::SparseCategoricalCrossentropy({.from_logits = from_logits}),
                     .metrics = {"accuracy"},
                     .run_eagerly = eagerly});
      model.train_on_batch(x_, labels_);
      const std::vector<Tensor> weights = copies_of_weights(model);
      const std::vector<Tensor> state = copies_of(model.optimizer().variables());
      const double loss = model.evaluate(x_, labels_, {.verbose = 0}).at("loss");

      for (const std::int32_t label : {3, -1}) {
        // The message of TensorFlow's op, which Keras passes on.
        const std::string said =
            "Received a label value of " + std::to_string(label) + " which is outside the valid range of [0, 3).";
        const Tensor wrong = Tensor::from_data<std::int32_t>({6}, {label, 1, 2, 0, 1, 2});
        EXPECT_THAT(message_of<InvalidArgumentError>([&] { model.fit(x_, wrong, {.verbose = 0, .shuffle = false}); }),
                    HasSubstr(said));
        EXPECT_THAT(message_of<InvalidArgumentError>([&] { model.train_on_batch(x_, wrong); }), HasSubstr(said));
        EXPECT_THAT(message_of<InvalidArgumentError>([&] { model.test_on_batch(x_, wrong); }), HasSubstr(said));
        EXPECT_THAT(message_of<InvalidArgumentError>([&] { model.evaluate(x_, wrong, {.verbose = 0}); }),
                    HasSubstr(said));
        EXPECT_TRUE(same_bits(copies_of_weights(model), weights));
        EXPECT_TRUE(same_bits(copies_of(model.optimizer().variables()), state));
      }
      EXPECT_THROW(model.fit(x_, Tensor::full({6}, 255, uint8), {.verbose = 0}), InvalidArgumentError);

      // The model continues normally.
      EXPECT_EQ(model.evaluate(x_, labels_, {.verbose = 0}).at("loss"), loss);
      EXPECT_LT(model.fit(x_, labels_, {.epochs = 30, .verbose = 0})["loss"].back(), loss);
    }
  }
}

TEST_F(Misuse, NoData) {
  const Sequential model = classifier();
  const Tensor no_x = Tensor::zeros({0, 4});
  const Tensor no_y = Tensor::zeros({0}, int32);
  const std::string message = "The data is empty: the arrays have 0 samples.";
  EXPECT_EQ(message_of<ValueError>([&] { model.fit(no_x, no_y, {.verbose = 0}); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { model.evaluate(no_x, no_y, {.verbose = 0}); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { model.predict(no_x, {.verbose = 0}); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { model.predict_on_batch(no_x); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { model.train_on_batch(no_x, no_y); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { model.test_on_batch(no_x, no_y); }), message);
  EXPECT_THROW(model.fit({}, labels_, {.verbose = 0}), ValueError);
  EXPECT_THROW(model.fit(Tensor(), labels_, {.verbose = 0}), Error);
  EXPECT_THROW(model.fit(x_, Tensor(), {.verbose = 0}), Error);
  EXPECT_THROW(model.fit(Tensor::scalar(1.0F), labels_, {.verbose = 0}), ValueError);
  EXPECT_THROW(model.fit(x_, Tensor::scalar(1.0F), {.verbose = 0}), ValueError);
  EXPECT_THROW(model.predict({}, {.verbose = 0}), ValueError);
}

TEST_F(Misuse, NoTargets) {
  expect_keras_message("fit_without_y", [&] { classifier().fit(x_, {}, {.verbose = 0}); });
}

TEST_F(Misuse, ArraysOfDifferentLength) {
  const Sequential model = classifier();
  const Tensor five = labels_.slice(0, 5);
  expect_keras_message("different_lengths", [&] { model.fit(x_, five, {.verbose = 0}); });
  EXPECT_EQ(message_of<ValueError>([&] { model.evaluate(x_, five, {.verbose = 0}); }),
            golden_message("different_lengths"));
  EXPECT_EQ(message_of<ValueError>([&] { model.train_on_batch(x_, five); }), golden_message("different_lengths"));
  expect_keras_message("different_lengths_sample_weight",
                       [&] { model.fit(x_, labels_, {.verbose = 0, .sample_weight = Tensor::full({5}, 1)}); });
  expect_keras_message("different_lengths_inputs", [&] {
    two_inputs().fit({x_, x_.slice(0, 5)}, ones_, {.verbose = 0});
  });
  EXPECT_THROW(model.fit(x_, labels_, {.verbose = 0, .validation_data = {x_, five}}), ValueError);
}

TEST_F(Misuse, ArraysOfAnotherWidthOrRank) {
  const Sequential model = classifier();
  const Tensor wide = Tensor::zeros({6, 5});
  // Keras's messages contain the number of samples, 6, or None, inconsistently.
  const std::string width = "expected axis -1 of input shape to have value 4, but received input with shape (";
  for (const char* const golden : {"fit_wrong_width", "evaluate_wrong_width", "predict_wrong_width"}) {
    ASSERT_THAT(golden_message(golden), HasSubstr(width));
  }
  EXPECT_THAT(message_of<ValueError>([&] { model.fit(wide, labels_, {.verbose = 0}); }), HasSubstr(width));
  EXPECT_THAT(message_of<ValueError>([&] { model.evaluate(wide, labels_, {.verbose = 0}); }), HasSubstr(width));
  EXPECT_THAT(message_of<ValueError>([&] { model.predict(wide, {.verbose = 0}); }), HasSubstr(width));
  EXPECT_THAT(message_of<ValueError>([&] { model.predict_on_batch(wide); }), HasSubstr(width));
  const std::string rank = "Expected shape (None, 4), but input has incompatible shape (";
  EXPECT_THAT(golden_message("predict_wrong_rank"), HasSubstr(rank));
  EXPECT_THAT(message_of<ValueError>([&] {
                model.predict(Tensor::zeros({6, 4, 4}), {.verbose = 0});
              }),
              HasSubstr(rank));
  // Valid inputs are still accepted.
  EXPECT_EQ(model.predict(x_, {.verbose = 0}).shape(), (Shape{6, 3}));
}

TEST_F(Misuse, TargetsThatDoNotFitTheLoss) {
  const auto fit = [&](const char* loss, const Tensor& y) {
    classifier({.optimizer = "sgd", .loss = loss}).fit(x_, y, {.verbose = 0});
  };
  // Keras does not know the number of samples here.
  const auto with_samples = [](std::string message) {
    for (std::size_t at = message.find("(None"); at != std::string::npos; at = message.find("(None")) {
      message.replace(at, 5, "(6");
    }
    return message;
  };
  EXPECT_EQ(message_of<ValueError>([&] { fit("categorical_crossentropy", labels_); }),
            with_samples(golden_message("categorical_crossentropy_sparse_labels")));
  EXPECT_EQ(message_of<ValueError>([&] {
              fit("sparse_categorical_crossentropy", Tensor::zeros({6, 3}));
            }),
            with_samples(golden_message("sparse_crossentropy_one_hot_labels")));
  EXPECT_EQ(message_of<ValueError>([&] { fit("binary_crossentropy", Tensor::zeros({6})); }),
            with_samples(golden_message("binary_crossentropy_shapes")));
  EXPECT_THROW(fit("mse", Tensor::zeros({6, 2})), Error);
}

TEST_F(Misuse, AnotherNumberOfInputsOrTargets) {
  const Model model = two_inputs();
  expect_keras_message("one_input_of_two", [&] { model.fit(x_, ones_, {.verbose = 0}); });
  expect_keras_message("three_inputs_of_two", [&] { model.predict({x_, x_, x_}, {.verbose = 0}); });
  EXPECT_THAT(message_of<ValueError>([&] {
                model.fit({x_, x_}, {ones_, ones_}, {.verbose = 0});
              }),
              HasSubstr("y_true and y_pred have different structures.\ny_true: ['*', '*']\ny_pred: *"));
  EXPECT_THAT(message_of<ValueError>([&] {
                model.fit({x_, Tensor()}, ones_, {.verbose = 0});
              }),
              HasSubstr("`x` has an empty tensor for the input '" + model.input_names()[1] + "'."));
  EXPECT_THAT(message_of<ValueError>([&] {
                model.fit({x_, x_}, Tensor(), {.verbose = 0});
              }),
              HasSubstr("None values not supported. `y` has no target for the output '" + model.output_names()[0] + "'"));
  expect_keras_message("one_target_of_two", [&] { two_outputs({.loss = "mse"}).fit(x_, ones_, {.verbose = 0}); });
  EXPECT_THAT(message_of<ValueError>([&] {
                classifier().fit({x_, x_}, labels_, {.verbose = 0});
              }),
              HasSubstr("expects 1 input(s), but it received 2 input tensors."));
}

TEST_F(Misuse, NamesThatAreMissingOrUnknownInMaps) {
  const Model model = two_inputs();
  EXPECT_THAT(message_of<ValueError>([&] { model.fit({{"a", x_}}, ones_, {.verbose = 0}); }), HasSubstr("'b'"));
  EXPECT_THAT(message_of<ValueError>([&] {
                two_outputs({.loss = "mse"}).fit(x_, {{"a", ones_}, {"stranger", ones_}}, {.verbose = 0});
              }),
              HasSubstr("'b'"));
}

// --- Options -----------------------------------------------------------------------------------------------------

TEST_F(Misuse, WeightsOfClasses) {
  expect_keras_message("class_and_sample_weight", [&] {
    classifier().fit(x_, labels_, {.verbose = 0, .class_weight = {{0, 1.0}}, .sample_weight = Tensor::full({6}, 1)});
  });
  expect_keras_message("class_weight_two_outputs", [&] {
    two_outputs({.loss = "mse"}).fit(x_, {ones_, ones_}, {.verbose = 0, .class_weight = {{0, 1.0}}});
  });
}

TEST_F(Misuse, SplitsThatCannotBe) {
  const Sequential model = classifier();
  for (const double split : {1.5, 1.0, -0.1}) {
    EXPECT_THAT(message_of<ValueError>([&] { model.fit(x_, labels_, {.verbose = 0, .validation_split = split}); }),
                HasSubstr("`validation_split`"))
        << split;
  }
  expect_keras_message("validation_split_too_small", [&] {
    model.fit(x_.slice(0, 1), labels_.slice(0, 1), {.verbose = 0, .validation_split = 0.5});
  });
}

TEST_F(Misuse, BatchesThatCannotBe) {
  const Sequential model = classifier();
  for (const std::int64_t batch_size : {0, -3}) {
    const std::string message =
        "`batch_size` must be a positive integer. Received: batch_size=" + std::to_string(batch_size);
    EXPECT_EQ(message_of<ValueError>([&] { model.fit(x_, labels_, {.batch_size = batch_size, .verbose = 0}); }),
              message);
    EXPECT_EQ(message_of<ValueError>([&] { model.evaluate(x_, labels_, {.batch_size = batch_size, .verbose = 0}); }),
              message);
    EXPECT_EQ(message_of<ValueError>([&] { model.predict(x_, {.batch_size = batch_size, .verbose = 0}); }), message);
    EXPECT_THROW(
        model.fit(x_, labels_, {.verbose = 0, .validation_data = {x_, labels_}, .validation_batch_size = batch_size}),
        ValueError);
  }
}

TEST_F(Misuse, NumbersOfEpochsAndStepsThatMeanNothing) {
  const Sequential model = classifier();
  const std::vector<Tensor> weights = copies_of_weights(model);
  for (const int epochs : {0, -1}) {
    EXPECT_TRUE(model.fit(x_, labels_, {.epochs = epochs, .verbose = 0}).epoch.empty()) << epochs;
  }
  for (const std::int64_t steps : {0, -1}) {
    EXPECT_THROW(model.fit(x_, labels_, {.verbose = 0, .steps_per_epoch = steps}), ValueError) << steps;
    EXPECT_THROW(model.evaluate(x_, labels_, {.verbose = 0, .steps = steps}), ValueError) << steps;
    EXPECT_THROW(model.predict(x_, {.verbose = 0, .steps = steps}), ValueError) << steps;
  }
  EXPECT_TRUE(same_bits(copies_of_weights(model), weights));
}

TEST_F(Misuse, ExceptionsOfCallbacksComeThrough) {
  const Sequential model = classifier();
  const callbacks::LambdaCallback throws(
      {.on_train_batch_end = [](std::int64_t, callbacks::Logs&) { throw std::domain_error("mine"); }});
  EXPECT_EQ(message_of<std::domain_error>([&] { model.fit(x_, labels_, {.verbose = 0, .callbacks = {throws}}); }),
            "mine");
  EXPECT_EQ(model.fit(x_, labels_, {.epochs = 2, .verbose = 0}).epoch.size(), 2);
  EXPECT_THROW(model.fit(x_, labels_, {.verbose = 0, .callbacks = {callbacks::Callback()}}), ValueError);
}

TEST_F(Misuse, AModelWithoutInputTakesRightDataAfterWrongOnes) {
  const Sequential model({Conv2D(2, 3), layers::Flatten(), Dense(1)});
  model.compile({.loss = "mse"});
  EXPECT_THROW(model.fit(random_tensor({4, 6}, 1), random_tensor({4, 1}, 2), {.verbose = 0}), ValueError);
  EXPECT_NO_THROW(model.fit(random_tensor({4, 6, 6, 1}, 3), random_tensor({4, 1}, 4), {.verbose = 0}));
}

}  // namespace
}  // namespace rhyton::models

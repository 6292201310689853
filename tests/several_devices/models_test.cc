// Models whose layers are on several devices.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/several_devices/placement.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Input;
using layers::SymbolicTensor;
using test::cpu;
using test::placement;
using test::placements_of;
using test::random_tensor;
using test::relative_distance;
using test::same_bits;

/// Calls layers on a device, or on the model's device.
using On = std::function<SymbolicTensor(int, const std::function<SymbolicTensor()>&)>;

SymbolicTensor on_device(int index, const std::function<SymbolicTensor()>& call) {
  const auto scope = device(cpu(index));
  return call();
}

SymbolicTensor anywhere(int /*index*/, const std::function<SymbolicTensor()>& call) { return call(); }

/// Back and forth between three devices, with a layer that is used on two of them, one outside any scope and a nested
/// model.
Model network(const On& on) {
  const Input input({.shape = {12}});
  const Dense shared(16, {.activation = "tanh", .kernel_regularizer = "l2"});
  const Dense inner_dense(16, {.activation = "relu"});
  const Input inner_input({.shape = {16}});
  const Model inner({.inputs = inner_input,
                     .outputs = on(2, [&] { return inner_dense(layers::BatchNormalization()(inner_input)); })});
  SymbolicTensor x = on(1, [&] { return Dense(16, {.activation = "relu"})(input); });
  const SymbolicTensor first = on(2, [&] { return shared(x); });
  x = on(1, [&] { return layers::Dropout(0.2)(shared(first)); });
  x = inner(x);
  x = Dense(16)(x);
  x = on(0, [&] { return layers::Add()({x, first}); });
  return Model({.inputs = input, .outputs = on(1, [&] { return Dense(4)(x); })});
}

struct Trained {
  std::vector<double> losses;
  std::vector<double> validation_losses;
  callbacks::Logs evaluated;
  Tensor predictions;
  std::vector<Tensor> weights;
  Model model;
};

struct TrainOptions {
  bool run_eagerly = false;
  optimizers::Optimizer optimizer = optimizers::Adam({.learning_rate = 1e-2});
};

const Tensor& samples() {
  static const Tensor x = random_tensor({100, 12}, 1);
  return x;
}

const Tensor& labels() {
  static const Tensor y = random_tensor({100}, 2, 0.0, 3.99).cast(int32);
  return y;
}

Trained train(const On& on, const TrainOptions& options = {}) {
  clear_session();
  set_random_seed(7);
  Trained trained{
      .losses = {}, .validation_losses = {}, .evaluated = {}, .predictions = {}, .weights = {}, .model = network(on)};
  const Model& model = trained.model;
  model.compile({.optimizer = optimizers::deserialize(optimizers::serialize(options.optimizer)),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"},
                 .run_eagerly = options.run_eagerly});
  const auto history =
      model.fit(samples(), labels(), {.batch_size = 32, .epochs = 8, .verbose = 0, .validation_split = 0.2});
  trained.losses = history["loss"];
  trained.validation_losses = history["val_loss"];
  trained.evaluated = model.evaluate(samples(), labels(), {.verbose = 0});
  trained.predictions = model.predict(samples(), {.verbose = 0});
  for (const Variable& weight : model.weights()) trained.weights.push_back(weight.value().clone());
  return trained;
}

void expect_alike(const Trained& actual, const Trained& expected) {
  ASSERT_EQ(actual.losses.size(), expected.losses.size());
  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_NEAR(actual.losses[i], expected.losses[i], 1e-4 * expected.losses[i]) << "epoch " << i;
    EXPECT_NEAR(actual.validation_losses[i], expected.validation_losses[i], 1e-4 * expected.validation_losses[i]);
  }
  EXPECT_NEAR(actual.evaluated.at("loss"), expected.evaluated.at("loss"), 1e-4);
  EXPECT_NEAR(actual.evaluated.at("accuracy"), expected.evaluated.at("accuracy"), 0.011);
  EXPECT_LT(relative_distance(actual.predictions, expected.predictions), 1e-4);
  ASSERT_EQ(actual.weights.size(), expected.weights.size());
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    EXPECT_LT(relative_distance(actual.weights[i], expected.weights[i]), 1e-3) << "weight " << i;
  }
}

std::string places_of(const std::vector<Variable>& variables) {
  std::string text;
  for (const Variable& variable : variables) text += std::to_string(variable.stored_value().device().index());
  return text;
}

TEST(SeveralDevices, AFunctionalModelTrainsAsOnOne) {
  const Trained expected = train(anywhere);
  EXPECT_LT(expected.losses.back(), 0.9 * expected.losses.front());
  expect_alike(train(on_device), expected);
}

TEST(SeveralDevices, AlsoEagerly) {
  expect_alike(train(on_device, {.run_eagerly = true}), train(anywhere, {.run_eagerly = true}));
}

TEST(SeveralDevices, AlsoWithMomentumAndClippedGradients) {
  const optimizers::Optimizer sgd =
      optimizers::SGD({.learning_rate = 0.02, .momentum = 0.9, .weight_decay = 1e-3, .global_clipnorm = 0.5});
  expect_alike(train(on_device, {.optimizer = sgd}), train(anywhere, {.optimizer = sgd}));
}

TEST(SeveralDevices, TwiceGivesTheSameBits) {
  EXPECT_TRUE(same_bits(train(on_device).weights, train(on_device).weights));
}

TEST(SeveralDevices, WeightsAndSlotsAreWhereTheirLayersAre) {
  const Model model = [] {
    const Input input({.shape = {3}});
    SymbolicTensor x = on_device(1, [&] { return Dense(4)(input); });
    x = on_device(2, [&] { return Dense(5)(x); });
    return Model({.inputs = input, .outputs = x});
  }();
  EXPECT_EQ(places_of(model.weights()), "1122");
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.train_on_batch(random_tensor({8, 3}, 1), random_tensor({8, 5}, 2));
  EXPECT_EQ(places_of(model.weights()), "1122");
  std::string slots;
  for (const Variable& variable : model.optimizer().variables()) {
    if (variable.shape().rank() > 0) slots += places_of({variable});
  }
  EXPECT_EQ(slots, "11112222");
}

TEST(SeveralDevices, TheLogSaysWhereLayersRun) {
  const Input input({.shape = {3}});
  SymbolicTensor x = on_device(1, [&] { return Dense(4, {.use_bias = false})(input); });
  x = on_device(2, [&] { return layers::Add()({x, x}); });
  const Model model({.inputs = input, .outputs = x});
  const std::string compiled = placements_of([&] { model.predict(random_tensor({2, 3}, 1), {.verbose = 0}); });
  EXPECT_EQ(compiled, placement("MatMul", 1) + placement("AddV2", 2));
  const Tensor batch = random_tensor({2, 3}, 1);
  EXPECT_EQ(placements_of([&] { model(batch); }), placement("MatMul", 1) + placement("AddV2", 2));
}

TEST(SeveralDevices, LayersInNoScopeRunWhereTheModelDoes) {
  const Input input({.shape = {3}});
  const SymbolicTensor x = on_device(1, [&] { return layers::Add()({input, input}); });
  const Model model({.inputs = input, .outputs = layers::Multiply()({x, x})});
  const Tensor batch = random_tensor({2, 3}, 1);
  for (const int index : {0, 1, 2}) {
    const auto scope = device(cpu(index));
    EXPECT_EQ(placements_of([&] { model.predict(batch, {.verbose = 0}); }),
              placement("AddV2", 1) + placement("Mul", index));
  }
}

TEST(SeveralDevices, AModelBuiltInOneScopeRunsWhereItIsToldTo) {
  const Model model = [] {
    const auto scope = device(cpu(1));
    const Input input({.shape = {3}});
    return Model({.inputs = input, .outputs = layers::Multiply()({layers::Add()({input, input}), input})});
  }();
  const Tensor batch = random_tensor({2, 3}, 1);
  EXPECT_EQ(placements_of([&] { model(batch); }), placement("AddV2", 0) + placement("Mul", 0));
  const auto scope = device(cpu(2));
  EXPECT_EQ(placements_of([&] { model(batch); }), placement("AddV2", 2) + placement("Mul", 2));
}

TEST(SeveralDevices, ModelsBuiltInOneScopeEachMakeOneOfSeveral) {
  const auto part = [](int index) {
    const auto scope = device(cpu(index));
    return Sequential({Input({.shape = {3}}), Dense(3, {.use_bias = false})});
  };
  const Sequential encoder = part(1);
  const Sequential decoder = part(2);
  const Input input({.shape = {3}});
  const Model model({.inputs = input, .outputs = decoder(encoder(input))});
  const std::string log = placements_of([&] { model.predict(random_tensor({2, 3}, 1), {.verbose = 0}); });
  EXPECT_EQ(log, placement("MatMul", 1) + placement("MatMul", 2));
}

TEST(SeveralDevices, ASequentialTakesTheScopeInWhichALayerIsAdded) {
  for (const bool has_input : {true, false}) {
    SCOPED_TRACE(has_input ? "built when layers are added" : "built when the data are there");
    Sequential model;
    if (has_input) model.add(Input({.shape = {3}}));
    for (const int index : {1, 2}) {
      const auto scope = device(cpu(index));
      model.add(Dense(3, {.use_bias = false}));
    }
    model.add(layers::BatchNormalization({.scale = false}));
    const Tensor batch = random_tensor({2, 3}, 1);
    const auto scope = device(cpu(0));  // of the call, which is not that of the layers
    const std::string log = placements_of([&] { model.predict(batch, {.verbose = 0}); });
    EXPECT_NE(log.find(placement("MatMul", 1)), std::string::npos) << log;
    EXPECT_NE(log.find(placement("MatMul", 2)), std::string::npos) << log;
    EXPECT_EQ(places_of(model.weights()), "12000");
    EXPECT_EQ(model.pop().class_name(), "BatchNormalization");
    EXPECT_EQ(places_of(model.weights()), "12");
  }
}

TEST(SeveralDevices, AModelIsSavedAndLoadedAsAnyOther) {
  const Trained trained = train(on_device);
  const test::TemporaryFolder folder;
  const std::string path = folder / "model.keras";
  trained.model.save(path);
  const Model loaded = load_model(path);
  EXPECT_LT(relative_distance(loaded.predict(samples(), {.verbose = 0}), trained.predictions), 1e-6);
  // And into a model on several devices, which continues from there.
  const Model other = network(on_device);
  other.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-2}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  other.optimizer().build(other.trainable_weights());
  other.load_weights(path);
  EXPECT_TRUE(same_bits(other.predict(samples(), {.verbose = 0}), trained.predictions));
  EXPECT_EQ(places_of(other.weights()), places_of(trained.model.weights()));
  EXPECT_LT(other.fit(samples(), labels(), {.epochs = 1, .verbose = 0})["loss"][0], trained.losses.front());
}

}  // namespace
}  // namespace rhyton::models

// fit, evaluate and predict on data sets.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/image_dataset.h>
#include <rhyton/framework/context.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using test::message_of;
using test::random_tensor;
using test::same_bits;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A custom data set of given batches, which may hide their number.
class Listed final : public datasets::DatasetImpl {
 public:
  Listed(datasets::BatchSpec spec, std::vector<datasets::Batch> batches, bool tells_count)
      : spec_(std::move(spec)), batches_(std::move(batches)), tells_count_(tells_count) {}

  datasets::BatchSpec element_spec() const override { return spec_; }
  std::optional<std::int64_t> cardinality() const override {
    return tells_count_ ? std::optional<std::int64_t>(static_cast<std::int64_t>(batches_.size())) : std::nullopt;
  }
  std::unique_ptr<datasets::BatchIterator> iterator(std::uint64_t pass) const override {
    passes.push_back(pass);
    return std::make_unique<Batches>(batches_);
  }

  mutable std::vector<std::uint64_t> passes;

 private:
  class Batches final : public datasets::BatchIterator {
   public:
    explicit Batches(std::vector<datasets::Batch> batches) : batches_(std::move(batches)) {}
    std::optional<datasets::Batch> next() override {
      if (next_ == batches_.size()) return std::nullopt;
      return batches_[next_++];
    }

   private:
    std::vector<datasets::Batch> batches_;
    std::size_t next_ = 0;
  };

  datasets::BatchSpec spec_;
  std::vector<datasets::Batch> batches_;
  bool tells_count_;
};

class DatasetTraining : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }

  /// Seven samples in batches of three.
  datasets::Dataset dataset(bool tells_count = true, bool with_weights = false) {
    std::vector<datasets::Batch> batches;
    for (std::int64_t first = 0; first < 7; first += 3) {
      const std::int64_t last = std::min<std::int64_t>(first + 3, 7);
      batches.push_back({.x = {x_.slice(first, last)}, .y = {y_.slice(first, last)}});
      if (with_weights) batches.back().sample_weight = {weights_.slice(first, last)};
    }
    datasets::BatchSpec spec = {.x = {{{-1, 4}, DType::float32}}, .y = {{{-1, 1}, DType::float32}}};
    if (with_weights) spec.sample_weight = {{{-1}, DType::float32}};
    listed_ = std::make_shared<Listed>(std::move(spec), std::move(batches), tells_count);
    return datasets::Dataset(listed_);
  }

  static Sequential model() {
    set_random_seed(5);
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(3, {.activation = "tanh"}), layers::Dense(1)});
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
    return model;
  }

  const Tensor x_ = random_tensor({7, 4}, 1);
  const Tensor y_ = random_tensor({7, 1}, 2);
  const Tensor weights_ = random_tensor({7}, 3, 0.5, 2.0);
  std::shared_ptr<const Listed> listed_;
};

TEST_F(DatasetTraining, IsThatOnArraysOfTheSameBatches) {
  for (const bool tells_count : {true, false}) {
    const Sequential on_arrays = model();
    const History arrays = on_arrays.fit(x_, y_,
                                         {.batch_size = 3,
                                          .epochs = 3,
                                          .verbose = 0,
                                          .validation_data = {x_, y_},
                                          .shuffle = false,
                                          .sample_weight = weights_,
                                          .validation_batch_size = 3});
    const Sequential on_dataset = model();
    const History history = on_dataset.fit(dataset(tells_count, true),
                                           {.epochs = 3, .verbose = 0, .validation_data = dataset(tells_count)});
    EXPECT_TRUE(same_bits(copies_of_weights(on_dataset), copies_of_weights(on_arrays)));
    EXPECT_EQ(history.history, arrays.history);
  }
}

TEST_F(DatasetTraining, EvaluateAndPredictGiveWhatArraysGive) {
  const Sequential net = model();
  for (const bool tells_count : {true, false}) {
    const callbacks::Logs logs = net.evaluate(dataset(tells_count), {.verbose = 0});
    const callbacks::Logs expected = net.evaluate(x_, y_, {.batch_size = 3, .verbose = 0});
    EXPECT_EQ(logs.at("loss"), expected.at("loss"));
    EXPECT_EQ(logs.at("mae"), expected.at("mae"));
    EXPECT_TRUE(
        same_bits(net.predict(dataset(tells_count), {.verbose = 0}), net.predict(x_, {.batch_size = 3, .verbose = 0})));
    EXPECT_EQ(net.predict(dataset(tells_count), {.verbose = 0, .steps = 2}).shape(), Shape({6, 1}));
  }
}

TEST_F(DatasetTraining, WorksEagerlyAndOnModelsThatAreNotBuilt) {
  set_random_seed(5);
  const Sequential eager({layers::Dense(1)});
  eager.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = true});
  eager.fit(dataset(), {.epochs = 2, .verbose = 0});
  set_random_seed(5);
  const Sequential compiled({layers::Dense(1)});
  compiled.compile({.optimizer = "sgd", .loss = "mse"});
  compiled.fit(dataset(), {.epochs = 2, .verbose = 0});
  EXPECT_LT(test::relative_distance(eager.weights()[0].value(), compiled.weights()[0].value()), 1e-6);
}

TEST_F(DatasetTraining, ClassWeightsWeighTheSamples) {
  const Tensor labels = Tensor::from_data<std::int32_t>({6}, {0, 1, 2, 0, 1, 2});
  const Tensor x = random_tensor({6, 4}, 1);
  const auto classifier = [] {
    set_random_seed(9);
    Sequential net({layers::Input({.shape = {4}}), layers::Dense(3, {.activation = "softmax"})});
    net.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
    return net;
  };
  const Sequential on_arrays = classifier();
  on_arrays.fit(x, labels, {.batch_size = 6, .verbose = 0, .shuffle = false, .class_weight = {{0, 5.0}, {2, 0.5}}});
  const Sequential on_dataset = classifier();
  on_dataset.fit(datasets::Dataset(std::make_shared<Listed>(
                     datasets::BatchSpec{.x = {{{-1, 4}, DType::float32}}, .y = {{{-1}, DType::int32}}},
                     std::vector<datasets::Batch>{{.x = {x}, .y = {labels}}}, true)),
                 {.verbose = 0, .class_weight = {{0, 5.0}, {2, 0.5}}});
  EXPECT_TRUE(same_bits(copies_of_weights(on_dataset), copies_of_weights(on_arrays)));
}

TEST_F(DatasetTraining, EachEpochIsAPassOfItsOwn) {
  model().fit(dataset(), {.epochs = 3, .verbose = 0});
  EXPECT_THAT(listed_->passes, ElementsAre(0, 1, 2));
  // A training that continues at a later epoch uses the passes of that epoch.
  model().fit(dataset(false), {.epochs = 4, .verbose = 0, .initial_epoch = 2});
  EXPECT_THAT(listed_->passes, ElementsAre(2, 3));
}

TEST_F(DatasetTraining, StepsPerEpochGoOnWhereTheLastEpochEnded) {
  std::vector<std::int64_t> steps;
  const callbacks::Callback counter = callbacks::LambdaCallback(
      {.on_train_batch_end = [&](std::int64_t batch, const callbacks::Logs&) { steps.push_back(batch); }});
  // Two of three batches, then the third, then the next pass.
  ::testing::internal::CaptureStderr();
  model().fit(dataset(), {.epochs = 3, .verbose = 0, .callbacks = {counter}, .steps_per_epoch = 2});
  EXPECT_THAT(steps, ElementsAre(0, 1, 0, 0, 1));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("Your input ran out of data"));
}

TEST_F(DatasetTraining, TheBarOfAnUnknownNumberOfStepsLearnsIt) {
  ::testing::internal::CaptureStdout();
  model().fit(dataset(false), {.epochs = 2});
  const std::string output = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(output, HasSubstr("Epoch 1/2\n3/3 "));
  EXPECT_THAT(output, HasSubstr("Epoch 2/2\n3/3 "));
}

TEST_F(DatasetTraining, RefusesWhatTheDataSetHasItself) {
  const Sequential net = model();
  EXPECT_THAT(message_of<ValueError>([&] { net.fit(dataset(), {.batch_size = 2}); }),
              HasSubstr("The `batch_size` argument must not be specified for the given input type."));
  EXPECT_THAT(message_of<ValueError>([&] { net.evaluate(dataset(), {.batch_size = 2}); }), HasSubstr("`batch_size`"));
  EXPECT_THAT(message_of<ValueError>([&] { net.predict(dataset(), {.batch_size = 2}); }), HasSubstr("`batch_size`"));
  EXPECT_EQ(
      message_of<ValueError>([&] { net.fit(dataset(), {.sample_weight = weights_}); }),
      "When providing `x` as a Dataset, `sample_weights` should not be passed. Instead, the sample weights should "
      "be included as part of the Dataset.");
  EXPECT_THAT(message_of<ValueError>([&] { net.fit(dataset(), {.validation_split = 0.5}); }),
              HasSubstr("`validation_split` is only supported for tensors"));
  EXPECT_THAT(message_of<ValueError>([&] {
                net.fit(dataset(true, true), {.class_weight = {{0, 2.0}}});
              }),
              HasSubstr("You cannot `class_weight` and `sample_weight` at the same time."));
}

TEST_F(DatasetTraining, RefusesBatchesThatAreNotWhatTheyShouldBe) {
  const Sequential net = model();
  const datasets::BatchSpec spec = {.x = {{{-1, 4}, DType::float32}}, .y = {{{-1, 1}, DType::float32}}};
  const auto message = [&](std::vector<datasets::Batch> batches) {
    return message_of<ValueError>(
        [&] { net.fit(datasets::Dataset(std::make_shared<Listed>(spec, std::move(batches), false)), {.verbose = 0}); });
  };
  EXPECT_THAT(message({{.x = {Tensor::zeros({2, 5})}, .y = {Tensor::zeros({2, 1})}}}),
              HasSubstr("has in `x` float32 (2, 5), where its `element_spec` has float32 (None, 4)"));
  EXPECT_THAT(message({{.x = {Tensor::zeros({2, 4})}, .y = {}}}), HasSubstr("0 tensors in `y`"));
  EXPECT_THAT(message({{.x = {Tensor::zeros({2, 4})}, .y = {Tensor::zeros({3, 1})}}}),
              HasSubstr("different numbers of samples"));
  EXPECT_THAT(message({{.x = {Tensor::zeros({0, 4})}, .y = {Tensor::zeros({0, 1})}}}), HasSubstr("no samples"));
  EXPECT_THAT(message({}), HasSubstr("no batches"));
  EXPECT_THROW(net.fit(datasets::Dataset(std::make_shared<Listed>(spec, std::vector<datasets::Batch>(), true))),
               ValueError);
  // A data set that does not fit the model.
  const datasets::BatchSpec wide = {.x = {{{-1, 9}, DType::float32}}, .y = {{{-1, 1}, DType::float32}}};
  const datasets::Batch batch = {.x = {Tensor::zeros({2, 9})}, .y = {Tensor::zeros({2, 1})}};
  EXPECT_THROW(net.fit(datasets::Dataset(std::make_shared<Listed>(wide, std::vector{batch}, true)), {.verbose = 0}),
               ValueError);
}

TEST_F(DatasetTraining, ValidationBatchesThatDoNotFitAreFoundBeforeTheWork) {
  const Sequential net = model();
  const auto of_shapes = [](const Shape& x, const Shape& y) {
    const datasets::BatchSpec spec = {.x = {{x, DType::float32}}, .y = {{y, DType::float32}}};
    return datasets::Dataset(std::make_shared<Listed>(
        spec, std::vector<datasets::Batch>{{.x = {Tensor::zeros(x.with(0, 2))}, .y = {Tensor::zeros(y.with(0, 2))}}},
        true));
  };
  const Tensor before = net.get_weights()[0].clone();
  const auto fit = [&](const datasets::Dataset& validation) {
    net.fit(dataset(), {.verbose = 0, .validation_data = validation});
  };
  const auto message = [&](const datasets::Dataset& validation) {
    return message_of<ValueError>([&] { fit(validation); });
  };
  EXPECT_THAT(message(of_shapes({-1, 5}, {-1, 1})), HasSubstr("`validation_data` does not fit the model: "));
  net.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  EXPECT_THAT(message(of_shapes({-1, 4}, {-1, 2})), HasSubstr("`validation_data` does not fit the model: "));
  EXPECT_TRUE(same_bits(net.get_weights()[0], before));
  EXPECT_NO_THROW(fit(of_shapes({-1, 4}, {-1, 1})));
  EXPECT_FALSE(same_bits(net.get_weights()[0], before));
}

TEST_F(DatasetTraining, OnImagesLearnsAndNamesAFileThatCannotBeRead) {
  const test::TemporaryFolder temporary;
  std::filesystem::copy(std::string(RHYTON_GOLDEN_DIR) + "/images/folder", temporary.path(),
                        std::filesystem::copy_options::recursive);
  const datasets::ImageDataset images = datasets::image_dataset_from_directory(
      temporary.path(), {.batch_size = 3, .image_size = {8, 8}, .seed = 1, .verbose = false});
  set_random_seed(1);
  const Sequential net(
      {layers::Input({.shape = {8, 8, 3}}), layers::Rescaling(1.0 / 255), layers::Flatten(), layers::Dense(3)});
  net.compile({.optimizer = "adam",
               .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
               .metrics = {"accuracy"}});
  const History history = net.fit(images, {.epochs = 60, .verbose = 0, .validation_data = images});
  EXPECT_LT(history.history.at("loss").back(), 0.5 * history.history.at("loss").front());
  EXPECT_EQ(history.history.at("val_accuracy").back(), 1);
  EXPECT_EQ(net.predict(images, {.verbose = 0}).shape(), Shape({8, 3}));

  const std::string damaged = (temporary / "cats" / "a4.png").string();
  test::put(damaged, "no image");
  EXPECT_THAT(message_of<IOError>([&] { net.fit(images, {.epochs = 5, .verbose = 0}); }), HasSubstr(damaged));
  EXPECT_THAT(message_of<IOError>([&] { net.evaluate(images, {.verbose = 0}); }), HasSubstr(damaged));
  EXPECT_THAT(message_of<IOError>([&] { net.predict(images, {.verbose = 0}); }), HasSubstr(damaged));
}

}  // namespace
}  // namespace rhyton::models

#include <rhyton/models/callbacks/tensor_board.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/framework/summary/event_file.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::callbacks {
namespace {

using models::History;
using models::Sequential;
using summary::read_summaries;
using summary::ReadSummary;
using test::random_tensor;
using test::TemporaryFolder;
using ::testing::ElementsAre;

using Summaries = std::map<std::string, std::vector<ReadSummary>>;

Sequential small_model() {
  Sequential model(
      {layers::Input({.shape = {4}}), layers::Dense(3, {.name = "hidden"}), layers::Dense(1, {.name = "out"})});
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  return model;
}

/// Three epochs of four batches, validated, with that callback.
History trained(const Sequential& model, const TensorBoard& callback) {
  return model.fit(random_tensor({16, 4}, 1), random_tensor({16, 1}, 2),
                   {.batch_size = 4,
                    .epochs = 3,
                    .verbose = 0,
                    .callbacks = {callback},
                    .validation_data = {random_tensor({4, 4}, 3), random_tensor({4, 1}, 4)}});
}

std::vector<std::int64_t> steps_of(const Summaries& summaries, const std::string& name) {
  std::vector<std::int64_t> steps;
  if (!summaries.contains(name)) return steps;
  for (const ReadSummary& summary : summaries.at(name)) steps.push_back(summary.step);
  return steps;
}

void expect_values(const Summaries& summaries, const std::string& name, const std::vector<double>& values) {
  ASSERT_EQ(steps_of(summaries, name).size(), values.size()) << name;
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_FLOAT_EQ(summaries.at(name)[i].scalar(), values[i]) << name;
}

TEST(TensorBoard, WritesEpochs) {
  const TemporaryFolder folder;
  const History history = trained(small_model(), TensorBoard(folder.path()));
  const Summaries train = read_summaries(folder.path() / "train");
  EXPECT_THAT(steps_of(train, "epoch_loss"), ElementsAre(0, 1, 2));
  expect_values(train, "epoch_loss", history["loss"]);
  expect_values(train, "epoch_mae", history["mae"]);
  expect_values(train, "epoch_learning_rate", {0.01, 0.01, 0.01});
  EXPECT_EQ(train.at("keras").at(0).plugin, "graph_keras_model");
  EXPECT_EQ(io::Json::parse(train.at("keras").at(0).tensor.text(8), "keras")["class_name"].as_string(), "Sequential");
  EXPECT_EQ(train.size(), 4U);

  const Summaries validation = read_summaries(folder.path() / "validation");
  EXPECT_THAT(steps_of(validation, "evaluation_loss_vs_iterations"), ElementsAre(4, 8, 12));
  expect_values(validation, "epoch_loss", history["val_loss"]);
  expect_values(validation, "evaluation_loss_vs_iterations", history["val_loss"]);
  expect_values(validation, "epoch_mae", history["val_mae"]);
  EXPECT_EQ(validation.size(), 4U);
}

TEST(TensorBoard, WritesBatches) {
  const TemporaryFolder folder;
  trained(small_model(), TensorBoard(folder.path() / "third", {.write_steps_per_second = true, .update_freq = 3}));
  const Summaries third = read_summaries(folder.path() / "third" / "train");
  EXPECT_THAT(steps_of(third, "batch_loss"), ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(steps_of(third, "batch_mae"), ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(steps_of(third, "batch_steps_per_second"), ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(steps_of(third, "epoch_steps_per_second"), ElementsAre(0, 1, 2));
  EXPECT_GT(third.at("epoch_steps_per_second").at(0).scalar(), 0);

  const History history = trained(small_model(), TensorBoard(folder.path() / "each", {.update_freq = "batch"}));
  const Summaries each = read_summaries(folder.path() / "each" / "train");
  ASSERT_EQ(steps_of(each, "batch_loss").size(), 12U);
  // That of the last batch is the epoch's.
  EXPECT_FLOAT_EQ(each.at("batch_loss").back().scalar(), history["loss"].back());
}

TEST(TensorBoard, CountsBatchesOfEachFitAnew) {
  const TemporaryFolder folder;
  const TensorBoard callback(folder.path(), {.write_graph = false, .update_freq = 4});
  const Sequential model = small_model();
  trained(model, callback);
  trained(model, callback);
  const Summaries train = read_summaries(folder.path() / "train");
  EXPECT_THAT(steps_of(train, "batch_loss"), ElementsAre(4, 8, 12, 4, 8, 12));
  EXPECT_FALSE(train.contains("keras"));
}

TEST(TensorBoard, WritesWeights) {
  const TemporaryFolder folder;
  const Sequential model = small_model();
  trained(model, TensorBoard(folder.path(), {.histogram_freq = 2, .write_images = true}));
  const Summaries train = read_summaries(folder.path() / "train");
  for (const Variable& weight : model.weights()) {
    EXPECT_THAT(steps_of(train, weight.path() + "/histogram"), ElementsAre(0, 2));
    double count = 0;
    for (std::size_t i = 2; i < 90; i += 3) count += train.at(weight.path() + "/histogram").at(0).tensor.real(6, i);
    EXPECT_EQ(count, static_cast<double>(weight.shape().size()));
    // As in Keras, one number is no image.
    EXPECT_EQ(train.contains(weight.path() + "/image"), weight.shape().size() > 1);
  }
  EXPECT_THAT(steps_of(train, model.weights()[0].path() + "/image"), ElementsAre(0, 2));
  // The kernel [4, 3] lies on its side.
  const summary::ReadMessage& kernel = train.at(model.weights()[0].path() + "/image").at(0).tensor;
  EXPECT_EQ(kernel.text(8, 0), "4");
  EXPECT_EQ(kernel.text(8, 1), "3");
}

TEST(TensorBoard, ImagesOfFiltersAreThoseThatTensorBoardCanShow) {
  const TemporaryFolder folder;
  Sequential model({layers::Input({.shape = {6, 6, 2}}), layers::Conv2D(3, {2, 2}, {.name = "shown"}),
                    layers::Conv2D(5, {2, 2}, {.name = "wide"}), layers::Flatten(), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(random_tensor({2, 6, 6, 2}, 1), random_tensor({2, 1}, 2),
            {.verbose = 0, .callbacks = {TensorBoard(folder.path(), {.histogram_freq = 1, .write_images = true})}});
  const Summaries train = read_summaries(folder.path() / "train");
  EXPECT_TRUE(train.contains(model.get_layer("shown").weights()[0].path() + "/image"));
  EXPECT_FALSE(train.contains(model.get_layer("wide").weights()[0].path() + "/image"));
  EXPECT_TRUE(train.contains(model.get_layer("wide").weights()[0].path() + "/histogram"));
}

TEST(TensorBoard, WritesEvaluations) {
  const TemporaryFolder folder;
  const Sequential model = small_model();
  const Logs logs = model.evaluate(random_tensor({8, 4}, 1), random_tensor({8, 1}, 2),
                                   {.verbose = 0, .callbacks = {TensorBoard(folder.path())}});
  const Summaries validation = read_summaries(folder.path() / "validation");
  EXPECT_THAT(steps_of(validation, "evaluation_loss_vs_iterations"), ElementsAre(0));
  expect_values(validation, "evaluation_loss_vs_iterations", {logs["loss"]});
  expect_values(validation, "evaluation_mae_vs_iterations", {logs["mae"]});
}

TEST(TensorBoard, WritesTablesOfEmbeddings) {
  const TemporaryFolder folder;
  Sequential model({layers::Input({.shape = {3}, .dtype = "int32"}), layers::Embedding(5, 2, {.name = "words"}),
                    layers::Flatten(), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&](const TensorBoard& callback) {
    model.fit(Tensor::from_data({2, 3}, std::vector<int>{0, 1, 2, 3, 4, 0}), random_tensor({2, 1}, 2),
              {.epochs = 2, .verbose = 0, .callbacks = {callback}});
  };
  fit(TensorBoard(folder.path(), {.embeddings_freq = 1, .embeddings_metadata = {{"words", "labels.tsv"}}}));
  std::ifstream config(folder.path() / "projector_config.pbtxt");
  EXPECT_EQ(
      (std::string{std::istreambuf_iterator<char>(config), {}}),
      "embeddings {\n  tensor_name: \"words\"\n  tensor_path: \"words-1.tsv\"\n  metadata_path: \"labels.tsv\"\n}\n");
  std::ifstream table(folder.path() / "words-1.tsv");
  const std::vector<float> read{std::istream_iterator<float>(table), {}};
  EXPECT_EQ(std::vector<double>(read.begin(), read.end()), model.get_layer("words").get_weights()[0].to_vector());

  EXPECT_EQ(test::message_of<ValueError>([&] {
              fit(TensorBoard(folder.path(), {.embeddings_freq = 1, .embeddings_metadata = {{"word", "x"}}}));
            }),
            "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` `embeddings_metadata` "
            "argument: ['word']");
}

TEST(TensorBoard, RefusesUnknownFrequencies) {
  EXPECT_THROW(TensorBoard("logs", {.update_freq = "step"}), ValueError);
  EXPECT_THROW(TensorBoard("logs", {.update_freq = 0}), ValueError);
  EXPECT_THROW(TensorBoard("logs", {.histogram_freq = -1}), ValueError);
  EXPECT_THROW(TensorBoard("logs", {.embeddings_freq = -1}), ValueError);
  EXPECT_THROW(TensorBoard("logs", {.profile_batch = 2}), NotImplementedError);
  EXPECT_FALSE(std::filesystem::exists("logs"));
}

}  // namespace
}  // namespace rhyton::callbacks

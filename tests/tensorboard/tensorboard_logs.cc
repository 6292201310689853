// tensorboard_logs DIR: writes logs of a training with all options of the callback TensorBoard, and summaries of each
// kind, and prints the history of the training as JSON, for check_tensorboard.py.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

models::Model small_model() {
  const layers::SymbolicTensor words = layers::Input({.shape = {6}, .dtype = "int32", .name = "text"});
  layers::SymbolicTensor x = layers::Embedding(10, 4, {.name = "words"})(words);
  x = layers::GlobalAveragePooling1D({.name = "mean"})(layers::Conv1D(3, 3, {.name = "conv"})(x));
  return models::Model({.inputs = words, .outputs = layers::Dense(2, {.name = "head"})(x)});
}

io::Json train(const std::string& folder) {
  const models::Model model = small_model();
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const Tensor x = random::randint({64, 6}, 0, 10, {.seed = 1});
  const Tensor y = random::uniform({64, 2}, {.seed = 2});
  const callbacks::TensorBoard callback(folder, {.histogram_freq = 1,
                                                 .write_images = true,
                                                 .write_steps_per_second = true,
                                                 .update_freq = 2,
                                                 .embeddings_freq = 1,
                                                 .embeddings_metadata = {{"words", "labels.tsv"}}});
  std::ofstream labels(std::filesystem::path(folder) / "labels.tsv");
  for (int i = 0; i < 10; ++i) labels << "word " << i << '\n';
  labels.close();
  const models::History history =
      model.fit(x, y, {.batch_size = 8, .epochs = 3, .verbose = 0, .callbacks = {callback}, .validation_split = 0.25});
  io::Json values = io::Json::object({});
  for (const auto& [name, epochs] : history.history) values[name] = io::Json::array_from(epochs);
  return values;
}

void write_summaries(const std::string& folder) {
  const summary::SummaryWriter writer = summary::create_file_writer(folder + "/own");
  writer.scalar("number", 2.5, 7);
  writer.histogram("numbers", arange(100), 3, {.buckets = 10});
  writer.image("image", reshape(arange(0.0, 24.0) / 24, {1, 2, 4, 3}), 2);
  writer.text("note", "**bold**", 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tensorboard_logs DIR\n";
    return 2;
  }
  const std::string folder = argv[1];
  std::filesystem::create_directories(folder);
  std::cout << train(folder).dump() << '\n';
  write_summaries(folder);
}

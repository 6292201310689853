// Rhyton's part of scripts/keras_applications.sh:
//   keras_applications FOLDER
// FOLDER has a model of keras.applications and data, written by keras_side.py. Builds the same model with Rhyton's own
// function, predicts with the weights of each file, trains, and writes results and files there.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/model.h>
#include <rhyton/optimizers/sgd.h>

#include <rhyton/tests/applications/all_applications.h>

namespace rhyton::applications {
namespace {

using io::Json;
using models::Model;

Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw IOError(path.string() + " cannot be read");
  return Json::parse(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()),
                     path.string());
}

/// The model with the weights of that file.
Model made_with(const Json& description, Json arguments, const std::string& weights) {
  clear_session();
  if (weights.ends_with(".keras")) return models::load_model(weights);
  arguments["weights"] = weights;
  return all_applications().at(description["name"].as_string())(arguments);
}

/// The same model without random numbers in training.
Model without_dropout(const Model& model, const std::string& weights) {
  Json config = Json::parse(model.to_json(), model.name());
  Json layers = Json::array();
  for (Json layer : config["config"]["layers"]) {
    if (layer["class_name"] == Json("Dropout")) layer["config"]["rate"] = 0.0;
    layers.push_back(layer);
  }
  config["config"]["layers"] = layers;
  Model changed = models::model_from_json(config.dump());
  changed.load_weights(weights);
  return changed;
}

void write_results(const std::filesystem::path& folder) {
  const Json description = read_json(folder / "case.json");
  const Tensor x = io::read_npz(folder / "data.npz", "x");
  io::NamedTensors results;
  Model model;
  for (const Json& file : description["files"]) {
    model = {};  // frees the memory of the last one
    model = made_with(description, description["arguments"], (folder / file.as_string()).string());
    results.emplace_back(file.as_string(), model.predict(x, {.verbose = 0}));
  }

  Json losses = Json::array();
  const std::int64_t steps = description["steps"].as_int();
  if (steps > 0) {
    const std::string weights = (folder / description["files"][0].as_string()).string();
    model = {};
    model = without_dropout(made_with(description, description["trained_arguments"], weights), weights);
    model.compile({.optimizer = optimizers::SGD(description["learning_rate"].as_double()),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    const Tensor images = io::read_npz(folder / "data.npz", "train_x");
    const Tensor classes = io::read_npz(folder / "data.npz", "train_y");
    for (std::int64_t step = 0; step < steps; ++step) {
      losses.push_back(model.train_on_batch(images, classes).at("loss"));
    }
    results.emplace_back("trained", model.predict(x, {.verbose = 0}));
  }
  model.save((folder / "rhyton.keras").string());
  model.save_weights((folder / "rhyton.weights.h5").string());
  io::write_npz(folder / "rhyton.npz", results);
  std::ofstream file(folder / "rhyton.json");
  file << Json::object({{"losses", losses}}).dump(1) << '\n';
  if (!file.good()) throw IOError((folder / "rhyton.json").string() + " cannot be written");
}

}  // namespace
}  // namespace rhyton::applications

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: keras_applications FOLDER\n";
    return 2;
  }
  try {
    rhyton::applications::write_results(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

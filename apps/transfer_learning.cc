// Transfer learning, as in https://keras.io/guides/transfer_learning: a network that was trained on other images learns
// to classify those of a folder. At first it is frozen and only a new head is trained, then all of it is fine-tuned.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  std::string images;
  std::string base;
  std::string weights = "imagenet";
  std::string preprocessing;
  std::int64_t image_size = 160;
  double validation_split = 0.2;
  int epochs = 10;
  double learning_rate = 1e-3;
  int fine_tuning_epochs = 5;
  double fine_tuning_rate = 1e-5;
  std::uint32_t seed = 1;
  std::string save;
};

// The model of a Keras file, or MobileNetV2 without its top.
models::Model make_base(const Options& options) {
  if (options.base.empty()) {
    return applications::MobileNetV2(
        {.input_shape = {options.image_size, options.image_size, 3}, .include_top = false, .weights = options.weights});
  }
  models::Model base = models::load_model(options.base, {.compile = false});
  const Shape output = base.outputs().at(0).shape();
  if (base.inputs().at(0).rank() != 4 || output.rank() != 4) {
    throw ValueError("\"" + options.base + "\" does not make feature maps, [batch, height, width, channels], of " +
                     "images: its output has the shape " + output.to_string());
  }
  return base;
}

models::Model add_head(const models::Model& base, const Shape& image, std::int64_t classes, const Options& options) {
  const layers::Input images({.shape = image});
  layers::SymbolicTensor x = images;
  if (options.preprocessing != "none") {
    x = applications::imagenet_utils::preprocess_input(x, "channels_last", options.preprocessing);
  }
  // BatchNormalization uses its averages and leaves them as they are, also when the base is trainable.
  x = base(x, {.training = false});
  x = layers::Dropout(0.2)(layers::GlobalAveragePooling2D()(x));
  return models::Model({.inputs = images, .outputs = layers::Dense(classes)(x)});
}

void compile(const models::Model& model, double learning_rate) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = learning_rate}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
}

void run(const Options& options) {
  set_random_seed(options.seed);
  const models::Model base = make_base(options);
  const Shape input = base.inputs()[0].shape();
  const auto length = [&](int axis) { return input[axis] > 0 ? input[axis] : options.image_size; };
  const auto [train, validation] =
      datasets::image_datasets_from_directory(options.images, {.color_mode = input[3] == 1 ? "grayscale" : "rgb",
                                                               .image_size = {length(1), length(2)},
                                                               .seed = options.seed,
                                                               .validation_split = options.validation_split});
  const auto classes = static_cast<std::int64_t>(train.class_names().size());
  const models::Model model = add_head(base, {length(1), length(2), input[3]}, classes, options);
  const auto report = [&, &data = validation](const std::string& stage) {
    const auto logs = model.evaluate(data, {.verbose = 0});
    std::cout << stage << ": accuracy " << logs.at("accuracy") << ", loss " << logs.at("loss") << "\n";
  };

  base.set_trainable(false);
  compile(model, options.learning_rate);
  model.summary({.show_trainable = true});
  report("new head");
  model.fit(train, {.epochs = options.epochs, .verbose = 2, .validation_data = validation});
  report("trained head");
  if (options.fine_tuning_epochs > 0) {
    base.set_trainable(true);
    compile(model, options.fine_tuning_rate);  // what is trainable counts when the model is compiled
    model.summary({.show_trainable = true});
    model.fit(train, {.epochs = options.fine_tuning_epochs, .verbose = 2, .validation_data = validation});
    report("fine-tuned");
  }
  if (!options.save.empty()) model.save(options.save);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Classifies the images of a folder with a network that was trained on others.");
  app.add_option("IMAGES", options.images, "A folder with a folder of images for each class")->required();
  CLI::Option* const base = app.add_option(
      "--base", options.base, "A Keras file of a model from images to feature maps, in place of MobileNetV2");
  app.add_option("--weights", options.weights, "Of MobileNetV2: \"imagenet\", or a Keras file with them")
      ->capture_default_str()
      ->excludes(base);
  app.add_option("--preprocessing", options.preprocessing,
                 "As the base was trained: tf for pixels from -1 to 1, torch and caffe for the means of ImageNet, none "
                 "for 0 to 255 (default: tf for MobileNetV2, none for --base)")
      ->check(CLI::IsMember({"none", "tf", "torch", "caffe"}));
  app.add_option("--image-size", options.image_size, "Height and width, unless the file of --base says them")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--validation-split", options.validation_split, "The part of the images that is not trained on")
      ->capture_default_str();
  app.add_option("--epochs", options.epochs, "Of the head alone")->capture_default_str()->check(CLI::Range(1, 10000));
  app.add_option("--learning-rate", options.learning_rate, "Of the head alone")->capture_default_str();
  app.add_option("--fine-tuning-epochs", options.fine_tuning_epochs, "Of the whole model; 0 for none")
      ->capture_default_str()
      ->check(CLI::Range(0, 10000));
  app.add_option("--fine-tuning-rate", options.fine_tuning_rate, "The learning rate of the whole model")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the split, the head and the order of the images")->capture_default_str();
  app.add_option("--save", options.save, "Write the trained model to this .keras file");
  CLI11_PARSE(app, argc, argv);
  if (options.preprocessing.empty()) options.preprocessing = options.base.empty() ? "tf" : "none";
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << "transfer_learning: " << error.what() << "\n";
    return 1;
  }
}

// A small vision Transformer for handwritten digits: patches of 7 × 7 pixels are the tokens.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

constexpr std::int64_t image_size = 28;
constexpr std::int64_t patch_size = 7;
constexpr std::int64_t patches = (image_size / patch_size) * (image_size / patch_size);
constexpr std::int64_t width = 64;
constexpr std::int64_t heads = 4;

// Projects patches, puts a token for the class before them, and adds a learned vector for each position:
// [batch, 28, 28, 1] -> [batch, 1 + patches, width].
class PatchEncoder final : public layers::LayerImpl {
 public:
  PatchEncoder() : LayerImpl({}) {}
  std::string class_name() const override { return "PatchEncoder"; }

  void build(const std::vector<Shape>&) override {
    class_token_ = add_weight({.shape = {1, 1, width}, .initializer = "zeros", .name = "class_token"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor tokens = projection_(inputs[0]).reshape({-1, patches, width});
    const Tensor class_token = broadcast_to(class_token_, {tokens.shape()[0], 1, width});
    return {concatenate({class_token, tokens}, 1) + positions_(arange(1 + patches))};
  }

 private:
  layers::Conv2D projection_ =
      track("projection", layers::Conv2D(width, {patch_size, patch_size}, {.strides = {patch_size, patch_size}}));
  layers::Embedding positions_ = track("positions", layers::Embedding(1 + patches, width));
  Variable class_token_;
};

// Attention of each token to all tokens, and two dense layers, each with a residual connection.
layers::SymbolicTensor encoder_block(const layers::SymbolicTensor& x) {
  const layers::SymbolicTensor normalized = layers::LayerNormalization({.epsilon = 1e-6})(x);
  const layers::SymbolicTensor y =
      x + layers::MultiHeadAttention(heads, width / heads, {.dropout = 0.1})(normalized, {.args = {normalized}});
  const layers::SymbolicTensor hidden =
      layers::Dense(2 * width, {.activation = "gelu"})(layers::LayerNormalization({.epsilon = 1e-6})(y));
  return y + layers::Dropout(0.1)(layers::Dense(width)(hidden));
}

models::Model make_model(int blocks) {
  const layers::Input images({.shape = {image_size, image_size, 1}});
  layers::SymbolicTensor tokens = layers::make_layer<PatchEncoder>()(layers::Rescaling(1.0 / 255)(images));
  for (int i = 0; i < blocks; ++i) tokens = encoder_block(tokens);
  const layers::SymbolicTensor normalized = layers::LayerNormalization({.epsilon = 1e-6})(tokens);
  const layers::SymbolicTensor class_token = normalized[{Slice(), 0}];
  return models::Model({.inputs = images, .outputs = layers::Dense(10)(class_token)});
}

// Adds the channel axis.
Tensor prepare(const Tensor& images) { return images.reshape({-1, image_size, image_size, 1}).cast(float32); }

// The naive way: the class whose mean image is nearest. Returns the share of the test images that it gets right.
double accuracy_of_means(const Tensor& images, const Tensor& labels, const datasets::ImageData& test) {
  const Tensor members = one_hot(labels, 10);
  const Tensor means =
      matmul(members, images.reshape({images.shape()[0], -1}), true) / sum(members, {0}).reshape({10, 1});
  // |x - m|² without |x|², which is the same for all classes.
  const Tensor distances = sum(square(means), {1}) -
                           2.0 * matmul(prepare(test.images).reshape({test.labels.size(), -1}), means, false, true);
  return mean(equal(argmin(distances, -1).cast(int32), test.labels.cast(int32)).cast(float32)).item();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  int epochs = 5;
  int blocks = 4;
  std::int64_t limit = 60000;
  CLI::App app("Trains a vision Transformer on MNIST.");
  app.add_option("--seed", seed, "Of the initial weights and the order of the images")->capture_default_str();
  app.add_option("--epochs", epochs, "How often to go through the images")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--blocks", blocks, "Of attention and two dense layers")
      ->capture_default_str()
      ->check(CLI::Range(1, 24));
  app.add_option("--limit", limit, "Train on the first N images only")->check(CLI::Range(64, 60000));
  CLI11_PARSE(app, argc, argv);
  try {
    set_random_seed(seed);
    const auto [train, test] = datasets::mnist::load_data();
    const std::int64_t samples = std::min(limit, train.labels.size());
    const models::Model model = make_model(blocks);
    const optimizers::schedules::CosineDecay learning_rate(1e-4, epochs * static_cast<double>(samples) / 64,
                                                           {.warmup_target = 1e-3, .warmup_steps = 100});
    model.compile({.optimizer = optimizers::AdamW({.learning_rate = learning_rate, .weight_decay = 1e-4}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy"}});
    const Tensor images = prepare(train.images.slice(0, samples));
    const Tensor labels = train.labels.slice(0, samples);
    model.fit(images, labels, {.batch_size = 64, .epochs = epochs, .verbose = 2});
    const auto logs = model.evaluate(prepare(test.images), test.labels, {.verbose = 0});
    std::cout << "accuracy of the nearest mean image: " << accuracy_of_means(images, labels, test) << "\n"
              << "accuracy of the Transformer: " << logs.at("accuracy") << "\n";
  } catch (const std::exception& error) {
    std::cerr << "vision_transformer: " << error.what() << "\n";
    return 1;
  }
}

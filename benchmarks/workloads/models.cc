#include <rhyton/benchmarks/workloads/models.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace workloads {

using namespace rhyton;

models::Sequential mnist_cnn(double width, int depth) {
  const auto filters = [width](double count) { return static_cast<std::int64_t>(std::lround(width * count)); };
  models::Sequential model({
      layers::Input({.shape = {28, 28, 1}}),
      layers::Conv2D(filters(32), {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Conv2D(filters(64), {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
  });
  for (int i = 1; i < depth; ++i) {
    model.add(layers::Conv2D(filters(64), {3, 3}, {.padding = "same", .activation = "relu"}));
  }
  model.add(layers::Conv2D(filters(64), {3, 3}, {.activation = "relu"}));
  model.add(layers::Flatten());
  model.add(layers::Dense(64, {.activation = "relu"}));
  model.add(layers::Dense(10));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  return model;
}

namespace {

layers::SymbolicTensor convolution(const layers::SymbolicTensor& x, std::int64_t filters, std::int64_t size,
                                   std::int64_t stride) {
  const layers::SymbolicTensor y =
      layers::Conv2D(filters, {size, size}, {.strides = {stride, stride}, .padding = "same", .use_bias = false})(x);
  return layers::BatchNormalization()(y);
}

layers::SymbolicTensor block(const layers::SymbolicTensor& x, std::int64_t filters, std::int64_t stride) {
  layers::SymbolicTensor y = layers::ReLU()(convolution(x, filters, 3, stride));
  y = convolution(y, filters, 3, 1);
  const layers::SymbolicTensor shortcut = stride == 1 ? x : convolution(x, filters, 1, stride);
  return layers::ReLU()(y + shortcut);
}

}  // namespace

models::Model resnet20_model() {
  const layers::SymbolicTensor input = layers::Input({.shape = {32, 32, 3}});
  layers::SymbolicTensor x = layers::ReLU()(convolution(input, 16, 3, 1));
  for (const std::int64_t filters : {16, 32, 64}) {
    for (int i = 0; i < 3; ++i) x = block(x, filters, filters > 16 && i == 0 ? 2 : 1);
  }
  const layers::SymbolicTensor output = layers::Dense(10)(layers::GlobalAveragePooling2D()(x));
  models::Model model({.inputs = input, .outputs = output});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  return model;
}

namespace {

models::Sequential dense_model(const std::vector<std::int64_t>& hidden) {
  models::Sequential model({layers::Input({.shape = {784}})});
  for (const std::int64_t units : hidden) model.add(layers::Dense(units, {.activation = "relu"}));
  model.add(layers::Dense(10));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  return model;
}

}  // namespace

models::Sequential mlp_model() { return dense_model({512, 512}); }

models::Sequential wide_mlp_model() { return dense_model({4096, 4096, 1216}); }

models::Sequential deep_mlp_model() { return dense_model(std::vector<std::int64_t>(7, 2048)); }

models::Sequential text_model() {
  models::Sequential model({
      layers::Input({.shape = {200}, .dtype = "int32"}),
      layers::Embedding(20000, 64),
      layers::GlobalAveragePooling1D(),
      layers::Dense(64, {.activation = "relu"}),
      layers::Dense(1),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::BinaryCrossentropy({.from_logits = true})});
  return model;
}

}  // namespace workloads

#include <cstdint>
#include <vector>

#include <rhyton/benchmarks/workloads/models.h>

namespace workloads {

using namespace rhyton;
using layers::SymbolicTensor;

namespace {

models::Model compiled(models::Model model) {
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  return model;
}

models::Model mobilenet_v2() {
  return compiled(applications::MobileNetV2({.weights = std::nullopt, .classifier_activation = "linear"}));
}

models::Model resnet50() {
  return compiled(applications::ResNet50({.weights = std::nullopt, .classifier_activation = "linear"}));
}

models::Model efficientnet_b0() {
  return compiled(applications::EfficientNetB0({.weights = std::nullopt, .classifier_activation = "linear"}));
}

SymbolicTensor two_convolutions(SymbolicTensor x, std::int64_t filters) {
  for (int i = 0; i < 2; ++i) {
    x = layers::Conv2D(filters, {3, 3}, {.padding = "same", .use_bias = false})(x);
    x = layers::ReLU()(layers::BatchNormalization()(x));
  }
  return x;
}

/// Ronneberger et al. 2015 with 32 to 256 filters.
models::Model unet() {
  const SymbolicTensor input = layers::Input({.shape = {128, 128, 3}});
  std::vector<SymbolicTensor> skipped;
  SymbolicTensor x = input;
  for (const std::int64_t filters : {32, 64, 128}) {
    skipped.push_back(two_convolutions(x, filters));
    x = layers::MaxPooling2D({2, 2})(skipped.back());
  }
  x = two_convolutions(x, 256);
  for (const std::int64_t filters : {128, 64, 32}) {
    x = layers::Conv2DTranspose(filters, {2, 2}, {.strides = {2, 2}})(x);
    x = two_convolutions(layers::concatenate({skipped.back(), x}), filters);
    skipped.pop_back();
  }
  return compiled(models::Model({.inputs = input, .outputs = layers::Conv2D(10, {1, 1})(x)}));
}

models::Model conv1d_stack() {
  models::Sequential model({layers::Input({.shape = {1024, 16}})});
  for (const std::int64_t filters : {64, 128, 256}) {
    model.add(layers::Conv1D(filters, 5, {.padding = "same", .activation = "relu"}));
    model.add(layers::MaxPooling1D(2));
  }
  model.add(layers::GlobalAveragePooling1D());
  model.add(layers::Dense(10));
  return compiled(model);
}

models::Model conv3d_stack() {
  models::Sequential model({layers::Input({.shape = {16, 32, 32, 3}})});
  for (const std::int64_t filters : {32, 64, 128}) {
    model.add(layers::Conv3D(filters, 3, {.padding = "same", .activation = "relu"}));
    model.add(layers::MaxPooling3D(2));
  }
  model.add(layers::GlobalAveragePooling3D());
  model.add(layers::Dense(10));
  return compiled(model);
}

}  // namespace

const std::vector<VisionModel>& vision_models() {
  static const std::vector<VisionModel> models = {
      {"MobileNetV2", &mobilenet_v2, {224, 224, 3}, {1000}, 8},
      {"ResNet-50", &resnet50, {224, 224, 3}, {1000}, 4},
      {"EfficientNetB0", &efficientnet_b0, {224, 224, 3}, {1000}, 8},
      {"U-Net", &unet, {128, 128, 3}, {128, 128, 10}, 4},
      {"Conv1D", &conv1d_stack, {1024, 16}, {10}, 32},
      {"Conv3D", &conv3d_stack, {16, 32, 32, 3}, {10}, 8},
  };
  return models;
}

}  // namespace workloads

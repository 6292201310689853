#include <rhyton/applications/base_application.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <vector>

#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/global_max_pooling2d.h>
#include <rhyton/layers/weights_to_come.h>

namespace rhyton::applications {
namespace {

bool is_imagenet(const ApplicationOptions& options) { return options.weights == "imagenet"; }

/// The Inputs that a tensor is computed from, in the order in which its arguments lead to them.
std::vector<SymbolicTensor> source_inputs(const SymbolicTensor& tensor) {
  std::vector<SymbolicTensor> sources;
  std::unordered_set<const layers::CallNode*> seen;
  std::vector<SymbolicTensor> pending = {tensor};
  while (!pending.empty()) {
    const SymbolicTensor next = pending.back();
    pending.pop_back();
    if (!seen.insert(next.node().get()).second) continue;
    const std::vector<SymbolicTensor>& inputs = next.node()->inputs;
    if (inputs.empty()) sources.push_back(next);
    pending.insert(pending.end(), inputs.rbegin(), inputs.rend());
  }
  return sources;
}

SymbolicTensor pooled(const SymbolicTensor& features, const Architecture& architecture, const std::string& pooling) {
  if (pooling == "avg") return layers::GlobalAveragePooling2D({.name = architecture.average_pooling})(features);
  if (pooling == "max") return layers::GlobalMaxPooling2D({.name = architecture.max_pooling})(features);
  return features;
}

SymbolicTensor without_top(const SymbolicTensor& features, const Architecture& architecture,
                           const std::string& pooling) {
  const SymbolicTensor x = pooled(features, architecture, pooling);
  return architecture.after_pooling ? architecture.after_pooling(x) : x;
}

Model build(const Architecture& architecture, const ApplicationOptions& options) {
  const bool has_tensor = !options.input_tensor.is_empty();
  const SymbolicTensor image =
      has_tensor ? options.input_tensor : SymbolicTensor(layers::Input({.shape = architecture.input_shape}));
  const SymbolicTensor features = architecture.features(image);
  const SymbolicTensor output =
      options.include_top ? architecture.top(features) : without_top(features, architecture, options.pooling);
  const std::string& name = options.name.empty() ? architecture.name : options.name;
  if (has_tensor) return Model({.inputs = source_inputs(image), .outputs = output, .name = name});
  return Model({.inputs = image, .outputs = output, .name = name});
}

}  // namespace

void check_options(const ApplicationOptions& options) {
  std::error_code ignored;
  if (options.weights.has_value() && !is_imagenet(options) && !std::filesystem::exists(*options.weights, ignored)) {
    throw ValueError(
        "The `weights` argument should be either `None` (random initialization), 'imagenet' (pre-training on "
        "ImageNet), "
        "or the path to the weights file to be loaded.  Received: weights=" +
        *options.weights);
  }
  if (is_imagenet(options) && options.include_top && options.classes != 1000) {
    throw ValueError(
        "If using `weights='imagenet'` with `include_top=True`, `classes` should be 1000.  Received classes=" +
        std::to_string(options.classes));
  }
  if (options.include_top) imagenet_utils::validate_activation(options.classifier_activation, options.weights);
  if (!options.pooling.empty() && options.pooling != "avg" && options.pooling != "max") {
    throw ValueError("The `pooling` argument should be \"avg\", \"max\" or empty. Received: pooling=" +
                     options.pooling);
  }
}

Shape input_shape_of(const ApplicationOptions& options, const ImageSizes& sizes) {
  return imagenet_utils::obtain_input_shape(options.input_shape.value(), {.default_size = sizes.default_size,
                                                                          .min_size = sizes.min_size,
                                                                          .require_flatten = options.include_top,
                                                                          .weights = options.weights});
}

SymbolicTensor dense_top(const SymbolicTensor& features, const ApplicationOptions& options,
                         const std::string& average_pooling) {
  const SymbolicTensor x = layers::GlobalAveragePooling2D({.name = average_pooling})(features);
  return layers::Dense(options.classes, {.activation = options.classifier_activation, .name = "predictions"})(x);
}

Model make_application(const Architecture& architecture, const ApplicationOptions& options) {
  if (!options.weights.has_value()) return build(architecture, options);
  // Found before the work of building the model.
  const std::string path = is_imagenet(options) ? weights_file(architecture.imagenet).string() : *options.weights;
  std::optional<layers::WeightsToCome> zeros(std::in_place);
  Model model = build(architecture, options);
  zeros.reset();
  model.load_weights(path);
  return model;
}

RemoteFile imagenet_file(const std::string& folder, const std::string& name, const std::string& checksum) {
  return {.name = name,
          .url = "https://storage.googleapis.com/tensorflow/keras-applications/" + folder + "/" + name,
          .checksum = checksum};
}

int channel_axis_from_front() { return layers::ImageLayout().channels_first() ? 1 : 3; }

std::int64_t channels_of(const SymbolicTensor& x) {
  const std::int64_t channels = x.shape()[layers::ImageLayout().channel_axis()];
  if (channels < 0) throw ValueError("The number of channels must be known. Received: " + x.to_string());
  return channels;
}

std::int64_t whole_filters(double value) {
  constexpr double limit = 2147483648.0;
  if (!(std::abs(value) < limit)) {
    throw ValueError("A number of filters is out of range. Received: filters=" + std::to_string(value));
  }
  return static_cast<std::int64_t>(value);
}

std::int64_t filters_divisible_by_8(double value) {
  const std::int64_t rounded = std::max<std::int64_t>(8, whole_filters(value + 4.0) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * value ? rounded + 8 : rounded;
}

}  // namespace rhyton::applications

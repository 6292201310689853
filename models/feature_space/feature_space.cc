#include <rhyton/models/feature_space/feature_space.h>

#include <algorithm>
#include <string_view>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/discretization.h>
#include <rhyton/layers/preprocessing/hashing.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/preprocessing/tfd_identity.h>
#include <rhyton/models/feature_space/column.h>
#include <rhyton/models/feature_space/feature_space_impl.h>
#include <rhyton/models/model.h>

namespace rhyton::utils {
namespace {

using layers::SymbolicTensor;

/// The name of the layer of a feature.
std::string layer_name(const std::string& name, std::string_view type) {
  return (name.empty() ? context().unique_name(std::string(type)) : name) + "_preprocessor";
}

template <class Lookup>
Feature categorical(const char* dtype, std::string_view type, const CategoricalOptions& options) {
  return {dtype,
          Lookup({.max_tokens = options.max_tokens,
                  .num_oov_indices = options.num_oov_indices,
                  .name = layer_name(options.name, type)}),
          options.output_mode};
}

Feature hashed(const char* dtype, std::string_view type, std::int64_t num_bins, const HashedOptions& options) {
  return {dtype, layers::Hashing(num_bins, {.name = layer_name(options.name, type)}), options.output_mode};
}

Feature feature_of_type(const std::string& type, const std::string& name, const FeatureSpaceOptions& options) {
  if (type == "float") return FeatureSpace::float_({.name = name});
  if (type == "float_normalized") return FeatureSpace::float_normalized({.name = name});
  if (type == "float_rescaled") return FeatureSpace::float_rescaled({.name = name});
  if (type == "float_discretized") {
    return FeatureSpace::float_discretized(options.num_discretization_bins, {.name = name});
  }
  if (type == "integer_categorical") return FeatureSpace::integer_categorical({.name = name});
  if (type == "string_categorical") return FeatureSpace::string_categorical({.name = name});
  if (type == "integer_hashed") return FeatureSpace::integer_hashed(options.hashing_dim, {.name = name});
  if (type == "string_hashed") return FeatureSpace::string_hashed(options.hashing_dim, {.name = name});
  throw ValueError("Invalid feature type: " + type);
}

/// As Python prints it.
std::string tuple_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return "(" + text + (names.size() == 1 ? ",)" : ")");
}

Cross cross_of(const CrossArgument& argument, const FeatureSpaceOptions& options) {
  if (argument.cross() != nullptr) return *argument.cross();
  if (options.crossing_dim == 0) {
    throw ValueError(
        "When specifying `crosses`, the argument `crossing_dim` (dimensionality of the crossing space) should be "
        "specified as well.");
  }
  return {*argument.names(), options.crossing_dim};
}

void require_known(const Cross& cross, const FeatureSpace::Features& features) {
  for (const std::string& name : cross.feature_names()) {
    const auto has_name = [&](const auto& feature) { return feature.first == name; };
    if (std::any_of(features.begin(), features.end(), has_name)) continue;
    throw ValueError(
        "All features referenced in the `crosses` argument should be present in the `features` dict. Received unknown "
        "features: " +
        tuple_text(cross.feature_names()));
  }
}

FeatureSpaceImpl& impl_of(const FeatureSpace& feature_space) {
  return static_cast<FeatureSpaceImpl&>(*feature_space.impl());
}

}  // namespace

FeatureSpace::FeatureSpace(std::initializer_list<Features::value_type> features, const FeatureSpaceOptions& options)
    : FeatureSpace(make_impl(features, options)) {}

std::shared_ptr<layers::LayerImpl> FeatureSpace::make_impl(const Features& features,
                                                           const FeatureSpaceOptions& options) {
  if (features.empty()) throw ValueError("The `features` argument cannot be None or empty.");
  FeatureSpaceParts parts;
  for (const auto& [name, argument] : features) {
    parts.features.emplace_back(
        name, argument.feature() != nullptr ? *argument.feature() : feature_of_type(*argument.type(), name, options));
  }
  for (const CrossArgument& argument : options.crosses) {
    parts.crosses.push_back(cross_of(argument, options));
    require_known(parts.crosses.back(), features);
  }
  if (options.output_mode != "dict" && options.output_mode != "concat") {
    throw ValueError(
        "Invalid value for argument `output_mode`. Expected one of {'dict', 'concat'}. Received: "
        "output_mode=" +
        options.output_mode);
  }
  return std::make_shared<FeatureSpaceImpl>(std::move(parts), options);
}

FeatureSpace FeatureSpace::from_config(const io::Json& config) {
  ConfigReader reader("layer", FeatureSpaceImpl::keras_name, config);
  Features features;
  if (const io::Json* const saved = reader.find("features")) {
    for (const auto& [name, feature] : saved->items()) {
      if (feature.is_string()) {
        features.emplace_back(name, feature.as_string());
      } else {
        features.emplace_back(name, Feature::from_config(feature));
      }
    }
  }
  FeatureSpaceOptions options;
  reader("output_mode", options.output_mode);
  if (const io::Json* const saved = reader.find("crosses")) {
    for (const io::Json& cross : *saved) options.crosses.emplace_back(Cross::from_config(cross));
  }
  reader("crossing_dim", options.crossing_dim);
  reader("hashing_dim", options.hashing_dim);
  reader("num_discretization_bins", options.num_discretization_bins);
  reader("name", options.name);
  reader.finish();
  return FeatureSpace(features, options);
}

layers::Layer feature_space_of_file(const io::Json& config) {
  const FeatureSpace feature_space = FeatureSpace::from_config(config);
  impl_of(feature_space).mark_read();
  return feature_space;
}

FeatureSpace FeatureSpace::from_layer(const layers::Layer& layer) {
  if (dynamic_cast<const FeatureSpaceImpl*>(layer.impl().get()) == nullptr) {
    throw TypeError("Layer '" + layer.name() + "' (of type " + layer.class_name() + ") is no FeatureSpace.");
  }
  return FeatureSpace(layer.impl());
}

Feature FeatureSpace::float_(const FeatureNameOptions& options) {
  return {"float32", layers::TFDIdentity({.name = layer_name(options.name, "float"), .dtype = "float32"}), "float"};
}

Feature FeatureSpace::float_rescaled(const FloatRescaledOptions& options) {
  return {
      "float32",
      layers::Rescaling(options.scale, {.offset = options.offset, .name = layer_name(options.name, "float_rescaled")}),
      "float"};
}

Feature FeatureSpace::float_normalized(const FeatureNameOptions& options) {
  return {"float32", layers::Normalization({.axis = -1, .name = layer_name(options.name, "float_normalized")}),
          "float"};
}

Feature FeatureSpace::float_discretized(std::int64_t num_bins, const FloatDiscretizedOptions& options) {
  return {"float32",
          layers::Discretization({.bin_boundaries = options.bin_boundaries,
                                  .num_bins = num_bins,
                                  .name = layer_name(options.name, "float_discretized")}),
          options.output_mode};
}

Feature FeatureSpace::integer_categorical(const CategoricalOptions& options) {
  return categorical<layers::IntegerLookup>("int32", "integer_categorical", options);
}

Feature FeatureSpace::string_categorical(const CategoricalOptions& options) {
  return categorical<layers::StringLookup>("string", "string_categorical", options);
}

Feature FeatureSpace::integer_hashed(std::int64_t num_bins, const HashedOptions& options) {
  return hashed("int32", "integer_hashed", num_bins, options);
}

Feature FeatureSpace::string_hashed(std::int64_t num_bins, const HashedOptions& options) {
  return hashed("string", "string_hashed", num_bins, options);
}

void FeatureSpace::adapt(const datasets::Dataset& dataset) const {
  FeatureSpaceImpl& self = impl_of(*this);
  for (const auto& [name, feature] : self.features()) {
    if (feature.needs_adapt()) feature.adapt(column_of(dataset, name));
  }
  self.mark_adapted();
}

void FeatureSpace::adapt(const std::map<std::string, Tensor>& data) const { adapt(datasets::from_tensor_slices(data)); }

EncodedFeatures<Tensor> FeatureSpace::encode(const std::map<std::string, Tensor>& data) const {
  return impl_of(*this).encode(data);
}

datasets::Batch FeatureSpace::operator()(const datasets::Batch& element) const {
  if (element.x_names.is_empty()) {
    throw ValueError(
        "A FeatureSpace can only be called with a dict. Received: a data set whose elements have no names.");
  }
  std::map<std::string, Tensor> data;
  for (std::size_t i = 0; i < element.x.size(); ++i) data.emplace(element.x_names.list()[i], element.x[i]);
  const EncodedFeatures<Tensor> encoded = encode(data);
  datasets::Batch result = encoded.is_dict() ? datasets::dictionary_element(encoded.by_name())
                                             : datasets::Batch{.x = {static_cast<const Tensor&>(encoded)}};
  result.y = element.y;
  result.y_names = element.y_names;
  result.sample_weight = element.sample_weight;
  return result;
}

std::map<std::string, SymbolicTensor> FeatureSpace::get_inputs() const {
  impl_of(*this).require_adapted();
  return impl_of(*this).inputs_by_name();
}

EncodedFeatures<SymbolicTensor> FeatureSpace::get_encoded_features() const { return impl_of(*this).encoded_features(); }

std::map<std::string, layers::Layer> FeatureSpace::preprocessors() const { return impl_of(*this).preprocessors(); }

std::map<std::string, layers::Layer> FeatureSpace::crossers() const { return impl_of(*this).crossers(); }

void FeatureSpace::save(const std::string& filepath) const {
  if (!filepath.ends_with(".keras")) {
    throw ValueError("Invalid `filepath` argument: expected a path that ends in `.keras`. Received: filepath=" +
                     filepath);
  }
  models::Model::from_layer(*this).save(filepath);
}

}  // namespace rhyton::utils

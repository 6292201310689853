#include <rhyton/models/feature_space/feature_space_impl.h>

#include <algorithm>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/category_encoding.h>
#include <rhyton/layers/preprocessing/hashed_crossing.h>
#include <rhyton/layers/preprocessing/tfd_concat.h>
#include <rhyton/models/feature_space/column_shape.h>

namespace rhyton::utils {
namespace {

using layers::Layer;
using layers::SymbolicTensor;

DType dtype_of(const Tensor& tensor) { return tensor.dtype(); }
DType dtype_of(const SymbolicTensor& tensor) { return tensor.spec().dtype; }

bool is_of_integers(DType dtype) { return name_of(dtype).starts_with("int"); }

bool returns_vectors(const Layer& layer) {
  const io::Json config = layer.get_config();
  const io::Json* const mode = config.find("output_mode");
  return mode != nullptr && mode->is_string() && mode->as_string() != "int";
}

}  // namespace

FeatureSpaceImpl::FeatureSpaceImpl(FeatureSpaceParts parts, const FeatureSpaceOptions& options)
    : ModelImpl({.name = options.name}), parts_(std::move(parts)), options_(options) {
  for (const auto& [name, feature] : parts_.features) {
    const layers::Input input({.shape = {1}, .dtype = feature.dtype(), .name = name});
    if (!inputs_.emplace(name, input).second) {
      throw ValueError("The `features` argument has two features of the name '" + name + "'.");
    }
  }
  for (const Cross& cross : parts_.crosses) {
    crossers_.emplace(cross.name(), layers::HashedCrossing(cross.crossing_dim(), {.name = cross.name()}));
  }
  mark_built();
}

io::Json FeatureSpaceImpl::get_config() const {
  std::vector<io::Json::Member> features;
  for (const auto& [name, feature] : parts_.features) features.push_back({name, feature.to_config()});
  io::Json crosses = io::Json::array();
  for (const Cross& cross : parts_.crosses) crosses.push_back(cross.to_config());
  return io::Json::object({{"features", io::Json::object_from(std::move(features))},
                           {"output_mode", options_.output_mode},
                           {"crosses", std::move(crosses)},
                           {"crossing_dim", options_.crossing_dim},
                           {"hashing_dim", options_.hashing_dim},
                           {"num_discretization_bins", options_.num_discretization_bins}});
}

io::Json FeatureSpaceImpl::get_build_config() const {
  std::vector<io::Json::Member> configs;
  for (const auto& [name, feature] : parts_.features) {
    configs.push_back({name, feature.preprocessor().get_build_config()});
  }
  return io::Json::object_from(std::move(configs));
}

std::vector<Layer> FeatureSpaceImpl::sublayers() const {
  std::vector<Layer> all;
  for (const layers::LayerAttribute& attribute : attributes()) {
    all.insert(all.end(), attribute.layers.begin(), attribute.layers.end());
  }
  return all;
}

std::vector<layers::LayerAttribute> FeatureSpaceImpl::attributes() const {
  std::vector<Layer> preprocessors;
  for (const auto& [name, feature] : parts_.features) preprocessors.push_back(feature.preprocessor());
  std::vector<Layer> crossers;
  for (const Cross& cross : parts_.crosses) crossers.push_back(crossers_.at(cross.name()));
  std::vector<layers::LayerAttribute> attributes;
  if (!concat_.is_empty()) attributes.push_back({.name = "concat", .layers = {concat_}});
  if (!crossers.empty()) attributes.push_back({.name = "crossers", .layers = std::move(crossers), .is_list = true});
  if (!listed_encoders_.empty()) {
    attributes.push_back({.name = "one_hot_encoders", .layers = listed_encoders_, .is_list = true});
  }
  attributes.push_back({.name = "preprocessors", .layers = std::move(preprocessors), .is_list = true});
  return attributes;
}

std::map<std::string, Layer> FeatureSpaceImpl::preprocessors() const {
  std::map<std::string, Layer> by_name;
  for (const auto& [name, feature] : parts_.features) by_name.emplace(name, feature.preprocessor());
  return by_name;
}

void FeatureSpaceImpl::mark_adapted() {
  is_adapted_ = true;
  static_cast<void>(encoded_features());
}

void FeatureSpaceImpl::require_adapted() const {
  const auto needs_adapt = [](const auto& feature) { return feature.second.needs_adapt(); };
  if (is_adapted_ || std::none_of(parts_.features.begin(), parts_.features.end(), needs_adapt)) return;
  throw ValueError("You need to call `.adapt(dataset)` on the FeatureSpace before you can start using it.");
}

template <class T>
FeatureSpaceImpl::Encoded<T> FeatureSpaceImpl::preprocess(const std::map<std::string, T>& data) const {
  Encoded<T> encoded;
  for (const auto& [name, feature] : parts_.features) {
    encoded.features.emplace(name, feature.preprocessor()(data.at(name)));
  }
  for (const Cross& cross : parts_.crosses) {
    std::vector<T> crossed;
    for (const std::string& name : cross.feature_names()) crossed.push_back(encoded.features.at(name));
    encoded.crosses.emplace(cross.name(), crossers_.at(cross.name())(crossed));
  }
  return encoded;
}

template <class T>
std::vector<std::pair<std::string, T>> FeatureSpaceImpl::one_hot(const Encoded<T>& encoded) const {
  std::vector<std::pair<std::string, T>> all(encoded.features.begin(), encoded.features.end());
  all.insert(all.end(), encoded.crosses.begin(), encoded.crosses.end());
  for (auto& [name, feature] : all) {
    if (const auto encoder = encoders_.find(name); encoder != encoders_.end()) feature = encoder->second(feature);
  }
  return all;
}

template <class T>
EncodedFeatures<T> FeatureSpaceImpl::merged(const std::vector<std::pair<std::string, T>>& encoded) const {
  if (options_.output_mode == "dict")
    return EncodedFeatures<T>(std::map<std::string, T>(encoded.begin(), encoded.end()));
  std::vector<T> parts;
  for (const auto& [name, feature] : encoded) {
    const bool is_integer = is_of_integers(dtype_of(feature)) && !encoded_by_layers_.contains(name);
    if (is_integer || dtype_of(feature) == string_dtype) {
      throw ValueError("Cannot concatenate features because feature '" + name +
                       "' has not been encoded (it has dtype " + std::string(name_of(dtype_of(feature))) +
                       "). Consider using `output_mode='dict'`.");
    }
    parts.push_back(feature);
  }
  return EncodedFeatures<T>(concat_(parts));
}

void FeatureSpaceImpl::make_encoder(const std::string& name, const std::string& output_mode, std::int64_t cardinality,
                                    DType dtype) {
  if (output_mode != "one_hot") return;
  const std::string what = "Feature '" + name + "' has `output_mode='one_hot'`. ";
  if (!is_of_integers(dtype)) {
    throw ValueError(what + "Thus its preprocessor should return an integer dtype. Instead it returns a " +
                     std::string(name_of(dtype)) + " dtype.");
  }
  if (cardinality < 0) {
    throw ValueError(
        what +
        "However it isn't a standard feature and the dimensionality of its output space is not known, thus "
        "it cannot be one-hot encoded. Try using `output_mode='int'`.");
  }
  const layers::CategoryEncoding encoder(cardinality, {.output_mode = "multi_hot"});
  encoders_.emplace(name, encoder);
  listed_encoders_.push_back(encoder);
}

void FeatureSpaceImpl::build_encoders() {
  const Encoded<SymbolicTensor> encoded = preprocess(inputs_);
  std::map<std::string, const Feature*> features;
  for (const auto& [name, feature] : parts_.features) features.emplace(name, &feature);
  for (const auto& [name, feature] : features) {
    make_encoder(name, feature->output_mode(), feature->cardinality(), dtype_of(encoded.features.at(name)));
    if (returns_vectors(feature->preprocessor())) encoded_by_layers_.insert(name);
  }
  std::map<std::string, const Cross*> crosses;
  for (const Cross& cross : parts_.crosses) crosses.emplace(cross.name(), &cross);
  for (const auto& [name, cross] : crosses) {
    make_encoder(name, cross->output_mode(), cross->crossing_dim(), dtype_of(encoded.crosses.at(name)));
  }
  if (options_.output_mode == "concat") concat_ = layers::TFDConcat(-1);
  encoded_features_ = merged(one_hot(encoded));
}

EncodedFeatures<SymbolicTensor> FeatureSpaceImpl::encoded_features() {
  require_adapted();
  const std::scoped_lock lock(mutex_);
  if (!encoded_features_) build_encoders();
  return *encoded_features_;
}

void FeatureSpaceImpl::require_features(const std::map<std::string, Tensor>& data) const {
  for (const auto& [name, feature] : parts_.features) {
    if (!data.contains(name)) throw ValueError("A FeatureSpace was called without its feature '" + name + "'.");
  }
  for (const auto& [name, values] : data) {
    if (!inputs_.contains(name)) {
      throw ValueError("A FeatureSpace was called with '" + name + "', which is none of its features.");
    }
    if (values.is_empty()) throw ValueError("A FeatureSpace was called with an empty tensor for '" + name + "'.");
  }
}

EncodedFeatures<Tensor> FeatureSpaceImpl::encode(const std::map<std::string, Tensor>& given) {
  static_cast<void>(encoded_features());
  require_features(given);
  bool is_single = false;
  std::map<std::string, Tensor> data;
  for (const auto& [name, values] : given) {
    is_single = is_single || values.rank() == 0;
    data.emplace(name, values.rank() < 2 ? with_last_axis(values) : values);
  }
  std::vector<std::pair<std::string, Tensor>> encoded = one_hot(preprocess(data));
  if (options_.output_mode == "concat") {
    const Tensor whole = merged(encoded);
    if (!is_single) return EncodedFeatures<Tensor>(whole);
    if (whole.shape()[0] != 1) {
      throw ValueError("Expected rebatched data to have batch size 1. Received: shape=" + whole.shape().to_string());
    }
    return EncodedFeatures<Tensor>(squeeze(whole, {0}));
  }
  for (auto& [name, feature] : encoded) {
    if (is_single && feature.rank() == 2 && feature.shape()[0] == 1) feature = in_shape(feature, {feature.shape()[1]});
  }
  return merged(encoded);
}

std::vector<Tensor> FeatureSpaceImpl::call_with(const layers::BoundArguments& arguments, bool /*training*/) {
  if (!arguments.first().is_dictionary()) {
    throw ValueError("A FeatureSpace can only be called with a dict. Received: data=" + arguments.first().to_string());
  }
  std::map<std::string, Tensor> data;
  for (const auto& [name, value] : arguments.first().dictionary()) data.emplace(name, value.tensor());
  const EncodedFeatures<Tensor> encoded = encode(data);
  if (!encoded.is_dict()) return {static_cast<const Tensor&>(encoded)};
  std::vector<Tensor> outputs;
  for (const auto& [name, feature] : encoded.by_name()) outputs.push_back(feature);
  return outputs;
}

}  // namespace rhyton::utils

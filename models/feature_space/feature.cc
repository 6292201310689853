#include <rhyton/models/feature_space/feature.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/layers/preprocessing/discretization.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::utils {
namespace {

using io::Json;

constexpr const char* keras_module = "keras.src.layers.preprocessing.feature_space";

/// A part of a FeatureSpace in the form of `config.json`.
Json saved_part(const char* class_name, Json config) {
  return Json::object({{"module", keras_module},
                       {"class_name", class_name},
                       {"config", std::move(config)},
                       {"registered_name", class_name}});
}

const Json& member_of(const Json& object, const char* key, const char* class_name) {
  const Json* const member = object.is_object() ? object.find(key) : nullptr;
  if (member == nullptr) {
    throw ValueError(std::string("Cannot deserialize a ") + class_name + " of a FeatureSpace without `" + key +
                     "`: " + object.dump());
  }
  return *member;
}

template <std::size_t n>
void require_mode(const std::string& output_mode, const std::array<std::string_view, n>& modes, const char* list) {
  if (std::find(modes.begin(), modes.end(), output_mode) != modes.end()) return;
  throw ValueError(std::string("Invalid value for argument `output_mode`. Expected one of ") + list +
                   ". Received: output_mode=" + output_mode);
}

bool is_in(const Json& config, const char* key) {
  const Json* const value = config.find(key);
  return value != nullptr && !value->is_null();
}

/// Whether a preprocessing layer was made with what `adapt` would learn. A Discretization of a file has both the number
/// of bins, of which it learned, and their boundaries.
bool is_given(const layers::Layer& preprocessor) {
  const Json config = preprocessor.get_config();
  return is_in(config, "mean") || is_in(config, "vocabulary") ||
         (is_in(config, "bin_boundaries") && !is_in(config, "num_bins"));
}

/// Makes the Feature if the saved layer is of this class.
template <class Preprocessor>
void read_as(const std::string& dtype, const Json& object, const std::string& output_mode,
             std::optional<Feature>& feature) {
  if (feature || member_of(object, "class_name", "Feature").as_string() != Preprocessor::keras_name) return;
  const Preprocessor preprocessor = Preprocessor::from_config(member_of(object, "config", "Feature"));
  if (is_in(object, "build_config")) preprocessor.build_from_config(*object.find("build_config"));
  feature = Feature(dtype, preprocessor, output_mode);
}

}  // namespace

Feature::Feature(Parts parts) : parts_(std::move(parts)), is_given_(is_given(parts_.preprocessor)) {
  constexpr std::array<std::string_view, 3> modes = {"int", "one_hot", "float"};
  require_mode(parts_.output_mode, modes, "{'int', 'one_hot', 'float'}");
}

std::int64_t Feature::cardinality() const {
  const std::string class_name = preprocessor().class_name();
  if (class_name == layers::IntegerLookup::keras_name || class_name == layers::StringLookup::keras_name) {
    return vocabulary_size_ == nullptr ? -1 : vocabulary_size_();
  }
  const Json config = preprocessor().get_config();
  if (class_name == "CategoryEncoding") return config.find("num_tokens")->as_int();
  if (class_name == "Hashing") return config.find("num_bins")->as_int();
  if (class_name == layers::Discretization::keras_name) {
    if (is_in(config, "num_bins")) return config.find("num_bins")->as_int();
    return static_cast<std::int64_t>(config.find("bin_boundaries")->size()) + 1;
  }
  return -1;
}

Json Feature::to_config() const {
  return saved_part("Feature", Json::object({{"dtype", dtype()},
                                             {"preprocessor", layers::serialize(preprocessor())},
                                             {"output_mode", output_mode()}}));
}

Feature Feature::from_config(const Json& object) {
  const Json& config = member_of(object, "config", "Feature");
  const std::string& dtype = member_of(config, "dtype", "Feature").as_string();
  const Json& preprocessor = member_of(config, "preprocessor", "Feature");
  const std::string& output_mode = member_of(config, "output_mode", "Feature").as_string();
  std::optional<Feature> feature;
  read_as<layers::Normalization>(dtype, preprocessor, output_mode, feature);
  read_as<layers::Discretization>(dtype, preprocessor, output_mode, feature);
  read_as<layers::IntegerLookup>(dtype, preprocessor, output_mode, feature);
  read_as<layers::StringLookup>(dtype, preprocessor, output_mode, feature);
  read_as<layers::TextVectorization>(dtype, preprocessor, output_mode, feature);
  return feature ? *std::move(feature) : Feature(dtype, layers::deserialize(preprocessor), output_mode);
}

Cross::Cross(std::vector<std::string> feature_names, std::int64_t crossing_dim, std::string output_mode)
    : feature_names_(std::move(feature_names)), crossing_dim_(crossing_dim), output_mode_(std::move(output_mode)) {
  constexpr std::array<std::string_view, 2> modes = {"int", "one_hot"};
  require_mode(output_mode_, modes, "{'int', 'one_hot'}");
}

std::string Cross::name() const {
  std::string name;
  for (const std::string& feature : feature_names_) name += (name.empty() ? "" : "_X_") + feature;
  return name;
}

Json Cross::to_config() const {
  return saved_part("Cross", Json::object({{"feature_names", Json::array_from(feature_names_)},
                                           {"crossing_dim", crossing_dim_},
                                           {"output_mode", output_mode_}}));
}

Cross Cross::from_config(const Json& object) {
  const Json& config = member_of(object, "config", "Cross");
  std::vector<std::string> names;
  for (const Json& name : member_of(config, "feature_names", "Cross")) names.push_back(name.as_string());
  const Json* const output_mode = config.find("output_mode");
  return {std::move(names), member_of(config, "crossing_dim", "Cross").as_int(),
          output_mode == nullptr ? "one_hot" : output_mode->as_string()};
}

}  // namespace rhyton::utils

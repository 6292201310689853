#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::utils {

/// How a FeatureSpace encodes a feature: by a preprocessing layer, whose result is one-hot encoded in the mode "one_hot".
/// See the functions of FeatureSpace that make one.
class Feature {
 public:
  /// `dtype`: that of the Input, "float32", "int32" or "string". `preprocessor`: a layer for inputs [batch, 1], as an
  /// object of its class, by which `FeatureSpace::adapt` reaches its `adapt`. `output_mode`: "int", "float" or "one_hot".
  /// Throws ValueError in Keras's words for another mode.
  template <std::derived_from<layers::Layer> Preprocessor>
  Feature(const std::string& dtype, const Preprocessor& preprocessor, const std::string& output_mode)
      : Feature(Parts{dtype, preprocessor, output_mode}) {
    if constexpr (requires(const datasets::Dataset& data) { preprocessor.adapt(data); }) {
      adapt_ = [preprocessor](const datasets::Dataset& data) { preprocessor.adapt(data); };
    }
    if constexpr (requires { preprocessor.vocabulary_size(); }) {
      vocabulary_size_ = [preprocessor] { return std::int64_t{preprocessor.vocabulary_size()}; };
    }
  }

  const std::string& dtype() const { return parts_.dtype; }
  const layers::Layer& preprocessor() const { return parts_.preprocessor; }
  const std::string& output_mode() const { return parts_.output_mode; }

  /// Whether the preprocessor learns from data, and was made without what it would learn.
  bool needs_adapt() const { return adapt_ != nullptr && !is_given_; }
  void adapt(const datasets::Dataset& data) const { adapt_(data); }
  /// How many values the preprocessor's results have; -1 where that is not known.
  std::int64_t cardinality() const;

  /// The form of `config.json`.
  io::Json to_config() const;
  static Feature from_config(const io::Json& object);

 private:
  struct Parts {
    std::string dtype;
    layers::Layer preprocessor;
    std::string output_mode;
  };
  explicit Feature(Parts parts);

  Parts parts_;
  bool is_given_;
  std::function<void(const datasets::Dataset&)> adapt_;
  std::function<std::int64_t()> vocabulary_size_;
};

/// A feature as FeatureSpace takes it: a Feature, or the name of one with default arguments, "float_normalized".
class FeatureArgument {
 public:
  FeatureArgument(Feature feature) : value_(std::move(feature)) {}  // NOLINT(google-explicit-constructor)
  FeatureArgument(std::string type) : value_(std::move(type)) {}    // NOLINT(google-explicit-constructor)
  FeatureArgument(const char* type) : value_(std::string(type)) {}  // NOLINT(google-explicit-constructor)

  /// Null for the other kind.
  const Feature* feature() const { return std::get_if<Feature>(&value_); }
  const std::string* type() const { return std::get_if<std::string>(&value_); }

 private:
  std::variant<Feature, std::string> value_;
};

/// Features that are crossed: the hash of their values is one more feature.
class Cross {
 public:
  /// `crossing_dim`: the number of values of the hash. `output_mode`: "int" or "one_hot". Throws ValueError in Keras's
  /// words for another mode.
  Cross(std::vector<std::string> feature_names, std::int64_t crossing_dim, std::string output_mode = "one_hot");

  const std::vector<std::string>& feature_names() const { return feature_names_; }
  std::int64_t crossing_dim() const { return crossing_dim_; }
  const std::string& output_mode() const { return output_mode_; }
  /// "age_X_sex"
  std::string name() const;

  /// The form of `config.json`.
  io::Json to_config() const;
  static Cross from_config(const io::Json& object);

 private:
  std::vector<std::string> feature_names_;
  std::int64_t crossing_dim_;
  std::string output_mode_;
};

/// A cross as FeatureSpace takes it: a Cross, or the names of the features, with the `crossing_dim` of the FeatureSpace.
class CrossArgument {
 public:
  CrossArgument(Cross cross) : value_(std::move(cross)) {}                     // NOLINT(google-explicit-constructor)
  CrossArgument(std::vector<std::string> names) : value_(std::move(names)) {}  // NOLINT(google-explicit-constructor)
  CrossArgument(std::initializer_list<std::string> names) : value_(names_of(names)) {}  // NOLINT

  /// Null for the other kind.
  const Cross* cross() const { return std::get_if<Cross>(&value_); }
  const std::vector<std::string>* names() const { return std::get_if<std::vector<std::string>>(&value_); }

 private:
  static std::vector<std::string> names_of(std::initializer_list<std::string> names) { return names; }

  std::variant<Cross, std::vector<std::string>> value_;
};

}  // namespace rhyton::utils

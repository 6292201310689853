#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/feature_space/encoded_features.h>
#include <rhyton/models/feature_space/feature.h>

namespace rhyton::utils {

/// Fields in the order of `keras.utils.FeatureSpace`.
struct FeatureSpaceOptions {
  ByName by_name = ByName();
  /// "concat": one vector [batch, n] of all features; "dict": a tensor for each.
  std::string output_mode = "concat";
  /// Features whose values are hashed together: `{{"age", "sex"}, FeatureSpace::cross({"age", "thal"}, 64)}`.
  std::vector<CrossArgument> crosses = {};
  /// The number of values of such a hash.
  std::int64_t crossing_dim = 32;
  /// That of features of the types "integer_hashed" and "string_hashed".
  std::int64_t hashing_dim = 32;
  /// The number of bins of features of the type "float_discretized".
  std::int64_t num_discretization_bins = 32;
  std::string name = {};
};

/// Fields in the order of `keras.utils.FeatureSpace.float`, without the number of bins that others take first.
struct FeatureNameOptions {
  ByName by_name = ByName();
  std::string name = {};
};
struct FloatRescaledOptions {
  ByName by_name = ByName();
  double scale = 1.0;
  double offset = 0.0;
  std::string name = {};
};
struct FloatDiscretizedOptions {
  ByName by_name = ByName();
  std::optional<std::vector<double>> bin_boundaries = std::nullopt;
  std::string output_mode = "one_hot";
  std::string name = {};
};
struct CategoricalOptions {
  ByName by_name = ByName();
  /// See StringLookup.
  std::optional<std::int64_t> max_tokens = std::nullopt;
  std::int64_t num_oov_indices = 1;
  std::string output_mode = "one_hot";
  std::string name = {};
};
struct HashedOptions {
  ByName by_name = ByName();
  std::string output_mode = "one_hot";
  std::string name = {};
};

/// Structured data, such as the columns of a table, as tensors for a model: each feature is normalized, looked up, hashed
/// or divided into bins, and encoded (`keras.utils.FeatureSpace`).
///
/// ```
/// utils::FeatureSpace feature_space({{"age", "float_normalized"},
///                                    {"thal", "string_categorical"},
///                                    {"sex", utils::FeatureSpace::integer_categorical({.num_oov_indices = 0})}},
///                                   {.output_mode = "concat", .crosses = {{"sex", "thal"}}});
/// feature_space.adapt(train);                 // a data set of dictionaries
/// auto encoded = train.map(feature_space);    // on the host, ahead of training; labels stay as they are
///
/// // Or in the model:
/// models::Model model({.inputs = feature_space.get_inputs(),
///                      .outputs = layers::Dense(1)(feature_space.get_encoded_features())});
/// ```
///
/// A feature is made by one of the functions below, or named with its default arguments: "float", "float_rescaled",
/// "float_normalized", "float_discretized", "integer_categorical", "string_categorical", "integer_hashed" or
/// "string_hashed". The features of the result are in the order of their names, crosses after them.
///
/// It is called on dictionaries of tensors of numbers or strings: [batch], [batch, 1], or single values, for which the
/// results have no axis of samples.
class FeatureSpace : public layers::Layer {
 public:
  using Features = std::vector<std::pair<std::string, FeatureArgument>>;

  /// Throws ValueError in Keras's words without features, for an unknown type or `output_mode`, and for crosses of unknown
  /// features.
  FeatureSpace(std::initializer_list<Features::value_type> features, const FeatureSpaceOptions& options = {});
  // A template, so that a list of a single feature in braces is not taken for a FeatureSpace.
  template <class T>
  requires std::same_as<T, Features>
  explicit FeatureSpace(const T& features, const FeatureSpaceOptions& options = {})
      : FeatureSpace(make_impl(features, options)) {}
  /// From a configuration: it is to be adapted.
  static FeatureSpace from_config(const io::Json& config);
  /// The FeatureSpace that a layer is: `FeatureSpace::from_layer(models::load_model("feature_space.keras"))`. Throws
  /// TypeError for another layer.
  static FeatureSpace from_layer(const layers::Layer& layer);

  /// Floats as they are (`keras.utils.FeatureSpace.float`).
  static Feature float_(const FeatureNameOptions& options = {});
  /// x · scale + offset.
  static Feature float_rescaled(const FloatRescaledOptions& options = {});
  /// Floats minus their mean, divided by their standard deviation, which `adapt` finds.
  static Feature float_normalized(const FeatureNameOptions& options = {});
  /// The bins of floats, whose boundaries are given or found by `adapt`.
  static Feature float_discretized(std::int64_t num_bins, const FloatDiscretizedOptions& options = {});
  /// The indices of integers or strings in a vocabulary, which `adapt` finds.
  static Feature integer_categorical(const CategoricalOptions& options = {});
  static Feature string_categorical(const CategoricalOptions& options = {});
  /// The bins of a hash of integers or strings.
  static Feature integer_hashed(std::int64_t num_bins, const HashedOptions& options = {});
  static Feature string_hashed(std::int64_t num_bins, const HashedOptions& options = {});
  /// By any layer: `feature("string", layers::TextVectorization({.output_mode = "tf_idf"}), "float")`.
  template <std::derived_from<layers::Layer> Preprocessor>
  static Feature feature(const std::string& dtype, const Preprocessor& preprocessor, const std::string& output_mode) {
    return Feature(dtype, preprocessor, output_mode);
  }
  static Cross cross(std::vector<std::string> feature_names, std::int64_t crossing_dim,
                     std::string output_mode = "one_hot") {
    return {std::move(feature_names), crossing_dim, std::move(output_mode)};
  }

  /// Lets the layers learn from a data set of dictionaries, batched or not: one pass for each that does. Throws ValueError
  /// for one without a feature, and what the layers' `adapt` throws.
  void adapt(const datasets::Dataset& dataset) const;
  /// The same for arrays by name.
  void adapt(const std::map<std::string, Tensor>& data) const;

  // These throw ValueError in Keras's words if there are layers that have not adapted.

  /// The encoded features. Throws ValueError for a dictionary without a feature, or with an unknown one.
  template <class T>
  requires std::same_as<T, Tensor> EncodedFeatures<Tensor>
  operator()(const std::map<std::string, T>& data) const { return encode(data); }
  EncodedFeatures<Tensor> operator()(std::initializer_list<std::pair<const std::string, Tensor>> data) const {
    return encode(std::map<std::string, Tensor>(data));
  }
  /// The element of a data set with its x, a dictionary, encoded: for `Pipeline::map`.
  datasets::Batch operator()(const datasets::Batch& element) const;

  /// An Input for each feature, [batch, 1], by its name: the inputs of a model.
  std::map<std::string, layers::SymbolicTensor> get_inputs() const;
  /// What the layers make of these Inputs.
  EncodedFeatures<layers::SymbolicTensor> get_encoded_features() const;

  /// The layers of the features, and those of the crosses by names such as "sex_X_thal".
  std::map<std::string, layers::Layer> preprocessors() const;
  std::map<std::string, layers::Layer> crossers() const;

  /// Writes a `.keras` file, as Keras does. Throws ValueError for another extension.
  void save(const std::string& filepath) const;

 private:
  explicit FeatureSpace(std::shared_ptr<layers::LayerImpl> impl) : Layer(std::move(impl)) {}
  static std::shared_ptr<layers::LayerImpl> make_impl(const Features& features, const FeatureSpaceOptions& options);
  EncodedFeatures<Tensor> encode(const std::map<std::string, Tensor>& data) const;
};

}  // namespace rhyton::utils

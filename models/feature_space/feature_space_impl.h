#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/feature_space/encoded_features.h>
#include <rhyton/models/feature_space/feature.h>
#include <rhyton/models/feature_space/feature_space.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::utils {

struct FeatureSpaceParts {
  /// In the order in which they were given, which the configuration keeps.
  std::vector<std::pair<std::string, Feature>> features;
  std::vector<Cross> crosses;
};

/// The implementation of a FeatureSpace. It is a model, for files: they keep it as they keep models.
class FeatureSpaceImpl final : public models::ModelImpl {
 public:
  static constexpr const char* keras_name = "FeatureSpace";

  FeatureSpaceImpl(FeatureSpaceParts parts, const FeatureSpaceOptions& options);

  std::string class_name() const override { return keras_name; }
  io::Json get_config() const override;
  io::Json get_build_config() const override;
  std::vector<layers::Layer> sublayers() const override;
  std::vector<layers::LayerAttribute> attributes() const override;
  std::vector<Tensor> call_with(const layers::BoundArguments& arguments, bool training) override;

  const std::vector<std::pair<std::string, Feature>>& features() const { return parts_.features; }
  void mark_adapted();
  /// The layers get what they learned from the file.
  void mark_read() { is_adapted_ = true; }
  /// Throws ValueError in Keras's words if a layer is to be adapted.
  void require_adapted() const;

  EncodedFeatures<Tensor> encode(const std::map<std::string, Tensor>& given);
  const std::map<std::string, layers::SymbolicTensor>& inputs_by_name() const { return inputs_; }
  EncodedFeatures<layers::SymbolicTensor> encoded_features();
  std::map<std::string, layers::Layer> preprocessors() const;
  const std::map<std::string, layers::Layer>& crossers() const { return crossers_; }

 private:
  /// The results of the layers of features and crosses, by name.
  template <class T>
  struct Encoded {
    std::map<std::string, T> features;
    std::map<std::string, T> crosses;
  };
  template <class T>
  Encoded<T> preprocess(const std::map<std::string, T>& data) const;
  /// Makes the layers that encode and join, and calls all on the Inputs.
  void build_encoders();
  void make_encoder(const std::string& name, const std::string& output_mode, std::int64_t cardinality, DType dtype);
  /// The one-hot vectors, where there is an encoder, in the order of the names, crosses last.
  template <class T>
  std::vector<std::pair<std::string, T>> one_hot(const Encoded<T>& encoded) const;
  template <class T>
  EncodedFeatures<T> merged(const std::vector<std::pair<std::string, T>>& encoded) const;
  void require_features(const std::map<std::string, Tensor>& data) const;

  FeatureSpaceParts parts_;
  FeatureSpaceOptions options_;
  std::map<std::string, layers::SymbolicTensor> inputs_;
  std::map<std::string, layers::Layer> crossers_;
  std::atomic<bool> is_adapted_{false};

  /// Of what follows, which the first use makes.
  std::mutex mutex_;
  std::optional<EncodedFeatures<layers::SymbolicTensor>> encoded_features_;
  std::map<std::string, layers::Layer> encoders_;
  /// In the order in which they were made.
  std::vector<layers::Layer> listed_encoders_;
  /// The features whose layers return vectors, as a lookup does with `output_mode` "multi_hot".
  std::set<std::string> encoded_by_layers_;
  layers::Layer concat_;
};

/// The FeatureSpace of a configuration in a file, whose layers have what they learned.
layers::Layer feature_space_of_file(const io::Json& config);

}  // namespace rhyton::utils

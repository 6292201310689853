#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::distillation {

/// The outputs of a model and of some of its layers, computed in one pass.
class FeatureExtractor {
 public:
  /// For no layers.
  FeatureExtractor() = default;
  /// Throws ValueError in Keras's words for a model without symbolic inputs.
  FeatureExtractor(const models::Model& model, const std::vector<std::string>& layer_names);

  /// Whether it computes anything that the model itself does not.
  bool is_empty() const { return model_.is_empty(); }
  /// The outputs of the model, then those of the layers.
  std::vector<Tensor> operator()(const std::vector<Tensor>& x, bool training) const;
  /// Those of that layer among them; of the model for an empty name.
  std::vector<Tensor> features(const std::vector<Tensor>& outputs, const std::string& layer_name) const;

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  models::Model model_;
  /// By the name of the layer; "" is the model.
  std::map<std::string, Range> ranges_;
};

}  // namespace rhyton::distillation

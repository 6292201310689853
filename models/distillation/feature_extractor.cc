#include <rhyton/models/distillation/feature_extractor.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::distillation {

FeatureExtractor::FeatureExtractor(const models::Model& model, const std::vector<std::string>& layer_names) {
  if (layer_names.empty()) return;
  if (model.model_impl()->graph() == nullptr) {
    throw ValueError("Cannot create feature extractor for " + model.name() +
                     ". The model has no symbolic inputs attribute.");
  }
  std::vector<layers::SymbolicTensor> outputs = model.outputs();
  ranges_[""] = {0, outputs.size()};
  for (const std::string& name : layer_names) {
    const std::vector<layers::SymbolicTensor> of_layer = model.get_layer(name).outputs();
    ranges_[name] = {outputs.size(), outputs.size() + of_layer.size()};
    outputs.insert(outputs.end(), of_layer.begin(), of_layer.end());
  }
  model_ =
      models::Model({.inputs = model.inputs(), .outputs = outputs, .name = model.name() + "_multi_feature_extractor"});
}

std::vector<Tensor> FeatureExtractor::operator()(const std::vector<Tensor>& x, bool training) const {
  return model_.call_many(x, {.training = training});
}

std::vector<Tensor> FeatureExtractor::features(const std::vector<Tensor>& outputs,
                                               const std::string& layer_name) const {
  if (is_empty()) return outputs;
  const Range range = ranges_.at(layer_name);
  const auto first = outputs.begin();
  return {first + static_cast<std::ptrdiff_t>(range.begin), first + static_cast<std::ptrdiff_t>(range.end)};
}

}  // namespace rhyton::distillation

#include <rhyton/models/training/compiled_loss.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/models/training/output_indices.h>

namespace rhyton::training {
namespace {

[[noreturn]] void refuse_keys(const std::map<std::string, losses::Loss>& losses,
                              const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const auto& [key, unused] : losses) keys.push_back(key);
  throw ValueError("Expected keys " + python_list(names) + " in loss dict, but found loss.keys()=" + python_list(keys));
}

std::vector<losses::Loss> per_output(const models::LossArgument& argument, const std::vector<std::string>& names,
                                     bool is_dictionary) {
  std::vector<losses::Loss> losses(names.size());
  if (argument.is_map()) {
    const auto has_loss = [&](const std::string& name) { return argument.map().contains(name); };
    if (!is_dictionary && !std::all_of(names.begin(), names.end(), has_loss)) refuse_keys(argument.map(), names);
    const OutputIndices outputs(names);
    for (const auto& [name, loss] : argument.map()) {
      if (outputs.of(name).empty()) refuse_keys(argument.map(), names);
      for (const std::size_t output : outputs.of(name)) losses[output] = loss;
    }
    return losses;
  }
  const std::vector<losses::Loss>& list = argument.list();
  if (!argument.is_list()) {
    std::fill(losses.begin(), losses.end(), list.empty() ? losses::Loss() : list.front());
    return losses;
  }
  if (list.size() > names.size()) {
    throw ValueError("The path: (" + std::to_string(names.size()) +
                     ",) in the `loss` argument, can't be found in either the model's output (`y_pred`) or in the "
                     "labels (`y_true`).");
  }
  std::copy(list.begin(), list.end(), losses.begin());
  return losses;
}

std::vector<double> per_output(const models::LossWeights& argument, const std::vector<std::string>& names) {
  std::vector<double> weights(names.size(), 1.0);
  const OutputIndices outputs(names);
  for (const auto& [name, weight] : argument.map()) {
    if (outputs.of(name).empty()) {
      throw ValueError("Expected keys " + python_list(names) + " in loss_weights dict, but found '" + name + "'");
    }
    for (const std::size_t output : outputs.of(name)) weights[output] = weight;
  }
  if (!argument.list().empty()) {
    if (argument.list().size() != names.size()) {
      throw ValueError("`loss_weights` must match the number of losses, got " + std::to_string(names.size()) +
                       " losses and " + std::to_string(argument.list().size()) + " weights.");
    }
    weights = argument.list();
  }
  return weights;
}

}  // namespace

Tensor mean_of(const Tensor& loss) { return loss.rank() == 0 ? loss : mean(loss); }

CompiledLoss::CompiledLoss(const models::LossArgument& loss, const models::LossWeights& weights,
                           const std::vector<std::string>& output_names, bool is_dictionary)
    : losses_(per_output(loss, output_names, is_dictionary)), weights_(per_output(weights, output_names)) {
  const auto is_given = [](const losses::Loss& loss) { return !loss.is_empty(); };
  if (std::count_if(losses_.begin(), losses_.end(), is_given) < 2) return;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    if (!losses_[i].is_empty()) trackers_.emplace_back(output_names[i] + "_loss");
  }
}

std::vector<bool> CompiledLoss::outputs() const {
  std::vector<bool> outputs;
  for (const losses::Loss& loss : losses_) outputs.push_back(!loss.is_empty());
  return outputs;
}

bool CompiledLoss::is_empty() const {
  return std::all_of(losses_.begin(), losses_.end(), [](const losses::Loss& loss) { return loss.is_empty(); });
}

Tensor CompiledLoss::operator()(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred,
                                const std::vector<Tensor>& sample_weight) const {
  Tensor total;
  std::size_t tracked = 0;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    if (losses_[i].is_empty()) continue;
    const Tensor loss = losses_[i](y.at(i), y_pred.at(i), sample_weight.at(i));
    if (loss.rank() != 0 && replica_context() != nullptr) {
      throw ValueError("The loss of an output must be a scalar where replicas train. Received shape " +
                       loss.shape().to_string() + " from loss '" + losses_[i].name() + "' with reduction '" +
                       losses_[i].reduction() + "'.");
    }
    if (!trackers_.empty()) trackers_[tracked++].update(mean_of(loss), y_pred[i].shape()[0]);
    const Tensor weighted = weights_[i] == 1.0 ? loss : loss * weights_[i];
    total = total.is_empty() ? weighted : total + weighted;
  }
  return total;
}

void CompiledLoss::require_fitting(const std::vector<TensorSpec>& y, const std::vector<TensorSpec>& y_pred) const {
  constexpr std::int64_t any_batch_size = 2;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    if (losses_[i].is_empty()) continue;
    TensorSpec output = y_pred.at(i);
    TensorSpec target = y.at(i);
    if (output.shape.rank() > 0 && output.shape[0] < 0) output.shape[0] = any_batch_size;
    if (output.shape.rank() > 0 && target.shape.rank() > 0) target.shape[0] = output.shape[0];
    if (!target.shape.is_fully_known() || !output.shape.is_fully_known()) continue;
    ShapeInferenceScope scope;
    losses_[i](scope.placeholder(target), scope.placeholder(output), Tensor());
  }
}

}  // namespace rhyton::training

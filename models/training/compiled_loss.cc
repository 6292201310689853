#include <rhyton/models/training/compiled_loss.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::training {
namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::string text = "[";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", '" : "'") + names[i] + "'";
  return text + "]";
}

std::vector<losses::Loss> per_output(const models::LossArgument& argument, const std::vector<std::string>& names) {
  std::vector<losses::Loss> losses(names.size());
  if (argument.is_map()) {
    for (const auto& [name, loss] : argument.map()) {
      const auto it = std::find(names.begin(), names.end(), name);
      if (it == names.end()) {
        std::vector<std::string> keys;
        for (const auto& [key, unused] : argument.map()) keys.push_back(key);
        throw ValueError("Expected keys " + quoted(names) + " in loss dict, but found loss.keys()=" + quoted(keys));
      }
      losses[static_cast<std::size_t>(it - names.begin())] = loss;
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
  for (const auto& [name, weight] : argument.map()) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      throw ValueError("Expected keys " + quoted(names) + " in loss_weights dict, but found '" + name + "'");
    }
    weights[static_cast<std::size_t>(it - names.begin())] = weight;
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

CompiledLoss::CompiledLoss(const models::LossArgument& loss, const models::LossWeights& weights,
                           const std::vector<std::string>& output_names)
    : losses_(per_output(loss, output_names)), weights_(per_output(weights, output_names)) {
  const auto is_given = [](const losses::Loss& loss) { return !loss.is_empty(); };
  if (std::count_if(losses_.begin(), losses_.end(), is_given) < 2) return;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    if (!losses_[i].is_empty()) trackers_.emplace_back(output_names[i] + "_loss");
  }
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
    if (loss.rank() != 0) {
      throw ValueError("The loss of an output must be a scalar. Received shape " + loss.shape().to_string() +
                       " from loss '" + losses_[i].name() + "' with reduction '" + losses_[i].reduction() + "'.");
    }
    if (!trackers_.empty()) trackers_[tracked++].update(loss, y_pred[i].shape()[0]);
    const Tensor weighted = weights_[i] == 1.0 ? loss : loss * weights_[i];
    total = total.is_empty() ? weighted : total + weighted;
  }
  return total;
}

}  // namespace rhyton::training

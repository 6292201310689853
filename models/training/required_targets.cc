#include <rhyton/models/training/required_targets.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/models/training/batch_source.h>

namespace rhyton::training {
namespace {

/// As Keras prints a dictionary of arrays: {'a': '*', 'b': '*'}.
std::string dictionary_of(const std::vector<std::string>& keys) {
  std::string text = "{";
  for (const std::string& key : keys) text += (text.size() > 1 ? ", '" : "'") + key + "': '*'";
  return text + "}";
}

[[noreturn]] void refuse(const std::string& given, const std::string& expected) {
  throw ValueError("y_true and y_pred have different structures.\ny_true: " + given + "\ny_pred: " + expected + "\n");
}

}  // namespace

RequiredTargets::RequiredTargets(const std::vector<bool>& losses, const std::vector<bool>& metrics)
    : count_(losses.size()) {
  const bool has_loss = std::find(losses.begin(), losses.end(), true) != losses.end();
  for (std::size_t i = 0; i < count_; ++i) {
    if (!has_loss || losses[i]) with_loss_.push_back(i);
    if (!has_loss || losses[i] || metrics[i]) outputs_.push_back(i);
  }
}

std::vector<Tensor> RequiredTargets::listed(const Tensors& y, const std::vector<std::string>& names) const {
  if (y.is_map()) {
    std::vector<Tensor> targets;
    std::size_t found = 0;
    for (const std::string& name : names) {
      const auto entry = y.map().find(name);
      targets.push_back(entry == y.map().end() ? Tensor() : entry->second);
      found += entry == y.map().end() ? 0 : 1;
    }
    const bool has_losses = std::all_of(with_loss_.begin(), with_loss_.end(),
                                        [&](std::size_t output) { return y.map().contains(names[output]); });
    if (found == y.map().size() && has_losses) return targets;
    std::vector<std::string> keys;
    for (const auto& [key, tensor] : y.map()) keys.push_back(key);
    refuse(dictionary_of(keys), dictionary_of(names));
  }
  if (y.list().size() == names.size()) return y.list();
  if (y.list().size() != with_loss_.size()) refuse(structure(y.list().size()), structure(names.size()));
  std::vector<Tensor> targets(names.size());
  for (std::size_t i = 0; i < with_loss_.size(); ++i) targets[with_loss_[i]] = y.list()[i];
  return targets;
}

std::vector<Tensor> RequiredTargets::select(const Tensors& y, const std::vector<std::string>& names) const {
  if (y.is_empty()) return {};
  std::vector<Tensor> targets = listed(y, names);
  const auto is_missing = [](const Tensor& target) { return target.is_empty(); };
  if (std::none_of(targets.begin(), targets.end(), is_missing)) return targets;
  std::vector<Tensor> selected;
  for (const std::size_t output : outputs_) {
    if (is_missing(targets[output])) {
      throw ValueError("None values not supported. `y` has no target for the output '" + names[output] +
                       "', which has a loss or metrics.");
    }
    selected.push_back(targets[output]);
  }
  return selected;
}

void RequiredTargets::require_number(std::size_t targets, const std::vector<std::string>& names) const {
  if (targets == 0 || targets == names.size()) return;
  if (targets != with_loss_.size()) refuse(structure(targets), structure(names.size()));
  if (outputs_ == with_loss_) return;
  std::vector<std::string> given;
  for (const std::size_t output : with_loss_) given.push_back(names[output]);
  throw ValueError("None values not supported. `y` has only targets for the outputs " + python_list(given) +
                   ", which have losses; others have metrics.");
}

}  // namespace rhyton::training

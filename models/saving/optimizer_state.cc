#include <rhyton/models/saving/optimizer_state.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace rhyton::saving {
namespace {

using Indices = std::vector<std::optional<std::size_t>>;

/// An optimizer's variables and their order.
class OwnState {
 public:
  explicit OwnState(const optimizers::Optimizer& optimizer)
      : trained_(optimizer.impl()->trainable_variables()),
        variables_(optimizer.variables()),
        has_learning_rate_(!optimizer.learning_rate_variable().is_empty()) {}

  std::size_t size() const { return variables_.size(); }
  const Shape& shape(std::size_t index) const { return variables_[index].shape(); }
  std::size_t trained() const { return trained_.size(); }
  /// Where averages and slots begin: after the iteration and the learning rate.
  std::size_t first_slot() const { return has_learning_rate_ ? 2 : 1; }

  /// The indices of the slots sorted by kind, those of the first kind first.
  std::vector<std::size_t> grouped_slots() const {
    std::vector<std::string> kinds;
    std::map<std::string, std::size_t> counts;
    std::vector<std::size_t> places;
    for (std::size_t i = first_slot(); i < variables_.size(); ++i) {
      const std::string kind = kind_of(variables_[i].name());
      const auto known = std::find(kinds.begin(), kinds.end(), kind);
      const auto number = static_cast<std::size_t>(known - kinds.begin());
      if (known == kinds.end()) kinds.push_back(kind);
      places.push_back(number * trained_.size() + counts[kind]++);
    }
    return places;
  }

 private:
  /// "velocity" of "dense_kernel_velocity": the part after the longest path of a trained variable.
  std::string kind_of(const std::string& name) const {
    std::size_t longest = 0;
    for (const Variable& variable : trained_) {
      std::string prefix = variable.path() + "_";
      std::replace(prefix.begin(), prefix.end(), '/', '_');
      if (name.starts_with(prefix)) longest = std::max(longest, prefix.size());
    }
    return name.substr(longest);
  }

  const std::vector<Variable>& trained_;
  std::vector<Variable> variables_;
  bool has_learning_rate_;
};

bool fits(const OwnState& own, const SavedState& saved, const Indices& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i]) continue;
    if (*indices[i] >= saved.shapes.size() || saved.shapes[*indices[i]] != own.shape(i)) return false;
  }
  return true;
}

/// Matches the first `count` variables in their own order; the file lacks the rest.
Indices in_order(const OwnState& own, std::size_t count) {
  Indices indices(own.size());
  for (std::size_t i = 0; i < std::min(count, own.size()); ++i) indices[i] = i;
  return indices;
}

Indices without_learning_rate(const OwnState& own) {
  Indices indices(own.size());
  indices[0] = 0;
  for (std::size_t i = own.first_slot(); i < own.size(); ++i) indices[i] = i - own.first_slot() + 1;
  return indices;
}

Indices grouped(const OwnState& own) {
  Indices indices(own.size());
  indices[0] = 0;
  const std::vector<std::size_t> places = own.grouped_slots();
  for (std::size_t i = 0; i < places.size(); ++i) indices[own.first_slot() + i] = places[i] + 1;
  return indices;
}

/// Matches the variables of a wrapped optimizer: those of the one around it, its loss scale, are not in files of Keras 2.
std::optional<Indices> inner_alone(const OwnState& own, const optimizers::Optimizer& inner, const SavedState& saved) {
  const std::optional<Indices> of_inner = match_state(inner, saved);
  if (!of_inner) return std::nullopt;
  Indices indices(own.size());
  std::copy(of_inner->begin(), of_inner->end(), indices.end() - static_cast<std::ptrdiff_t>(of_inner->size()));
  return indices;
}

/// Whether the counter has the name that optimizers had before TensorFlow 2.11, or in Keras without TensorFlow.
bool has_old_names(const SavedState& saved) {
  if (saved.names.empty()) return false;
  const std::string& first = saved.names.front();
  return first.ends_with("/iter:0") || first.ends_with("/iterations:0");
}

}  // namespace

std::optional<Indices> match_state(const optimizers::Optimizer& optimizer, const SavedState& saved) {
  const OwnState own(optimizer);
  const std::size_t count = saved.shapes.size();
  if (const optimizers::Optimizer inner = optimizer.impl()->inner_optimizer();
      !inner.is_empty() && count != own.size()) {
    return inner_alone(own, inner, saved);
  }
  const std::size_t slots = own.size() - own.first_slot();
  std::optional<Indices> indices;
  if (has_old_names(saved)) {
    // Those of the oldest Keras end in placeholders for unused slots.
    if (count >= 1 + slots) indices = grouped(own);
  } else if (count == own.size()) {
    indices = in_order(own, count);
  } else if (count == 1 + slots) {
    indices = without_learning_rate(own);
  } else if (count == own.first_slot() || count == 1) {
    indices = in_order(own, count);  // it had no slots yet
  } else if (optimizer.class_name() == "SGD" && count == 1 + slots + own.trained()) {
    indices = without_learning_rate(own);
  }
  if (!indices || !fits(own, saved, *indices)) return std::nullopt;
  return indices;
}

}  // namespace rhyton::saving

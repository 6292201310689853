#include <rhyton/models/saving/optimizer_state.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <rhyton/framework/tensor/shape.h>
#include <rhyton/optimizers/nadam_product.h>

namespace rhyton::saving {
namespace {

/// The variables of an optimizer in a file, in their order.
struct SavedState {
  /// "adam/iteration", "Adam/dense/kernel/m:0"; empty if the file has none.
  std::vector<std::string> names;
  std::vector<Shape> shapes;
};

using Indices = std::vector<std::optional<std::size_t>>;

/// An optimizer's variables and their order.
class OwnState {
 public:
  explicit OwnState(const optimizers::Optimizer& optimizer)
      : class_name_(optimizer.class_name()),
        trained_(optimizer.impl()->trainable_variables()),
        variables_(optimizer.variables()),
        has_learning_rate_(!optimizer.learning_rate_variable().is_empty()) {}

  std::size_t size() const { return variables_.size(); }
  const Shape& shape(std::size_t index) const { return variables_[index].shape(); }
  std::size_t trained() const { return trained_.size(); }
  /// Where averages and slots begin: after the iteration and the learning rate.
  std::size_t first_slot() const { return has_learning_rate_ ? 2 : 1; }

  /// The indices of the averages and slots.
  std::vector<std::size_t> slots() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = first_slot(); i < variables_.size(); ++i) indices.push_back(i);
    return indices;
  }

  /// Those that Keras 2 saves: not the placeholders that Adafactor has for vectors, nor the product of Nadam.
  std::vector<std::size_t> slots_of_keras2() const {
    std::vector<std::size_t> indices = slots();
    if (class_name_ == "Nadam" && !indices.empty()) indices.pop_back();
    if (class_name_ == "Adafactor") {
      std::erase_if(indices, [&](std::size_t i) { return variables_[i].dtype() == DType::int32; });
    }
    return indices;
  }

  /// The places of these slots when they are sorted by kind, those of the first kind first.
  std::vector<std::size_t> grouped_places(const std::vector<std::size_t>& slots) const {
    std::vector<std::string> kinds;
    std::map<std::string, std::size_t> counts;
    std::vector<std::size_t> places;
    for (const std::size_t i : slots) {
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

  std::string class_name_;
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

/// The iteration, then these slots.
Indices without_learning_rate(const OwnState& own, const std::vector<std::size_t>& slots) {
  Indices indices(own.size());
  indices[0] = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) indices[slots[i]] = i + 1;
  return indices;
}

/// `first`: the index of the first slot in the file.
Indices grouped(const OwnState& own, const std::vector<std::size_t>& slots, std::size_t first) {
  Indices indices(own.size());
  indices[0] = 0;
  const std::vector<std::size_t> places = own.grouped_places(slots);
  for (std::size_t i = 0; i < places.size(); ++i) indices[slots[i]] = places[i] + first;
  return indices;
}

/// Those of a wrapped optimizer, the last ones: what is around it, the loss scale, is not in files of Keras 2.
Indices inner_alone(const OwnState& own, const Indices& of_inner) {
  Indices indices(own.size());
  std::copy(of_inner.begin(), of_inner.end(), indices.end() - static_cast<std::ptrdiff_t>(of_inner.size()));
  return indices;
}

/// Whether the counter has the name that optimizers had before TensorFlow 2.11, or in Keras without TensorFlow.
bool has_old_names(const SavedState& saved) {
  if (saved.names.empty()) return false;
  const std::string& first = saved.names.front();
  return first.ends_with("/iter:0") || first.ends_with("/iterations:0");
}

/// The Nadam of TensorFlow before 2.11 has the product of its schedule, which is another one, in front of the slots.
bool has_old_product(const SavedState& saved) {
  return saved.names.size() > 1 && saved.names[1].ends_with("/momentum_cache:0");
}

/// For each of `optimizer.variables()`, the index of its saved value; nullopt if the file has none, as for the learning
/// rate, which Keras 2 stores in the configuration. Empty if the state is that of another optimizer or other variables.
std::optional<Indices> match_state(const optimizers::Optimizer& optimizer, const SavedState& saved) {
  const OwnState own(optimizer);
  const std::size_t count = saved.shapes.size();
  if (const optimizers::Optimizer inner = optimizer.impl()->inner_optimizer();
      !inner.is_empty() && count != own.size()) {
    const std::optional<Indices> of_inner = match_state(inner, saved);
    return of_inner ? std::optional(inner_alone(own, *of_inner)) : std::nullopt;
  }
  const std::vector<std::size_t> slots = own.slots();
  const std::vector<std::size_t> slots_of_keras2 = own.slots_of_keras2();
  std::optional<Indices> indices;
  if (has_old_names(saved)) {
    const std::size_t first = has_old_product(saved) ? 2 : 1;
    // Those of the oldest Keras end in placeholders for unused slots.
    if (count >= first + slots_of_keras2.size()) indices = grouped(own, slots_of_keras2, first);
  } else if (count == own.size()) {
    indices = in_order(own, count);
  } else if (count == 1 + slots.size()) {
    indices = without_learning_rate(own, slots);
  } else if (count == 1 + slots_of_keras2.size()) {
    indices = without_learning_rate(own, slots_of_keras2);
  } else if (count == own.first_slot() || count == 1) {
    indices = in_order(own, count);  // it had no slots yet
  } else if (optimizer.class_name() == "SGD" && count == 1 + slots.size() + own.trained()) {
    indices = without_learning_rate(own, slots);
  }
  if (!indices || !fits(own, saved, *indices)) return std::nullopt;
  return indices;
}

/// The product of Nadam, which Keras 2 does not save, after the saved iterations.
void add_product(const optimizers::Optimizer& nadam, const Tensor& iterations, PendingValues& values) {
  const double beta_1 = nadam.get_config()["beta_1"].as_double();
  const auto steps = static_cast<std::int64_t>(iterations.item());
  const Variable product = nadam.variables().back();
  values.add(product, Tensor::full({}, optimizers::nadam_product(beta_1, steps), product.dtype()));
}

}  // namespace

std::optional<PendingValues> find_state(const optimizers::Optimizer& optimizer,
                                        const std::vector<io::Hdf5Dataset>& datasets,
                                        const std::vector<std::string>& names) {
  SavedState saved = {.names = names, .shapes = {}};
  for (const io::Hdf5Dataset& dataset : datasets) saved.shapes.push_back(dataset.spec().shape);
  const std::optional<Indices> indices = match_state(optimizer, saved);
  if (!indices) return std::nullopt;
  const std::vector<Variable> variables = optimizer.variables();
  PendingValues values;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if ((*indices)[i]) values.add(variables[i], datasets[*(*indices)[i]]);
  }
  const optimizers::Optimizer inner = optimizer.impl()->inner_optimizer();
  const optimizers::Optimizer& innermost = inner.is_empty() ? optimizer : inner;
  if (innermost.class_name() == "Nadam" && !indices->back()) {
    const std::size_t iterations = variables.size() - innermost.variables().size();
    add_product(innermost, datasets[(*indices)[iterations].value()].read(), values);
  }
  return values;
}

}  // namespace rhyton::saving

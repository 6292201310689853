#include <rhyton/framework/tensor/variable_values.h>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton {
namespace {

thread_local VariableValuesScope* innermost_scope = nullptr;

}  // namespace

void VariableValues::take(const std::vector<Variable>& variables, bool are_own) {
  entries_.reserve(entries_.size() + variables.size());
  for (const Variable& variable : variables) {
    if (!places_.emplace(variable.identity(), entries_.size()).second) continue;
    entries_.push_back({variable, variable.stored_value(), are_own});
  }
}

VariableValues::Entry* VariableValues::find(const Variable& variable) {
  const auto place = places_.find(variable.identity());
  return place == places_.end() ? nullptr : &entries_[place->second];
}

void* VariableValues::writable_data(Entry& entry) {
  Tensor& value = entry.value;
  if (value.storage().use_count() > 1 || value.handle_count() > 1) value = value.clone();
  return value.mutable_device_data();
}

void VariableValues::exchange() {
  for (Entry& entry : entries_) {
    if (!entry.is_own) continue;
    // On the host, handles are exchanged; on a GPU, elements, since recorded work contains the variable's address.
    const Tensor stored = entry.variable.stored_value();
    Tensor theirs = stored.device().is_host() ? stored : stored.clone();
    entry.variable.set_stored_value(entry.value);
    entry.value = std::move(theirs);
  }
}

VariableValuesScope::VariableValuesScope(VariableValues& values) : values_(&values), outer_(innermost_scope) {
  innermost_scope = this;
}

VariableValuesScope::~VariableValuesScope() { innermost_scope = outer_; }

VariableValues* VariableValuesScope::current() {
  return innermost_scope == nullptr ? nullptr : innermost_scope->values_;
}

VariableValues::Entry* VariableValuesScope::find(const Variable& variable) {
  for (const VariableValuesScope* scope = innermost_scope; scope != nullptr; scope = scope->outer_) {
    if (VariableValues::Entry* const entry = scope->values_->find(variable)) return entry;
  }
  return nullptr;
}

}  // namespace rhyton

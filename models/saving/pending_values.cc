#include <rhyton/models/saving/pending_values.h>

#include <iterator>
#include <mutex>
#include <utility>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::saving {

void PendingValues::add(const Variable& variable, io::Hdf5Dataset value) {
  values_.push_back({variable, std::move(value)});
}

void PendingValues::add(const Variable& variable, const Tensor& value) { values_.push_back({variable, value}); }

void PendingValues::add(PendingValues others) {
  values_.insert(values_.end(), std::make_move_iterator(others.values_.begin()),
                 std::make_move_iterator(others.values_.end()));
}

Tensor PendingValues::Value::read() const {
  if (const Tensor* const value = std::get_if<Tensor>(&source)) return *value;
  const Tensor tensor = std::get<io::Hdf5Dataset>(source).read();
  return tensor.dtype() == variable.dtype() ? tensor : tensor.cast(variable.dtype());
}

bool PendingValues::Value::read_into_variable() const {
  const io::Hdf5Dataset* const dataset = std::get_if<io::Hdf5Dataset>(&source);
  if (dataset == nullptr) return false;
  const TensorSpec spec = dataset->spec();
  if (spec != variable.spec() || !variable.stored_value().device().is_host()) return false;
  dataset->read_into(spec, variable.writable_data());
  return true;
}

void PendingValues::assign_all() const {
  std::vector<Tensor> tensors;
  tensors.reserve(values_.size());
  for (const Value& value : values_) tensors.push_back(value.read());
  const std::unique_lock between_steps(training::step_mutex());
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].variable.set_stored_value(tensors[i]);
}

void PendingValues::assign_one_by_one() const {
  for (const Value& value : values_) {
    if (!value.read_into_variable()) value.variable.set_stored_value(value.read());
  }
}

}  // namespace rhyton::saving

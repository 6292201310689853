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

void PendingValues::add(PendingValues others) {
  values_.insert(values_.end(), std::make_move_iterator(others.values_.begin()),
                 std::make_move_iterator(others.values_.end()));
}

void PendingValues::assign_all() const {
  std::vector<Tensor> tensors;
  tensors.reserve(values_.size());
  for (const Value& value : values_) {
    const Tensor tensor = value.dataset.read();
    tensors.push_back(tensor.dtype() == value.variable.dtype() ? tensor : tensor.cast(value.variable.dtype()));
  }
  const std::unique_lock between_steps(training::step_mutex());
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].variable.set_stored_value(tensors[i]);
}

void PendingValues::assign_one_by_one() const {
  for (const Value& value : values_) {
    const TensorSpec spec = value.dataset.spec();
    if (spec == value.variable.spec() && value.variable.stored_value().device().is_host()) {
      value.dataset.read_into(spec, value.variable.writable_data());
      continue;
    }
    const Tensor tensor = value.dataset.read();
    value.variable.set_stored_value(tensor.dtype() == value.variable.dtype() ? tensor
                                                                             : tensor.cast(value.variable.dtype()));
  }
}

}  // namespace rhyton::saving

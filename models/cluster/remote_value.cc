#include <rhyton/models/cluster/remote_value.h>

#include <utility>

namespace rhyton::distribute {

RemoteValue::RemoteValue() : state_(std::make_shared<State>()) {}

std::vector<Tensor> RemoteValue::fetch() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->is_known; });
  if (state_->error != nullptr) std::rethrow_exception(state_->error);
  return state_->value;
}

void RemoteValue::set(std::vector<Tensor> value) const {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->value = std::move(value);
    state_->is_known = true;
  }
  state_->changed.notify_all();
}

void RemoteValue::set_error(std::exception_ptr error) const {
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->is_known) return;
    state_->error = std::move(error);
    state_->is_known = true;
  }
  state_->changed.notify_all();
}

}  // namespace rhyton::distribute

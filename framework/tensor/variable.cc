#include <rhyton/framework/tensor/variable.h>

#include <atomic>
#include <utility>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/kept_values.h>

namespace rhyton {
namespace {

/// Whether these elements have no other owner. Other owners' accesses then happened before: the release of their last
/// handle decremented the count, and copying our handle synchronizes with that, which only reading the count would not
/// do.
bool is_only_owner(const Tensor& value) {
  // Our handle counts as one owner of the storage.
  if (value.storage().use_count() > 1 || value.handle_count() > 1) return false;
  static_cast<void>(Tensor(value));
  static_cast<void>(std::shared_ptr<Storage>(value.storage()));
  return true;
}

/// The same after unused handles were released.
bool becomes_only_owner(const Tensor& value) {
  if (is_only_owner(value)) return true;
  KeptValues::release_all();
  return is_only_owner(value);
}

}  // namespace

struct Variable::Impl {
  Tensor value;
  /// The spec of all values: separate, so that other threads may read it while a step writes the value.
  TensorSpec spec;
  std::string name;
  std::string path;
  bool trainable = true;
  bool carries_batch = false;
  std::function<Tensor(const Tensor& value)> constraint;
  /// Written by the assigning thread, one at a time; a tape of another thread may read it.
  std::atomic<std::uint64_t> version{0};

  void count_assignment() { version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

Variable::Variable(const Tensor& initial_value, const VariableOptions& options) {
  if (!initial_value.is_concrete()) {
    throw ValueError("A Variable needs a concrete initial value. Received for '" + options.name +
                     "': " + (initial_value.is_empty() ? "an empty tensor" : "a traced tensor"));
  }
  if (options.carries_batch && initial_value.rank() == 0) {
    throw ValueError(
        "A Variable that carries the batch needs an axis for it. "
        "Received for '" +
        options.name + "': a scalar");
  }
  // A variable owns its elements: the owner of the initial value may still change it.
  impl_ = std::make_shared<Impl>();
  // In the scope of a device of another task it lives there.
  const bool is_there =
      !has_device_scope() || !current_device().is_remote() || &initial_value.device() == &current_device();
  impl_->value = is_there ? initial_value.clone() : initial_value.to(current_device());
  impl_->spec = initial_value.spec();
  impl_->name = options.name;
  impl_->path = options.path.empty() ? options.name : options.path;
  impl_->trainable = options.trainable;
  impl_->carries_batch = options.carries_batch;
}

const std::string& Variable::name() const { return impl_->name; }
const std::string& Variable::path() const { return impl_->path; }
void Variable::set_path(std::string path) { impl_->path = std::move(path); }
const TensorSpec& Variable::spec() const { return impl_->spec; }
bool Variable::trainable() const { return impl_->trainable; }
bool Variable::carries_batch() const { return impl_->carries_batch; }
void Variable::set_trainable(bool trainable) { impl_->trainable = trainable; }
const std::function<Tensor(const Tensor&)>& Variable::constraint() const { return impl_->constraint; }
void Variable::set_constraint(std::function<Tensor(const Tensor&)> constraint) const {
  impl_->constraint = std::move(constraint);
}
std::uint64_t Variable::version() const { return impl_->version.load(std::memory_order_relaxed); }
const Tensor& Variable::stored_value() const { return impl_->value; }

void Variable::set_stored_value(const Tensor& value) const {
  if (!value.is_concrete() || !(value.spec() == spec())) {
    throw ValueError("The stored value of variable '" + path() + "' must keep its shape and dtype.");
  }
  impl_->count_assignment();
  LogicalDevice& device = impl_->value.device();
  if (device.is_host()) {
    // Releases unused handles of the old value.
    if (impl_->value.handle_count() > 1) KeptValues::release_all();
    impl_->value = value.to(device).without_mask();
    return;
  }
  // In place if the old value has no other owner: work recorded for a GPU contains the address.
  if (!becomes_only_owner(impl_->value)) {
    impl_->value = Tensor::uninitialized(value.shape(), value.dtype(), device);
  }
  copy_between_devices(device, impl_->value.mutable_device_data(), value.device(), value.device_data(),
                       value.spec().bytes());
}

void* Variable::writable_data() const {
  if (!becomes_only_owner(impl_->value)) impl_->value = impl_->value.clone();
  impl_->count_assignment();
  return impl_->value.mutable_device_data();
}

bool Variable::move_to(LogicalDevice& device) const {
  if (&impl_->value.device() == &device) return false;
  impl_->value = impl_->value.to(device);
  return true;
}

}  // namespace rhyton

#include <rhyton/framework/tensor/variable.h>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/error.h>

namespace rhyton {

struct Variable::Impl {
  Tensor value;
  std::string name;
  std::string path;
  bool trainable;
  std::uint64_t version = 0;
};

Variable::Variable(const Tensor& initial_value, const VariableOptions& options) {
  if (!initial_value.is_concrete()) {
    throw ValueError("A Variable needs a concrete initial value. Received for '" + options.name +
                     "': " + (initial_value.is_empty() ? "an empty tensor" : "a traced tensor"));
  }
  // A variable owns its elements: whoever made the initial value may go on changing it.
  impl_ = std::make_shared<Impl>(
      Impl{initial_value.clone(), options.name, options.path.empty() ? options.name : options.path, options.trainable});
}

const std::string& Variable::name() const { return impl_->name; }
const std::string& Variable::path() const { return impl_->path; }
void Variable::set_path(std::string path) { impl_->path = std::move(path); }
const TensorSpec& Variable::spec() const { return impl_->value.spec(); }
bool Variable::trainable() const { return impl_->trainable; }
void Variable::set_trainable(bool trainable) { impl_->trainable = trainable; }
std::uint64_t Variable::version() const { return impl_->version; }
const Tensor& Variable::stored_value() const { return impl_->value; }

void Variable::set_stored_value(const Tensor& value) const {
  if (!value.is_concrete() || !(value.spec() == spec())) {
    throw ValueError("The stored value of variable '" + path() + "' must keep its shape and dtype.");
  }
  ++impl_->version;
  LogicalDevice& device = impl_->value.device();
  if (device.is_host()) {
    impl_->value = value.to(device);
    return;
  }
  // In place where nobody else holds the old value: what is recorded for a GPU names the address.
  if (impl_->value.storage().use_count() > 1 || impl_->value.handle_count() > 1) {
    impl_->value = Tensor::uninitialized(value.shape(), value.dtype(), device);
  }
  copy_between_devices(device, impl_->value.mutable_device_data(), value.device(), value.device_data(),
                       value.spec().bytes());
}

void* Variable::writable_data() const {
  // Our handle counts for one owner of the storage.
  if (impl_->value.storage().use_count() > 1 || impl_->value.handle_count() > 1) impl_->value = impl_->value.clone();
  ++impl_->version;
  return impl_->value.mutable_device_data();
}

bool Variable::move_to(LogicalDevice& device) const {
  if (&impl_->value.device() == &device) return false;
  impl_->value = impl_->value.to(device);
  return true;
}

}  // namespace rhyton

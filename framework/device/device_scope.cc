#include <rhyton/framework/device/device_scope.h>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton {
namespace {

thread_local DeviceScope* innermost_scope = nullptr;
// The innermost scope when the innermost root was made.
thread_local const DeviceScope* root_scope = nullptr;

}  // namespace

DeviceScope::DeviceScope(std::string_view name)
    : outer_(innermost_scope),
      spec_((outer_ != nullptr ? outer_->spec_ : DeviceSpec()).merged_with(DeviceSpec::parse(name))),
      device_(&device_runtime().find(spec_)) {
  innermost_scope = this;
}

DeviceScope::DeviceScope(LogicalDevice& device)
    : outer_(innermost_scope), spec_(DeviceSpec::parse(device.full_name())), device_(&device) {
  innermost_scope = this;
}

DeviceScope::~DeviceScope() {
  if (innermost_scope == this) innermost_scope = outer_;
}

LogicalDevice& current_device() {
  return innermost_scope != nullptr ? innermost_scope->target() : device_runtime().default_device();
}

bool has_device_scope() { return innermost_scope != nullptr; }

DeviceScopeRoot::DeviceScopeRoot() : outer_(root_scope) { root_scope = innermost_scope; }

DeviceScopeRoot::~DeviceScopeRoot() { root_scope = outer_; }

LogicalDevice* explicit_device() {
  return innermost_scope == nullptr || innermost_scope == root_scope ? nullptr : &innermost_scope->target();
}

namespace debugging {

void set_log_device_placement(bool enabled) { device_runtime().set_log_placement(enabled); }

bool get_log_device_placement() { return device_runtime().log_placement(); }

}  // namespace debugging

}  // namespace rhyton

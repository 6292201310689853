#pragma once

#include <string_view>

#include <rhyton/framework/device/device_spec.h>
#include <rhyton/framework/device/logical_device.h>

namespace rhyton {

/// Ops of this thread run on its device during its lifetime: `auto scope = device("/GPU:0");`. Scopes nest and must end
/// in the reverse order of their creation, as local variables do.
class [[nodiscard]] DeviceScope {
 public:
  /// Selects the device of that name; see `device`, which throws the same.
  explicit DeviceScope(std::string_view name);
  explicit DeviceScope(LogicalDevice& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// The device of ops inside this scope.
  LogicalDevice& target() const { return *device_; }
  /// The name merged with those of the enclosing scopes.
  const DeviceSpec& spec() const { return spec_; }

 private:
  DeviceScope* outer_;
  DeviceSpec spec_;
  LogicalDevice* device_;
};

/// A scope for the device of that name, in any form that DeviceSpec::parse accepts; fields that the name leaves open
/// are taken from the enclosing scope. Throws ValueError for a name that cannot be parsed, and InvalidArgumentError for
/// a device that does not exist (unless `config::set_soft_device_placement(true)`).
inline DeviceScope device(std::string_view name) { return DeviceScope(name); }
inline DeviceScope device(LogicalDevice& target) { return DeviceScope(target); }

/// The device of this thread's ops now: the innermost scope's device, else the first GPU, else the first CPU.
LogicalDevice& current_device();

/// Whether this thread is inside a device scope, that is, whether the program has chosen a device for ops.
bool has_device_scope();

/// During its lifetime the enclosing scopes apply to the whole computation and not to single ops: a trace opens one, as
/// its graph may run on another device than the one it was traced on.
class [[nodiscard]] DeviceScopeRoot {
 public:
  DeviceScopeRoot();
  ~DeviceScopeRoot();
  DeviceScopeRoot(const DeviceScopeRoot&) = delete;
  DeviceScopeRoot& operator=(const DeviceScopeRoot&) = delete;

 private:
  const DeviceScope* outer_;
};

/// The device that the program has chosen for single ops: that of the innermost scope, if it was opened since the
/// innermost DeviceScopeRoot; else null.
LogicalDevice* explicit_device();

namespace debugging {

/// With `true`, every op writes to standard error which device it runs on.
void set_log_device_placement(bool enabled);
bool get_log_device_placement();

}  // namespace debugging

}  // namespace rhyton

#pragma once

#include <string_view>

#include <rhyton/framework/device/device_spec.h>
#include <rhyton/framework/device/logical_device.h>

namespace rhyton {

/// As long as it lives, ops of this thread run on its device: `auto scope = device("/GPU:0");`. Scopes nest and must
/// end in the order opposite to that in which they began, as those in local variables do.
class [[nodiscard]] DeviceScope {
 public:
  explicit DeviceScope(std::string_view name);
  explicit DeviceScope(LogicalDevice& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Where ops run inside this scope.
  LogicalDevice& target() const { return *device_; }
  /// The name merged over those of the scopes around it.
  const DeviceSpec& spec() const { return spec_; }

 private:
  DeviceScope* outer_;
  DeviceSpec spec_;
  LogicalDevice* device_;
};

/// A scope for the device of that name, in any form that DeviceSpec::parse reads; fields the name leaves open come from
/// the scope around it. Throws ValueError for a name that cannot be read, and InvalidArgumentError for a device that
/// does not exist (unless `config::set_soft_device_placement(true)`).
inline DeviceScope device(std::string_view name) { return DeviceScope(name); }
inline DeviceScope device(LogicalDevice& target) { return DeviceScope(target); }

/// Where ops of this thread run now: the innermost scope's device, else the first GPU, else the first CPU.
LogicalDevice& current_device();

/// Whether this thread is inside a device scope, that is, whether the program has said where ops run.
bool has_device_scope();

/// While it lives, the scopes that this thread is in already say where everything runs, and not where single ops do:
/// a trace begins with one, as its graph may run elsewhere than it was made.
class [[nodiscard]] DeviceScopeRoot {
 public:
  DeviceScopeRoot();
  ~DeviceScopeRoot();
  DeviceScopeRoot(const DeviceScopeRoot&) = delete;
  DeviceScopeRoot& operator=(const DeviceScopeRoot&) = delete;

 private:
  const DeviceScope* outer_;
};

/// Where the program wants what is called now to run: the device of the innermost scope, if it was opened since the
/// innermost DeviceScopeRoot; else null.
LogicalDevice* explicit_device();

namespace debugging {

/// With `true`, every op says on standard error which device it runs on.
void set_log_device_placement(bool enabled);
bool get_log_device_placement();

}  // namespace debugging

}  // namespace rhyton

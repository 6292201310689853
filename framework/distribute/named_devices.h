#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton::distribute {

/// The devices of those names; all logical GPUs, or where there are none all logical CPUs, for no names. Throws
/// ValueError for a name that cannot be read, InvalidArgumentError for a device that does not exist.
std::vector<LogicalDevice*> devices_named(const std::vector<std::string>& names);

/// Their full names, as Python prints a tuple.
std::string listed(const std::vector<LogicalDevice*>& devices);

}  // namespace rhyton::distribute

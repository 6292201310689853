#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton::distribute {

/// The devices of those names; without names all logical GPUs, or all logical CPUs if there is no GPU. Throws
/// ValueError for a name that cannot be parsed, InvalidArgumentError for a device that does not exist.
std::vector<LogicalDevice*> devices_named(const std::vector<std::string>& names);

/// Their full names, as Python prints a tuple.
std::string listed(const std::vector<LogicalDevice*>& devices);

}  // namespace rhyton::distribute

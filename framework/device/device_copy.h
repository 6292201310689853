#pragma once

#include <cstddef>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton {

/// Copies bytes from one device to another, or within one, after all earlier work of both. The source may be
/// overwritten when the call returns.
void copy_between_devices(LogicalDevice& target_device, void* target, LogicalDevice& source_device, const void* source,
                          std::size_t bytes);

}  // namespace rhyton

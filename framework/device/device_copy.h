#pragma once

#include <cstddef>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton {

/// Copies bytes from one device to another, or within one, after all work that either was given before. The source may
/// change again when the call returns.
void copy_between_devices(LogicalDevice& target_device, void* target, LogicalDevice& source_device, const void* source,
                          std::size_t bytes);

}  // namespace rhyton

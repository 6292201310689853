#pragma once

#include <rhyton/framework/device/logical_device.h>

namespace rhyton::gpu {

/// The logical GPUs of these tests, on one card: two equal ones, and one of 24 MB.
LogicalDevice& first_gpu();
LogicalDevice& second_gpu();
LogicalDevice& small_gpu();

/// The CPU for reference results.
LogicalDevice& cpu();

/// Whether they are emulated: long computations then use smaller sizes.
bool is_emulated();

}  // namespace rhyton::gpu

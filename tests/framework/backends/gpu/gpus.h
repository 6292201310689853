#pragma once

#include <rhyton/framework/device/logical_device.h>

namespace rhyton::gpu {

/// The logical GPUs that these tests have, cut out of one card: two equal ones, and one of 24 MB.
LogicalDevice& first_gpu();
LogicalDevice& second_gpu();
LogicalDevice& small_gpu();

/// The CPU that results are compared with.
LogicalDevice& cpu();

/// Whether there is no real GPU behind them: what takes long is then done smaller.
bool is_emulated();

}  // namespace rhyton::gpu

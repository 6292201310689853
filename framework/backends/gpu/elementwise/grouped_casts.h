#pragma once

#include <span>

#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// Whether `run_grouped_casts` supports these types: between float and a half type.
template <class From, class To>
inline constexpr bool can_group_casts = (dtype_of<From> == DType::float32 && is_half(dtype_of<To>)) ||
                                        (dtype_of<To> == DType::float32 && is_half(dtype_of<From>));

/// Casts many tensors with few launches. The calls are of Cast, all of them between these types; results have the same
/// bits as single calls.
template <class From, class To>
void run_grouped_casts(GpuStream& stream, std::span<const KernelArguments> casts);

extern template void run_grouped_casts<float, Half>(GpuStream&, std::span<const KernelArguments>);
extern template void run_grouped_casts<float, BFloat16>(GpuStream&, std::span<const KernelArguments>);
extern template void run_grouped_casts<Half, float>(GpuStream&, std::span<const KernelArguments>);
extern template void run_grouped_casts<BFloat16, float>(GpuStream&, std::span<const KernelArguments>);

}  // namespace rhyton::gpu

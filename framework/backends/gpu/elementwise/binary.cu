#include <rhyton/framework/backends/elementwise/binary.h>

#include <cstdint>

#include <rhyton/framework/backends/elementwise/conversions.h>
#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/gpu/elementwise/function_kernels.h>

namespace rhyton::gpu {
namespace {

template <class T>
void run_where(const KernelArguments& arguments) {
  launch_broadcast(arguments, elementwise::Select(), arguments.outputs[0].as<T>(), arguments.inputs[0].as<const bool>(),
                   arguments.inputs[1].as<const T>(), arguments.inputs[2].as<const T>());
}

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add_where(KernelTable& table, DType dtype, DType of_same_size) {
  table.add(elementwise::Select::name, dtype, {.run = &run_where<T>});
  table.add(elementwise::Select::name, of_same_size, {.run = &run_where<T>});
}

}  // namespace

void register_binary_kernels(KernelTable& table) {
  add_functions(table, elementwise::BinaryFunctions());
  add_where<std::uint8_t>(table, DType::uint8, DType::bool_);
  add_where<std::uint16_t>(table, DType::float16, DType::bfloat16);
  add_where<std::uint32_t>(table, DType::float32, DType::int32);
  add_where<std::uint64_t>(table, DType::float64, DType::int64);
}

}  // namespace rhyton::gpu

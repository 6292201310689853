#include <rhyton/framework/ops/bitcast.h>

#include <cstdint>
#include <cstring>

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

void run_bitcast(const KernelArguments& arguments) {
  const std::size_t bytes = arguments.outputs[0].spec.bytes();
  if (bytes > 0) std::memcpy(arguments.outputs[0].data, arguments.inputs[0].data, bytes);
}

template <class... T>
void add_bitcasts(KernelTable& table) {
  (table.add("Bitcast", dtype_of<T>, {.run = &run_bitcast}), ...);
}

}  // namespace

void register_bitcast_kernels(KernelTable& table) {
  add_bitcasts<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, std::int8_t, std::int16_t,
               std::uint16_t, std::uint32_t>(table);
}

}  // namespace rhyton::cpu

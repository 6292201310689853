#include <rhyton/framework/ops/bitcast.h>

#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {
namespace {

void run_bitcast(const KernelArguments& arguments) {
  const TensorView& from = arguments.inputs[0];
  const TensorView& to = arguments.outputs[0];
  if (to.size() > 0 && to.data != from.data) stream_of(arguments).copy(to.data, from.data, to.spec.bytes());
}

}  // namespace

void register_bitcast_kernels(KernelTable& table) {
  for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, int8, int16, uint16, uint32}) {
    table.add("Bitcast", dtype, {.run = &run_bitcast});
  }
}

}  // namespace rhyton::gpu

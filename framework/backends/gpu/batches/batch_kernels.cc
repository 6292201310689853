#include <rhyton/framework/ops/batches.h>

#include <rhyton/framework/backends/gpu/batches/batches.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {
namespace {

void run_gather_samples(const KernelArguments& arguments) {
  const TensorView& source = arguments.inputs[0];
  const std::int64_t samples = source.shape()[0];
  if (samples == 0) return;
  const OrderedSamples from{.source = source.data,
                            .samples = samples,
                            .sample_bytes = source.spec.bytes() / static_cast<std::size_t>(samples),
                            .permutation = arguments.inputs[1].as<std::int64_t>()};
  gather_samples(stream_of(arguments), from, arguments.inputs[2].as<std::int64_t>(),
                 arguments.attributes<GatherSamplesOp>().count, arguments.outputs[0].data);
}

}  // namespace

void register_batch_kernels(KernelTable& table) {
  for (const DType dtype : all_dtypes) {
    table.add("GatherSamples", dtype, {.run = &run_gather_samples});
  }
}

}  // namespace rhyton::gpu

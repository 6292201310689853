#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batches.h>

namespace rhyton::cpu {
namespace {

void gather_samples(const KernelArguments& arguments) {
  const TensorView& source = arguments.inputs[0];
  const std::int64_t samples = source.shape()[0];
  const std::int64_t count = arguments.attributes<GatherSamplesOp>().count;
  const std::int64_t first = *arguments.inputs[2].as<std::int64_t>();
  if (first < 0 || first > samples - count) {
    throw InvalidArgumentError("A batch of " + std::to_string(count) + " samples from " + std::to_string(first) +
                               " on is not in [0, " + std::to_string(samples) + ")");
  }
  if (count == 0) return;
  const std::size_t bytes = source.spec.bytes() / static_cast<std::size_t>(samples);
  const std::int64_t* const permutation = arguments.inputs[1].as<std::int64_t>() + first;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t sample = permutation[i];
    if (sample < 0 || sample >= samples) {
      throw InvalidArgumentError("indices[" + std::to_string(first + i) + "] = " + std::to_string(sample) +
                                 " is not in [0, " + std::to_string(samples) + ")");
    }
    std::memcpy(arguments.outputs[0].as<std::byte>() + static_cast<std::size_t>(i) * bytes,
                source.as<const std::byte>() + static_cast<std::size_t>(sample) * bytes, bytes);
  }
}

}  // namespace

void register_batch_kernels(KernelTable& table) {
  for (const DType dtype : all_dtypes) {
    table.add("GatherSamples", dtype, {.run = &gather_samples});
  }
}

}  // namespace rhyton::cpu

#pragma once

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

inline const std::vector<DType> floating_dtypes{float32, float64, float16, bfloat16};

/// Memory of the GPU, released by the destructor. Filled with 0xFF, which is NaN in every floating dtype.
class DeviceBlock {
 public:
  explicit DeviceBlock(std::size_t bytes) {
    check(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "cudaMalloc");
    check(cudaMemset(data_, 0xFF, bytes == 0 ? 1 : bytes), "cudaMemset");
    // Streams of the backend do not wait for the default stream.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  ~DeviceBlock() { cudaFree(data_); }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  DeviceBlock(DeviceBlock&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceBlock& operator=(DeviceBlock&&) = delete;

  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// An output that is written over an input; none by default.
struct Overwriting {
  int input = -1;
  int output = -1;
};

/// Runs the GPU's kernel of `op` on copies of host tensors and returns the outputs as host tensors. Elements that are
/// not written are NaN.
inline std::vector<Tensor> run_kernel(const Op& op, std::span<const Tensor> inputs, GpuStream& stream,
                                      const Overwriting& overwriting = {}) {
  std::vector<TensorSpec> input_specs;
  for (const Tensor& input : inputs) input_specs.push_back(input.spec());
  const std::vector<TensorSpec> output_specs = op.infer(input_specs);
  const Kernel& kernel = gpu_kernels().get(op, input_specs);

  std::vector<DeviceBlock> blocks;
  const auto view = [&](const TensorSpec& spec) {
    blocks.emplace_back(spec.bytes());
    return TensorView{blocks.back().data(), spec};
  };
  std::vector<TensorView> input_views;
  std::vector<TensorView> output_views;
  for (const Tensor& input : inputs) {
    input_views.push_back(view(input.spec()));
    stream.copy_from_host(input_views.back().data, input.raw_data(), input.spec().bytes());
  }
  for (const TensorSpec& spec : output_specs) {
    const bool overwrites = static_cast<int>(output_views.size()) == overwriting.output;
    output_views.push_back(overwrites ? input_views[static_cast<std::size_t>(overwriting.input)] : view(spec));
  }
  const std::size_t workspace_bytes =
      kernel.workspace_bytes == nullptr ? 0 : kernel.workspace_bytes(op, input_specs, output_specs);
  const DeviceBlock workspace(workspace_bytes);

  kernel.run({.op = &op,
              .stream = &stream,
              .inputs = input_views,
              .outputs = output_views,
              .workspace = workspace_bytes > 0 ? workspace.data() : nullptr});
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < output_specs.size(); ++i) {
    Tensor output = Tensor::uninitialized(output_specs[i].shape, output_specs[i].dtype);
    stream.copy_to_host(output.mutable_raw_data(), output_views[i].data, output_specs[i].bytes());
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace rhyton::gpu

#include <rhyton/framework/ops/conv_max_pool.h>

#include <array>

#include <rhyton/framework/backends/gpu/conv.h>
#include <rhyton/framework/backends/gpu/pooling.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

// The convolution goes into the workspace; what it did not do of bias and activation is done by the pooling's kernel.

TensorSpec convolution_spec(const FusedConv2DMaxPoolOp& op, Kernel::Specs inputs) {
  return op.convolution().infer(inputs)[0];
}

std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const auto& fused = static_cast<const FusedConv2DMaxPoolOp&>(op);
  const std::array<TensorSpec, 1> y = {convolution_spec(fused, inputs)};
  return in_workspace(y[0].bytes()) + convolution_workspace_bytes(fused.convolution(), inputs.first(2), y);
}

void run(const KernelArguments& arguments) {
  const auto& fused = arguments.attributes<FusedConv2DMaxPoolOp>();
  std::array<TensorSpec, 3> inputs;
  const std::size_t count = arguments.inputs.size();
  for (std::size_t i = 0; i < count; ++i) inputs.at(i) = arguments.inputs[i].spec;
  const TensorView y = {arguments.workspace, convolution_spec(fused, Kernel::Specs(inputs).first(count))};

  KernelArguments convolution = arguments;
  convolution.op = &fused.convolution();
  convolution.inputs = arguments.inputs.first(2);
  convolution.outputs = {&y, 1};
  convolution.workspace = static_cast<std::byte*>(arguments.workspace) + in_workspace(y.spec.bytes());
  const TensorView* const bias = count > 2 ? &arguments.inputs[2] : nullptr;
  const bool has_bias = convolve(convolution, bias != nullptr ? bias->data : nullptr);

  max_pool_of_activated(arguments, y, has_bias ? nullptr : bias, fused.convolution().activation() == Epilogue::relu,
                        fused.pool().window());
}

}  // namespace

void register_conv_max_pool_kernels(KernelTable& table) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    table.add("FusedConv2DMaxPool", dtype, {.run = &run, .workspace_bytes = &workspace_bytes});
  }
}

}  // namespace rhyton::gpu

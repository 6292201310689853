#include <rhyton/framework/ops/conv_max_pool.h>

#include <array>
#include <vector>

#include <rhyton/framework/backends/gpu/conv/conv.h>
#include <rhyton/framework/backends/gpu/conv/direct_max_pool.h>
#include <rhyton/framework/backends/gpu/conv/pooled_kernel_gradient.h>
#include <rhyton/framework/backends/gpu/pooling/pooling.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/ops/ohwi_convolution.h>

namespace rhyton::gpu {
namespace {

// Where no kernel does both, the convolution is written to the workspace, and the pooling's kernel adds the remaining
// bias and activation.

/// The convolution and the pooling, with the kernel in either layout.
struct PooledConvolution {
  const FusedConv2DMaxPoolOp& op;
  bool is_ohwi;
  TensorSpec y;
  ConvolutionProblem problem;

  PooledConvolution(const Op& any, Kernel::Specs inputs) : PooledConvolution(any, as_ohwi(any), inputs) {}

 private:
  PooledConvolution(const Op& any, const OhwiConvolutionOp* ohwi, Kernel::Specs inputs)
      : op(static_cast<const FusedConv2DMaxPoolOp&>(ohwi != nullptr ? ohwi->convolution() : any)),
        is_ohwi(ohwi != nullptr) {
    const std::vector<TensorSpec> keras_inputs =
        is_ohwi ? ohwi->keras_inputs(inputs) : std::vector<TensorSpec>(inputs.begin(), inputs.end());
    y = op.convolution().infer(keras_inputs)[0];
    problem = convolution_problem(op.convolution(), keras_inputs, Kernel::Specs(&y, 1));
  }
};

bool is_one_kernel(const PooledConvolution& pooled) {
  return !pooled.is_ohwi && pools_directly(pooled.problem, pooled.op.pool().window());
}

std::size_t pooled_workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const PooledConvolution pooled(op, inputs);
  if (is_one_kernel(pooled)) return 0;
  return in_workspace(pooled.y.bytes()) +
         convolution_workspace_bytes(pooled.problem, ConvolutionDirection::forward, pooled.is_ohwi);
}

bool accepts_pooled_ohwi(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  return wants_ohwi(PooledConvolution(op, inputs).problem);
}

void run(const KernelArguments& arguments) {
  std::array<TensorSpec, 3> inputs;
  const std::size_t count = arguments.inputs.size();
  for (std::size_t i = 0; i < count; ++i) inputs.at(i) = arguments.inputs[i].spec;
  const PooledConvolution pooled(*arguments.op, Kernel::Specs(inputs).first(count));
  const bool relu = pooled.op.convolution().activation() == Epilogue::relu;
  const TensorView* const bias = count > 2 ? &arguments.inputs[2] : nullptr;
  if (is_one_kernel(pooled)) {
    if (arguments.outputs[0].size() == 0) return;
    return direct_max_pool(stream_of(arguments), pooled.problem, pooled.op.pool().window(), arguments.inputs[0].data,
                           arguments.inputs[1].data, bias != nullptr ? bias->data : nullptr, relu,
                           arguments.outputs[0].data,
                           arguments.outputs.size() > 1 ? arguments.outputs[1].as<std::uint8_t>() : nullptr);
  }
  const TensorView y = {arguments.workspace, pooled.y};

  ConvolutionCall call = {arguments, pooled.problem, pooled.is_ohwi};
  call.arguments.inputs = arguments.inputs.first(2);
  call.arguments.outputs = {&y, 1};
  call.arguments.workspace = static_cast<std::byte*>(arguments.workspace) + in_workspace(y.spec.bytes());
  const bool has_bias = convolve(call, bias != nullptr ? bias->data : nullptr);

  max_pool_of_activated(arguments, y, has_bias ? nullptr : bias, relu, pooled.op.pool().window());
}

ConvolutionProblem problem_of(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const auto& gradient = static_cast<const Conv2DMaxPoolKernelGradientOp&>(op);
  return {inputs[0].dtype, inputs[0].shape, outputs[0].shape, gradient.window()};
}

bool accepts_kernel_gradient(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const auto& gradient = static_cast<const Conv2DMaxPoolKernelGradientOp&>(op);
  return has_pooled_kernel_gradient(problem_of(op, inputs, outputs), gradient.pool());
}

std::size_t kernel_gradient_workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const auto& gradient = static_cast<const Conv2DMaxPoolKernelGradientOp&>(op);
  return pooled_kernel_gradient_workspace_bytes(problem_of(op, inputs, outputs), gradient.pool());
}

void run_kernel_gradient(const KernelArguments& arguments) {
  const std::array<TensorSpec, 3> inputs = {arguments.inputs[0].spec, arguments.inputs[1].spec,
                                            arguments.inputs[2].spec};
  const std::array<TensorSpec, 1> outputs = {arguments.outputs[0].spec};
  pooled_kernel_gradient(stream_of(arguments), problem_of(*arguments.op, inputs, outputs),
                         arguments.attributes<Conv2DMaxPoolKernelGradientOp>().pool(), arguments.inputs[0].data,
                         arguments.inputs[1].data, arguments.inputs[2].as<const std::uint8_t>(),
                         arguments.outputs[0].data, arguments.outputs[1].data, arguments.workspace);
}

}  // namespace

void register_conv_max_pool_kernels(KernelTable& table) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    table.add("FusedConv2DMaxPool", dtype, {.run = &run, .workspace_bytes = &pooled_workspace_bytes});
    table.add("OhwiFusedConv2DMaxPool", dtype,
              {.run = &run, .workspace_bytes = &pooled_workspace_bytes, .accepts = &accepts_pooled_ohwi});
    table.add("Conv2DMaxPoolKernelGradient", dtype,
              {.run = &run_kernel_gradient,
               .workspace_bytes = &kernel_gradient_workspace_bytes,
               .accepts = &accepts_kernel_gradient});
  }
}

}  // namespace rhyton::gpu

#include <rhyton/framework/backends/gpu/conv.h>

#include <algorithm>
#include <optional>

#include <rhyton/framework/backends/gpu/conv_direct.h>
#include <rhyton/framework/backends/gpu/conv_general.h>
#include <rhyton/framework/backends/gpu/conv_layout.h>
#include <rhyton/framework/backends/gpu/convolution_plan.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/device/device_scope.h>

namespace rhyton::gpu {
namespace {

/// By whom a convolution is computed.
enum class Route { direct, cudnn, general };

Route route_of(const ConvolutionProblem& problem) {
  if (problem.is_empty()) return Route::general;
  if (is_direct(problem)) return Route::direct;
  // cuDNN has no float64 for this layout of images.
  if (problem.dtype == DType::float64 || !problem.with_padded_input().fits_32_bits()) return Route::general;
  return Route::cudnn;
}

/// How cuDNN's part of the workspace is divided.
struct Layout {
  ConvolutionProblem padded;
  std::size_t element_bytes;
  std::size_t kernel_bytes = 0;
  std::size_t image_bytes = 0;

  explicit Layout(const ConvolutionProblem& problem)
      : padded(problem.with_padded_input()), element_bytes(size_of(problem.dtype)) {
    if (problem.filters > 1 && problem.depth() > 1) kernel_bytes = room(problem.kernel_size());
    if (!problem.is_symmetric()) image_bytes = room(padded.x_size());
  }

  std::size_t algorithm_offset() const { return kernel_bytes + image_bytes; }

  /// The kernel in cuDNN's layout: the tensor itself where the layouts are the same.
  void* kernel(const KernelArguments& arguments, void* own) const {
    return kernel_bytes > 0 ? arguments.workspace : own;
  }
  /// The padded images: the tensor itself where there are none.
  void* images(const KernelArguments& arguments, void* own) const {
    return image_bytes > 0 ? static_cast<std::byte*>(arguments.workspace) + kernel_bytes : own;
  }
  ConvolutionAddresses addresses(const KernelArguments& arguments, void* x, void* kernel_data, void* y,
                                 std::size_t workspace_bytes) const {
    void* const workspace =
        workspace_bytes > 0 ? static_cast<std::byte*>(arguments.workspace) + algorithm_offset() : nullptr;
    return {images(arguments, x), kernel(arguments, kernel_data), y, workspace, workspace_bytes};
  }

 private:
  std::size_t room(std::int64_t size) const { return in_workspace(static_cast<std::size_t>(size) * element_bytes); }
};

std::shared_ptr<ConvolutionPlan> plan_of(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                         GpuStream& stream) {
  return ConvolutionPlans::instance().get(problem, direction, current_convolution_settings(), stream, nullptr);
}

/// Whether the bias, if there is one, has been added; nothing where cuDNN could not.
std::optional<bool> forward_by_cudnn(const KernelArguments& arguments, const ConvolutionProblem& problem,
                                     const void* bias) {
  GpuStream& stream = stream_of(arguments);
  const Layout layout(problem);
  const auto plan = plan_of(layout.padded, ConvolutionDirection::forward, stream);
  if (!plan->is_usable()) return std::nullopt;
  void* const y = arguments.outputs[0].data;
  const ConvolutionAddresses addresses =
      layout.addresses(arguments, arguments.inputs[0].data, arguments.inputs[1].data, y, plan->workspace_bytes());
  if (layout.kernel_bytes > 0) {
    transpose_matrix(stream, problem.dtype, arguments.inputs[1].data, problem.depth(), problem.filters,
                     addresses.kernel);
  }
  if (layout.image_bytes > 0) {
    pad_images(stream, problem, layout.padded, arguments.inputs[0].data, addresses.x);
  }
  if (bias != nullptr && plan->run_fused(stream.dnn(), addresses, bias)) {
    stream.after_launch("cudnnConvolutionBiasActivationForward");
    return true;
  }
  if (!plan->run(stream.dnn(), addresses)) return std::nullopt;
  stream.after_launch("cudnnConvolutionForward");
  return bias == nullptr;
}

/// What is left to be done to the result of a convolution.
struct Rest {
  const void* bias = nullptr;
  bool relu = false;
};

/// Does of bias and ReLU what needs no kernel of its own.
Rest convolve(const KernelArguments& arguments, const ConvolutionProblem& problem, const void* bias, bool relu) {
  if (problem.y_size() == 0) return {};
  const Route route = route_of(problem);
  const TensorView& x = arguments.inputs[0];
  const TensorView& kernel = arguments.inputs[1];
  void* const y = arguments.outputs[0].data;
  GpuStream& stream = stream_of(arguments);
  if (route == Route::cudnn) {
    // Not cuDNN's own ReLU: on tensor cores it may make 0 of NaN.
    if (const std::optional<bool> has_bias = forward_by_cudnn(arguments, problem, bias)) {
      return {*has_bias ? nullptr : bias, relu};
    }
  }
  if (route == Route::direct) {
    direct_forward(stream, problem, x.data, kernel.data, bias, relu, y);
  } else {
    general_forward(stream, problem, x.data, kernel.data, bias, relu, y);
  }
  return {};
}

void forward(const KernelArguments& arguments, const ConvolutionProblem& problem, const void* bias, bool relu) {
  const Rest rest = convolve(arguments, problem, bias, relu);
  if (rest.bias == nullptr && !rest.relu) return;
  add_bias_and_activate(stream_of(arguments), problem, arguments.outputs[0].data, rest.bias, rest.relu);
}

ConvolutionProblem problem_of(const KernelArguments& arguments) {
  std::array<TensorSpec, 3> inputs;
  const std::size_t count = std::min(arguments.inputs.size(), inputs.size());
  for (std::size_t i = 0; i < count; ++i) inputs[i] = arguments.inputs[i].spec;
  return convolution_problem(*arguments.op, std::span<const TensorSpec>(inputs).first(count),
                             std::span<const TensorSpec>(&arguments.outputs[0].spec, 1));
}

void run_conv(const KernelArguments& arguments) { forward(arguments, problem_of(arguments), nullptr, false); }

void run_fused_conv(const KernelArguments& arguments) {
  const void* const bias = arguments.inputs.size() > 2 ? arguments.inputs[2].data : nullptr;
  forward(arguments, problem_of(arguments), bias, arguments.attributes<FusedConv2DOp>().activation() == Epilogue::relu);
}

bool input_gradient_by_cudnn(const KernelArguments& arguments, const ConvolutionProblem& problem) {
  GpuStream& stream = stream_of(arguments);
  const Layout layout(problem);
  const auto plan = plan_of(layout.padded, ConvolutionDirection::input_gradient, stream);
  if (!plan->is_usable()) return false;
  void* const dx = arguments.outputs[0].data;
  const ConvolutionAddresses addresses =
      layout.addresses(arguments, dx, arguments.inputs[0].data, arguments.inputs[1].data, plan->workspace_bytes());
  if (layout.kernel_bytes > 0) {
    transpose_matrix(stream, problem.dtype, arguments.inputs[0].data, problem.depth(), problem.filters,
                     addresses.kernel);
  }
  if (!plan->run(stream.dnn(), addresses)) return false;
  stream.after_launch("cudnnConvolutionBackwardData");
  if (layout.image_bytes > 0) crop_images(stream, problem, layout.padded, addresses.x, dx);
  return true;
}

void run_input_gradient(const KernelArguments& arguments) {
  const ConvolutionProblem problem = problem_of(arguments);
  if (problem.x_size() == 0) return;
  const Route route = route_of(problem);
  const void* const kernel = arguments.inputs[0].data;
  const void* const dy = arguments.inputs[1].data;
  void* const dx = arguments.outputs[0].data;
  GpuStream& stream = stream_of(arguments);
  if (route == Route::direct) return direct_input_gradient(stream, problem, kernel, dy, dx);
  if (route == Route::cudnn && input_gradient_by_cudnn(arguments, problem)) return;
  general_input_gradient(stream, problem, kernel, dy, dx);
}

bool kernel_gradient_by_cudnn(const KernelArguments& arguments, const ConvolutionProblem& problem) {
  GpuStream& stream = stream_of(arguments);
  const Layout layout(problem);
  const auto plan = plan_of(layout.padded, ConvolutionDirection::kernel_gradient, stream);
  if (!plan->is_usable()) return false;
  void* const gradient = arguments.outputs[0].data;
  const ConvolutionAddresses addresses = layout.addresses(arguments, arguments.inputs[0].data, gradient,
                                                          arguments.inputs[1].data, plan->workspace_bytes());
  if (layout.image_bytes > 0) {
    pad_images(stream, problem, layout.padded, arguments.inputs[0].data, addresses.x);
  }
  if (!plan->run(stream.dnn(), addresses)) return false;
  stream.after_launch("cudnnConvolutionBackwardFilter");
  if (layout.kernel_bytes > 0) {
    transpose_matrix(stream, problem.dtype, addresses.kernel, problem.filters, problem.depth(), gradient);
  }
  return true;
}

void run_kernel_gradient(const KernelArguments& arguments) {
  const ConvolutionProblem problem = problem_of(arguments);
  const Route route = route_of(problem);
  const void* const x = arguments.inputs[0].data;
  const void* const dy = arguments.inputs[1].data;
  void* const gradient = arguments.outputs[0].data;
  GpuStream& stream = stream_of(arguments);
  if (route == Route::direct) {
    return direct_kernel_gradient(stream, problem, x, dy, gradient, arguments.workspace);
  }
  if (route == Route::cudnn && kernel_gradient_by_cudnn(arguments, problem)) return;
  general_kernel_gradient(stream, problem, x, dy, gradient, arguments.workspace);
}

}  // namespace

std::size_t convolution_workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvolutionProblem problem = convolution_problem(op, inputs, outputs);
  const ConvolutionDirection direction = convolution_direction(op);
  const bool is_kernel_gradient = direction == ConvolutionDirection::kernel_gradient;
  const Route route = route_of(problem);
  if (route == Route::direct) return is_kernel_gradient ? direct_kernel_gradient_workspace_bytes(problem) : 0;
  // What the general kernels need must be there in any case: cuDNN may turn a call down.
  const std::size_t general = is_kernel_gradient ? general_kernel_gradient_workspace_bytes(problem) : 0;
  if (route == Route::general) return general;
  LogicalDevice& device = current_device();
  auto& stream = static_cast<GpuStream&>(device.stream());
  const std::scoped_lock lock(stream.mutex());
  stream.make_current();
  const Layout layout(problem);
  return std::max(general, layout.algorithm_offset() + ConvolutionPlans::instance().workspace_bytes(
                                                           layout.padded, direction, stream, &device.allocator()));
}

bool convolve(const KernelArguments& arguments, const void* bias) {
  return convolve(arguments, problem_of(arguments), bias, false).bias == nullptr;
}

void register_conv_kernels(KernelTable& table) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    table.add("Conv2D", dtype, {.run = &run_conv, .workspace_bytes = &convolution_workspace_bytes});
    table.add("FusedConv2D", dtype, {.run = &run_fused_conv, .workspace_bytes = &convolution_workspace_bytes});
    table.add("Conv2DInputGradient", dtype,
              {.run = &run_input_gradient, .workspace_bytes = &convolution_workspace_bytes});
    table.add("Conv2DKernelGradient", dtype,
              {.run = &run_kernel_gradient, .workspace_bytes = &convolution_workspace_bytes});
  }
}

}  // namespace rhyton::gpu

#include <rhyton/framework/backends/gpu/conv/conv.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include <rhyton/framework/backends/gpu/conv/direct.h>
#include <rhyton/framework/backends/gpu/conv/general.h>
#include <rhyton/framework/backends/gpu/conv/layout.h>
#include <rhyton/framework/backends/gpu/cudnn/convolution_plan.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/warn_once.h>
#include <rhyton/framework/backends/gpu/shaping/matrix_transpose.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/ohwi_convolution.h>

namespace rhyton::gpu {
namespace {

/// The implementation of a convolution.
enum class Route { direct, cudnn, general };

Route route_of(const ConvolutionProblem& problem) {
  if (problem.is_empty()) return Route::general;
  if (is_direct(problem)) return Route::direct;
  // cuDNN does not support float64 for this layout of images.
  if (problem.dtype == DType::float64 || !problem.with_padded_input().fits_32_bits()) return Route::general;
  return Route::cudnn;
}

bool differs_in_ohwi(const ConvolutionProblem& problem) { return problem.filters > 1 && problem.depth() > 1; }

std::size_t kernel_room(const ConvolutionProblem& problem) {
  return in_workspace(static_cast<std::size_t>(problem.kernel_size()) * size_of(problem.dtype));
}

/// With the weights of a filter as rows this transposes Keras's layout of kernels to OHWI, and with the filters as rows
/// back.
void transpose_kernel(GpuStream& stream, DType dtype, const void* from, std::int64_t rows, std::int64_t columns,
                      void* to) {
  const MatrixToTranspose matrix = {from, to, rows, columns};
  transpose_matrices(stream, size_of(dtype), {&matrix, 1});
}

/// The layout of cuDNN's part of the workspace.
struct Layout {
  ConvolutionProblem padded;
  std::size_t kernel_bytes = 0;
  std::size_t image_bytes = 0;

  Layout(const ConvolutionProblem& problem, bool is_ohwi) : padded(problem.with_padded_input()) {
    if (!is_ohwi && differs_in_ohwi(problem)) kernel_bytes = kernel_room(problem);
    if (!problem.is_symmetric()) {
      image_bytes = in_workspace(static_cast<std::size_t>(padded.x_size()) * size_of(problem.dtype));
    }
  }

  std::size_t algorithm_offset() const { return kernel_bytes + image_bytes; }

  /// The kernel in cuDNN's layout: the tensor itself where the layouts are the same.
  void* kernel(const KernelArguments& arguments, void* own) const {
    return kernel_bytes > 0 ? arguments.workspace : own;
  }
  /// The padded images: the tensor itself without padding.
  void* images(const KernelArguments& arguments, void* own) const {
    return image_bytes > 0 ? static_cast<std::byte*>(arguments.workspace) + kernel_bytes : own;
  }
  ConvolutionAddresses addresses(const KernelArguments& arguments, void* x, void* kernel_data, void* y,
                                 std::size_t workspace_bytes) const {
    void* const workspace =
        workspace_bytes > 0 ? static_cast<std::byte*>(arguments.workspace) + algorithm_offset() : nullptr;
    return {images(arguments, x), kernel(arguments, kernel_data), y, workspace, workspace_bytes};
  }
};

/// The kernel in Keras's layout, for our own functions: an OHWI kernel is transposed into the workspace.
const void* keras_kernel(const ConvolutionCall& call, const void* kernel) {
  if (!call.is_ohwi) return kernel;
  const ConvolutionProblem& problem = call.problem;
  transpose_kernel(stream_of(call.arguments), problem.dtype, kernel, problem.filters, problem.depth(),
                   call.arguments.workspace);
  return call.arguments.workspace;
}

/// Warns of a convolution that cuDNN refuses, once for each.
void warn_of_refusal(const ConvolutionProblem& problem, ConvolutionDirection direction) {
  warn_once("cuDNN has no algorithm for " + describe(problem, direction) +
            ". A kernel that is many times slower computes it; RHYTON_LOG=device prints what cuDNN reports.");
}

std::shared_ptr<ConvolutionPlan> plan_of(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                         GpuStream& stream) {
  return ConvolutionPlans::instance().get(problem, direction, current_convolution_settings(), stream);
}

/// Whether the bias, if there is one, has been added; nothing where cuDNN failed.
std::optional<bool> forward_by_cudnn(const ConvolutionCall& call, const void* bias) {
  const auto& [arguments, problem, is_ohwi] = call;
  GpuStream& stream = stream_of(arguments);
  const Layout layout(problem, is_ohwi);
  const auto plan = plan_of(layout.padded, ConvolutionDirection::forward, stream);
  if (!plan->is_usable()) return std::nullopt;
  void* const y = arguments.outputs[0].data;
  const ConvolutionAddresses addresses =
      layout.addresses(arguments, arguments.inputs[0].data, arguments.inputs[1].data, y, plan->workspace_bytes());
  if (layout.kernel_bytes > 0) {
    transpose_kernel(stream, problem.dtype, arguments.inputs[1].data, problem.depth(), problem.filters,
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

/// The remaining operations on the result of a convolution.
struct Rest {
  const void* bias = nullptr;
  bool relu = false;
};

/// Convolves, with bias and ReLU as far as they need no separate kernel.
Rest convolve(const ConvolutionCall& call, const void* bias, bool relu) {
  const auto& [arguments, problem, is_ohwi] = call;
  if (problem.y_size() == 0) return {};
  const Route route = route_of(problem);
  const TensorView& x = arguments.inputs[0];
  const TensorView& kernel = arguments.inputs[1];
  void* const y = arguments.outputs[0].data;
  GpuStream& stream = stream_of(arguments);
  if (route == Route::cudnn) {
    // Not cuDNN's own ReLU: on tensor cores it may convert NaN to 0.
    if (const std::optional<bool> has_bias = forward_by_cudnn(call, bias)) {
      return {*has_bias ? nullptr : bias, relu};
    }
    warn_of_refusal(problem, ConvolutionDirection::forward);
  }
  if (route == Route::direct) {
    direct_forward(stream, problem, x.data, kernel.data, bias, relu, y);
  } else {
    general_forward(stream, problem, x.data, keras_kernel(call, kernel.data), bias, relu, y);
  }
  return {};
}

void forward(const ConvolutionCall& call, const void* bias, bool relu) {
  const Rest rest = convolve(call, bias, relu);
  if (rest.bias == nullptr && !rest.relu) return;
  const KernelArguments& arguments = call.arguments;
  add_bias_and_activate(stream_of(arguments), call.problem, arguments.outputs[0].data, rest.bias, rest.relu);
}

ConvolutionCall call_of(const KernelArguments& arguments) {
  std::array<TensorSpec, 3> inputs;
  const std::size_t count = std::min(arguments.inputs.size(), inputs.size());
  for (std::size_t i = 0; i < count; ++i) inputs[i] = arguments.inputs[i].spec;
  return {arguments,
          convolution_problem(*arguments.op, std::span<const TensorSpec>(inputs).first(count),
                              std::span<const TensorSpec>(&arguments.outputs[0].spec, 1)),
          as_ohwi(*arguments.op) != nullptr};
}

void run_conv(const KernelArguments& arguments) { forward(call_of(arguments), nullptr, false); }

void run_fused_conv(const KernelArguments& arguments) {
  const OhwiConvolutionOp* const ohwi = as_ohwi(*arguments.op);
  const auto& op = static_cast<const FusedConv2DOp&>(ohwi != nullptr ? ohwi->convolution() : *arguments.op);
  const void* const bias = arguments.inputs.size() > 2 ? arguments.inputs[2].data : nullptr;
  forward(call_of(arguments), bias, op.activation() == Epilogue::relu);
}

bool input_gradient_by_cudnn(const ConvolutionCall& call) {
  const auto& [arguments, problem, is_ohwi] = call;
  GpuStream& stream = stream_of(arguments);
  const Layout layout(problem, is_ohwi);
  const auto plan = plan_of(layout.padded, ConvolutionDirection::input_gradient, stream);
  if (!plan->is_usable()) return false;
  void* const dx = arguments.outputs[0].data;
  const ConvolutionAddresses addresses =
      layout.addresses(arguments, dx, arguments.inputs[0].data, arguments.inputs[1].data, plan->workspace_bytes());
  if (layout.kernel_bytes > 0) {
    transpose_kernel(stream, problem.dtype, arguments.inputs[0].data, problem.depth(), problem.filters,
                     addresses.kernel);
  }
  if (!plan->run(stream.dnn(), addresses)) return false;
  stream.after_launch("cudnnConvolutionBackwardData");
  if (layout.image_bytes > 0) crop_images(stream, problem, layout.padded, addresses.x, dx);
  return true;
}

void run_input_gradient(const KernelArguments& arguments) {
  const ConvolutionCall call = call_of(arguments);
  const ConvolutionProblem& problem = call.problem;
  if (problem.x_size() == 0) return;
  const Route route = route_of(problem);
  const void* const kernel = arguments.inputs[0].data;
  const void* const dy = arguments.inputs[1].data;
  void* const dx = arguments.outputs[0].data;
  GpuStream& stream = stream_of(arguments);
  if (route == Route::direct) return direct_input_gradient(stream, problem, kernel, dy, dx);
  if (route == Route::cudnn) {
    if (input_gradient_by_cudnn(call)) return;
    warn_of_refusal(problem, ConvolutionDirection::input_gradient);
  }
  general_input_gradient(stream, problem, keras_kernel(call, kernel), dy, dx);
}

bool kernel_gradient_by_cudnn(const ConvolutionCall& call) {
  const auto& [arguments, problem, is_ohwi] = call;
  GpuStream& stream = stream_of(arguments);
  const Layout layout(problem, is_ohwi);
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
    transpose_kernel(stream, problem.dtype, addresses.kernel, problem.filters, problem.depth(), gradient);
  }
  return true;
}

void run_kernel_gradient(const KernelArguments& arguments) {
  const ConvolutionCall call = call_of(arguments);
  const ConvolutionProblem& problem = call.problem;
  const Route route = route_of(problem);
  const void* const x = arguments.inputs[0].data;
  const void* const dy = arguments.inputs[1].data;
  void* const gradient = arguments.outputs[0].data;
  GpuStream& stream = stream_of(arguments);
  if (route == Route::direct) {
    return direct_kernel_gradient(stream, problem, x, dy, gradient, arguments.workspace);
  }
  if (route == Route::cudnn) {
    if (kernel_gradient_by_cudnn(call)) return;
    warn_of_refusal(problem, ConvolutionDirection::kernel_gradient);
  }
  if (!call.is_ohwi) return general_kernel_gradient(stream, problem, x, dy, gradient, arguments.workspace);
  void* const rest = static_cast<std::byte*>(arguments.workspace) + kernel_room(problem);
  general_kernel_gradient(stream, problem, x, dy, arguments.workspace, rest);
  transpose_kernel(stream, problem.dtype, arguments.workspace, problem.depth(), problem.filters, gradient);
}

std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  return convolution_workspace_bytes(convolution_problem(op, inputs, outputs), convolution_direction(op),
                                     as_ohwi(op) != nullptr);
}

bool accepts_ohwi(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  return wants_ohwi(convolution_problem(op, inputs, outputs));
}

}  // namespace

bool wants_ohwi(const ConvolutionProblem& problem) {
  return route_of(problem) == Route::cudnn && differs_in_ohwi(problem);
}

std::size_t convolution_workspace_bytes(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                        bool is_ohwi) {
  const bool is_kernel_gradient = direction == ConvolutionDirection::kernel_gradient;
  const Route route = route_of(problem);
  if (route == Route::direct) return is_kernel_gradient ? direct_kernel_gradient_workspace_bytes(problem) : 0;
  // The workspace of the general kernels is always required: cuDNN may refuse a call.
  const std::size_t general = (is_kernel_gradient ? general_kernel_gradient_workspace_bytes(problem) : 0) +
                              (is_ohwi ? kernel_room(problem) : 0);
  if (route == Route::general) return general;
  auto& stream = static_cast<GpuStream&>(current_device().stream());
  const std::scoped_lock lock(stream.mutex());
  stream.make_current();
  const Layout layout(problem, is_ohwi);
  return std::max(general, layout.algorithm_offset() +
                               ConvolutionPlans::instance().workspace_bytes(layout.padded, direction, stream));
}

bool convolve(const ConvolutionCall& call, const void* bias) { return convolve(call, bias, false).bias == nullptr; }

void register_conv_kernels(KernelTable& table) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    for (const auto& [name, run] : {std::pair{"Conv2D", &run_conv}, std::pair{"FusedConv2D", &run_fused_conv},
                                    std::pair{"Conv2DInputGradient", &run_input_gradient},
                                    std::pair{"Conv2DKernelGradient", &run_kernel_gradient}}) {
      table.add(name, dtype, {.run = run, .workspace_bytes = &workspace_bytes});
      table.add(std::string("Ohwi") + name, dtype,
                {.run = run, .workspace_bytes = &workspace_bytes, .accepts = &accepts_ohwi});
    }
  }
}

}  // namespace rhyton::gpu

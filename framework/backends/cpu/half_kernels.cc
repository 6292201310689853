#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/cpu/primitives/half_conversion.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/device/round_up.h>
#include <rhyton/framework/error.h>

namespace rhyton::cpu {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t max_kernels = 256;

TensorSpec widened(const TensorSpec& spec) { return {spec.shape, is_half(spec.dtype) ? DType::float32 : spec.dtype}; }

void widen(const TensorView& from, float* to) {
  if (from.spec.dtype == DType::float16) return convert_elements(from.as<const Half>(), to, from.size());
  convert_elements(from.as<const BFloat16>(), to, from.size());
}

void round(const float* from, const TensorView& to) {
  if (to.spec.dtype == DType::float16) return convert_elements(from, to.as<Half>(), to.size());
  convert_elements(from, to.as<BFloat16>(), to.size());
}

/// Divides a workspace into pieces; without one it only counts bytes.
class Workspace {
 public:
  explicit Workspace(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  std::byte* take(std::size_t bytes) {
    std::byte* piece = memory_ == nullptr ? nullptr : memory_ + taken_;
    taken_ += round_up(bytes, alignment);
    return piece;
  }
  template <class T>
  T* take(std::size_t count) {
    return reinterpret_cast<T*>(take(count * sizeof(T)));
  }
  std::size_t taken() const { return taken_; }

 private:
  std::byte* memory_;
  std::size_t taken_ = 0;
};

std::size_t bytes_of(std::size_t (*function)(const Op&, Kernel::Specs, Kernel::Specs), const Op& op,
                     Kernel::Specs inputs, Kernel::Specs outputs) {
  return function == nullptr ? 0 : function(op, inputs, outputs);
}

std::size_t workspace_in_float(const Kernel& kernel, const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  Workspace workspace(nullptr);
  const std::size_t operands = inputs.size() + outputs.size();
  workspace.take<TensorView>(operands);
  workspace.take<TensorSpec>(operands);
  std::vector<TensorSpec> specs;
  for (const Kernel::Specs part : {inputs, outputs}) {
    for (const TensorSpec& spec : part) {
      specs.push_back(widened(spec));
      if (is_half(spec.dtype)) workspace.take(specs.back().bytes());
    }
  }
  const Kernel::Specs wide_inputs = Kernel::Specs(specs).first(inputs.size());
  const Kernel::Specs wide_outputs = Kernel::Specs(specs).subspan(inputs.size());
  workspace.take(bytes_of(kernel.packed_bytes, op, wide_inputs, wide_outputs));
  workspace.take(bytes_of(kernel.workspace_bytes, op, wide_inputs, wide_outputs));
  return workspace.taken();
}

void run_in_float(const Kernel& kernel, const KernelArguments& arguments) {
  Workspace workspace(arguments.workspace);
  const std::size_t input_count = arguments.inputs.size();
  const std::size_t operands = input_count + arguments.outputs.size();
  auto* const views = workspace.take<TensorView>(operands);
  auto* const specs = workspace.take<TensorSpec>(operands);
  for (std::size_t i = 0; i < operands; ++i) {
    const bool is_input = i < input_count;
    const TensorView& view = is_input ? arguments.inputs[i] : arguments.outputs[i - input_count];
    std::construct_at(specs + i, widened(view.spec));
    std::construct_at(views + i, TensorView{view.data, specs[i]});
    if (!is_half(view.spec.dtype)) continue;
    auto* const wide = reinterpret_cast<float*>(workspace.take(specs[i].bytes()));
    views[i].data = wide;
    if (is_input || arguments.accumulate) widen(view, wide);
  }
  KernelArguments wide = arguments;
  wide.inputs = {views, input_count};
  wide.outputs = {views + input_count, arguments.outputs.size()};
  const Kernel::Specs input_specs{specs, input_count};
  const Kernel::Specs output_specs{specs + input_count, arguments.outputs.size()};
  wide.packed = nullptr;
  if (const std::size_t bytes = bytes_of(kernel.packed_bytes, *arguments.op, input_specs, output_specs); bytes > 0) {
    std::byte* const packed = workspace.take(bytes);
    wide.workspace = packed;
    kernel.pack(wide);
    wide.packed = packed;
  }
  wide.workspace = workspace.take(0);
  kernel.run(wide);
  for (std::size_t i = input_count; i < operands; ++i) {
    const TensorView& output = arguments.outputs[i - input_count];
    if (is_half(output.spec.dtype)) round(views[i].as<const float>(), output);
  }
}

/// The kernels of float32 that half types use. A kernel is a plain function without data, so each of these has a
/// function of its own with its index as a constant.
std::array<Kernel, max_kernels> kernels_in_float;

template <std::size_t number>
void run_number(const KernelArguments& arguments) {
  run_in_float(kernels_in_float[number], arguments);
}

template <std::size_t number>
std::size_t workspace_of_number(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  return workspace_in_float(kernels_in_float[number], op, inputs, outputs);
}

template <std::size_t... numbers>
constexpr std::array<Kernel, sizeof...(numbers)> make_half_kernels(std::index_sequence<numbers...>) {
  return {Kernel{.run = &run_number<numbers>, .workspace_bytes = &workspace_of_number<numbers>}...};
}

}  // namespace

void register_half_kernels(KernelTable& table) {
  constexpr std::array<Kernel, max_kernels> half_kernels = make_half_kernels(std::make_index_sequence<max_kernels>());
  const std::string suffix = " float32";
  std::size_t count = 0;
  for (const std::string& entry : table.list()) {
    if (!entry.ends_with(suffix)) continue;
    const std::string op = entry.substr(0, entry.size() - suffix.size());
    // One kernel handles all dtypes.
    if (table.find(op, DType::float16) != nullptr || !table.find(op, DType::float32)->serves_half_types) continue;
    if (count == max_kernels) throw RuntimeError("There are more float32 kernels than half types can borrow.");
    kernels_in_float[count] = *table.find(op, DType::float32);
    table.add(op, DType::float16, half_kernels[count]);
    table.add(op, DType::bfloat16, half_kernels[count]);
    ++count;
  }
}

}  // namespace rhyton::cpu

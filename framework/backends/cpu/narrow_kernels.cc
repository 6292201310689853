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
constexpr std::size_t max_kernels = 512;

TensorSpec widened(const TensorSpec& spec) { return {spec.shape, computing_dtype(spec.dtype)}; }

bool is_narrow(const TensorSpec& spec) { return computing_dtype(spec.dtype) != spec.dtype; }

/// Integers overflow.
template <class From, class To>
void convert_integers(const From* from, To* to, std::int64_t size) {
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8 is a number, not a character
  for (std::int64_t i = 0; i < size; ++i) to[i] = static_cast<To>(from[i]);
}

/// `to` has elements of the dtype in which those of `from` are computed with.
void widen(const TensorView& from, void* to) {
  switch (from.spec.dtype) {
    case DType::float16:
      return convert_elements(from.as<const Half>(), static_cast<float*>(to), from.size());
    case DType::bfloat16:
      return convert_elements(from.as<const BFloat16>(), static_cast<float*>(to), from.size());
    case DType::int8:
      return convert_integers(from.as<const std::int8_t>(), static_cast<std::int32_t*>(to), from.size());
    case DType::int16:
      return convert_integers(from.as<const std::int16_t>(), static_cast<std::int32_t*>(to), from.size());
    case DType::uint16:
      return convert_integers(from.as<const std::uint16_t>(), static_cast<std::int32_t*>(to), from.size());
    case DType::uint32:
      return convert_integers(from.as<const std::uint32_t>(), static_cast<std::int64_t*>(to), from.size());
    default:
      return;
  }
}

/// The reverse: half types are rounded.
void narrow(const void* from, const TensorView& to) {
  switch (to.spec.dtype) {
    case DType::float16:
      return convert_elements(static_cast<const float*>(from), to.as<Half>(), to.size());
    case DType::bfloat16:
      return convert_elements(static_cast<const float*>(from), to.as<BFloat16>(), to.size());
    case DType::int8:
      return convert_integers(static_cast<const std::int32_t*>(from), to.as<std::int8_t>(), to.size());
    case DType::int16:
      return convert_integers(static_cast<const std::int32_t*>(from), to.as<std::int16_t>(), to.size());
    case DType::uint16:
      return convert_integers(static_cast<const std::int32_t*>(from), to.as<std::uint16_t>(), to.size());
    case DType::uint32:
      return convert_integers(static_cast<const std::int64_t*>(from), to.as<std::uint32_t>(), to.size());
    default:
      return;
  }
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

std::size_t workspace_of_wide(const Kernel& kernel, const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  Workspace workspace(nullptr);
  const std::size_t operands = inputs.size() + outputs.size();
  workspace.take<TensorView>(operands);
  workspace.take<TensorSpec>(operands);
  std::vector<TensorSpec> specs;
  for (const Kernel::Specs part : {inputs, outputs}) {
    for (const TensorSpec& spec : part) {
      specs.push_back(widened(spec));
      if (is_narrow(spec)) workspace.take(specs.back().bytes());
    }
  }
  const Kernel::Specs wide_inputs = Kernel::Specs(specs).first(inputs.size());
  const Kernel::Specs wide_outputs = Kernel::Specs(specs).subspan(inputs.size());
  workspace.take(bytes_of(kernel.packed_bytes, op, wide_inputs, wide_outputs));
  workspace.take(bytes_of(kernel.workspace_bytes, op, wide_inputs, wide_outputs));
  return workspace.taken();
}

void run_wide(const Kernel& kernel, const KernelArguments& arguments) {
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
    if (!is_narrow(view.spec)) continue;
    std::byte* const wide = workspace.take(specs[i].bytes());
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
    if (is_narrow(output.spec)) narrow(views[i].data, output);
  }
}

/// The kernels that narrow dtypes use. A kernel is a plain function without data, so each of these has a function of its
/// own with its index as a constant.
std::array<Kernel, max_kernels> wide_kernels;

template <std::size_t number>
void run_number(const KernelArguments& arguments) {
  run_wide(wide_kernels[number], arguments);
}

template <std::size_t number>
std::size_t workspace_of_number(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  return workspace_of_wide(wide_kernels[number], op, inputs, outputs);
}

template <std::size_t... numbers>
constexpr std::array<Kernel, sizeof...(numbers)> make_kernels(std::index_sequence<numbers...>) {
  return {Kernel{.run = &run_number<numbers>, .workspace_bytes = &workspace_of_number<numbers>}...};
}

/// Whether an op that a wider dtype has is none of that dtype: unsigned numbers have no negative ones, and sums and
/// products of integers have at least 32 bits.
bool is_undefined(const std::string& op, DType dtype) {
  if (op == "Neg") return is_unsigned(dtype);
  return (op == "Sum" || op == "Prod") && is_integer(dtype) && size_of(dtype) < size_of(DType::int32);
}

}  // namespace

void register_narrow_kernels(KernelTable& table) {
  constexpr std::array<Kernel, max_kernels> narrow_kernels = make_kernels(std::make_index_sequence<max_kernels>());
  constexpr std::array narrow_dtypes = {DType::float16, DType::bfloat16, DType::int8,
                                        DType::int16,   DType::uint16,   DType::uint32};
  std::size_t count = 0;
  for (const DType wide : {DType::float32, DType::int32, DType::int64}) {
    const std::string suffix = " " + std::string(name_of(wide));
    for (const std::string& entry : table.list()) {
      if (!entry.ends_with(suffix)) continue;
      const std::string op = entry.substr(0, entry.size() - suffix.size());
      const Kernel kernel = *table.find(op, wide);
      if (!kernel.serves_narrow_types) continue;
      bool is_used = false;
      for (const DType dtype : narrow_dtypes) {
        if (computing_dtype(dtype) != wide || table.find(op, dtype) != nullptr || is_undefined(op, dtype)) continue;
        if (count == max_kernels) throw RuntimeError("There are more kernels than narrow dtypes can borrow.");
        table.add(op, dtype, narrow_kernels[count]);
        is_used = true;
      }
      if (is_used) wide_kernels[count++] = kernel;
    }
  }
}

}  // namespace rhyton::cpu

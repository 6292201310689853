#include <rhyton/framework/backends/gpu/elementwise/chain_program.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/parametric_elementwise.h>

namespace rhyton::gpu {
namespace {

using Place = ElementwiseChainOp::Place;

struct NamedCode {
  std::string_view name;
  ChainCode code;
};

// Sorted by name.
constexpr NamedCode codes[] = {
    {"Abs", ChainCode::abs},
    {"AddV2", ChainCode::add},
    {"Cast", ChainCode::copy},
    {"Ceil", ChainCode::ceil},
    {"ClipByValue", ChainCode::clip_by_value},
    {"Cos", ChainCode::cos},
    {"Elu", ChainCode::elu},
    {"EluGrad", ChainCode::elu_grad},
    {"Equal", ChainCode::equal},
    {"Erf", ChainCode::erf},
    {"Exp", ChainCode::exp},
    {"Expm1", ChainCode::expm1},
    {"Floor", ChainCode::floor},
    {"FullLike", ChainCode::constant},
    {"Gelu", ChainCode::gelu},
    {"GeluGrad", ChainCode::gelu_grad},
    {"Greater", ChainCode::greater},
    {"GreaterEqual", ChainCode::greater_equal},
    {"Identity", ChainCode::copy},
    {"IsFinite", ChainCode::is_finite},
    {"IsNan", ChainCode::is_nan},
    {"LeakyRelu", ChainCode::leaky_relu},
    {"LeakyReluGrad", ChainCode::leaky_relu_grad},
    {"Less", ChainCode::less},
    {"LessEqual", ChainCode::less_equal},
    {"Log", ChainCode::log},
    {"Log1p", ChainCode::log1p},
    {"LogicalAnd", ChainCode::logical_and},
    {"LogicalNot", ChainCode::logical_not},
    {"LogicalOr", ChainCode::logical_or},
    {"Maximum", ChainCode::maximum},
    {"Minimum", ChainCode::minimum},
    {"Mul", ChainCode::multiply},
    {"Neg", ChainCode::negative},
    {"NotEqual", ChainCode::not_equal},
    {"Pow", ChainCode::power},
    {"RealDiv", ChainCode::divide},
    {"Reciprocal", ChainCode::reciprocal},
    {"Relu", ChainCode::relu},
    {"ReluGrad", ChainCode::relu_grad},
    {"Rint", ChainCode::rint},
    {"Rsqrt", ChainCode::rsqrt},
    {"SelectV2", ChainCode::select},
    {"Sigmoid", ChainCode::sigmoid},
    {"SigmoidGrad", ChainCode::sigmoid_grad},
    {"Sign", ChainCode::sign},
    {"Silu", ChainCode::silu},
    {"SiluGrad", ChainCode::silu_grad},
    {"Sin", ChainCode::sin},
    {"Softplus", ChainCode::softplus},
    {"SoftplusGrad", ChainCode::softplus_grad},
    {"Sqrt", ChainCode::sqrt},
    {"Square", ChainCode::square},
    {"SquaredDifference", ChainCode::squared_difference},
    {"StopGradient", ChainCode::copy},
    {"Sub", ChainCode::subtract},
    {"Tanh", ChainCode::tanh},
    {"TanhGrad", ChainCode::tanh_grad},
};
static_assert(std::ranges::is_sorted(codes, {}, &NamedCode::name));

std::optional<ChainCode> code_of(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(codes, name, {}, &NamedCode::name);
  if (found == std::end(codes) || found->name != name) return std::nullopt;
  return found->code;
}

/// The operand whose dtype a member computes in: for a selection that of the selected elements.
std::size_t computed_operand(std::string_view name) { return name == "SelectV2" ? 1 : 0; }

bool is_possible(std::string_view name, DType computed) {
  const std::optional<ChainCode> code = code_of(name);
  return code && (is_floating(computed) || *code <= ChainCode::last_of_integers);
}

bool is_possible(const ElementwiseChainOp::Step& step) {
  const std::size_t computed = computed_operand(step.op->name());
  return computed < step.operands.size() && step.operands.size() <= 3 &&
         is_possible(step.op->name(), step.operands[computed].dtype);
}

bool float_holds(DType dtype) { return dtype != DType::float64 && dtype != DType::int32 && dtype != DType::int64; }

ChainNumber number_of(DType dtype) {
  if (dtype == DType::float64) return ChainNumber::double_precision;
  return is_floating(dtype) ? ChainNumber::single_precision : ChainNumber::integer;
}

/// A number rounded to an element of a dtype.
double held(double value, DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::float16:
    case DType::bfloat16:
      return convert<float>(value);
    case DType::float64:
      return value;
    case DType::int32:
      return convert<std::int32_t>(value);
    case DType::int64:
      return static_cast<double>(convert<std::int64_t>(value));
    case DType::uint8:
      return convert<std::uint8_t>(value);
    case DType::bool_:
      return convert<bool>(value) ? 1.0 : 0.0;
  }
  return value;
}

/// Sets the fields that depend on the op's attributes.
void set_attributes(ChainStep& step, const Op& op, DType dtype) {
  const auto set = [&](double first, double second = 0.0) {
    step.constants[0] = held(first, dtype);
    step.constants[1] = held(second, dtype);
  };
  switch (step.code) {
    case ChainCode::constant:
      return set(static_cast<const FullLikeOp&>(op).value);
    case ChainCode::clip_by_value:
      return set(static_cast<const ClipByValueOp&>(op).lowest, static_cast<const ClipByValueOp&>(op).highest);
    case ChainCode::leaky_relu:
      return set(static_cast<const LeakyReluOp&>(op).negative_slope);
    case ChainCode::leaky_relu_grad:
      return set(static_cast<const LeakyReluGradOp&>(op).negative_slope);
    case ChainCode::elu:
      return set(static_cast<const EluOp&>(op).alpha);
    case ChainCode::elu_grad:
      return set(static_cast<const EluGradOp&>(op).alpha);
    case ChainCode::gelu:
      if (static_cast<const GeluOp&>(op).approximate) step.code = ChainCode::approximate_gelu;
      return;
    case ChainCode::gelu_grad:
      if (static_cast<const GeluGradOp&>(op).approximate) step.code = ChainCode::approximate_gelu_grad;
      return;
    default:
      return;
  }
}

constexpr std::size_t max_values = max_chain_inputs + max_chain_members;

/// The value of each operand of each step, counted like operands of `ChainMember`.
class Operands {
 public:
  Operands(const ElementwiseChainOp& op, std::size_t inputs) {
    std::array<std::uint8_t, max_chain_members> of_block{};
    std::array<std::uint8_t, max_chain_members> of_output{};
    for (std::size_t i = 0; i < op.steps().size(); ++i) {
      const ElementwiseChainOp::Step& step = op.steps()[i];
      for (std::size_t k = 0; k < step.operands.size(); ++k) {
        const auto index = static_cast<std::size_t>(step.operands[k].place.index);
        const Place::Kind kind = step.operands[k].place.kind;
        values_[i][k] = kind == Place::Kind::input    ? static_cast<std::uint8_t>(index)
                        : kind == Place::Kind::output ? of_output[index]
                                                      : of_block[index];
        last_uses_[values_[i][k]] = static_cast<int>(i);
      }
      const auto index = static_cast<std::size_t>(step.result.index);
      (step.result.kind == Place::Kind::output ? of_output : of_block)[index] = static_cast<std::uint8_t>(inputs + i);
    }
  }

  std::size_t value(std::size_t step, std::size_t operand) const { return values_[step][operand]; }
  /// The last step that reads a value; -1 for none.
  int last_use(std::size_t value) const { return last_uses_[value]; }

 private:
  static constexpr auto unused = [] {
    std::array<int, max_values> uses{};
    uses.fill(-1);
    return uses;
  }();
  std::array<std::array<std::uint8_t, 3>, max_chain_members> values_{};
  std::array<int, max_values> last_uses_ = unused;
};

/// Allocates and releases slots.
class Slots {
 public:
  std::uint8_t take() {
    const auto free = std::ranges::find(is_taken_, false);
    *free = true;
    const auto slot = static_cast<std::uint8_t>(free - is_taken_.begin());
    count_ = std::max(count_, static_cast<std::uint8_t>(slot + 1));
    return slot;
  }
  void give_back(std::uint8_t slot) { is_taken_[slot] = false; }
  std::uint8_t count() const { return count_; }

 private:
  std::array<bool, max_values> is_taken_{};
  std::uint8_t count_ = 0;
};

void place_values(AnyChainProgram& program, const ElementwiseChainOp& op) {
  const auto inputs = static_cast<std::size_t>(program.input_count);
  const Operands operands(op, inputs);
  Slots slots;
  std::array<std::uint8_t, max_values> slot_of{};
  for (std::size_t i = 0; i < inputs; ++i) slot_of[i] = slots.take();
  for (std::size_t i = 0; i < op.steps().size(); ++i) {
    ChainStep& step = program.steps[i];
    const std::size_t result = inputs + i;
    const std::size_t operand_count = op.steps()[i].operands.size();
    for (std::size_t k = 0; k < operand_count; ++k) {
      const std::size_t value = operands.value(i, k);
      step.operands[k] = value + 1 == result && i > 0 ? ChainStep::previous : slot_of[value];
    }
    for (std::size_t k = 0; k < operand_count; ++k) {
      const std::size_t value = operands.value(i, k);
      if (operands.last_use(value) == static_cast<int>(i) && slot_of[value] != ChainStep::none) {
        slots.give_back(slot_of[value]);
      }
    }
    const bool is_read_later = operands.last_use(result) > static_cast<int>(i) + 1;
    slot_of[result] = is_read_later ? slots.take() : ChainStep::none;
    step.slot = slot_of[result];
  }
  program.slot_count = slots.count();
}

}  // namespace

bool can_chain(const Op& member, std::span<const TensorSpec> inputs, const TensorSpec&) {
  const std::size_t computed = computed_operand(member.name());
  return computed < inputs.size() && inputs.size() <= 3 && is_possible(member.name(), inputs[computed].dtype);
}

bool chain_is_supported(const ElementwiseChainOp& op) {
  return op.walks().size() <= max_chain_inputs && op.steps().size() <= max_chain_members &&
         std::ranges::all_of(op.steps(), [](const auto& step) { return is_possible(step); });
}

CompiledChain compile_chain(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<ElementwiseChainOp>();
  if (!chain_is_supported(op)) {
    throw NotImplementedError("This chain of elementwise ops cannot run on GPUs: " + op.attributes());
  }
  CompiledChain chain;
  auto& [program, data] = chain;
  program.input_count = static_cast<std::uint8_t>(op.walks().size());
  program.step_count = static_cast<std::uint8_t>(op.steps().size());
  program.output_count = static_cast<std::uint8_t>(arguments.outputs.size());
  data.row_length = Divider(std::max<std::int64_t>(op.row_length(), 1));
  data.count = arguments.outputs[0].size();
  for (std::size_t i = 0; i < op.walks().size(); ++i) {
    data.inputs[i] = arguments.inputs[i].data;
    program.input_dtypes[i] = arguments.inputs[i].spec.dtype;
    program.walks[i] = op.walks()[i];
    program.is_narrow = program.is_narrow && float_holds(program.input_dtypes[i]);
    program.has_rows =
        program.has_rows || program.walks[i] == ChainInput::row || program.walks[i] == ChainInput::column;
  }
  for (std::size_t i = 0; i < arguments.outputs.size(); ++i) data.outputs[i] = arguments.outputs[i].data;
  for (std::size_t i = 0; i < op.steps().size(); ++i) {
    const ElementwiseChainOp::Step& source = op.steps()[i];
    ChainStep& step = program.steps[i];
    step.code = *code_of(source.op->name());
    const DType computed = source.operands[computed_operand(source.op->name())].dtype;
    step.number = number_of(computed);
    step.dtype = source.dtype;
    set_attributes(step, *source.op, computed);
    program.is_narrow = program.is_narrow && float_holds(step.dtype);
    const int output = source.result.kind == Place::Kind::output ? source.result.index : source.late_output;
    if (output >= 0) step.output = static_cast<std::uint8_t>(output);
  }
  place_values(program, op);
  return chain;
}

}  // namespace rhyton::gpu

#include <rhyton/framework/backends/gpu/elementwise/chain_program.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton::gpu {
namespace {

using Place = ElementwiseChainOp::Place;

/// A function of the lists as a member of chains.
struct Member {
  std::string_view name;
  std::size_t operands;
  bool (*computes)(DType);
  /// Of the function, or of its variant.
  ChainCode (*code_of)(const Op&);
  elementwise::Constants<double> (*constants_of)(const Op&);

  /// The operand whose dtype it computes in: of a selection that of the selected elements.
  std::size_t computed_operand() const { return operands == 3 ? 1 : 0; }
};

template <class Function>
bool computes(DType dtype) {
  return contain(typename Function::Elements(), dtype) && (is_floating(dtype) || !ChainsFloatingOnly<Function>);
}

template <class Function>
ChainCode code_of(const Op& op) {
  if constexpr (elementwise::HasVariant<Function>) {
    if (Function::is_variant(op)) return chain_code<typename Function::Variant>;
  }
  return chain_code<Function>;
}

template <class... Function>
constexpr auto sorted_members(elementwise::Functions<Function...>) {
  std::array members{Member{Function::name, elementwise::operand_count<Function>, &computes<Function>,
                            &code_of<Function>, &elementwise::constants_of<Function>}...};
  std::ranges::sort(members, {}, &Member::name);
  return members;
}

constexpr auto members = sorted_members(ListedFunctions());

const Member* find_member(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(members, name, {}, &Member::name);
  return found == members.end() || found->name != name ? nullptr : found;
}

bool is_possible(const ElementwiseChainOp::Step& step) {
  const Member* const member = find_member(step.op->name());
  return member != nullptr && step.operands.size() == member->operands &&
         member->computes(step.operands[member->computed_operand()].dtype);
}

bool float_holds(DType dtype) {
  return dtype != DType::float64 && dtype != DType::int32 && dtype != DType::int64 && dtype != DType::uint32;
}

ChainNumber number_of(DType dtype) {
  if (dtype == DType::float64) return ChainNumber::double_precision;
  return is_floating(dtype) ? ChainNumber::single_precision : ChainNumber::integer;
}

/// A number rounded to an element of a dtype.
double held(double value, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_half(dtype_of<T>))
      return static_cast<double>(convert<float>(value));
    else
      return static_cast<double>(convert<T>(value));
  });
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

bool can_chain(const Op& op, std::span<const TensorSpec> inputs, const TensorSpec&) {
  const Member* const member = find_member(op.name());
  return member != nullptr && inputs.size() == member->operands &&
         member->computes(inputs[member->computed_operand()].dtype);
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
    const Member& member = *find_member(source.op->name());
    const DType computed = source.operands[member.computed_operand()].dtype;
    const elementwise::Constants<double> constants = member.constants_of(*source.op);
    step.code = member.code_of(*source.op);
    step.constants[0] = held(constants.first, computed);
    step.constants[1] = held(constants.second, computed);
    step.number = number_of(computed);
    step.dtype = source.dtype;
    program.is_narrow = program.is_narrow && float_holds(step.dtype);
    const int output = source.result.kind == Place::Kind::output ? source.result.index : source.late_output;
    if (output >= 0) step.output = static_cast<std::uint8_t>(output);
  }
  place_values(program, op);
  return chain;
}

}  // namespace rhyton::gpu

#include <rhyton/framework/ops/elementwise_chain.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace rhyton {
namespace {

struct Walk {
  ChainInput kind = ChainInput::full;
  std::int64_t row_length = 1;
};

/// How an operand of shape `input` broadcasts to `shape`; nothing where it does so in the middle. A row never includes
/// the first axis, along which batches are sliced, unless that has length 1.
std::optional<Walk> walk_of(const Shape& shape, const Shape& input) {
  const std::int64_t size = input.size();
  if (size == shape.size()) return Walk{};
  if (size == 1) return Walk{ChainInput::scalar};
  const int added = shape.rank() - input.rank();
  // Of the axes longer than 1, those that the operand has must be adjacent.
  std::vector<bool> walked;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1) walked.push_back(axis >= added && input[axis - added] != 1);
  }
  int changes = 0;
  for (std::size_t i = 1; i < walked.size(); ++i) changes += walked[i] != walked[i - 1] ? 1 : 0;
  if (changes != 1) return std::nullopt;
  return walked.front() ? Walk{ChainInput::column, shape.size() / size} : Walk{ChainInput::row, size};
}

std::string text_of(const ChainMember& member) {
  std::string text = fmt::format("{}({})", member.op->name(), fmt::join(member.operands, ", "));
  if (const std::string attributes = member.op->attributes(); !attributes.empty()) text += " {" + attributes + "}";
  return text;
}

}  // namespace

bool ElementwiseChainOp::fits(const Shape& shape, std::span<const TensorSpec> inputs, std::int64_t& row_length) {
  std::int64_t length = row_length;
  for (const TensorSpec& input : inputs) {
    const std::optional<Walk> walk = walk_of(shape, input.shape);
    if (!walk) return false;
    if (walk->row_length == 1) continue;
    if (length != 1 && length != walk->row_length) return false;
    length = walk->row_length;
  }
  row_length = length;
  return true;
}

ElementwiseChainOp::ElementwiseChainOp(std::vector<TensorSpec> inputs, std::vector<ChainMember> members,
                                       std::vector<int> results)
    : members_(std::move(members)), results_(std::move(results)), input_count_(inputs.size()) {
  std::vector<TensorSpec> specs = std::move(inputs);
  Shape shape;
  for (const ChainMember& member : members_) {
    std::vector<TensorSpec> operands;
    for (const int operand : member.operands) operands.push_back(specs[static_cast<std::size_t>(operand)]);
    const TensorSpec result = member.op->infer(operands).front();
    if (steps_.empty()) shape = result.shape;
    if (!(result.shape == shape) || !member.op->is_elementwise() || !fits(shape, operands, row_length_)) {
      throw ValueError("Op " + std::string(member.op->name()) + " cannot be part of a chain of elementwise ops.");
    }
    steps_.push_back({member.op, &cpu_kernels().get(*member.op, operands), {}, {}, result.dtype, -1});
    specs.push_back(result);
  }
  for (std::size_t i = 0; i < input_count_; ++i) walks_.push_back(walk_of(shape, specs[i].shape)->kind);
  for (const TensorSpec& spec : specs) widest_element_ = std::max(widest_element_, size_of(spec.dtype));
  place_results(specs);
}

void ElementwiseChainOp::place_results(std::span<const TensorSpec> specs) {
  std::vector<std::size_t> last_use(steps_.size(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const int operand : members_[i].operands) {
      if (const auto number = static_cast<std::size_t>(operand); number >= input_count_) {
        last_use[number - input_count_] = i;
      }
    }
  }
  // Whether a later member reads an input that an output may overwrite.
  const auto is_read_later = [&](std::size_t step) {
    for (std::size_t later = step + 1; later < steps_.size(); ++later) {
      for (const int operand : members_[later].operands) {
        const auto number = static_cast<std::size_t>(operand);
        const bool is_alike = number < input_count_ && walks_[number] == ChainInput::full;
        if (is_alike && specs[number].dtype == steps_[step].dtype) return true;
      }
    }
    return false;
  };
  std::vector<int> free_blocks;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    for (const int operand : members_[i].operands) {
      const auto number = static_cast<std::size_t>(operand);
      step.operands.push_back(
          {number < input_count_ ? Place{Place::Kind::input, operand} : steps_[number - input_count_].result,
           specs[number].dtype});
    }
    const auto result = std::find(results_.begin(), results_.end(), static_cast<int>(i));
    const int output = result == results_.end() ? -1 : static_cast<int>(result - results_.begin());
    if (output >= 0 && !is_read_later(i)) {
      step.result = {Place::Kind::output, output};
    } else {
      step.late_output = output;
    }
    // Releases blocks whose last reader this is; a result takes one of its own dtype, or else a new one.
    const auto release = [&](bool same_dtype) {
      for (std::size_t k = 0; k < step.operands.size(); ++k) {
        if (step.operands[k].place.kind != Place::Kind::block) continue;
        const auto producer = static_cast<std::size_t>(members_[i].operands[k]) - input_count_;
        const bool is_kept = last_use[producer] != i || steps_[producer].late_output >= 0;
        const bool is_free =
            std::find(free_blocks.begin(), free_blocks.end(), step.operands[k].place.index) != free_blocks.end();
        if (!is_kept && !is_free && (steps_[producer].dtype == step.dtype) == same_dtype) {
          free_blocks.push_back(step.operands[k].place.index);
        }
      }
    };
    release(true);
    if (step.result.kind == Place::Kind::input) {
      if (free_blocks.empty()) free_blocks.push_back(blocks_++);
      step.result = {Place::Kind::block, free_blocks.back()};
      free_blocks.pop_back();
    }
    release(false);
  }
}

std::vector<TensorSpec> ElementwiseChainOp::infer(std::span<const TensorSpec> inputs) const {
  std::vector<TensorSpec> specs(inputs.begin(), inputs.end());
  for (const ChainMember& member : members_) {
    std::vector<TensorSpec> operands;
    for (const int operand : member.operands) operands.push_back(specs[static_cast<std::size_t>(operand)]);
    specs.push_back(member.op->infer(operands).front());
  }
  std::vector<TensorSpec> outputs;
  for (const int result : results_) outputs.push_back(specs[input_count_ + static_cast<std::size_t>(result)]);
  return outputs;
}

BatchRule ElementwiseChainOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  std::vector<TensorSpec> specs(inputs.begin(), inputs.end());
  std::vector<int> axes(batch_axes.begin(), batch_axes.end());
  for (const ChainMember& member : members_) {
    std::vector<TensorSpec> operands;
    std::vector<int> operand_axes;
    for (const int operand : member.operands) {
      operands.push_back(specs[static_cast<std::size_t>(operand)]);
      operand_axes.push_back(axes[static_cast<std::size_t>(operand)]);
    }
    specs.push_back(member.op->infer(operands).front());
    axes.push_back(-1);
    if (std::all_of(operand_axes.begin(), operand_axes.end(), [](int axis) { return axis < 0; })) continue;
    const BatchRule rule = member.op->batch_rule(operands, operand_axes);
    if (rule.effect != BatchEffect::maps) return BatchRule::mixes();
    axes.back() = rule.output_axis;
  }
  const auto axis_of = [&](int result) { return axes[input_count_ + static_cast<std::size_t>(result)]; };
  const int axis = axis_of(results_.front());
  for (const int result : results_) {
    if (axis < 0 || axis_of(result) != axis) return BatchRule::mixes();
  }
  // Rows must stay whole.
  const Shape& shape = specs[input_count_ + static_cast<std::size_t>(results_.front())].shape;
  const std::int64_t behind = shape.slice(axis + 1, shape.rank()).size();
  return axis == 0 || behind % row_length_ == 0 ? BatchRule::maps(axis) : BatchRule::mixes(axis);
}

std::string ElementwiseChainOp::attributes() const {
  std::string text;
  for (const ChainMember& member : members_) text += text_of(member) + "; ";
  return fmt::format("{}outputs=[{}]", text, fmt::join(results_, ", "));
}

double ElementwiseChainOp::flops(std::span<const TensorSpec>, std::span<const TensorSpec> outputs) const {
  return static_cast<double>(members_.size()) * static_cast<double>(outputs[0].shape.size());
}

}  // namespace rhyton

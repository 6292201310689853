#include <rhyton/framework/autodiff/while_op.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/autodiff/call_recorder.h>
#include <rhyton/framework/autodiff/while_run.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
namespace {

void require_operands(std::string_view op, std::span<const TensorSpec> inputs,
                      const std::vector<TensorSpec>& expected) {
  if (std::ranges::equal(inputs, expected)) return;
  throw InvalidArgumentError(fmt::format("Op {} was called with other operands than its body was traced with.", op));
}

Tensor zeros_of(const TensorSpec& spec) { return broadcast_to(Tensor::zeros(Shape(), spec.dtype), spec.shape); }

/// The derivative of a loop's body while it is made.
class BodyDerivative {
 public:
  explicit BodyDerivative(const WhileOp& loop)
      : loop_(loop), body_(std::make_shared<TracedBody>(loop.loop().body.body->body().continued())) {
    derivative_.body.operands = loop.loop().body.operands;
    specs_ = loop.operand_specs();
  }

  /// `needed`: per operand of the loop.
  void make(const std::vector<bool>& needed) {
    std::vector<Tensor> output_gradients(loop_.variables());
    for (std::size_t i = 0; i < loop_.variables(); ++i) {
      if (!has_gradient(i)) continue;
      derivative_.variables.push_back(i);
      output_gradients[i] = add_operand(loop_.operand_specs()[i]);
    }
    std::vector<Tensor> sums(loop_.operand_specs().size());
    body_->extend([&] { add_gradients(output_gradients, needed, sums); });
    take_further();

    std::vector<Tensor> accumulated;
    for (std::size_t i = loop_.variables(); i < sums.size(); ++i) {
      if (sums[i].is_empty()) continue;
      derivative_.body.operands.push_back(static_cast<int>(specs_.size() + derivative_.others.size()));
      derivative_.others.push_back(i);
      accumulated.push_back(body_->add_argument(loop_.operand_specs()[i]));
    }
    body_->extend([&] {
      std::vector<Tensor> outputs;
      for (const std::size_t i : derivative_.variables) {
        outputs.push_back(sums[i].is_empty() ? zeros_of(loop_.operand_specs()[i]) : sums[i]);
      }
      for (std::size_t i = 0; i < derivative_.others.size(); ++i) {
        outputs.push_back(add(accumulated[i], sums[derivative_.others[i]]));
      }
      body_->set_outputs(outputs);
    });
    derivative_.body.body = std::make_shared<const CompiledBody>(body_);
  }

  const WhileGradientOp::Derivative& derivative() const { return derivative_; }
  /// The specs of the operands of the WhileGradientOp.
  const std::vector<TensorSpec>& specs() const { return specs_; }
  /// The operands behind the gradients of the loop variables.
  const std::vector<graph::Tracer::Input>& further() const { return further_; }

 private:
  /// Whether a loop variable has a gradient.
  bool has_gradient(std::size_t variable) const {
    const bool is_assigned = variable >= loop_.variables() - loop_.loop().assigned;
    return !is_assigned && is_floating(loop_.operand_specs()[variable].dtype);
  }

  Tensor add_operand(const TensorSpec& spec) {
    derivative_.body.operands.push_back(static_cast<int>(specs_.size()));
    specs_.push_back(spec);
    return body_->add_argument(spec);
  }

  void add_gradients(const std::vector<Tensor>& output_gradients, const std::vector<bool>& needed,
                     std::vector<Tensor>& sums) {
    const std::vector<int>& operands = loop_.loop().body.operands;
    std::vector<bool> needed_inputs;
    for (const int operand : operands) {
      const auto i = static_cast<std::size_t>(operand);
      needed_inputs.push_back(i < loop_.variables() ? has_gradient(i) : needed[i]);
    }
    const std::vector<Tensor> gradients = body_->gradients(output_gradients, needed_inputs);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_empty()) continue;
      Tensor& sum = sums[static_cast<std::size_t>(operands[i])];
      sum = sum.is_empty() ? gradients[i] : add(sum, gradients[i]);
    }
  }

  /// Adds operands for what the derivative has newly taken from the surrounding code.
  void take_further() {
    for (std::size_t i = derivative_.body.operands.size(); i < body_->inputs().size(); ++i) {
      derivative_.body.operands.push_back(static_cast<int>(specs_.size()));
      specs_.push_back(body_->inputs()[i].inner.spec());
      further_.push_back(body_->inputs()[i]);
    }
  }

  const WhileOp& loop_;
  std::shared_ptr<TracedBody> body_;
  WhileGradientOp::Derivative derivative_;
  std::vector<TensorSpec> specs_;
  std::vector<graph::Tracer::Input> further_;
};

/// The loop variables at the end, computed by as many ops as there can be iterations: each leaves them as they are
/// where the condition does not hold.
std::vector<Tensor> unrolled(const WhileOp& loop, std::span<const Tensor> operands, std::int64_t iterations) {
  const std::vector<TensorSpec>& specs = loop.operand_specs();
  const std::vector<TensorSpec> of_variables(specs.begin(),
                                             specs.begin() + static_cast<std::ptrdiff_t>(loop.variables()));
  const auto unchanged =
      std::make_shared<const TracedBody>(of_variables, [](const std::vector<Tensor>& variables) { return variables; });
  BodyOfOp leave{.body = std::make_shared<const CompiledBody>(unchanged), .operands = {}};
  for (std::size_t i = 0; i < loop.variables(); ++i) leave.operands.push_back(static_cast<int>(i));
  const auto condition = std::make_shared<const CaseOp>(std::vector{loop.loop().condition}, specs);
  const auto step = std::make_shared<const CaseOp>(std::vector{leave, loop.loop().body}, specs);

  std::vector<Tensor> inputs{Tensor::scalar(std::int32_t{0})};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  for (std::int64_t i = 0; i < iterations; ++i) {
    inputs[0] = Tensor::scalar(std::int32_t{0});
    inputs[0] = cast(apply_single(condition, inputs), DType::int32);
    std::ranges::copy(rhyton::apply(step, inputs), inputs.begin() + 1);
  }
  return {inputs.begin() + 1, inputs.begin() + 1 + static_cast<std::ptrdiff_t>(loop.variables())};
}

}  // namespace

std::vector<TensorSpec> WhileOp::infer(std::span<const TensorSpec> inputs) const {
  require_operands(name(), inputs, operand_specs_);
  return {operand_specs_.begin(), operand_specs_.begin() + static_cast<std::ptrdiff_t>(loop_.variables)};
}

std::string WhileOp::attributes() const {
  const std::string limit =
      loop_.maximum_iterations ? fmt::format("maximum_iterations={}, ", *loop_.maximum_iterations) : std::string();
  return fmt::format("{}body={}", limit, static_cast<const void*>(loop_.body.body.get()));
}

void WhileOp::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const {
  WhileRun run(*this, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) copy_elements(outputs[i], inputs[i].data);
  run.set_variables(outputs);
  while (run.continues()) {
    const std::vector<Tensor>& next = run.step();
    for (std::size_t i = 0; i < outputs.size(); ++i) copy_elements(outputs[i], next[i].raw_data());
  }
}

std::vector<Tensor> WhileOp::gradient(const GradientArguments& arguments) const {
  const std::size_t first_assigned = loop_.variables - loop_.assigned;
  for (std::size_t i = first_assigned; i < loop_.variables; ++i) {
    if (!arguments.needed[i]) continue;
    throw NotImplementedError(fmt::format(
        "The gradient of the variable \"{}\", which the body of a `while_loop` assigns, is not available in "
        "a compiled function.",
        loop_.body.body->body().assigned()[i - first_assigned].path()));
  }
  BodyDerivative made(*this);
  made.make(arguments.needed);
  std::vector<Tensor> operands(arguments.inputs.begin(), arguments.inputs.end());
  for (const std::size_t i : made.derivative().variables) {
    const Tensor& given = arguments.output_gradients[i];
    operands.push_back(given.is_empty() ? zeros_of(operand_specs_[i]) : given);
  }
  for (const graph::Tracer::Input& input : made.further()) operands.push_back(TracedBody::outer_value(input));
  const std::vector<Tensor> gradients = rhyton::apply(
      std::make_shared<const WhileGradientOp>(shared_from_this(), made.derivative(), made.specs()), operands);
  std::vector<Tensor> result(arguments.inputs.size());
  std::size_t next = 0;
  for (const std::size_t i : made.derivative().variables) result[i] = gradients[next++];
  for (const std::size_t i : made.derivative().others) result[i] = gradients[next++];
  return result;
}

std::vector<TensorSpec> WhileGradientOp::infer(std::span<const TensorSpec> inputs) const {
  require_operands(name(), inputs, operand_specs_);
  std::vector<TensorSpec> specs;
  for (const std::size_t i : derivative_.variables) specs.push_back(operand_specs_[i]);
  for (const std::size_t i : derivative_.others) specs.push_back(operand_specs_[i]);
  return specs;
}

std::vector<Tensor> WhileGradientOp::gradient(const GradientArguments& arguments) const {
  const std::optional<std::int64_t> maximum_iterations = loop_->loop().maximum_iterations;
  if (!maximum_iterations) {
    throw NotImplementedError(
        "A `while_loop` of a compiled function has second derivatives only with `maximum_iterations`.");
  }
  const std::span<const Tensor> operands = arguments.inputs.first(loop_->operand_specs().size());
  std::vector<Tensor> given(
      arguments.inputs.begin() + static_cast<std::ptrdiff_t>(operands.size()),
      arguments.inputs.begin() + static_cast<std::ptrdiff_t>(operands.size() + derivative_.variables.size()));
  std::vector<RecordedCall> calls;
  CallRecorder recorder(calls);
  std::vector<Tensor> first;
  {
    const ListenerScope scope(recorder);
    const std::vector<Tensor> last = unrolled(*loop_, operands, *maximum_iterations);
    std::vector<Tensor> targets;
    std::vector<Tensor> sources;
    for (const std::size_t i : derivative_.variables) targets.push_back(last[i]);
    for (const std::size_t i : derivative_.variables) sources.push_back(operands[i]);
    for (const std::size_t i : derivative_.others) sources.push_back(operands[i]);
    // The recorder adds the calls of the derivative meanwhile.
    const std::vector<RecordedCall> forward(calls.begin(), calls.end());
    first = backpropagate(forward, targets, given, sources);
  }
  std::vector<Tensor> targets;
  std::vector<Tensor> target_gradients;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].is_empty() || arguments.output_gradients[i].is_empty()) continue;
    targets.push_back(first[i]);
    target_gradients.push_back(arguments.output_gradients[i]);
  }
  std::vector<Tensor> result = backpropagate(calls, targets, target_gradients, arguments.inputs);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!arguments.needed[i]) result[i] = Tensor();
  }
  return result;
}

std::string WhileGradientOp::attributes() const {
  return fmt::format("{}, derivative={}", loop_->attributes(), static_cast<const void*>(derivative_.body.body.get()));
}

void WhileGradientOp::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const {
  const std::size_t variables = loop_->variables();
  const std::size_t floating = derivative_.variables.size();
  WhileRun run(*loop_, inputs);
  SavedVariables saved(inputs.first(variables));
  for (run.set_variables(saved.last()); run.continues(); run.set_variables(saved.last())) saved.push(run.step());

  // Gradients and sums are kept in the outputs.
  const std::span<const TensorView> given = inputs.subspan(loop_->operand_specs().size(), floating);
  for (std::size_t i = 0; i < floating; ++i) copy_elements(outputs[i], given[i].data);
  for (const TensorView& sum : outputs.subspan(floating)) {
    if (sum.spec.bytes() > 0) std::memset(sum.data, 0, sum.spec.bytes());
  }
  std::vector<const void*> operands;
  for (const TensorView& input : inputs) operands.push_back(input.data);
  for (std::size_t i = 0; i < floating; ++i) operands[loop_->operand_specs().size() + i] = outputs[i].data;
  for (const TensorView& sum : outputs.subspan(floating)) operands.push_back(sum.data);

  graph::Executable::Lease lease = derivative_.body.body->lease();
  std::vector<const void*> elements(derivative_.body.operands.size());
  for (saved.pop(); !saved.is_empty(); saved.pop()) {
    for (std::size_t i = 0; i < variables; ++i) operands[i] = saved.last()[i].data;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = operands[static_cast<std::size_t>(derivative_.body.operands[i])];
    }
    lease.run(elements);
    for (std::size_t i = 0; i < outputs.size(); ++i) copy_elements(outputs[i], lease.outputs()[i].raw_data());
  }
}

}  // namespace rhyton

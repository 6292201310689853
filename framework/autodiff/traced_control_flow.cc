#include <rhyton/framework/ops/traced_control_flow.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/autodiff/body_operands.h>
#include <rhyton/framework/autodiff/case_op.h>
#include <rhyton/framework/autodiff/traced_body.h>
#include <rhyton/framework/autodiff/while_op.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/truth_value.h>

namespace rhyton {
namespace {

std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

std::string text_of(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> texts;
  for (const TensorSpec& spec : specs) {
    texts.push_back(fmt::format("<Tensor shape={}, dtype={}>", spec.shape.to_string(), name_of(spec.dtype)));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

bool contains(const std::vector<Variable>& variables, const Variable& variable) {
  return std::ranges::any_of(variables, [&](const Variable& other) { return other.is_same(variable); });
}

/// The position of a variable; nothing if it is not there.
std::optional<std::size_t> position_in(const std::vector<Variable>& variables, const Variable& variable) {
  if (variable.is_empty()) return std::nullopt;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].is_same(variable)) return i;
  }
  return std::nullopt;
}

void require_like_branches(const std::vector<std::shared_ptr<TracedBody>>& bodies,
                           const std::vector<std::string>& names) {
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    if (bodies[i]->output_specs() == bodies[0]->output_specs()) continue;
    // In Keras's order of `true_fn` and `false_fn`.
    throw ValueError(fmt::format(
        "`{}` and `{}` should return outputs of the same kind (struct, dtype and shape). Got {} and {} instead.",
        names[i], names[0], text_of(bodies[i]->output_specs()), text_of(bodies[0]->output_specs())));
  }
}

/// What a loop's body returns must be the loop variables of the next iteration.
void require_like_loop_vars(const std::vector<TensorSpec>& loop_vars, const std::vector<TensorSpec>& outputs) {
  require_as_many_as_loop_vars(outputs.size(), loop_vars.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype != loop_vars[i].dtype) {
      throw TypeError(
          fmt::format("Loop var {} enters the loop with type {} but has type {} after 1 iteration. Its "
                      "type should remain constant.",
                      i, name_of(loop_vars[i].dtype), name_of(outputs[i].dtype)));
    }
    if (!(outputs[i].shape == loop_vars[i].shape)) {
      throw ValueError(
          fmt::format("Loop var {} enters the loop with shape {}, but has shape {} after one iteration. "
                      "In a compiled function its shape must remain constant.",
                      i, loop_vars[i].shape.to_string(), outputs[i].shape.to_string()));
    }
  }
}

void add_values_of(const std::vector<Variable>& variables, TracedBody& body) {
  for (const Variable& variable : variables) body.add_output(body.value_of(variable));
}

}  // namespace

std::vector<Tensor> traced_case(
    const Tensor& index, const std::vector<std::function<std::vector<Tensor>(const std::vector<Tensor>&)>>& branches,
    const std::vector<std::string>& names, const std::vector<Tensor>& operands) {
  std::vector<std::shared_ptr<TracedBody>> bodies;
  std::vector<Variable> assigned;
  for (const auto& branch : branches) {
    bodies.push_back(std::make_shared<TracedBody>(specs_of(operands), branch));
    for (const Variable& variable : bodies.back()->assigned()) {
      if (!contains(assigned, variable)) assigned.push_back(variable);
    }
  }
  require_like_branches(bodies, names);
  const std::size_t outputs = bodies.front()->outputs().size();

  if (outputs == 0 && assigned.empty()) return {};

  BodyOperands all(operands);
  std::vector<BodyOfOp> compiled;
  for (const std::shared_ptr<TracedBody>& body : bodies) {
    add_values_of(assigned, *body);
    all.begin_body();
    BodyOfOp of{.body = std::make_shared<const CompiledBody>(body), .operands = {}};
    for (std::size_t i = 0; i < operands.size(); ++i) of.operands.push_back(all.take(i));
    for (std::size_t i = operands.size(); i < body->inputs().size(); ++i) {
      of.operands.push_back(all.position_of(TracedBody::outer_value(body->inputs()[i])));
    }
    compiled.push_back(std::move(of));
  }
  std::vector<Tensor> inputs{index};
  inputs.insert(inputs.end(), all.tensors().begin(), all.tensors().end());
  std::vector<Tensor> results = rhyton::apply(std::make_shared<const CaseOp>(std::move(compiled), all.specs()), inputs);
  for (std::size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(results[outputs + i]);
  results.resize(outputs);
  return results;
}

std::vector<Tensor> traced_while(const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                                 const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                                 const std::vector<Tensor>& loop_vars, std::optional<std::int64_t> maximum_iterations) {
  const std::vector<TensorSpec> specs = specs_of(loop_vars);
  const auto test = std::make_shared<TracedBody>(specs, [&](const std::vector<Tensor>& variables) {
    const Tensor holds = condition(variables);
    require_one_element(holds);
    return std::vector<Tensor>{cast(reshape(holds, Shape()), DType::bool_)};
  });
  if (!test->assigned().empty()) {
    throw NotImplementedError(fmt::format(
        "The condition of a `while_loop` in a compiled function assigns the variable \"{}\": only its body may assign "
        "variables.",
        test->assigned().front().path()));
  }
  const auto loop = std::make_shared<TracedBody>(specs, body);
  require_like_loop_vars(specs, loop->output_specs());
  // Assigned variables are loop variables too.
  const std::vector<Variable> assigned = loop->assigned();
  add_values_of(assigned, *loop);

  std::vector<Tensor> variables = loop_vars;
  for (const Variable& variable : assigned) variables.push_back(variable.value());
  BodyOperands all(variables);
  const auto of = [&](const std::shared_ptr<TracedBody>& traced) {
    all.begin_body();
    BodyOfOp result{.body = std::make_shared<const CompiledBody>(traced), .operands = {}};
    // Behind the loop variables come tensors that do not change.
    for (std::size_t i = 0; i < variables.size(); ++i) all.take(i);
    for (std::size_t i = 0; i < traced->inputs().size(); ++i) {
      const graph::Tracer::Input& input = traced->inputs()[i];
      const std::optional<std::size_t> position = position_in(assigned, input.variable);
      if (i < loop_vars.size()) {
        result.operands.push_back(static_cast<int>(i));
      } else if (position) {
        result.operands.push_back(static_cast<int>(loop_vars.size() + *position));
      } else {
        result.operands.push_back(all.position_of(TracedBody::outer_value(input)));
      }
    }
    return result;
  };
  WhileOp::Loop op_loop{.condition = of(test),
                        .body = of(loop),
                        .maximum_iterations = maximum_iterations,
                        .variables = variables.size(),
                        .assigned = assigned.size()};
  std::vector<Tensor> results =
      rhyton::apply(std::make_shared<const WhileOp>(std::move(op_loop), all.specs()), all.tensors());
  for (std::size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(results[loop_vars.size() + i]);
  results.resize(loop_vars.size());
  return results;
}

}  // namespace rhyton

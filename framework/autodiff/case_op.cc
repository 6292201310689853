#include <rhyton/framework/autodiff/case_op.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {

/// The op that computes gradients. Its operands: those of the op, the given gradients of outputs, and `further` ones.
struct CaseOp::Derivative {
  OpPtr op;
  /// What the gradients use of the surrounding code besides the inputs.
  std::vector<graph::Tracer::Input> further;
  /// Per operand: the output that is its gradient; -1 if there is none.
  std::vector<int> outputs;
};

namespace {

/// A branch of the derivative while it is made.
struct GradientBranch {
  std::shared_ptr<TracedBody> body;
  /// Per operand of the op; empty where the branch does not depend on it.
  std::vector<Tensor> gradients;
  std::size_t forward_inputs = 0;
  std::size_t arguments = 0;
};

}  // namespace

CaseOp::CaseOp(std::vector<BodyOfOp> branches, std::vector<TensorSpec> operand_specs)
    : branches_(std::move(branches)),
      operand_specs_(std::move(operand_specs)),
      output_specs_(branches_.front().body->body().output_specs()) {}

std::vector<TensorSpec> CaseOp::infer(std::span<const TensorSpec> inputs) const {
  const bool has_index = !inputs.empty() && inputs[0] == TensorSpec{Shape(), DType::int32};
  if (!has_index || !std::ranges::equal(inputs.subspan(1), operand_specs_)) {
    throw InvalidArgumentError("Op Case was called with other operands than its branches were traced with.");
  }
  return output_specs_;
}

std::string CaseOp::attributes() const {
  return fmt::format("branches={}, body={}", branches_.size(), static_cast<const void*>(branches_.front().body.get()));
}

double CaseOp::flops(std::span<const TensorSpec>, std::span<const TensorSpec>) const {
  double maximum = 0;
  for (const BodyOfOp& branch : branches_) maximum = std::max(maximum, branch.body->body().flops());
  return maximum;
}

void CaseOp::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const {
  const auto last = static_cast<std::int32_t>(branches_.size()) - 1;
  const auto index = static_cast<std::size_t>(std::clamp(*inputs[0].as<std::int32_t>(), 0, last));
  const BodyOfOp& branch = branches_[index];
  std::vector<const void*> elements;
  for (const int operand : branch.operands) elements.push_back(inputs[static_cast<std::size_t>(operand) + 1].data);
  graph::Executable::Lease lease = branch.body->lease();
  lease.run(elements);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::size_t bytes = outputs[i].spec.bytes();
    if (bytes > 0) std::memcpy(outputs[i].data, lease.outputs()[i].raw_data(), bytes);
  }
}

std::vector<Tensor> CaseOp::gradient(const GradientArguments& arguments) const {
  DerivativeKey key;
  std::vector<Tensor> operands(arguments.inputs.begin(), arguments.inputs.end());
  for (const Tensor& gradient : arguments.output_gradients) {
    key.first.push_back(!gradient.is_empty());
    if (!gradient.is_empty()) operands.push_back(gradient);
  }
  key.second.assign(arguments.needed.begin() + 1, arguments.needed.end());
  const std::shared_ptr<const Derivative> derivative = this->derivative(key);
  std::vector<Tensor> result(arguments.inputs.size());
  if (derivative->op == nullptr) return result;
  for (const graph::Tracer::Input& input : derivative->further) operands.push_back(TracedBody::outer_value(input));
  const std::vector<Tensor> gradients = rhyton::apply(derivative->op, operands);
  for (std::size_t i = 0; i < derivative->outputs.size(); ++i) {
    const int output = derivative->outputs[i];
    if (output >= 0) result[i + 1] = gradients[static_cast<std::size_t>(output)];
  }
  return result;
}

std::shared_ptr<const CaseOp::Derivative> CaseOp::derivative(const DerivativeKey& key) const {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<const Derivative>& derivative = derivatives_[key];
  if (derivative == nullptr) derivative = make_derivative(key);
  return derivative;
}

std::shared_ptr<const CaseOp::Derivative> CaseOp::make_derivative(const DerivativeKey& key) const {
  const auto& [is_given, is_needed] = key;
  std::vector<GradientBranch> branches;
  for (const BodyOfOp& of : branches_) {
    GradientBranch branch{.body = std::make_shared<TracedBody>(of.body->body().continued()),
                          .gradients = std::vector<Tensor>(operand_specs_.size())};
    TracedBody& body = *branch.body;
    branch.forward_inputs = body.inputs().size();
    std::vector<Tensor> output_gradients(is_given.size());
    for (std::size_t i = 0; i < is_given.size(); ++i) {
      if (is_given[i]) output_gradients[i] = body.add_argument(output_specs_[i]);
    }
    branch.arguments = body.inputs().size();
    std::vector<bool> needed;
    for (const int operand : of.operands) needed.push_back(is_needed[static_cast<std::size_t>(operand)]);
    body.extend([&] {
      const std::vector<Tensor> gradients = body.gradients(output_gradients, needed);
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        if (gradients[i].is_empty()) continue;
        Tensor& sum = branch.gradients[static_cast<std::size_t>(of.operands[i])];
        sum = sum.is_empty() ? gradients[i] : add(sum, gradients[i]);
      }
    });
    branches.push_back(std::move(branch));
  }

  auto derivative = std::make_shared<Derivative>();
  derivative->outputs.assign(operand_specs_.size(), -1);
  int outputs = 0;
  for (std::size_t i = 0; i < operand_specs_.size(); ++i) {
    const bool has_gradient =
        std::ranges::any_of(branches, [i](const GradientBranch& branch) { return !branch.gradients[i].is_empty(); });
    if (has_gradient) derivative->outputs[i] = outputs++;
  }
  if (outputs == 0) return derivative;

  std::vector<TensorSpec> specs = operand_specs_;
  for (std::size_t i = 0; i < is_given.size(); ++i) {
    if (is_given[i]) specs.push_back(output_specs_[i]);
  }
  std::vector<BodyOfOp> bodies;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    TracedBody& body = *branches[b].body;
    body.extend([&] {
      std::vector<Tensor> gradients;
      for (std::size_t i = 0; i < operand_specs_.size(); ++i) {
        if (derivative->outputs[i] < 0) continue;
        const Tensor& own = branches[b].gradients[i];
        const TensorSpec& spec = operand_specs_[i];
        gradients.push_back(own.is_empty() ? broadcast_to(Tensor::zeros(Shape(), spec.dtype), spec.shape) : own);
      }
      body.set_outputs(gradients);
    });
    BodyOfOp of{.body = std::make_shared<const CompiledBody>(branches[b].body), .operands = branches_[b].operands};
    for (std::size_t i = branches[b].forward_inputs; i < branches[b].arguments; ++i) {
      of.operands.push_back(static_cast<int>(operand_specs_.size() + i - branches[b].forward_inputs));
    }
    for (std::size_t i = branches[b].arguments; i < body.inputs().size(); ++i) {
      of.operands.push_back(static_cast<int>(specs.size()));
      specs.push_back(body.inputs()[i].inner.spec());
      derivative->further.push_back(body.inputs()[i]);
    }
    bodies.push_back(std::move(of));
  }
  derivative->op = std::make_shared<const CaseOp>(std::move(bodies), std::move(specs));
  return derivative;
}

}  // namespace rhyton

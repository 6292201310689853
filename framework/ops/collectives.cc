#include <rhyton/framework/ops/collectives.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
namespace {

thread_local const ReplicaContext* innermost_context = nullptr;

}  // namespace

ReplicaScope::ReplicaScope(ReplicaContext context) : context_(std::move(context)), outer_(innermost_context) {
  innermost_context = &context_;
}

ReplicaScope::~ReplicaScope() { innermost_context = outer_; }

const ReplicaContext* replica_context() { return innermost_context; }

const ReplicaBatch* part_of_batch() {
  const ReplicaContext* const context = replica_context();
  return context != nullptr && context->batch.is_known() ? &context->batch : nullptr;
}

double replica_share() {
  const ReplicaContext* const context = replica_context();
  if (context == nullptr) return 1.0;
  const ReplicaBatch* const part = part_of_batch();
  return part == nullptr ? 1.0 / context->num_replicas_in_sync
                         : static_cast<double>(part->samples) / static_cast<double>(part->global_samples);
}

void add_over_replicas(const std::vector<Variable>& variables, threading::FunctionRef<void()> update) {
  const ReplicaContext* const context = replica_context();
  if (context == nullptr || context->num_replicas_in_sync == 1) return update();
  std::vector<Tensor> before;
  for (const Variable& variable : variables) {
    before.push_back(variable.value());
    // Starts from zero, so that this replica's contribution is not rounded by the old value.
    variable.assign(Tensor::zeros(variable.shape(), variable.dtype()));
  }
  update();
  std::vector<Tensor> added;
  for (const Variable& variable : variables) {
    const Tensor own = variable.value();
    added.push_back(context->batch.is_empty() ? own * 0 : own);
  }
  const std::vector<Tensor> sums = all_reduce(added);
  for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign(before[i] + sums[i]);
}

namespace {

/// Empty tensors stay empty.
std::vector<Tensor> sums_over(const std::shared_ptr<Communicator>& communicator, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> present;
  for (const Tensor& tensor : tensors) {
    if (!tensor.is_empty()) present.push_back(tensor);
  }
  if (present.empty()) return tensors;
  const std::vector<Tensor> sums = rhyton::apply(std::make_shared<const AllReduceOp>(communicator), present);
  std::vector<Tensor> results = tensors;
  std::size_t next = 0;
  for (Tensor& result : results) {
    if (!result.is_empty()) result = sums[next++];
  }
  return results;
}

}  // namespace

inline namespace ops {

std::vector<TensorSpec> AllReduceOp::infer(std::span<const TensorSpec> inputs) const {
  for (const TensorSpec& input : inputs) {
    if (is_floating(input.dtype) || input.dtype == DType::int32 || input.dtype == DType::int64) continue;
    throw InvalidArgumentError("AllReduce: tensors of " + std::string(name_of(input.dtype)) + " cannot be summed.");
  }
  return {inputs.begin(), inputs.end()};
}

std::vector<Tensor> AllReduceOp::gradient(const GradientArguments& arguments) const {
  std::vector<Tensor> gradients(arguments.output_gradients.begin(), arguments.output_gradients.end());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!arguments.needed[i]) gradients[i] = Tensor();
  }
  return sums_over(communicator, gradients);
}

std::string AllReduceOp::attributes() const { return "group=" + communicator->description(); }

void run_all_reduce(const KernelArguments& arguments) {
  std::vector<ReductionBuffer> buffers;
  buffers.reserve(arguments.inputs.size());
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const TensorView& input = arguments.inputs[i];
    buffers.push_back({input.data, arguments.outputs[i].data, input.size(), input.spec.dtype});
  }
  arguments.attributes<AllReduceOp>().communicator->all_reduce(buffers, arguments.stream);
}

std::vector<Tensor> all_reduce(const std::vector<Tensor>& tensors) {
  const ReplicaContext* const context = replica_context();
  if (context == nullptr) return tensors;
  if (context->num_replicas_in_sync == 1) {
    const ReplicaBatch& part = context->batch;
    if (!part.is_known() || part.samples == part.global_samples) return tensors;
    throw NotImplementedError(
        "A part of a batch that is computed without the other parts, as by the workers of synchronous parameter "
        "servers, cannot contribute to a sum over all of them: expected no mask, no reduction "
        "'mean_with_sample_weight' and no `synchronized` normalization.");
  }
  return sums_over(context->communicator, tensors);
}

Tensor all_reduce(const Tensor& tensor) { return all_reduce(std::vector<Tensor>{tensor}).front(); }

}  // namespace ops
}  // namespace rhyton

#include <rhyton/framework/ops/overlapped_reductions.h>

#include <cstdint>
#include <cstring>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>

namespace rhyton {
namespace {

TensorSpec number_spec() { return {Shape{}, DType::int64}; }

}  // namespace

std::vector<TensorSpec> BeginAllReduceOp::infer(std::span<const TensorSpec> inputs) const {
  if (follows_another && inputs.empty()) {
    throw InvalidArgumentError("BeginAllReduce: expected what the sum before it gives as its last input.");
  }
  const std::span<const TensorSpec> tensors = inputs.first(inputs.size() - (follows_another ? 1 : 0));
  std::vector<TensorSpec> outputs = AllReduceOp(communicator).infer(tensors);
  outputs.push_back(number_spec());
  return outputs;
}

std::vector<TensorSpec> FinishAllReduceOp::infer(std::span<const TensorSpec> inputs) const {
  if (inputs.size() < 2 || !(inputs[inputs.size() - 1] == number_spec()) ||
      !(inputs[inputs.size() - 2] == number_spec())) {
    throw InvalidArgumentError("FinishAllReduce: expected the numbers of two calls as its last inputs.");
  }
  return {inputs.begin(), inputs.end() - 2};
}

std::string HalfOfAllReduceOp::attributes() const { return "group=" + communicator->description(); }

void run_begin_all_reduce(const KernelArguments& arguments) {
  std::vector<ReductionBuffer> buffers;
  buffers.reserve(arguments.outputs.size() - 1);
  for (std::size_t i = 0; i + 1 < arguments.outputs.size(); ++i) {
    const TensorView& sum = arguments.outputs[i];
    // In place: an input with separate memory may be overwritten before the sum is computed.
    if (sum.data != arguments.inputs[i].data) std::memcpy(sum.data, arguments.inputs[i].data, sum.spec.bytes());
    buffers.push_back({sum.data, sum.data, sum.size(), sum.spec.dtype});
  }
  *arguments.outputs.back().as<std::int64_t>() =
      arguments.attributes<BeginAllReduceOp>().communicator->begin_all_reduce(buffers);
}

void run_finish_all_reduce(const KernelArguments& arguments) {
  const std::size_t count = arguments.outputs.size();
  arguments.attributes<FinishAllReduceOp>().communicator->finish_all_reduce(
      *arguments.inputs[count].as<std::int64_t>(), *arguments.inputs[count + 1].as<std::int64_t>());
  // In a plan both have the same memory, except for sums that are results of the graph.
  for (std::size_t i = 0; i < count; ++i) {
    const TensorView& sum = arguments.outputs[i];
    if (sum.data != arguments.inputs[i].data) std::memcpy(sum.data, arguments.inputs[i].data, sum.spec.bytes());
  }
}

}  // namespace rhyton

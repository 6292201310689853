#include <rhyton/framework/distribute/strategy.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/distribute/eager_replicas.h>
#include <rhyton/framework/distribute/job_description.h>
#include <rhyton/framework/distribute/one_device_strategy.h>
#include <rhyton/framework/distribute/replica_batches.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::distribute {
namespace {

thread_local StrategyScope* innermost_scope = nullptr;

/// The values of all replicas of this process, on the current device.
std::vector<Tensor> here(const PerReplica& value, int replicas) {
  std::vector<Tensor> values;
  for (int i = 0; i < replicas; ++i) values.push_back(value.at(static_cast<std::size_t>(i)).to(current_device()));
  return values;
}

/// The tensors of all processes, by rank, whose shapes may differ along `axis` only. Throws ValueError for other
/// differences.
std::vector<Tensor> of_all_processes(ProcessGroup& processes, const Tensor& own, int axis) {
  const int along = axis < 0 ? axis + own.rank() : axis;
  require_same(processes, "dtype and shape, but for the axis along which is gathered,",
               std::string(name_of(own.dtype())) + own.shape().with(along, -1).to_string());
  const std::vector<std::string> lengths = processes.all_gather(std::to_string(own.shape()[along]));
  const std::vector<std::string> elements =
      processes.all_gather({static_cast<const char*>(own.raw_data()), own.spec().bytes()});
  std::vector<Tensor> all;
  for (std::size_t rank = 0; rank < elements.size(); ++rank) {
    Tensor value = Tensor::uninitialized(own.shape().with(along, std::stoll(lengths[rank])), own.dtype());
    std::memcpy(value.mutable_raw_data(), elements[rank].data(), elements[rank].size());
    all.push_back(value.to(current_device()));
  }
  return all;
}

}  // namespace

StrategyScope::StrategyScope(const Strategy& strategy) : strategy_(strategy.impl()), outer_(innermost_scope) {
  innermost_scope = this;
}

StrategyScope::~StrategyScope() {
  if (innermost_scope == this) innermost_scope = outer_;
}

bool has_strategy() { return innermost_scope != nullptr; }

Strategy get_strategy() {
  if (innermost_scope != nullptr) return Strategy(innermost_scope->strategy_);
  return Strategy(std::make_shared<StrategyImpl>(
      StrategyImpl::Options{.name = "DefaultDistributionStrategy", .devices = {&current_device()}}));
}

int Strategy::num_replicas_in_sync() const { return impl_->num_replicas_in_sync(); }
const std::vector<LogicalDevice*>& Strategy::worker_devices() const { return impl_->devices(); }
bool Strategy::is_chief() const { return impl_->is_chief(); }
const std::string& Strategy::name() const { return impl_->name(); }

std::vector<PerReplica> Strategy::run(const ReplicaFunction& function, const std::vector<PerReplica>& arguments) const {
  if (replica_context() != nullptr) {
    throw RuntimeError("`run` was called by code that runs on a replica already.");
  }
  const auto as_replica = [&](int index) {
    std::vector<Tensor> own;
    for (const PerReplica& argument : arguments) {
      own.push_back(argument.at(static_cast<std::size_t>(index)).to(current_device()));
    }
    return function(own);
  };
  const std::vector<std::vector<Tensor>> results = run_eagerly(*impl_, {}, as_replica);
  std::vector<PerReplica> outputs;
  for (std::size_t o = 0; o < results.front().size(); ++o) {
    std::vector<Tensor> values;
    for (const std::vector<Tensor>& result : results) values.push_back(result.at(o));
    outputs.emplace_back(std::move(values));
  }
  return outputs;
}

Tensor Strategy::reduce(ReduceOp reduce_op, const PerReplica& value, std::optional<int> axis) const {
  std::vector<Tensor> values = here(value, impl_->replicas_of_this_process());
  // The number of values in the sum.
  double count = axis ? 0.0 : impl_->num_replicas_in_sync();
  Tensor total;
  for (const Tensor& one : values) {
    if (axis) count += static_cast<double>(one.shape().at(*axis));
    const Tensor part = axis ? sum(one, {*axis}) : one;
    total = total.is_empty() ? part : add(total, part);
  }
  if (ProcessGroup* const processes = impl_->processes()) {
    total = total.clone();
    double counted = axis ? count : 0.0;
    processes->all_reduce(
        std::vector<ReductionBuffer>{{total.raw_data(), total.mutable_raw_data(), total.size(), total.dtype()},
                                     {&counted, &counted, 1, DType::float64}});
    if (axis) count = counted;
  }
  return reduce_op == ReduceOp::mean ? divide(total, count) : total;
}

Tensor Strategy::gather(const PerReplica& value, int axis) const {
  const Tensor own = concatenate(here(value, impl_->replicas_of_this_process()), axis);
  ProcessGroup* const processes = impl_->processes();
  return processes == nullptr ? own : concatenate(of_all_processes(*processes, own, axis), axis);
}

std::vector<Tensor> Strategy::experimental_local_results(const PerReplica& value) const {
  std::vector<Tensor> values;
  for (int i = 0; i < impl_->replicas_of_this_process(); ++i) values.push_back(value.at(static_cast<std::size_t>(i)));
  return values;
}

PerReplica Strategy::distribute_batch(const Tensor& batch) const {
  std::vector<Tensor> parts;
  for (int i = 0; i < impl_->replicas_of_this_process(); ++i) {
    const ReplicaBatch part =
        replica_batch(batch.shape().at(0), impl_->first_replica_id() + i, impl_->num_replicas_in_sync());
    parts.push_back(batch.slice(part.first_sample, part.first_sample + part.samples));
  }
  return PerReplica(std::move(parts));
}

}  // namespace rhyton::distribute

#include <rhyton/framework/distribute/strategy_impl.h>

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/threading/thread_pool_scope.h>

namespace rhyton::distribute {

StrategyImpl::StrategyImpl(Options options) : options_(std::move(options)) {
  if (options_.devices.empty()) throw ValueError("Got an empty `devices` list.");
  for (std::size_t i = 0; i < options_.devices.size(); ++i) {
    const auto first = options_.devices.begin();
    if (std::find(first, first + static_cast<std::ptrdiff_t>(i), options_.devices[i]) !=
        first + static_cast<std::ptrdiff_t>(i)) {
      throw ValueError("`devices` must be distinct. Received " + options_.devices[i]->full_name() + " twice.");
    }
  }
  const int members = replicas_of_this_process();
  group_ = ReplicaGroup::make(members, options_.processes, options_.cross_device_ops, options_.bucket_bytes);
  for (int i = 0; i < members; ++i) communicators_.push_back(group_->member(i));
  variables_ = std::make_unique<MirroredVariables>(options_.devices);
  if (options_.cross_device_ops.kind() == CrossDeviceOps::Kind::nccl && !is_single()) join_communicators();
}

void StrategyImpl::join_communicators() {
  DeviceProvider& provider = device_runtime().provider(options_.devices.front()->type());
  std::string id = is_chief() ? provider.make_communicator_id() : std::string();
  if (options_.processes) id = options_.processes->all_gather(id).front();
  run_replicas([&](int index) {
    const auto at = static_cast<std::size_t>(index);
    communicators_[at] =
        provider.join_communicator(*options_.devices[at], id, num_replicas_in_sync(), first_replica_id() + index);
  });
}

StrategyImpl::~StrategyImpl() = default;

int StrategyImpl::num_replicas_in_sync() const {
  return replicas_of_this_process() * (options_.processes ? options_.processes->size() : 1);
}

int StrategyImpl::first_replica_id() const {
  return replicas_of_this_process() * (options_.processes ? options_.processes->rank() : 0);
}

ReplicaContext StrategyImpl::replica_context_of(int index, const ReplicaBatch& batch) const {
  return {.replica_id_in_sync_group = first_replica_id() + index,
          .num_replicas_in_sync = num_replicas_in_sync(),
          .communicator = communicators_[static_cast<std::size_t>(index)],
          .batch = batch};
}

void StrategyImpl::divide_threads() {
  const int members = replicas_of_this_process();
  if (!team_) team_ = std::make_unique<threading::Team>(members);
  const int threads = context().num_threads();
  if (threads == threads_divided_) return;
  pools_.clear();
  for (int i = 0; i < members; ++i) {
    const int share = threads / members + (i < threads % members ? 1 : 0);
    pools_.push_back(std::make_unique<threading::ThreadPool>(std::max(1, share)));
  }
  threads_divided_ = threads;
}

void StrategyImpl::run_replicas(threading::FunctionRef<void(int index)> work) {
  // The replicas' work is a step, or part of one.
  const std::shared_lock step(step_mutex());
  const std::unique_lock own_turn = turn();
  divide_threads();
  const auto run_one = [&](int index) {
    const auto at = static_cast<std::size_t>(index);
    const WithoutStepMutex within_step;
    const threading::ThreadPoolScope threads(*pools_[at]);
    const DeviceScope device(*options_.devices[at]);
    try {
      work(index);
    } catch (...) {
      group_->abandon();
      for (const std::shared_ptr<Communicator>& communicator : communicators_) communicator->abort();
      throw;
    }
  };
  try {
    team_->run(run_one);
  } catch (...) {
    group_->reset();
    throw;
  }
}

}  // namespace rhyton::distribute

#include <rhyton/models/cluster/cluster_coordinator.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/parameter_server_job.h>
#include <rhyton/models/cluster/served_variables.h>

namespace rhyton::distribute {
namespace {

/// The updates that one call of a function may make.
constexpr std::int64_t updates_per_call = 4096;

std::vector<NamedTensor> named(const std::vector<Tensor>& tensors) {
  std::vector<NamedTensor> result;
  for (const Tensor& tensor : tensors) result.push_back({.name = std::to_string(result.size()), .value = tensor});
  return result;
}

std::vector<Tensor> without_names(const std::vector<NamedTensor>& tensors) {
  std::vector<Tensor> result;
  for (const NamedTensor& tensor : tensors) result.push_back(tensor.value);
  return result;
}

/// A worker's variables, and the call that it runs.
struct WorkerCall {
  std::unique_ptr<ServedVariables> variables;
  bool is_running = false;
  std::int64_t id = 0;
  std::int64_t all_done_below = 0;
  std::int64_t updates = 0;
  std::int64_t staleness = 0;

  void push(const std::vector<Tensor>& gradients) {
    if (updates >= updates_per_call) {
      throw ValueError("A scheduled function applied gradients more than " + std::to_string(updates_per_call) +
                       " times.");
    }
    const PushResult pushed = variables->push(
        {.step = id * updates_per_call + updates++, .all_done_below = all_done_below * updates_per_call}, gradients);
    staleness = std::max(staleness, pushed.staleness);
  }
};

/// The optimizer of the servers, as functions use it.
class RemoteOptimizer final : public optimizers::OptimizerImpl {
 public:
  RemoteOptimizer(optimizers::Optimizer inner, std::vector<Variable> trained, std::shared_ptr<WorkerCall> call)
      : OptimizerImpl(inner.class_name(), {.name = inner.name()}),
        inner_(std::move(inner)),
        trained_(std::move(trained)),
        call_(std::move(call)) {}

  void update_step(const Tensor& /*gradient*/, const Variable& /*variable*/, const Tensor& /*rate*/) override {}
  void build(const std::vector<Variable>& variables) override { inner_.build(variables); }
  void apply(const std::vector<SparseGradient>& gradients, const std::vector<Variable>& variables) override {
    if (!call_->is_running) {
      throw RuntimeError("The optimizer of a ClusterCoordinator applies gradients in functions that were scheduled.");
    }
    if (gradients.size() != variables.size()) {
      throw ValueError("Received " + std::to_string(gradients.size()) + " gradients for " +
                       std::to_string(variables.size()) + " variables.");
    }
    std::vector<Tensor> all(trained_.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      std::size_t at = 0;
      while (at < trained_.size() && !trained_[at].is_same(variables[i])) ++at;
      if (at == trained_.size()) {
        throw ValueError("The variable '" + variables[i].path() +
                         "' is not on the servers: expected it among those of "
                         "ClusterCoordinator::create_variables.");
      }
      if (gradients[i].is_sparse()) {
        throw NotImplementedError("The optimizer of a ClusterCoordinator takes gradients, not slices of them.");
      }
      all[at] = gradients[i].sum;
    }
    call_->push(all);
  }
  io::Json get_config() const override { return inner_.get_config(); }
  std::vector<Variable> variables() const override { return inner_.variables(); }
  Tensor scale_loss(const Tensor& loss) const override { return inner_.scale_loss(loss); }
  Tensor iterations() const override { return inner_.iterations(); }
  Tensor learning_rate() const override { return inner_.learning_rate(); }
  const Variable& learning_rate_variable() const override { return inner_.learning_rate_variable(); }
  void set_learning_rate(const optimizers::LearningRate& rate) override { inner_.set_learning_rate(rate); }

 private:
  optimizers::Optimizer inner_;
  std::vector<Variable> trained_;
  std::shared_ptr<WorkerCall> call_;
};

}  // namespace

struct PerWorkerDataset::State {
  std::function<datasets::Dataset()> make;
  std::unique_ptr<datasets::Dataset> dataset;
  std::unique_ptr<datasets::Dataset::Iterator> next;
};

PerWorkerDataset::PerWorkerDataset(std::function<datasets::Dataset()> dataset_fn)
    : state_(std::make_shared<State>(State{.make = std::move(dataset_fn), .dataset = nullptr, .next = nullptr})) {}

datasets::Batch PerWorkerDataset::next() const {
  State& state = *state_;
  if (state.dataset == nullptr) state.dataset = std::make_unique<datasets::Dataset>(state.make());
  if (state.next == nullptr || *state.next == std::default_sentinel) {
    state.next = std::make_unique<datasets::Dataset::Iterator>(state.dataset->begin());
  }
  if (*state.next == std::default_sentinel) throw ValueError("The data set is empty: it has no batches.");
  datasets::Batch batch = **state.next;
  ++*state.next;
  return batch;
}

struct ClusterCoordinator::Impl {
  std::shared_ptr<ParameterServerJob> job;
  std::map<std::string, Function> functions;
  JobVariables variables;
  bool has_variables = false;
  std::shared_ptr<WorkerCall> call = std::make_shared<WorkerCall>();
  // The chief's, within `run`.
  std::unique_ptr<ServedVariables> served;
  std::int64_t next_id = 0;
  std::unique_ptr<WorkerPool> pool;

  WorkerPool& running_pool() const {
    if (pool != nullptr) return *pool;
    throw RuntimeError("Functions are scheduled by the chief, within ClusterCoordinator::run.");
  }

  std::map<std::string, WorkerService::Function> served_functions() {
    std::map<std::string, WorkerService::Function> result;
    result["begin"] = [this](const TaskCall& remote) {
      if (has_variables) {
        call->variables = std::make_unique<ServedVariables>(job->connect_to_servers(), variables,
                                                            job->options().variable_partitioner);
        call->variables->join(remote.arguments["job"].as_string(), job->worker()->stop_token());
      }
      return TaskReply();
    };
    result["leave"] = [this](const TaskCall&) {
      if (call->variables != nullptr) call->variables->pull();
      return TaskReply();
    };
    for (const auto& [name, function] : functions) {
      // The names of the user's own functions are marked, so that they cannot be those above.
      result["function " + name] = [this, function = function](const TaskCall& remote) {
        return run_function(function, remote);
      };
    }
    return result;
  }

  TaskReply run_function(const Function& function, const TaskCall& remote) const {
    call->id = remote.arguments["id"].as_int();
    call->all_done_below = remote.arguments["all_done_below"].as_int();
    call->updates = 0;
    call->staleness = 0;
    if (has_variables) call->variables->pull();
    call->is_running = has_variables;
    TaskReply reply;
    try {
      reply.tensors = named(function(without_names(remote.tensors)));
      // What the function has assigned without the optimizer.
      if (!variables.others.empty()) call->push(std::vector<Tensor>(variables.trained.size()));
    } catch (...) {
      call->is_running = false;
      throw;
    }
    call->is_running = false;
    reply.values["staleness"] = call->staleness;
    return reply;
  }

  void begin(int number) {
    const std::string name = new_job_name();
    std::vector<RemoteTask> servers;
    job->begin_job(name, number, [&] {
      servers = job->connect_to_servers();
      // Servers have a part in the job even if it has no variables: their programs wait for its end.
      served = std::make_unique<ServedVariables>(servers, variables, job->options().variable_partitioner);
      served->begin(name, number);
    });
    next_id = 0;
    pool = std::make_unique<WorkerPool>(job->pool_options(name, number, std::move(servers)));
  }

  void end(const std::string& error) {
    job->note_pool(pool->counts());
    pool->end(error);
    pool = nullptr;
    try {
      served->end(error);
    } catch (const Error&) {
      if (error.empty()) throw;  // else the server is what is lost
    }
  }
};

ClusterCoordinator::ClusterCoordinator(const ParameterServerStrategy& strategy) : impl_(std::make_unique<Impl>()) {
  impl_->job = strategy.impl()->parameter_servers();
  if (impl_->job->options().synchronous) {
    throw ValueError("A ClusterCoordinator schedules functions one by one: expected a strategy without synchronous.");
  }
  // Never used; a job without variables needs one in its messages.
  impl_->variables.optimizer = optimizers::Optimizer("SGD");
}

ClusterCoordinator::~ClusterCoordinator() = default;

optimizers::Optimizer ClusterCoordinator::create_variables(const std::vector<Variable>& trained,
                                                           const optimizers::Optimizer& optimizer,
                                                           const std::vector<Variable>& others) {
  if (impl_->has_variables) throw ValueError("`create_variables` was called already.");
  optimizer.build(trained);
  impl_->variables = {.trained = trained, .others = others, .optimizer = optimizer};
  require_servable(impl_->variables, impl_->job->num_servers(), impl_->job->options().variable_partitioner);
  impl_->has_variables = true;
  return optimizers::Optimizer(std::make_shared<RemoteOptimizer>(optimizer, trained, impl_->call));
}

RemoteFunction ClusterCoordinator::function(const std::string& name, Function function) {
  if (!impl_->functions.emplace(name, std::move(function)).second) {
    throw ValueError("There is a function '" + name + "' already.");
  }
  return {.name = name};
}

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(std::function<datasets::Dataset()> dataset_fn) const {
  return PerWorkerDataset(std::move(dataset_fn));
}

void ClusterCoordinator::run(const std::function<void()>& main) {
  const int number = impl_->job->next_number();
  if (!impl_->job->is_chief()) {
    if (impl_->job->worker() == nullptr) return impl_->job->serve_variables(number);
    return impl_->job->worker()->serve(number, impl_->served_functions());
  }
  impl_->begin(number);
  try {
    main();
    join();
  } catch (const std::exception& error) {
    impl_->end(error.what());
    throw;
  } catch (...) {
    impl_->end("its code has ended with an exception.");
    throw;
  }
  impl_->end("");
}

RemoteValue ClusterCoordinator::schedule(const RemoteFunction& function, const std::vector<Tensor>& arguments) {
  WorkerPool& pool = impl_->running_pool();
  if (!impl_->functions.contains(function.name)) throw ValueError("There is no function '" + function.name + "'.");
  impl_->served->send_changes();
  RemoteValue value;
  const std::int64_t id = impl_->next_id++;
  pool.schedule({.id = id,
                 .call = {.function = "function " + function.name,
                          .arguments = io::Json::object({{"id", id}}),
                          .tensors = named(arguments)},
                 .on_done =
                     [value, job = impl_->job](const TaskReply& reply) {
                       job->note_step(reply.values.get_or("staleness", std::int64_t{0}), 0);
                       value.set(without_names(reply.tensors));
                     },
                 .on_cancelled =
                     [value, name = function.name] {
                       value.set_error(std::make_exception_ptr(RuntimeError(
                           "The function '" + name + "' failed, or was cancelled by the error of another one.")));
                     }});
  return value;
}

void ClusterCoordinator::join() {
  impl_->running_pool().join();
  impl_->served->take_all();
}

bool ClusterCoordinator::done() { return impl_->running_pool().done(); }

std::vector<std::vector<Tensor>> ClusterCoordinator::fetch(const std::vector<RemoteValue>& values) const {
  std::vector<std::vector<Tensor>> results;
  for (const RemoteValue& value : values) results.push_back(value.fetch());
  return results;
}

}  // namespace rhyton::distribute

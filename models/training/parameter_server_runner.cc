#include <rhyton/models/training/parameter_server_runner.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/distribute/replica_batches.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/logging.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/models/training/gradient_steps.h>
#include <rhyton/models/training/random_states.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/worker_agreement.h>

namespace rhyton::training {
namespace {

using distribute::TaskCall;
using distribute::TaskReply;

/// Steps under way for each worker: one that it computes, and one that waits.
constexpr int steps_per_worker = 2;

distribute::JobVariables job_variables(TrainedModel& model, StepFunctions& functions) {
  distribute::JobVariables variables{
      .trained = functions.trainable_variables(), .others = {}, .optimizer = functions.optimizer()};
  const auto is_trained = [&](const Variable& weight) {
    return std::any_of(variables.trained.begin(), variables.trained.end(),
                       [&](const Variable& trained) { return trained.is_same(weight); });
  };
  for (const Variable& weight : model.trainee.layer().weights()) {
    if (!is_trained(weight)) variables.others.push_back(weight);
  }
  const std::vector<Variable> random = random_states_of(model.trainee.layer());
  variables.others.insert(variables.others.end(), random.begin(), random.end());
  return variables;
}

/// Throws NotImplementedError for what a model's servers cannot do.
void require_servable(TrainedModel& model, const distribute::JobVariables& variables,
                      const distribute::ParameterServerJob& job) {
  if (model.compilation.options().sparse_embedding_gradients) {
    throw NotImplementedError(
        "ParameterServerStrategy applies sums of gradients: expected `compile` without sparse_embedding_gradients.");
  }
  distribute::require_servable(variables, job.num_servers(), job.options().variable_partitioner);
}

/// What has to be equal in the chief and the workers, by names for messages.
io::Json description_of(TrainedModel& model, const BatchSource& data, bool is_synchronous) {
  return io::Json::object({{"model", text_of(model.trainee.layer())},
                           {"number of samples", data.stream->samples().value_or(-1)},
                           {"batch size", data.batch_size},
                           {"synchronous", is_synchronous}});
}

void require_same(const io::Json& own, const io::Json& chiefs) {
  for (const auto& [name, value] : own.items()) {
    const io::Json* const other = chiefs.find(name);
    if (other != nullptr && *other == value) continue;
    throw ValueError("All tasks must train the same: the " + name + " of this worker is " + value.dump() +
                     ", that of the chief " + (other == nullptr ? "unknown" : other->dump()) + ".");
  }
}

/// A stream at batches that are given by their numbers.
class NumberedBatches {
 public:
  explicit NumberedBatches(BatchStream& stream) : stream_(stream) {}

  /// Begins again: the order of the samples is another one.
  void reset() { has_begun_ = false; }

  BatchStream& at(std::uint64_t pass, std::int64_t batch) {
    if (has_begun_ && pass == pass_ && batch == next_ - 1) return stream_;
    if (!has_begun_ || pass != pass_ || batch < next_) {
      stream_.begin_pass(pass);
      has_begun_ = true;
      pass_ = pass;
      next_ = 0;
    }
    if (batch > next_) stream_.skip(batch - next_);
    next_ = batch + 1;
    if (stream_.advance()) return stream_;
    has_begun_ = false;
    throw ValueError("The data of this worker end before batch " + std::to_string(batch) +
                     ", which the chief's data have: all tasks must have the same.");
  }

 private:
  BatchStream& stream_;
  bool has_begun_ = false;
  std::uint64_t pass_ = 0;
  std::int64_t next_ = 0;
};

/// The functions of a worker for one fit.
class FitWorker {
 public:
  FitWorker(TrainedModel& model, const BatchSource& data, distribute::ParameterServerJob& job)
      : model_(model),
        steps_(model.compilation.training_steps()),
        data_(data),
        job_(job),
        batches_(*data.stream),
        gradients_(*steps_) {
    steps_->functions.prepare(data.batch_specs());
  }

  std::map<std::string, distribute::WorkerService::Function> functions() {
    return {{"begin", [this](const TaskCall& call) { return begin(call); }},
            {"step", [this](const TaskCall& call) { return step(call); }},
            {"leave", [this](const TaskCall&) {
               if (variables_ != nullptr) variables_->pull();
               return TaskReply();
             }}};
  }

 private:
  TaskReply begin(const TaskCall& call) {
    require_same(description_of(model_, data_, job_.options().synchronous), call.arguments);
    data_.stream->set_shuffle_key(static_cast<std::uint64_t>(call.arguments["shuffle key"].as_int()));
    batches_.reset();
    variables_ = std::make_unique<distribute::ServedVariables>(
        job_.connect_to_servers(), job_variables(model_, steps_->functions), job_.options().variable_partitioner);
    variables_->join(call.arguments["job"].as_string(), job_.worker()->stop_token());
    return {};
  }

  TaskReply step(const TaskCall& call) {
    const io::Json& arguments = call.arguments;
    const ReplicaBatch part{.global_samples = arguments.get_or("global_samples", std::int64_t{0}),
                            .first_sample = arguments.get_or("first_sample", std::int64_t{0}),
                            .samples = arguments.get_or("samples", std::int64_t{0})};
    BatchStream& batch =
        batches_.at(static_cast<std::uint64_t>(arguments["pass"].as_int()), arguments["batch"].as_int());
    variables_->pull();
    steps_->functions.reset();
    const std::vector<Tensor> gradients = gradients_.run(batch, part);
    const distribute::PushResult pushed = variables_->push({.step = arguments["step"].as_int(),
                                                            .all_done_below = arguments["all_done_below"].as_int(),
                                                            .part = arguments.get_or("part", std::int64_t{-1}),
                                                            .samples = part.samples},
                                                           gradients);
    TaskReply reply{.values = io::Json::object({{"staleness", pushed.staleness}})};
    for (const Variable& sum : steps_->functions.accumulators()) {
      reply.tensors.push_back({.name = "sum " + std::to_string(reply.tensors.size()), .value = sum.stored_value()});
    }
    return reply;
  }

  TrainedModel& model_;
  std::shared_ptr<ModelSteps> steps_;
  const BatchSource& data_;
  distribute::ParameterServerJob& job_;
  NumberedBatches batches_;
  GradientSteps gradients_;
  std::unique_ptr<distribute::ServedVariables> variables_;
};

}  // namespace

void serve_fit(TrainedModel& model, const BatchSource& data) {
  distribute::ParameterServerJob& job = *model.compilation.strategy()->parameter_servers();
  require_servable(model, job_variables(model, model.compilation.training_steps()->functions), job);
  const int number = job.next_number();
  if (job.worker() == nullptr) return job.serve_variables(number);
  FitWorker worker(model, data, job);
  job.worker()->serve(number, worker.functions());
}

/// A synchronous step whose parts come in.
struct ParameterServerRunner::SyncStep {
  std::int64_t number = 0;
  /// The answers by the numbers of their parts, in the order in which they came; used under the pool's lock.
  std::vector<std::pair<std::int64_t, TaskReply>> done;
};

ParameterServerRunner::ParameterServerRunner(TrainedModel& model, ModelSteps& steps, const BatchSource& data,
                                             const EpochCursor& cursor)
    : model_(model),
      steps_(steps),
      data_(data),
      cursor_(cursor),
      job_(steps.strategy->parameter_servers()),
      name_(distribute::new_job_name()) {}

ParameterServerRunner::~ParameterServerRunner() {
  if (pool_ == nullptr || has_ended_) return;
  try {
    pool_->end(error_);
    variables_->end(error_);
  } catch (const Error&) {
    return;  // a server that is lost
  }
}

template <class Work>
void ParameterServerRunner::with_servers(const Work& work) {
  try {
    work();
  } catch (const distribute::UnavailableError& error) {
    error_ = error.what();
    if (error_.starts_with("A parameter server is lost")) throw;
    error_ = distribute::text_of_lost_server(error_);
    throw distribute::UnavailableError(error_);
  } catch (const std::exception& error) {
    error_ = error.what();
    throw;
  }
}

void ParameterServerRunner::begin() {
  const distribute::JobVariables variables = job_variables(model_, steps_.functions);
  require_servable(model_, variables, *job_);
  steps_.functions.prepare(data_.batch_specs());
  const int number = job_->next_number();
  std::vector<distribute::RemoteTask> servers;
  job_->begin_job(name_, number, [&] {
    servers = job_->connect_to_servers();
    variables_ =
        std::make_unique<distribute::ServedVariables>(servers, variables, job_->options().variable_partitioner);
    variables_->begin(name_, number);
  });
  distribute::WorkerPool::Options options = job_->pool_options(name_, number, std::move(servers));
  options.description = description_of(model_, data_, job_->options().synchronous);
  options.description["shuffle key"] = static_cast<std::int64_t>(cursor_.position().shuffle_key);
  pool_ = std::make_unique<distribute::WorkerPool>(std::move(options));
}

void ParameterServerRunner::run(BatchStream& batches) {
  if (pool_ == nullptr) begin();
  with_servers([&] {
    variables_->send_changes();
    is_current_ = false;
    if (job_->options().synchronous) {
      run_synchronous(batches.specs().x.front().shape[0]);
    } else {
      run_asynchronous();
    }
    add_results();
  });
}

TaskCall ParameterServerRunner::call_of_step() const {
  const callbacks::FitPosition& at = cursor_.position();
  return {.function = "step",
          .arguments = io::Json::object(
              {{"step", next_step_}, {"pass", static_cast<std::int64_t>(at.passes) - 1}, {"batch", at.batch - 1}})};
}

void ParameterServerRunner::run_asynchronous() {
  const std::int64_t limit = std::int64_t{steps_per_worker} * job_->num_workers();
  pool_->wait_until([&] { return under_way_ < limit; });
  pool_->change([&] { ++under_way_; });
  pool_->schedule({.id = next_id_++,
                   .call = call_of_step(),
                   .on_done =
                       [this](TaskReply reply) {
                         pool_->change([&] {
                           results_.push_back(std::move(reply));
                           --under_way_;
                         });
                       },
                   .on_cancelled = {}});
  ++next_step_;
}

void ParameterServerRunner::run_synchronous(std::int64_t samples) {
  const auto step = std::make_shared<SyncStep>();
  step->number = next_step_;
  std::vector<std::int64_t> ids;
  std::map<std::int64_t, std::int64_t> id_of_part;
  for (int part = 0; part < job_->num_workers(); ++part) {
    const ReplicaBatch own = distribute::replica_batch(samples, part, job_->num_workers());
    if (own.samples == 0) continue;
    TaskCall call = call_of_step();
    call.arguments["part"] = part;
    call.arguments["global_samples"] = samples;
    call.arguments["first_sample"] = own.first_sample;
    call.arguments["samples"] = own.samples;
    ids.push_back(next_id_);
    pool_->schedule(
        {.id = next_id_++,
         .call = std::move(call),
         .on_done = [this, step, part](
                        TaskReply reply) { pool_->change([&] { step->done.emplace_back(part, std::move(reply)); }); },
         .on_cancelled = {}});
  }
  const std::size_t needed =
      std::min(ids.size(), static_cast<std::size_t>(job_->num_workers() - job_->options().backup_workers));
  std::vector<std::pair<std::int64_t, TaskReply>> done;
  pool_->wait_until([&] {
    if (step->done.size() < needed) return false;
    done.assign(step->done.begin(), step->done.begin() + static_cast<std::ptrdiff_t>(needed));
    return true;
  });
  pool_->cancel(ids);
  std::sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::int64_t> parts;
  for (const auto& [part, reply] : done) parts.push_back(part);
  variables_->commit(step->number, parts, samples);
  for (const auto& [part, reply] : done) add(reply);
  job_->note_step(0, static_cast<std::int64_t>(ids.size() - needed));
  ++next_step_;
}

void ParameterServerRunner::add_results() {
  std::deque<TaskReply> results;
  pool_->change([&] { results.swap(results_); });
  for (const TaskReply& result : results) {
    add(result);
    job_->note_step(result.values.get_or("staleness", std::int64_t{0}), 0);
  }
}

void ParameterServerRunner::add(const TaskReply& result) {
  const std::vector<Variable> sums = steps_.functions.accumulators();
  if (sums.size() != result.tensors.size()) {
    throw ValueError("A worker has " + std::to_string(result.tensors.size()) +
                     " sums of losses and metrics, but the chief " + std::to_string(sums.size()) +
                     ": all tasks must compile the same model.");
  }
  const std::unique_lock between_steps(step_mutex());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Tensor& added = result.tensors[i].value;
    if (added.spec() != sums[i].spec()) {
      throw ValueError("A worker's sum '" + sums[i].path() + "' has shape " + added.shape().to_string() +
                       ", but the chief's has shape " + sums[i].shape().to_string() + ".");
    }
    sums[i].set_stored_value(rhyton::add(sums[i].stored_value(), added));
  }
}

void ParameterServerRunner::finish() {
  if (pool_ == nullptr || is_current_) return;
  with_servers([&] {
    if (!job_->options().synchronous) pool_->join();
    add_results();
    variables_->take_all();
  });
  is_current_ = true;
}

void ParameterServerRunner::end() {
  if (pool_ == nullptr) begin();  // workers and servers wait for the end of a fit without steps too
  finish();
  with_servers([&] { variables_->send_changes(); });
  has_ended_ = true;
  const distribute::WorkerPool::Counts counts = pool_->counts();
  pool_->end("");
  variables_->end("");
  job_->note_pool(counts);
  const distribute::ParameterServerStatistics statistics = job_->statistics();
  log_info(fmt::format(
      "ParameterServerStrategy: {} steps, staleness {:.2f} on average and {} at most, {} parts dropped, {} workers "
      "lost, {} steps repeated",
      statistics.steps, statistics.mean_staleness, statistics.max_staleness, statistics.dropped,
      statistics.lost_workers, statistics.repeated));
}

}  // namespace rhyton::training

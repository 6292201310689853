#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/models/cluster/parameter_server_job.h>
#include <rhyton/models/cluster/served_variables.h>
#include <rhyton/models/cluster/worker_pool.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/epoch_cursor.h>
#include <rhyton/models/training/step_runner.h>
#include <rhyton/models/training/trained_model.h>

namespace rhyton::training {

/// The chief's part of a `fit` with parameter servers: it gives the batches, by their numbers, to the workers, each of
/// which has all data, and adds up their losses and metrics. Asynchronously several steps run at a time; synchronously
/// each batch is cut into parts, one for each worker, and applied as a whole.
class ParameterServerRunner final : public StepRunner {
 public:
  /// `cursor` is that of the fit. All arguments must outlive it.
  ParameterServerRunner(TrainedModel& model, ModelSteps& steps, const BatchSource& data, const EpochCursor& cursor);
  /// Ends the workers' part with an error, unless `end` was called.
  ~ParameterServerRunner() override;

  /// Begins a step; waits for it if it is synchronous, else only while too many are under way. What the program has
  /// assigned since the last step is sent to the servers before. Throws UnavailableError for a server that is lost.
  void run(BatchStream& batches) override;
  const std::vector<Tensor>& outputs() const override { return outputs_; }
  void finish() override;
  void end() override;

 private:
  struct SyncStep;

  void begin();
  distribute::TaskCall call_of_step() const;
  void run_asynchronous();
  void run_synchronous(std::int64_t samples);
  void add_results();
  void add(const distribute::TaskReply& result);
  /// Calls `work`; explains the loss of a server.
  template <class Work>
  void with_servers(const Work& work);

  TrainedModel& model_;
  ModelSteps& steps_;
  const BatchSource& data_;
  const EpochCursor& cursor_;
  std::shared_ptr<distribute::ParameterServerJob> job_;
  std::string name_;
  std::unique_ptr<distribute::ServedVariables> variables_;
  std::int64_t next_id_ = 0;
  std::int64_t next_step_ = 0;
  std::int64_t under_way_ = 0;
  std::deque<distribute::TaskReply> results_;
  std::shared_ptr<SyncStep> step_;
  /// Whether the model has the servers' values.
  bool is_current_ = true;
  bool has_ended_ = false;
  /// For workers and servers, if the fit ends before its end.
  std::string error_ = "its `fit` has ended with an error.";
  std::vector<Tensor> outputs_;
  // Last: its threads use everything else.
  std::unique_ptr<distribute::WorkerPool> pool_;
};

/// `fit` in a worker or a server: serves the chief's, until that has ended. Afterwards the model of a worker has the
/// last values of the servers. Throws ValueError, in both, where model or data differ from the chief's, and
/// UnavailableError if the chief is lost.
void serve_fit(TrainedModel& model, const BatchSource& data);

}  // namespace rhyton::training

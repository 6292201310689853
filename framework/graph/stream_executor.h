#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/branches.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/plan_timer.h>

namespace rhyton::graph {

/// Carries out a plan on a device whose work goes through a stream, a GPU: the first time call by call; afterwards all
/// calls are recorded once and replayed as a whole, as long as no address changes. `RHYTON_NO_GRAPH=1` in the
/// environment turns the recording off. In the recording of a plan whose tensors have memory of their own, calls that
/// do not depend on each other stand on branches that run side by side; `RHYTON_NO_BRANCHES=1` turns that off.
///
/// Where replicas meet to sum (`AllReduce`), the recording is cut: what comes before and what comes behind are
/// recordings of their own.
class StreamExecutor {
 public:
  /// `graph` and `plan` must outlive it; the plan was made for `device`.
  StreamExecutor(const Graph& graph, const Plan& plan, LogicalDevice& device, std::string name);
  ~StreamExecutor();
  StreamExecutor(const StreamExecutor&) = delete;
  StreamExecutor& operator=(const StreamExecutor&) = delete;

  /// Runs it on elements that the host has; they may change when the call returns.
  void run(std::span<const void* const> inputs);
  /// Runs it on tensors; those on the device are used where they lie, the others copied.
  void run(std::span<const Tensor> inputs);

  /// On the device. Valid until the next run.
  const std::vector<Tensor>& outputs() const { return outputs_; }
  /// The outputs' memory, the arena and the copies of inputs and constants.
  std::size_t memory_bytes() const;

  /// How often the recording was replayed, and how often it was made.
  std::int64_t replays() const { return replays_; }
  std::int64_t recordings() const { return recordings_; }

 private:
  struct Call;
  class Branches;
  /// Held while work is given to the stream, but not while a replica waits for others, which may use the stream then.
  using StreamLock = std::unique_lock<std::recursive_mutex>;

  void list_calls();
  bool may_join(const Call& call, const PlannedPhase& phase, std::size_t number) const;
  void move_variables();
  void set_bases();
  /// `copy_inputs` is called with a PlanTimer or Untimed.
  template <class CopyInputs>
  void run_all(const CopyInputs& copy_inputs);
  std::vector<std::size_t> input_bytes() const;
  void replay(StreamLock& lock);
  /// Returns false, now and from then on, when the device does not record it.
  bool record_all();
  std::vector<MemoryAccess> memory_of(const Call& call) const;
  std::vector<BranchedWork> branches_of(std::size_t segment) const;
  std::unique_ptr<RecordedWork> record(std::size_t segment);
  template <class Times>
  void run_calls(StreamLock& lock, Times&& times);
  /// The first call of a segment, and the one behind its last.
  std::pair<std::size_t, std::size_t> calls_of(std::size_t segment) const;
  /// A segment: the calls between two synchronization points of replicas, and behind the last the copies.
  template <class Times>
  void run_segment(std::size_t segment, Times&& times, Branches* branches = nullptr);
  template <class Times>
  void run_synchronization_point(std::size_t segment, StreamLock& lock, Times&& times);
  void run_call(const Call& call);
  void run_on_host(const Call& call);
  std::byte* address(const Operand& operand) const;
  void copy_input(std::size_t index, const void* elements);

  const Graph& graph_;
  const Plan& plan_;
  LogicalDevice& device_;
  std::string name_;
  std::vector<Call> calls_;
  // The calls in which replicas meet: a segment ends with each, and the last one behind all.
  std::vector<std::size_t> synchronization_points_;
  std::vector<Tensor> outputs_;
  // Copies of what the host gives.
  std::vector<Tensor> inputs_;
  std::vector<Tensor> constants_;
  std::shared_ptr<Storage> arena_;
  // Base addresses, by slot, and those that the recording was made with.
  std::vector<std::byte*> slots_;
  std::vector<std::byte*> recorded_slots_;
  // One for each segment; none where nothing is recorded.
  std::vector<std::unique_ptr<RecordedWork>> recording_;
  bool may_record_ = false;
  bool may_branch_ = false;
  bool has_run_ = false;
  std::int64_t replays_ = 0;
  std::int64_t recordings_ = 0;
  std::unique_ptr<PlanTimer> timer_;
};

}  // namespace rhyton::graph

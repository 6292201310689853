#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/branches.h>
#include <rhyton/framework/graph/executor.h>
#include <rhyton/framework/graph/plan_timer.h>
#include <rhyton/framework/graph/program.h>

namespace rhyton::graph {

/// Runs a program on a device whose work goes through a stream, a GPU: the first time call by call; afterwards all
/// calls are recorded once and replayed as a whole, as long as no address changes. `RHYTON_NO_GRAPH=1` in the
/// environment switches recordings off. In the recording of a plan whose tensors have memory of their own, calls that
/// do not depend on each other are on branches that run side by side; `RHYTON_NO_BRANCHES=1` switches branches off.
///
/// At synchronization points of replicas (`AllReduce`) the recording is cut: each segment between them is a recording
/// of its own.
class StreamExecutor final : public Executor {
 public:
  /// The program was compiled for a device with a stream.
  explicit StreamExecutor(Program program);
  ~StreamExecutor() override;

  const Graph& graph() const override { return graph_; }
  const Plan& plan() const override { return plan_; }
  LogicalDevice& device() const override { return device_; }

  void run(std::span<const void* const> inputs) override;
  /// Tensors on the device are used in place.
  void run(std::span<const Tensor> inputs) override;
  /// On the device.
  const std::vector<Tensor>& outputs() override { return outputs_; }
  /// The arena, the outputs, and the copies of inputs and constants.
  std::size_t memory_bytes() const override;

 private:
  struct Call;
  class Branches;
  /// Held while work is submitted to the stream, but not while a replica waits for others, which may use the stream
  /// then.
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
  /// The first call of a segment, and the one after its last.
  std::pair<std::size_t, std::size_t> calls_of(std::size_t segment) const;
  /// A segment: the calls between two synchronization points of replicas, and after the last one the copies.
  template <class Times>
  void run_segment(std::size_t segment, Times&& times, Branches* branches = nullptr);
  template <class Times>
  void run_synchronization_point(std::size_t segment, StreamLock& lock, Times&& times);
  void run_call(const Call& call);
  void run_on_host(const Call& call);
  std::byte* address(const Operand& operand) const;
  void copy_input(std::size_t index, const void* elements);

  const Program program_;
  const Graph& graph_ = program_.graph;
  const Plan& plan_ = program_.plan;
  LogicalDevice& device_ = *program_.device;
  std::vector<Call> calls_;
  // The calls that are synchronization points: a segment ends before each, and the last segment follows all of them.
  std::vector<std::size_t> synchronization_points_;
  std::vector<Tensor> outputs_;
  // Copies of inputs that are in host memory.
  std::vector<Tensor> inputs_;
  std::vector<Tensor> constants_;
  std::shared_ptr<Storage> arena_;
  // Base addresses, by slot, and those that the recording was made with.
  std::vector<std::byte*> slots_;
  std::vector<std::byte*> recorded_slots_;
  // One for each segment; empty where nothing is recorded.
  std::vector<std::unique_ptr<RecordedWork>> recording_;
  bool may_record_ = false;
  bool may_branch_ = false;
  bool has_run_ = false;
  std::int64_t replays_ = 0;
  std::int64_t recordings_ = 0;
  std::unique_ptr<PlanTimer> timer_;
};

}  // namespace rhyton::graph

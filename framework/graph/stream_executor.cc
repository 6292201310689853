#include <rhyton/framework/graph/stream_executor.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/eager.h>
#include <rhyton/framework/ops/placement.h>

namespace rhyton::graph {
namespace {

// A recording that has to be made again for each run costs more than it saves.
constexpr std::int64_t max_recordings_without_replay = 8;
// Finding the dependencies takes time proportional to the square of the work.
constexpr std::size_t max_work_on_branches = 2000;

/// Whether one call writes memory that the other one accesses.
bool clash(const PlannedCall& a, const PlannedCall& b) {
  const auto overlap = [](const Operand& x, std::size_t x_bytes, const Operand& y, std::size_t y_bytes) {
    return x.slot == y.slot && x.offset < y.offset + y_bytes && y.offset < x.offset + x_bytes;
  };
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    for (std::size_t j = 0; j < b.operands.size(); ++j) {
      const bool is_written = i >= a.input_count || j >= b.input_count;
      if (is_written && overlap(a.operands[i], a.specs[i].bytes(), b.operands[j], b.specs[j].bytes())) return true;
    }
  }
  return false;
}

}  // namespace

/// Calls of one op that are submitted together; one, unless its kernel takes several.
struct StreamExecutor::Call {
  std::size_t phase = 0;
  /// Numbers of the planned calls of that phase.
  std::vector<std::size_t> members;
};

/// Submits work to the branches of a recording.
class StreamExecutor::Branches {
 public:
  Branches(Stream& stream, std::vector<BranchedWork> places) : stream_(stream), places_(std::move(places)) {}

  template <class Work>
  void give(const Work& work) {
    const BranchedWork& place = places_.at(next_);
    stream_.continue_branch(place.branch, place.after);
    work();
    if (place.is_awaited) stream_.set_mark(next_);
    ++next_;
  }

 private:
  Stream& stream_;
  std::vector<BranchedWork> places_;
  std::size_t next_ = 0;
};

StreamExecutor::StreamExecutor(Program program) : program_(std::move(program)) {
  for (const TensorSpec& spec : plan_.output_specs) {
    outputs_.push_back(Tensor::uninitialized(spec.shape, spec.dtype, device_));
  }
  inputs_.resize(plan_.input_slots.size());
  slots_.resize(static_cast<std::size_t>(plan_.slot_count), nullptr);
  arena_ = Storage::allocate(std::max<std::size_t>(plan_.shared_bytes, 1), device_);
  for (const auto& [slot, tensor] : plan_.constants) constants_.push_back(tensor.to(device_));
  list_calls();
}

StreamExecutor::~StreamExecutor() = default;

void StreamExecutor::list_calls() {
  const PlannedCall* on_host = nullptr;
  for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
    const PlannedPhase& phase = plan_.phases[p];
    for (std::size_t c = 0; c < phase.calls.size(); ++c) {
      const PlannedCall& call = phase.calls[c];
      log_placement(call.op->name(), call.on_host ? device_runtime().host() : device_);
      if (call.on_host) on_host = &call;
      if (!calls_.empty() && calls_.back().phase == p && may_join(calls_.back(), phase, c)) {
        calls_.back().members.push_back(c);
      } else {
        calls_.push_back({p, {c}});
      }
    }
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const PlannedCall& first = plan_.phases[calls_[i].phase].calls[calls_[i].members.front()];
    if (dynamic_cast<const AllReduceOp*>(first.op.get()) != nullptr) synchronization_points_.push_back(i);
  }
  may_branch_ = plan_.is_spread && calls_.size() <= max_work_on_branches;
  may_record_ =
      device_.stream().can_record() && !is_switched_on("RHYTON_NO_GRAPH") && !is_switched_on("RHYTON_CUDA_SYNC");
  if (on_host != nullptr && may_record_) {
    may_record_ = false;
    log_device_event("The graph of " + program_.name + " is not recorded: op " + std::string(on_host->op->name()) +
                     " has no kernel for " + device_.full_name() + " and runs on the host.");
  }
}

bool StreamExecutor::may_join(const Call& call, const PlannedPhase& phase, std::size_t number) const {
  const PlannedCall& added = phase.calls[number];
  if (added.kernel->run_together == nullptr || added.on_host) return false;
  return std::all_of(call.members.begin(), call.members.end(), [&](std::size_t member) {
    const PlannedCall& other = phase.calls[member];
    return other.kernel == added.kernel && !other.on_host && other.op->attributes() == added.op->attributes() &&
           !clash(other, added);
  });
}

std::byte* StreamExecutor::address(const Operand& operand) const {
  return slots_[static_cast<std::size_t>(operand.slot)] + operand.offset;
}

void StreamExecutor::copy_input(std::size_t index, const void* elements) {
  const TensorSpec& spec = graph_.value(graph_.inputs()[index]).spec;
  if (inputs_[index].is_empty()) inputs_[index] = Tensor::uninitialized(spec.shape, spec.dtype, device_);
  void* const target = inputs_[index].mutable_device_data();
  device_.stream().copy_from_host(target, elements, spec.bytes());
  slots_[static_cast<std::size_t>(plan_.input_slots[index])] = static_cast<std::byte*>(target);
}

void StreamExecutor::run(std::span<const void* const> inputs) {
  const auto copy = [&](auto&& times) {
    for (std::size_t i = 0; i < inputs.size(); ++i) times.input(i, [&] { copy_input(i, inputs[i]); });
  };
  run_all(copy);
}

void StreamExecutor::run(std::span<const Tensor> inputs) {
  const auto copy = [&](auto&& times) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (&inputs[i].device() == &device_) {
        // Kernels write to outputs only, and no output is placed in an input.
        slots_[static_cast<std::size_t>(plan_.input_slots[i])] =
            static_cast<std::byte*>(const_cast<void*>(inputs[i].device_data()));  // NOLINT
      } else {
        times.input(i, [&] { copy_input(i, inputs[i].raw_data()); });
      }
    }
  };
  run_all(copy);
}

void StreamExecutor::move_variables() {
  std::size_t moved = 0;
  const LogicalDevice* from = nullptr;
  for (const auto& [slot, variable] : plan_.variables) {
    const LogicalDevice& before = variable.stored_value().device();
    if (!variable.move_to(device_)) continue;
    ++moved;
    from = &before;
  }
  if (moved > 0) {
    log_device_event("Moved " + std::to_string(moved) + " variables of " + program_.name + " from " +
                     from->full_name() + " to " + device_.full_name());
  }
}

void StreamExecutor::set_bases() {
  const auto set = [&](int slot, const void* base) {
    slots_[static_cast<std::size_t>(slot)] = static_cast<std::byte*>(const_cast<void*>(base));  // NOLINT
  };
  set(Plan::shared_slot, arena_->data());
  for (std::size_t i = 0; i < constants_.size(); ++i) set(plan_.constants[i].first, constants_[i].device_data());
  for (std::size_t i = 0; i < plan_.variables.size(); ++i) {
    const auto& [slot, variable] = plan_.variables[i];
    set(slot, plan_.variable_written[i] ? variable.writable_data() : variable.stored_value().device_data());
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) set(plan_.output_slots[i], outputs_[i].mutable_device_data());
}

template <class CopyInputs>
void StreamExecutor::run_all(const CopyInputs& copy_inputs) {
  StreamLock lock(device_.stream().mutex());
  move_variables();
  set_bases();
  if (profiler::recorder().is_running()) {
    if (const std::shared_ptr<profiler::Recording> recording = profiler::recorder().recording()) {
      if (timer_ == nullptr) timer_ = std::make_unique<PlanTimer>(plan_, program_.name, input_bytes());
      timer_->begin(recording, 1);
      return timer_->step([&] {
        copy_inputs(*timer_);
        device_.stream().synchronize();
        run_calls(lock, *timer_);
      });
    }
  }
  copy_inputs(Untimed());
  if (may_record_ && has_run_) return replay(lock);
  run_calls(lock, Untimed());
  has_run_ = true;
}

std::vector<std::size_t> StreamExecutor::input_bytes() const {
  std::vector<std::size_t> bytes;
  for (const ValueId input : graph_.inputs()) bytes.push_back(graph_.value(input).spec.bytes());
  return bytes;
}

void StreamExecutor::replay(StreamLock& lock) {
  const std::size_t segments = synchronization_points_.size() + 1;
  const bool is_recorded = !recording_.empty() && recorded_slots_ == slots_;
  if (is_recorded) {
    ++replays_;
  } else {
    recording_.clear();
    if (++recordings_ > replays_ + max_recordings_without_replay) {
      may_record_ = false;
      log_device_event("The graph of " + program_.name +
                       " is not recorded any more: its addresses change from run to run.");
      return run_calls(lock, Untimed());
    }
    if (!record_all()) return run_calls(lock, Untimed());
    recorded_slots_ = slots_;
  }
  for (std::size_t segment = 0; segment < segments; ++segment) {
    recording_[segment]->replay();
    run_synchronization_point(segment, lock, Untimed());
  }
}

bool StreamExecutor::record_all() {
  const auto refused = [&](const char* how, const RuntimeError& error) {
    log_device_event("The graph of " + program_.name + " is not recorded" + how + ": " + error.what());
  };
  while (may_record_) {
    try {
      std::vector<std::unique_ptr<RecordedWork>> fresh;
      for (std::size_t segment = 0; segment <= synchronization_points_.size(); ++segment)
        fresh.push_back(record(segment));
      recording_ = std::move(fresh);
      return true;
    } catch (const RuntimeError& error) {
      // Nothing of a recording has run: the same can be done in another way.
      refused(may_branch_ ? " with branches" : "", error);
      may_record_ = may_branch_;
      may_branch_ = false;
    }
  }
  return false;
}

std::vector<MemoryAccess> StreamExecutor::memory_of(const Call& call) const {
  std::vector<MemoryAccess> memory;
  for (const std::size_t member : call.members) {
    const PlannedCall& planned = plan_.phases[call.phase].calls[member];
    for (std::size_t i = 0; i < planned.operands.size(); ++i) {
      memory.push_back({address(planned.operands[i]), planned.specs[i].bytes(), i >= planned.input_count});
    }
    if (planned.workspace_bytes > 0) memory.push_back({address(planned.workspace), planned.workspace_bytes, true});
  }
  return memory;
}

std::vector<BranchedWork> StreamExecutor::branches_of(std::size_t segment) const {
  std::vector<std::vector<MemoryAccess>> work;
  const auto [first, last] = calls_of(segment);
  for (std::size_t i = first; i < last; ++i) work.push_back(memory_of(calls_[i]));
  if (segment == synchronization_points_.size()) {
    for (const std::vector<Copy>* copies : {&plan_.staging, &plan_.copies}) {
      for (const Copy& copy : *copies) {
        work.push_back({{address(copy.from), copy.bytes, false}, {address(copy.to), copy.bytes, true}});
      }
    }
  }
  return assign_branches(work, may_branch_ ? device_.stream().max_branches() : 1);
}

std::unique_ptr<RecordedWork> StreamExecutor::record(std::size_t segment) {
  Stream& stream = device_.stream();
  Branches branches(stream, branches_of(segment));
  stream.begin_recording();
  try {
    run_segment(segment, Untimed(), &branches);
  } catch (...) {
    try {
      stream.end_recording();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what went wrong first is what counts
    }
    throw;
  }
  return stream.end_recording();
}

template <class Times>
void StreamExecutor::run_calls(StreamLock& lock, Times&& times) {
  for (std::size_t segment = 0; segment <= synchronization_points_.size(); ++segment) {
    run_segment(segment, times);
    run_synchronization_point(segment, lock, times);
  }
}

template <class Times>
void StreamExecutor::run_synchronization_point(std::size_t segment, StreamLock& lock, Times&& times) {
  if (segment == synchronization_points_.size()) return;
  const Call& call = calls_[synchronization_points_[segment]];
  lock.unlock();
  times.piece(0, call.phase, call.members.front(), 0, [&] { run_call(call); });
  lock.lock();
}

std::pair<std::size_t, std::size_t> StreamExecutor::calls_of(std::size_t segment) const {
  return {segment == 0 ? 0 : synchronization_points_[segment - 1] + 1,
          segment == synchronization_points_.size() ? calls_.size() : synchronization_points_[segment]};
}

template <class Times>
void StreamExecutor::run_segment(std::size_t segment, Times&& times, Branches* branches) {
  Stream& stream = device_.stream();
  const auto give = [&](const auto& work) {
    branches != nullptr ? branches->give(work) : work();
    constexpr bool waits = !std::is_same_v<std::remove_cvref_t<Times>, Untimed>;
    if constexpr (waits) stream.synchronize();
  };
  const auto [first, last] = calls_of(segment);
  for (std::size_t i = first; i < last; ++i) {
    const Call& call = calls_[i];
    times.piece(0, call.phase, call.members.front(), 0, [&] { give([&] { run_call(call); }); });
  }
  if (segment < synchronization_points_.size()) return;
  std::size_t number = 0;
  for (const std::vector<Copy>* copies : {&plan_.staging, &plan_.copies}) {
    for (const Copy& copy : *copies) {
      times.copy(number++, [&] { give([&] { stream.copy(address(copy.to), address(copy.from), copy.bytes); }); });
    }
  }
}

void StreamExecutor::run_call(const Call& call) {
  const PlannedPhase& phase = plan_.phases[call.phase];
  const PlannedCall& first = phase.calls[call.members.front()];
  if (first.on_host) return run_on_host(call);
  // The views of all members, then their arguments, which point into them.
  std::vector<TensorView> views;
  for (const std::size_t member : call.members) {
    const PlannedCall& planned = phase.calls[member];
    for (std::size_t i = 0; i < planned.specs.size(); ++i) {
      views.push_back({address(planned.operands[i]), planned.specs[i]});
    }
  }
  std::vector<KernelArguments> arguments;
  std::size_t next = 0;
  for (const std::size_t member : call.members) {
    const PlannedCall& planned = phase.calls[member];
    const std::span<const TensorView> own = std::span<const TensorView>(views).subspan(next, planned.specs.size());
    next += planned.specs.size();
    arguments.push_back({.op = planned.op.get(),
                         .stream = &device_.stream(),
                         .inputs = own.first(planned.input_count),
                         .outputs = own.subspan(planned.input_count),
                         .workspace = planned.workspace_bytes > 0 ? address(planned.workspace) : nullptr});
  }
  const std::string& scope = graph_.node(first.node).scope;
  with_context(*first.op, scope, std::span<const TensorSpec>(first.specs).first(first.input_count), device_, [&] {
    const StreamRange range(device_.stream(), scope.empty() ? first.op->name() : std::string_view(scope));
    if (arguments.size() > 1) {
      first.kernel->run_together(arguments);
    } else {
      first.kernel->run(arguments.front());
    }
  });
}

void StreamExecutor::run_on_host(const Call& call) {
  const PlannedCall& planned = plan_.phases[call.phase].calls[call.members.front()];
  LogicalDevice& host = device_runtime().host();
  const DeviceScope scope(host);
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < planned.input_count; ++i) {
    Tensor input = Tensor::uninitialized(planned.specs[i].shape, planned.specs[i].dtype, host);
    device_.stream().copy_to_host(input.mutable_raw_data(), address(planned.operands[i]), planned.specs[i].bytes());
    inputs.push_back(std::move(input));
  }
  const std::vector<Tensor> outputs = eager_interpreter().apply(planned.op, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::size_t operand = planned.input_count + i;
    device_.stream().copy_from_host(address(planned.operands[operand]), outputs[i].raw_data(),
                                    planned.specs[operand].bytes());
  }
}

std::size_t StreamExecutor::memory_bytes() const {
  std::size_t bytes = arena_->bytes();
  for (const std::vector<Tensor>* tensors : {&outputs_, &inputs_, &constants_}) {
    for (const Tensor& tensor : *tensors) {
      if (!tensor.is_empty()) bytes += tensor.spec().bytes();
    }
  }
  return bytes;
}

}  // namespace rhyton::graph

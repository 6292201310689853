#include <rhyton/framework/graph/host_executor.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/cost.h>
#include <rhyton/framework/profiler/profiler.h>

namespace rhyton::graph {
namespace {

template <class T>
void add_partials(const std::byte* partials, std::size_t stride, std::int64_t slices, std::byte* result,
                  std::int64_t first, std::int64_t last) {
  T* out = reinterpret_cast<T*>(result);
  const T* head = reinterpret_cast<const T*>(partials);
  std::copy(head + first, head + last, out + first);
  for (std::int64_t s = 1; s < slices; ++s) {
    const T* part = reinterpret_cast<const T*>(partials + static_cast<std::size_t>(s) * stride);
    for (std::int64_t i = first; i < last; ++i) out[i] = static_cast<T>(out[i] + part[i]);
  }
}

void reduce(const Reduction& reduction, std::byte* const* slots, std::int64_t slices, std::int64_t block) {
  const std::byte* partials = slots[reduction.partials.slot] + reduction.partials.offset;
  std::byte* result = slots[reduction.result.slot] + reduction.result.offset;
  const std::int64_t first = block * reduction_block;
  const std::int64_t last = std::min(reduction.elements, first + reduction_block);
  const std::size_t stride = reduction.partials.slice_stride;
  switch (reduction.dtype) {
    case DType::float32:
      return add_partials<float>(partials, stride, slices, result, first, last);
    case DType::float64:
      return add_partials<double>(partials, stride, slices, result, first, last);
    case DType::int32:
      return add_partials<std::int32_t>(partials, stride, slices, result, first, last);
    case DType::int64:
      return add_partials<std::int64_t>(partials, stride, slices, result, first, last);
    default:
      throw NotImplementedError("Sums over the batch of dtype " + std::string(name_of(reduction.dtype)) +
                                " are not supported.");
  }
}

}  // namespace

RunFrame::RunFrame(const Plan& plan, LogicalDevice& device)
    : versions_(plan.variables.size()), variables_(plan.variables.size()) {
  for (const TensorSpec& spec : plan.output_specs) {
    outputs_.push_back(Tensor::uninitialized(spec.shape, spec.dtype, device));
  }
  for (const PlannedPhase& phase : plan.phases) packed_versions_.emplace_back(phase.calls.size(), 0);
}

// Arenas and views for as many workers; only the first run, or one after the pool has grown, allocates.
void RunFrame::prepare(const Plan& plan, int worker_count) {
  if (shared_arena_ && workers_.size() >= static_cast<std::size_t>(worker_count)) return;
  if (!shared_arena_) shared_arena_ = Storage::allocate(std::max<std::size_t>(plan.shared_bytes, 1));
  while (workers_.size() < static_cast<std::size_t>(worker_count)) workers_.emplace_back(plan);
  std::size_t bytes = shared_arena_->bytes();
  for (const Worker& worker : workers_) bytes += worker.arena_bytes();
  bytes_.store(bytes, std::memory_order_relaxed);
}

HostExecutor::HostExecutor(const Plan& plan, LogicalDevice& device, std::string name, bool check)
    : plan_(plan), device_(device), name_(std::move(name)), check_(check) {
  list_tasks();
}

RunFrame& HostExecutor::lease() {
  const std::scoped_lock lock(frames_mutex_);
  if (idle_frames_.empty()) {
    // First, so that giving it back allocates nothing.
    idle_frames_.reserve(frames_.size() + 1);
    frames_.push_back(std::make_unique<RunFrame>(plan_, device_));
    return *frames_.back();
  }
  RunFrame& frame = *idle_frames_.back();
  idle_frames_.pop_back();
  return frame;
}

void HostExecutor::give_back(RunFrame& frame) {
  const std::scoped_lock lock(frames_mutex_);
  idle_frames_.push_back(&frame);
}

std::size_t HostExecutor::memory_bytes() const {
  const std::scoped_lock lock(frames_mutex_);
  std::size_t bytes = 0;
  for (const std::unique_ptr<RunFrame>& frame : frames_) bytes += frame->memory_bytes();
  return bytes;
}

void HostExecutor::list_tasks() {
  for (const PlannedPhase& phase : plan_.phases) {
    is_parallel_ = is_parallel_ || (phase.sliced && phase.parallel) ||
                   std::find(phase.wave_parallel.begin(), phase.wave_parallel.end(), true) != phase.wave_parallel.end();
    auto& reductions = reduction_tasks_.emplace_back();
    for (std::size_t r = 0; r < phase.reductions.size(); ++r) {
      for (std::int64_t b = 0; b < blocks_of(phase.reductions[r]); ++b) reductions.emplace_back(r, b);
    }
    auto& waves = wave_tasks_.emplace_back();
    for (const auto& wave : phase.waves) {
      auto& tasks = waves.emplace_back();
      for (const std::size_t call : wave) {
        for (std::int64_t piece = 0; piece < phase.calls[call].pieces; ++piece) tasks.emplace_back(call, piece);
      }
    }
    auto& packed_from = packed_from_.emplace_back();
    for (const PlannedCall& call : phase.calls) {
      auto& places = packed_from.emplace_back();
      for (const Variable& variable : call.packed_from) {
        const auto place = std::find_if(plan_.variables.begin(), plan_.variables.end(),
                                        [&](const auto& entry) { return entry.second.is_same(variable); });
        places.push_back(static_cast<std::size_t>(place - plan_.variables.begin()));
      }
    }
    auto& packing = packing_calls_.emplace_back(std::max<std::size_t>(phase.waves.size(), 1));
    std::vector<std::size_t> wave_of(phase.calls.size(), 0);
    for (std::size_t w = 0; w < phase.waves.size(); ++w) {
      for (const std::size_t call : phase.waves[w]) wave_of[call] = w;
    }
    for (std::size_t c = 0; c < phase.calls.size(); ++c) {
      if (phase.calls[c].packed) packing[wave_of[c]].push_back(c);
    }
  }
}

// Kernels of the host read variables where they lie: those of another device come here first.
void HostExecutor::move_variables() {
  std::size_t moved = 0;
  for (const auto& [slot, variable] : plan_.variables) {
    if (!variable.stored_value().device().is_host() && variable.move_to(device_)) ++moved;
  }
  if (moved > 0) {
    log_device_event("Moved " + std::to_string(moved) + " variables of " + name_ + " to " + device_.full_name());
  }
}

void HostExecutor::set_bases(RunFrame& frame, std::span<const void* const> inputs) {
  std::vector<Worker>& workers = frame.workers_;
  std::vector<std::byte*>& slots = workers.front().slots;
  const auto set = [&](int slot, const void* base) {
    // Kernels write to outputs only, and no output is placed in an input or a constant.
    slots[static_cast<std::size_t>(slot)] = static_cast<std::byte*>(const_cast<void*>(base));  // NOLINT
  };
  set(Plan::shared_slot, frame.shared_arena_->data());
  for (std::size_t i = 0; i < inputs.size(); ++i) set(plan_.input_slots[i], inputs[i]);
  for (const auto& [slot, tensor] : plan_.constants) set(slot, tensor.raw_data());
  for (std::size_t i = 0; i < plan_.variables.size(); ++i) set(plan_.variables[i].first, frame.variables_[i]);
  for (std::size_t i = 0; i < frame.outputs_.size(); ++i) set(plan_.output_slots[i], frame.outputs_[i].raw_data());
  for (std::size_t w = 1; w < workers.size(); ++w) {
    std::byte* own = workers[w].slots[Plan::worker_slot];
    std::copy(slots.begin(), slots.end(), workers[w].slots.begin());
    workers[w].slots[Plan::worker_slot] = own;
  }
}

void HostExecutor::run(RunFrame& frame, std::span<const void* const> inputs) {
  move_variables();
  for (std::size_t i = 0; i < plan_.variables.size(); ++i) {
    const Variable& variable = plan_.variables[i].second;
    frame.variables_[i] = plan_.variable_written[i]
                              ? variable.writable_data()
                              : const_cast<void*>(variable.stored_value().raw_data());  // NOLINT: as in set_bases
    frame.versions_[i] = variable.version();
  }
  run_prepared(frame, inputs);
}

bool HostExecutor::are_current(const std::vector<std::uint64_t>& versions) const {
  return std::equal(plan_.variables.begin(), plan_.variables.end(), versions.begin(),
                    [](const auto& entry, std::uint64_t version) { return entry.second.version() == version; });
}

std::shared_ptr<const TakenVariables> HostExecutor::taken_variables() {
  const auto& variables = plan_.variables;
  if (std::shared_ptr<const TakenVariables> latest = latest_taken_.lock()) {
    if (are_current(latest->versions)) return latest;
  }
  const auto taken = std::make_shared<TakenVariables>();
  taken->values.resize(variables.size());
  taken->addresses.resize(variables.size(), nullptr);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i].second;
    taken->versions.push_back(variable.version());
    if (plan_.variable_written[i]) continue;
    taken->values[i] = variable.stored_value();
    taken->addresses[i] = const_cast<void*>(taken->values[i].raw_data());  // NOLINT: as in set_bases
  }
  latest_taken_ = taken;
  return taken;
}

void HostExecutor::use(std::shared_ptr<const TakenVariables> taken, RunFrame& frame, VariableValues* own) {
  frame.taken_ = std::move(taken);
  frame.versions_ = frame.taken_->versions;
  frame.variables_ = frame.taken_->addresses;
  if (own == nullptr) return;
  for (std::size_t i = 0; i < plan_.variables.size(); ++i) {
    VariableValues::Entry* const entry = own->find(plan_.variables[i].second);
    if (entry != nullptr && entry->is_own) frame.variables_[i] = VariableValues::writable_data(*entry);
  }
}

void HostExecutor::take_variables(RunFrame& frame, VariableValues* own) {
  move_variables();
  use(taken_variables(), frame, own);
}

bool HostExecutor::take_variables_again(RunFrame& frame, VariableValues* own) {
  auto kept = std::static_pointer_cast<const TakenVariables>(frame.kept_.take());
  if (kept == nullptr || !are_current(kept->versions)) return false;
  use(std::move(kept), frame, own);
  return true;
}

void HostExecutor::run_taken(RunFrame& frame, std::span<const void* const> inputs) {
  struct Release {
    std::shared_ptr<const TakenVariables>& taken;
    ~Release() { taken.reset(); }
  };
  const Release release{frame.taken_};
  run_prepared(frame, inputs);
  frame.kept_.keep(std::move(frame.taken_));
  // What is old by now would only take memory.
  if (!are_current(frame.versions_)) static_cast<void>(frame.kept_.take());
}

void HostExecutor::run_prepared(RunFrame& frame, std::span<const void* const> inputs) {
  threading::ThreadPool& pool = context().thread_pool();
  frame.prepare(plan_, is_parallel_ ? pool.thread_count() : 1);
  set_bases(frame, inputs);
  if (profiler::recorder().is_running()) {
    if (const std::shared_ptr<profiler::Recording> recording = profiler::recorder().recording()) {
      if (frame.timer_ == nullptr) frame.timer_ = std::make_unique<PlanTimer>(plan_, name_);
      frame.timer_->begin(recording, pool.thread_count());
      return frame.timer_->step([&] { run_phases(frame, pool, *frame.timer_); });
    }
  }
  run_phases(frame, pool, Untimed());
}

// `times` is a PlanTimer or Untimed, so that what is not profiled does not even ask.
template <class Times>
void HostExecutor::run_phases(RunFrame& frame, threading::ThreadPool& pool, Times&& times) {
  for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
    times.phase(p, [&] {
      if (plan_.phases[p].sliced) {
        run_sliced(frame, pool, p, times);
      } else {
        run_whole(frame, pool, p, times);
      }
    });
  }
  copy(frame, plan_.staging, 0, times);
  copy(frame, plan_.copies, plan_.staging.size(), times);
}

template <class Times>
void HostExecutor::run_sliced(RunFrame& frame, threading::ThreadPool& pool, std::size_t p, Times& times) {
  const PlannedPhase& phase = plan_.phases[p];
  pack(frame, pool, p, 0, phase.parallel, times);
  const auto run_slice = [&](std::int64_t slice, int worker) { this->run_slice(frame, p, slice, worker, times); };
  if (phase.parallel) {
    pool.run(plan_.slices, run_slice);
  } else {
    for (std::int64_t s = 0; s < plan_.slices; ++s) run_slice(s, 0);
  }
  const auto& tasks = reduction_tasks_[p];
  const auto run_reduction = [&](std::int64_t task, int worker) {
    const std::size_t reduction = tasks[static_cast<std::size_t>(task)].first;
    const std::int64_t block = tasks[static_cast<std::size_t>(task)].second;
    times.reduction(worker, p, reduction, block, [&] {
      reduce(phase.reductions[reduction], frame.workers_.front().slots.data(), plan_.slices, block);
    });
  };
  if (tasks.size() > 1 && phase.parallel) {
    pool.run(static_cast<std::int64_t>(tasks.size()), run_reduction);
  } else {
    for (std::size_t t = 0; t < tasks.size(); ++t) run_reduction(static_cast<std::int64_t>(t), 0);
  }
  if (check_) expire_shared(frame, plan_.phase_first_time[p]);
}

template <class Times>
void HostExecutor::run_slice(RunFrame& frame, std::size_t p, std::int64_t slice, int worker, Times& times) {
  const PlannedPhase& phase = plan_.phases[p];
  Worker& own = frame.workers_[static_cast<std::size_t>(worker)];
  const std::int64_t end = std::min(plan_.batch, (slice + 1) * plan_.slice_size);
  for (std::int64_t first = slice * plan_.slice_size; first < end; first += plan_.chunk) {
    const std::int64_t samples = std::min(plan_.chunk, end - first);
    const bool accumulate = first > slice * plan_.slice_size;
    for (std::size_t c = 0; c < phase.calls.size(); ++c) {
      times.chunk(worker, p, c, {static_cast<int>(slice), first, samples},
                  [&] { own.run_chunk(phase.calls[c], own.frame(p, c, samples), slice, first, accumulate); });
      if (check_) own.expire(plan_.worker_expiries[p][c]);
    }
  }
}

template <class Times>
void HostExecutor::run_whole(RunFrame& frame, threading::ThreadPool& pool, std::size_t p, Times& times) {
  const PlannedPhase& phase = plan_.phases[p];
  for (std::size_t w = 0; w < phase.waves.size(); ++w) {
    pack(frame, pool, p, w, phase.wave_parallel[w], times);
    const auto& tasks = wave_tasks_[p][w];
    const auto run_task = [&](std::int64_t task, int worker) {
      const std::size_t call = tasks[static_cast<std::size_t>(task)].first;
      const std::int64_t piece = tasks[static_cast<std::size_t>(task)].second;
      Worker& own = frame.workers_[static_cast<std::size_t>(worker)];
      times.piece(worker, p, call, piece, [&] { own.run_piece(phase.calls[call], own.frame(p, call, 0), piece); });
    };
    if (tasks.size() > 1 && phase.wave_parallel[w]) {
      pool.run(static_cast<std::int64_t>(tasks.size()), run_task);
    } else {
      for (std::size_t t = 0; t < tasks.size(); ++t) run_task(static_cast<std::int64_t>(t), 0);
    }
    if (check_) expire_shared(frame, plan_.phase_first_time[p] + static_cast<int>(w));
  }
}

// Versions only grow, so that equal sums mean equal versions. Never 0.
std::uint64_t HostExecutor::versions_of(const RunFrame& frame, std::size_t p, std::size_t call) const {
  std::uint64_t sum = 1;
  for (const std::size_t variable : packed_from_[p][call]) sum += frame.versions_[variable];
  return sum;
}

bool HostExecutor::is_packed(const RunFrame& frame, std::size_t p, std::size_t call) const {
  return !packed_from_[p][call].empty() && frame.packed_versions_[p][call] == versions_of(frame, p, call);
}

template <class Times>
void HostExecutor::pack(RunFrame& frame, threading::ThreadPool& pool, std::size_t p, std::size_t wave, bool parallel,
                        Times& times) {
  const std::vector<std::size_t>& calls = packing_calls_[p][wave];
  if (std::all_of(calls.begin(), calls.end(), [&](std::size_t call) { return is_packed(frame, p, call); })) return;
  const auto pack_call = [&](std::int64_t task, int worker) {
    const std::size_t call = calls[static_cast<std::size_t>(task)];
    if (is_packed(frame, p, call)) return;
    frame.packed_versions_[p][call] = versions_of(frame, p, call);
    Worker& own = frame.workers_[static_cast<std::size_t>(worker)];
    times.pack(worker, p, call, [&] { own.pack(plan_.phases[p].calls[call], own.frame(p, call, 0)); });
  };
  if (calls.size() > 1 && parallel) {
    pool.run(static_cast<std::int64_t>(calls.size()), pack_call);
  } else {
    for (std::size_t t = 0; t < calls.size(); ++t) pack_call(static_cast<std::int64_t>(t), 0);
  }
}

// `first`: the number of the first among all copies of the plan.
template <class Times>
void HostExecutor::copy(RunFrame& frame, const std::vector<Copy>& copies, std::size_t first, Times& times) {
  std::byte* const* slots = frame.workers_.front().slots.data();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copy& c = copies[i];
    times.copy(first + i,
               [&] { std::memcpy(slots[c.to.slot] + c.to.offset, slots[c.from.slot] + c.from.offset, c.bytes); });
  }
}

void HostExecutor::expire_shared(RunFrame& frame, int time) {
  auto* arena = static_cast<std::byte*>(frame.shared_arena_->data());
  for (const Expiry& e : plan_.shared_expiries[static_cast<std::size_t>(time)])
    std::memset(arena + e.offset, 0xFF, e.bytes);
}

}  // namespace rhyton::graph

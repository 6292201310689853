#include <rhyton/framework/graph/run_frame.h>

#include <algorithm>
#include <string>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/graph/frame_pool.h>
#include <rhyton/framework/graph/host_run.h>
#include <rhyton/framework/profiler/profiler.h>

namespace rhyton::graph {
namespace {

// Kernels write to outputs only, and no output is placed in an input, in a constant or in a variable that is not
// assigned.
template <class T>
T* writable(const void* data) {
  return static_cast<T*>(const_cast<void*>(data));  // NOLINT
}

}  // namespace

RunFrame::RunFrame(ProgramFrames& frames, FramePool& pool)
    : program_(frames.program),
      frames_(frames),
      pool_(pool),
      packed_(program_.kept_packings.size()),
      versions_(plan().variables.size()),
      variables_(plan().variables.size()) {
  outputs_.reserve(plan().output_specs.size());
  for (const TensorSpec& spec : plan().output_specs) output_bytes_ += aligned(spec.bytes());
}

void RunFrame::set_memory(FrameMemory* memory) {
  memory_ = memory;
  outputs_.clear();
  prepared_workers_ = 0;
}

std::size_t RunFrame::needed_bytes() const {
  const auto workers = static_cast<std::size_t>(program_.is_parallel ? context().thread_pool().thread_count() : 1);
  return output_bytes_ + plan().shared_bytes + workers * plan().worker_bytes;
}

void RunFrame::place_outputs() {
  if (outputs_.size() == plan().output_specs.size()) return;
  outputs_.clear();
  memory_->reserve_outputs(output_bytes_, *program_.program.device);
  std::size_t offset = 0;
  for (const TensorSpec& spec : plan().output_specs) {
    outputs_.push_back(Tensor::from_storage(spec.shape, spec.dtype, memory_->outputs(), offset));
    offset += aligned(spec.bytes());
  }
}

// Arenas and views for as many workers. Allocates in the first run, after the thread pool has grown, and where the
// memory was that of a smaller frame.
void RunFrame::prepare(int worker_count) {
  if (prepared_workers_ >= worker_count) return;
  memory_->reserve_shared(plan().shared_bytes);
  while (workers_.size() < static_cast<std::size_t>(worker_count)) workers_.emplace_back(plan());
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    memory_->reserve_worker(w, plan().worker_bytes);
    workers_[w].slots[Plan::worker_slot] = memory_->worker(w);
  }
  prepared_workers_ = worker_count;
  const std::size_t bytes =
      std::max<std::size_t>(plan().shared_bytes, 1) + workers_.size() * std::max<std::size_t>(plan().worker_bytes, 1);
  bytes_.store(bytes + output_bytes_, std::memory_order_relaxed);
}

// Kernels of the host read variables in place: those of another device are moved to this one first.
void RunFrame::move_variables() {
  LogicalDevice& device = *program_.program.device;
  std::size_t moved = 0;
  for (const auto& [slot, variable] : plan().variables) {
    if (!variable.stored_value().device().is_host() && variable.move_to(device)) ++moved;
  }
  if (moved > 0) {
    log_device_event("Moved " + std::to_string(moved) + " variables of " + program_.program.name + " to " +
                     device.full_name());
  }
}

void RunFrame::set_bases(std::span<const void* const> inputs) {
  std::vector<std::byte*>& slots = workers_.front().slots;
  const auto set = [&](int slot, const void* base) {
    slots[static_cast<std::size_t>(slot)] = writable<std::byte>(base);
  };
  set(Plan::shared_slot, memory_->shared());
  for (std::size_t i = 0; i < inputs.size(); ++i) set(plan().input_slots[i], inputs[i]);
  for (const auto& [slot, tensor] : plan().constants) set(slot, tensor.raw_data());
  for (std::size_t i = 0; i < plan().variables.size(); ++i) set(plan().variables[i].first, variables_[i]);
  for (std::size_t i = 0; i < outputs_.size(); ++i) set(plan().output_slots[i], outputs_[i].raw_data());
  for (std::size_t k = 0; k < packed_.size(); ++k) {
    set(program_.kept_packings[k].slot, packed_[k].copy->storage->data());
  }
  for (std::size_t w = 1; w < workers_.size(); ++w) {
    std::byte* const arena = workers_[w].slots[Plan::worker_slot];
    std::copy(slots.begin(), slots.end(), workers_[w].slots.begin());
    workers_[w].slots[Plan::worker_slot] = arena;
  }
}

void RunFrame::run(std::span<const void* const> inputs) {
  move_variables();
  for (std::size_t i = 0; i < plan().variables.size(); ++i) {
    const Variable& variable = plan().variables[i].second;
    variables_[i] =
        plan().variable_written[i] ? variable.writable_data() : writable<void>(variable.stored_value().raw_data());
    versions_[i] = variable.version();
  }
  run_prepared(inputs);
}

void RunFrame::use(std::shared_ptr<const VariableSnapshot> taken, VariableValues* own) {
  taken_ = std::move(taken);
  versions_ = taken_->versions;
  variables_ = taken_->addresses;
  if (own == nullptr) return;
  for (std::size_t i = 0; i < plan().variables.size(); ++i) {
    VariableValues::Entry* const entry = own->find(plan().variables[i].second);
    if (entry != nullptr && entry->is_own) variables_[i] = VariableValues::writable_data(*entry);
  }
}

void RunFrame::take_variables(VariableValues* own) {
  move_variables();
  use(frames_.snapshots.take(), own);
}

bool RunFrame::take_variables_again(VariableValues* own) {
  auto kept = std::static_pointer_cast<const VariableSnapshot>(kept_.take());
  if (kept == nullptr || !frames_.snapshots.are_current(kept->versions)) return false;
  use(std::move(kept), own);
  return true;
}

void RunFrame::run_taken(std::span<const void* const> inputs) {
  struct Release {
    std::shared_ptr<const VariableSnapshot>& taken;
    ~Release() { taken.reset(); }
  };
  const Release release{taken_};
  run_prepared(inputs);
  kept_.keep(std::move(taken_));
  // Values that are no longer current would only take memory.
  if (!frames_.snapshots.are_current(versions_)) static_cast<void>(kept_.take());
}

void RunFrame::run_prepared(std::span<const void* const> inputs) {
  threading::ThreadPool& pool = context().thread_pool();
  prepare(program_.is_parallel ? pool.thread_count() : 1);
  const bool must_pack = !find_packed_weights();
  set_bases(inputs);
  HostRun run(program_, *this, pool);
  if (profiler::recorder().is_running()) {
    if (const std::shared_ptr<profiler::Recording> recording = profiler::recorder().recording()) {
      if (timer_ == nullptr) timer_ = std::make_unique<PlanTimer>(plan(), program_.program.name);
      timer_->begin(recording, pool.thread_count());
      timer_->step([&] { run.run(*timer_); });
      if (must_pack) pool_.share_packed_weights(*this);
      return;
    }
  }
  run.run(Untimed());
  if (must_pack) pool_.share_packed_weights(*this);
}

// Returns whether all packed weights are there; else those that are not have to be packed in this run.
bool RunFrame::find_packed_weights() {
  bool are_current = true;
  for (std::size_t k = 0; k < packed_.size(); ++k) {
    PackedUse& use = packed_[k];
    // Versions only grow, so that equal sums mean equal versions. Never 0.
    use.version = 1;
    for (const std::size_t variable : program_.kept_packings[k].variables) use.version += versions_[variable];
    use.is_packed = use.copy != nullptr && use.copy->version == use.version;
    are_current = are_current && use.is_packed;
  }
  if (are_current) return true;
  pool_.renew_packed_weights(*this);
  return std::all_of(packed_.begin(), packed_.end(), [](const PackedUse& use) { return use.is_packed; });
}

void RunFrame::note_needed_versions() {
  for (std::size_t k = 0; k < packed_.size(); ++k) {
    if (!packed_[k].is_packed) packed_[k].copy.reset();
    frames_.packed_weights[k]->note_needed(packed_[k].version);
  }
}

void RunFrame::drop_outdated_packed_weights() {
  for (std::size_t k = 0; k < packed_.size(); ++k) {
    std::shared_ptr<PackedCopy>& copy = packed_[k].copy;
    if (copy != nullptr && frames_.packed_weights[k]->is_outdated(*copy)) copy.reset();
  }
}

void RunFrame::drop_packed_weights() { packed_.clear(); }

void RunFrame::get_packed_weights() {
  for (std::size_t k = 0; k < packed_.size(); ++k) {
    PackedUse& use = packed_[k];
    if (use.copy == nullptr) use.copy = frames_.packed_weights[k]->get(use.version);
    use.is_packed = use.copy->version == use.version;
  }
}

void RunFrame::share_packed_weights() {
  for (std::size_t k = 0; k < packed_.size(); ++k) {
    PackedUse& use = packed_[k];
    if (!use.copy->is_shared) use.copy = frames_.packed_weights[k]->share(std::move(use.copy));
  }
}

bool RunFrame::is_packed(std::size_t phase, std::size_t call) const {
  const int kept = program_.kept_packing_of[phase][call];
  return kept >= 0 && packed_[static_cast<std::size_t>(kept)].is_packed;
}

void RunFrame::note_packed(std::size_t phase, std::size_t call) {
  const int kept = program_.kept_packing_of[phase][call];
  if (kept < 0) return;
  PackedUse& use = packed_[static_cast<std::size_t>(kept)];
  use.copy->version = use.version;
  use.is_packed = true;
}

}  // namespace rhyton::graph

#include <rhyton/framework/graph/host_run.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/cost.h>

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
    case DType::uint32:
      return add_partials<std::uint32_t>(partials, stride, slices, result, first, last);
    default:
      throw NotImplementedError("Sums over the batch of dtype " + std::string(name_of(reduction.dtype)) +
                                " are not supported.");
  }
}

}  // namespace

template <class Times>
void HostRun::run_phases(Times& times) {
  for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
    times.phase(p, [&] {
      if (plan_.phases[p].sliced) {
        run_sliced(p, times);
      } else {
        run_whole(p, times);
      }
    });
  }
  copy(plan_.staging, 0, times);
  copy(plan_.copies, plan_.staging.size(), times);
}

template <class Times>
void HostRun::run_sliced(std::size_t p, Times& times) {
  const PlannedPhase& phase = plan_.phases[p];
  pack(p, 0, phase.parallel, times);
  const auto run_slice = [&](std::int64_t slice, int worker) { this->run_slice(p, slice, worker, times); };
  if (phase.parallel) {
    pool_.run(plan_.slices, run_slice);
  } else {
    for (std::int64_t s = 0; s < plan_.slices; ++s) run_slice(s, 0);
  }
  const auto& tasks = program_.reduction_tasks[p];
  const auto run_reduction = [&](std::int64_t task, int worker) {
    const std::size_t reduction = tasks[static_cast<std::size_t>(task)].first;
    const std::int64_t block = tasks[static_cast<std::size_t>(task)].second;
    times.reduction(worker, p, reduction, block,
                    [&] { reduce(phase.reductions[reduction], frame_.worker(0).slots.data(), plan_.slices, block); });
  };
  if (tasks.size() > 1 && phase.parallel) {
    pool_.run(static_cast<std::int64_t>(tasks.size()), run_reduction);
  } else {
    for (std::size_t t = 0; t < tasks.size(); ++t) run_reduction(static_cast<std::int64_t>(t), 0);
  }
  if (program_.program.is_checked) expire_shared(plan_.phase_first_time[p]);
}

template <class Times>
void HostRun::run_slice(std::size_t p, std::int64_t slice, int worker, Times& times) {
  const PlannedPhase& phase = plan_.phases[p];
  Worker& own = frame_.worker(worker);
  const std::int64_t end = std::min(plan_.batch, (slice + 1) * plan_.slice_size);
  for (std::int64_t first = slice * plan_.slice_size; first < end; first += plan_.chunk) {
    const std::int64_t samples = std::min(plan_.chunk, end - first);
    const bool accumulate = first > slice * plan_.slice_size;
    for (std::size_t c = 0; c < phase.calls.size(); ++c) {
      times.chunk(worker, p, c, {static_cast<int>(slice), first, samples},
                  [&] { own.run_chunk(phase.calls[c], own.views_of(p, c, samples), slice, first, accumulate); });
      if (program_.program.is_checked) own.expire(plan_.worker_expiries[p][c]);
    }
  }
}

template <class Times>
void HostRun::run_whole(std::size_t p, Times& times) {
  const PlannedPhase& phase = plan_.phases[p];
  for (std::size_t w = 0; w < phase.waves.size(); ++w) {
    pack(p, w, phase.wave_parallel[w], times);
    const auto& tasks = program_.wave_tasks[p][w];
    const auto run_task = [&](std::int64_t task, int worker) {
      const std::size_t call = tasks[static_cast<std::size_t>(task)].first;
      const std::int64_t piece = tasks[static_cast<std::size_t>(task)].second;
      Worker& own = frame_.worker(worker);
      times.piece(worker, p, call, piece, [&] { own.run_piece(phase.calls[call], own.views_of(p, call, 0), piece); });
    };
    if (tasks.size() > 1 && phase.wave_parallel[w]) {
      pool_.run(static_cast<std::int64_t>(tasks.size()), run_task);
    } else {
      for (std::size_t t = 0; t < tasks.size(); ++t) run_task(static_cast<std::int64_t>(t), 0);
    }
    if (program_.program.is_checked) expire_shared(plan_.phase_first_time[p] + static_cast<int>(w));
  }
}

template <class Times>
void HostRun::pack(std::size_t p, std::size_t wave, bool is_parallel, Times& times) {
  const std::vector<std::size_t>& calls = program_.packing_calls[p][wave];
  if (std::all_of(calls.begin(), calls.end(), [&](std::size_t call) { return frame_.is_packed(p, call); })) return;
  const auto pack_call = [&](std::int64_t task, int worker) {
    const std::size_t call = calls[static_cast<std::size_t>(task)];
    if (frame_.is_packed(p, call)) return;
    Worker& own = frame_.worker(worker);
    times.pack(worker, p, call, [&] { own.pack(plan_.phases[p].calls[call], own.views_of(p, call, 0)); });
    frame_.note_packed(p, call);
  };
  if (calls.size() > 1 && is_parallel) {
    pool_.run(static_cast<std::int64_t>(calls.size()), pack_call);
  } else {
    for (std::size_t t = 0; t < calls.size(); ++t) pack_call(static_cast<std::int64_t>(t), 0);
  }
}

template <class Times>
void HostRun::copy(const std::vector<Copy>& copies, std::size_t first, Times& times) {
  std::byte* const* slots = frame_.worker(0).slots.data();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copy& c = copies[i];
    times.copy(first + i,
               [&] { std::memcpy(slots[c.to.slot] + c.to.offset, slots[c.from.slot] + c.from.offset, c.bytes); });
  }
}

void HostRun::expire_shared(int time) {
  std::byte* const arena = frame_.shared_arena();
  for (const Expiry& e : plan_.shared_expiries[static_cast<std::size_t>(time)]) {
    std::memset(arena + e.offset, 0xFF, e.bytes);
  }
}

void HostRun::run(PlanTimer& times) { run_phases(times); }
void HostRun::run(const Untimed& times) { run_phases(times); }

}  // namespace rhyton::graph

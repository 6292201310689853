#include <rhyton/framework/graph/executable.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/graph/cost.h>
#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/graph/frames.h>
#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/placed_executor.h>
#include <rhyton/framework/graph/plan_timer.h>
#include <rhyton/framework/graph/stream_executor.h>
#include <rhyton/framework/ops/placement.h>
#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton::graph {
namespace {

bool logs_plans() { return environment("RHYTON_LOG").find("plan") != std::string_view::npos; }

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

struct Executable::Impl {
  Graph graph;
  Plan plan;
  std::vector<Tensor> outputs;
  std::shared_ptr<Storage> shared_arena;
  // Per worker: its arena, its table of base addresses and its views.
  std::vector<Worker> workers;
  // Per phase: which reduction and block each task of the final sums has.
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> reduction_tasks;
  // Per phase and wave: which call and piece each task has.
  std::vector<std::vector<std::vector<std::pair<std::size_t, std::int64_t>>>> wave_tasks;
  // Per phase and wave (one for a sliced phase): the calls that first want their weights in another layout.
  std::vector<std::vector<std::vector<std::size_t>>> packing_calls;
  // Per phase and call: what the versions of the packed weights added up to when they were packed.
  std::vector<std::vector<std::uint64_t>> packed_versions;
  bool check = false;
  std::string name;
  LogicalDevice* device = nullptr;
  // What carries the plan out where the device is not the host.
  std::unique_ptr<StreamExecutor> on_stream;
  // What carries the graph out where its nodes are on several devices.
  std::unique_ptr<PlacedExecutor> placed;
  // Made by the first run that is profiled.
  std::unique_ptr<PlanTimer> timer;

  Impl(const Graph& source, const ExecutableOptions& options)
      : name(options.name), device(options.device != nullptr ? options.device : &current_device()) {
    if (names_other_devices(source, *device)) place(source, options);
    if (placed != nullptr) return;
    graph = device->is_host() ? optimize(source, options.passes)
                              : optimize_for(source, kernels_for(device->type()), options.passes);
    PlanOptions plan_options = options.plan;
    plan_options.device = device;
    plan_options.check = plan_options.check || is_switched_on("RHYTON_CHECK_PLAN");
    check = plan_options.check;
    plan = make_plan(graph, plan_options);
    if (logs_plans()) std::fprintf(stderr, "%s\n", plan.to_string().c_str());
    if (!device->is_host()) {
      on_stream = std::make_unique<StreamExecutor>(graph, plan, *device, name);
      outputs = on_stream->outputs();
      return;
    }
    for (const TensorSpec& spec : plan.output_specs) {
      outputs.push_back(Tensor::uninitialized(spec.shape, spec.dtype, *device));
    }
    for (const PlannedPhase& phase : plan.phases) {
      for (const PlannedCall& call : phase.calls) log_placement(call.op->name(), *device);
    }
    list_tasks();
  }

  // On several devices, or on one other than that which was asked for, where the graph names it for all nodes.
  void place(const Graph& source, const ExecutableOptions& options) {
    graph = remove_dead_nodes(source);
    // Constants would follow nothing and make parts of their own.
    if (options.passes.fold_constants) graph = remove_dead_nodes(fold_constants(graph));
    const DeviceAssignment devices = assign_devices(graph, *device);
    if (LogicalDevice* const only = devices.only_device()) {
      device = only;
      return;
    }
    placed = std::make_unique<PlacedExecutor>(graph, devices, options, *device);
    plan = placed->plan();
    outputs = placed->outputs();
    if (logs_plans()) std::fprintf(stderr, "%s\n", placed->to_string().c_str());
  }

  void list_tasks() {
    for (const PlannedPhase& phase : plan.phases) {
      auto& reductions = reduction_tasks.emplace_back();
      for (std::size_t r = 0; r < phase.reductions.size(); ++r) {
        for (std::int64_t b = 0; b < blocks_of(phase.reductions[r]); ++b) reductions.emplace_back(r, b);
      }
      auto& waves = wave_tasks.emplace_back();
      for (const auto& wave : phase.waves) {
        auto& tasks = waves.emplace_back();
        for (const std::size_t call : wave) {
          for (std::int64_t piece = 0; piece < phase.calls[call].pieces; ++piece) tasks.emplace_back(call, piece);
        }
      }
      packed_versions.emplace_back(phase.calls.size(), 0);
      auto& packing = packing_calls.emplace_back(std::max<std::size_t>(phase.waves.size(), 1));
      std::vector<std::size_t> wave_of(phase.calls.size(), 0);
      for (std::size_t w = 0; w < phase.waves.size(); ++w) {
        for (const std::size_t call : phase.waves[w]) wave_of[call] = w;
      }
      for (std::size_t c = 0; c < phase.calls.size(); ++c) {
        if (phase.calls[c].packed) packing[wave_of[c]].push_back(c);
      }
    }
  }

  void require_inputs(std::size_t count) const {
    const std::size_t expected = graph.inputs().size();
    if (count == expected) return;
    throw ValueError("An Executable of " + std::to_string(expected) + " inputs received " + std::to_string(count) +
                     ".");
  }

  // Arenas and views for as many workers as the pool has; only the first run, or one after the pool has grown,
  // allocates.
  void prepare(int worker_count) {
    if (!shared_arena) shared_arena = Storage::allocate(std::max<std::size_t>(plan.shared_bytes, 1));
    while (workers.size() < static_cast<std::size_t>(worker_count)) workers.emplace_back(plan);
  }

  // Kernels of the host read variables where they lie: those of another device come here first.
  void move_variables() {
    std::size_t moved = 0;
    for (const auto& [slot, variable] : plan.variables) {
      if (!variable.stored_value().device().is_host() && variable.move_to(*device)) ++moved;
    }
    if (moved > 0) {
      log_device_event("Moved " + std::to_string(moved) + " variables of " + name + " to " + device->full_name());
    }
  }

  void set_bases(std::span<const void* const> inputs) {
    std::vector<std::byte*>& slots = workers.front().slots;
    const auto set = [&](int slot, const void* base) {
      // Kernels write to outputs only, and no output is placed in an input or a constant.
      slots[static_cast<std::size_t>(slot)] = static_cast<std::byte*>(const_cast<void*>(base));  // NOLINT
    };
    set(Plan::shared_slot, shared_arena->data());
    for (std::size_t i = 0; i < inputs.size(); ++i) set(plan.input_slots[i], inputs[i]);
    for (const auto& [slot, tensor] : plan.constants) set(slot, tensor.raw_data());
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
      const auto& [slot, variable] = plan.variables[i];
      set(slot, plan.variable_written[i] ? variable.writable_data() : variable.stored_value().raw_data());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) set(plan.output_slots[i], outputs[i].raw_data());
    for (std::size_t w = 1; w < workers.size(); ++w) {
      std::byte* own = workers[w].slots[Plan::worker_slot];
      std::copy(slots.begin(), slots.end(), workers[w].slots.begin());
      workers[w].slots[Plan::worker_slot] = own;
    }
  }

  void run(std::span<const void* const> inputs) {
    threading::ThreadPool& pool = context().thread_pool();
    prepare(pool.thread_count());
    move_variables();
    set_bases(inputs);
    if (profiler::recorder().is_running()) {
      if (const std::shared_ptr<profiler::Recording> recording = profiler::recorder().recording()) {
        if (timer == nullptr) timer = std::make_unique<PlanTimer>(plan, name);
        timer->begin(recording, pool.thread_count());
        return timer->step([&] { run_phases(pool, *timer); });
      }
    }
    run_phases(pool, Untimed());
  }

  // `times` is a PlanTimer or Untimed, so that what is not profiled does not even ask.
  template <class Times>
  void run_phases(threading::ThreadPool& pool, Times&& times) {
    for (std::size_t p = 0; p < plan.phases.size(); ++p) {
      times.phase(p, [&] {
        if (plan.phases[p].sliced) {
          run_sliced(pool, p, times);
        } else {
          run_whole(pool, p, times);
        }
      });
    }
    copy(plan.staging, 0, times);
    copy(plan.copies, plan.staging.size(), times);
  }

  template <class Times>
  void run_sliced(threading::ThreadPool& pool, std::size_t p, Times& times) {
    const PlannedPhase& phase = plan.phases[p];
    pack(pool, p, 0, phase.parallel, times);
    const auto run_slice = [&](std::int64_t slice, int worker) { this->run_slice(p, slice, worker, times); };
    if (phase.parallel) {
      pool.run(plan.slices, run_slice);
    } else {
      for (std::int64_t s = 0; s < plan.slices; ++s) run_slice(s, 0);
    }
    const auto& tasks = reduction_tasks[p];
    const auto run_reduction = [&](std::int64_t task, int worker) {
      const std::size_t reduction = tasks[static_cast<std::size_t>(task)].first;
      const std::int64_t block = tasks[static_cast<std::size_t>(task)].second;
      times.reduction(worker, p, reduction, block,
                      [&] { reduce(phase.reductions[reduction], workers.front().slots.data(), plan.slices, block); });
    };
    if (tasks.size() > 1 && phase.parallel) {
      pool.run(static_cast<std::int64_t>(tasks.size()), run_reduction);
    } else {
      for (std::size_t t = 0; t < tasks.size(); ++t) run_reduction(static_cast<std::int64_t>(t), 0);
    }
    if (check) expire_shared(plan.phase_first_time[p]);
  }

  template <class Times>
  void run_slice(std::size_t p, std::int64_t slice, int worker, Times& times) {
    const PlannedPhase& phase = plan.phases[p];
    Worker& own = workers[static_cast<std::size_t>(worker)];
    const std::int64_t end = std::min(plan.batch, (slice + 1) * plan.slice_size);
    for (std::int64_t first = slice * plan.slice_size; first < end; first += plan.chunk) {
      const std::int64_t samples = std::min(plan.chunk, end - first);
      const bool accumulate = first > slice * plan.slice_size;
      for (std::size_t c = 0; c < phase.calls.size(); ++c) {
        times.chunk(worker, p, c, {static_cast<int>(slice), first, samples},
                    [&] { own.run_chunk(phase.calls[c], own.frame(p, c, samples), slice, first, accumulate); });
        if (check) own.expire(plan.worker_expiries[p][c]);
      }
    }
  }

  template <class Times>
  void run_whole(threading::ThreadPool& pool, std::size_t p, Times& times) {
    const PlannedPhase& phase = plan.phases[p];
    for (std::size_t w = 0; w < phase.waves.size(); ++w) {
      pack(pool, p, w, phase.wave_parallel[w], times);
      const auto& tasks = wave_tasks[p][w];
      const auto run_task = [&](std::int64_t task, int worker) {
        const std::size_t call = tasks[static_cast<std::size_t>(task)].first;
        const std::int64_t piece = tasks[static_cast<std::size_t>(task)].second;
        Worker& own = workers[static_cast<std::size_t>(worker)];
        times.piece(worker, p, call, piece, [&] { own.run_piece(phase.calls[call], own.frame(p, call, 0), piece); });
      };
      if (tasks.size() > 1 && phase.wave_parallel[w]) {
        pool.run(static_cast<std::int64_t>(tasks.size()), run_task);
      } else {
        for (std::size_t t = 0; t < tasks.size(); ++t) run_task(static_cast<std::int64_t>(t), 0);
      }
      if (check) expire_shared(plan.phase_first_time[p] + static_cast<int>(w));
    }
  }

  // Versions only grow, so that equal sums mean equal versions. Never 0.
  static std::uint64_t versions_of(const PlannedCall& call) {
    std::uint64_t sum = 1;
    for (const Variable& variable : call.packed_from) sum += variable.version();
    return sum;
  }

  bool is_packed(std::size_t p, std::size_t call) const {
    const PlannedCall& planned = plan.phases[p].calls[call];
    return !planned.packed_from.empty() && packed_versions[p][call] == versions_of(planned);
  }

  template <class Times>
  void pack(threading::ThreadPool& pool, std::size_t p, std::size_t wave, bool parallel, Times& times) {
    const std::vector<std::size_t>& calls = packing_calls[p][wave];
    if (std::all_of(calls.begin(), calls.end(), [&](std::size_t call) { return is_packed(p, call); })) return;
    const auto pack_call = [&](std::int64_t task, int worker) {
      const std::size_t call = calls[static_cast<std::size_t>(task)];
      if (is_packed(p, call)) return;
      packed_versions[p][call] = versions_of(plan.phases[p].calls[call]);
      Worker& own = workers[static_cast<std::size_t>(worker)];
      times.pack(worker, p, call, [&] { own.pack(plan.phases[p].calls[call], own.frame(p, call, 0)); });
    };
    if (calls.size() > 1 && parallel) {
      pool.run(static_cast<std::int64_t>(calls.size()), pack_call);
    } else {
      for (std::size_t t = 0; t < calls.size(); ++t) pack_call(static_cast<std::int64_t>(t), 0);
    }
  }

  // `first`: the number of the first among all copies of the plan.
  template <class Times>
  void copy(const std::vector<Copy>& copies, std::size_t first, Times& times) {
    std::byte* const* slots = workers.front().slots.data();
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const Copy& c = copies[i];
      times.copy(first + i,
                 [&] { std::memcpy(slots[c.to.slot] + c.to.offset, slots[c.from.slot] + c.from.offset, c.bytes); });
    }
  }

  void expire_shared(int time) {
    auto* arena = static_cast<std::byte*>(shared_arena->data());
    for (const Expiry& e : plan.shared_expiries[static_cast<std::size_t>(time)])
      std::memset(arena + e.offset, 0xFF, e.bytes);
  }
};

Executable::Executable(const Graph& graph, const ExecutableOptions& options)
    : impl_(std::make_unique<Impl>(graph, options)) {}
Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

void Executable::run(std::span<const void* const> inputs) {
  impl_->require_inputs(inputs.size());
  if (impl_->placed) return impl_->placed->run(inputs);
  if (impl_->on_stream) return impl_->on_stream->run(inputs);
  impl_->run(inputs);
}

void Executable::run_on(std::span<const Tensor> inputs) {
  impl_->require_inputs(inputs.size());
  if (impl_->placed) return impl_->placed->run(inputs);
  if (impl_->on_stream) return impl_->on_stream->run(inputs);
  std::vector<const void*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(input.raw_data());
  run(pointers);
}

const Tensor& Executable::output(std::size_t index) const { return impl_->outputs.at(index); }

std::vector<Tensor> Executable::operator()(const std::vector<Tensor>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i < impl_->graph.inputs().size()) {
      const TensorSpec& expected = impl_->graph.value(impl_->graph.inputs()[i]).spec;
      if (!(inputs[i].spec() == expected)) {
        throw ValueError("Input " + std::to_string(i) +
                         " of an Executable: expected shape=" + expected.shape.to_string() + " " +
                         std::string(name_of(expected.dtype)) + ", found shape=" + inputs[i].shape().to_string() + " " +
                         std::string(name_of(inputs[i].dtype())) + ".");
      }
    }
  }
  run_on(inputs);
  std::vector<Tensor> results;
  for (const Tensor& output : impl_->outputs) results.push_back(output.clone());
  return results;
}

const Graph& Executable::graph() const { return impl_->graph; }
const Plan& Executable::plan() const { return impl_->plan; }
LogicalDevice& Executable::device() const { return *impl_->device; }

std::size_t Executable::memory_bytes() const {
  if (impl_->placed) return impl_->placed->memory_bytes();
  if (impl_->on_stream) return impl_->on_stream->memory_bytes();
  std::size_t bytes = impl_->shared_arena ? impl_->shared_arena->bytes() : 0;
  for (const Worker& worker : impl_->workers) bytes += worker.arena_bytes();
  return bytes;
}

}  // namespace rhyton::graph

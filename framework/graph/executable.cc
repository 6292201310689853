#include <rhyton/framework/graph/executable.h>

#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/graph/host_executor.h>
#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/placed_executor.h>
#include <rhyton/framework/graph/stream_executor.h>
#include <rhyton/framework/ops/placement.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::graph {
namespace {

[[noreturn]] void throw_input_count(std::size_t expected, std::size_t count) {
  throw ValueError("An Executable of " + std::to_string(expected) + " inputs received " + std::to_string(count) + ".");
}

bool logs_plans() { return environment("RHYTON_LOG").find("plan") != std::string_view::npos; }

}  // namespace

struct Executable::Impl {
  Graph graph;
  Plan plan;
  std::vector<Variable> assigned;
  // Of what carries it out elsewhere.
  std::vector<Tensor> outputs;
  std::string name;
  LogicalDevice* device = nullptr;
  // What carries the plan out on the host, and the frame of `run`, made by the first one.
  std::unique_ptr<HostExecutor> on_host;
  RunFrame* own_frame = nullptr;
  // What carries the plan out where the device is not the host.
  std::unique_ptr<StreamExecutor> on_stream;
  // What carries the graph out where its nodes are on several devices.
  std::unique_ptr<PlacedExecutor> placed;

  Impl(const Graph& source, const ExecutableOptions& options)
      : name(options.name), device(options.device != nullptr ? options.device : &current_device()) {
    for (const Update& update : source.updates) assigned.push_back(update.variable);
    if (names_other_devices(source, *device)) {
      // Looks where the variables are.
      const std::unique_lock between_steps(step_mutex());
      place(source, options);
    }
    if (placed != nullptr) return;
    graph = device->is_host() ? optimize(source, options.passes)
                              : optimize_for(source, kernels_for(device->type()), options.passes);
    PlanOptions plan_options = options.plan;
    plan_options.device = device;
    plan_options.check = plan_options.check || is_switched_on("RHYTON_CHECK_PLAN");
    plan = make_plan(graph, plan_options);
    if (logs_plans()) std::fprintf(stderr, "%s\n", plan.to_string().c_str());
    if (!device->is_host()) {
      on_stream = std::make_unique<StreamExecutor>(graph, plan, *device, name);
      outputs = on_stream->outputs();
      return;
    }
    for (const PlannedPhase& phase : plan.phases) {
      for (const PlannedCall& call : phase.calls) log_placement(call.op->name(), *device);
    }
    on_host = std::make_unique<HostExecutor>(plan, *device, name, plan_options.check);
  }

  // On several devices, or on one other than that which was asked for, where the graph names it for all nodes.
  void place(const Graph& source, const ExecutableOptions& options) {
    graph = remove_dead_nodes(source);
    // Constants would follow nothing and make parts of their own.
    if (options.passes.runs("fold_constants")) graph = remove_dead_nodes(fold_constants(graph));
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

  void require_inputs(std::size_t count) const {
    const std::size_t expected = graph.inputs().size();
    if (count != expected) throw_input_count(expected, count);
  }

  RunFrame& frame() {
    if (own_frame == nullptr) own_frame = &on_host->lease();
    return *own_frame;
  }
  const std::vector<Tensor>& results() { return on_host ? frame().outputs() : outputs; }
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
  impl_->on_host->run(impl_->frame(), inputs);
}

void Executable::run_on(std::span<const Tensor> inputs) {
  impl_->require_inputs(inputs.size());
  if (impl_->placed) return impl_->placed->run(inputs);
  if (impl_->on_stream) return impl_->on_stream->run(inputs);
  std::vector<const void*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(input.raw_data());
  run(pointers);
}

const Tensor& Executable::output(std::size_t index) const { return impl_->results().at(index); }

bool Executable::is_on_host() const { return impl_->on_host != nullptr; }

const std::vector<Variable>& Executable::assigned_variables() const { return impl_->assigned; }

Executable::Lease Executable::lease() {
  if (!is_on_host()) throw RuntimeError("Only executables on the host have frames to lease.");
  return Lease(*impl_->on_host, graph().inputs().size());
}

Executable::Lease::Lease(HostExecutor& executor, std::size_t inputs)
    : executor_(&executor), frame_(&executor.lease()), inputs_(inputs) {}

Executable::Lease::~Lease() {
  if (frame_ != nullptr) executor_->give_back(*frame_);
}

Executable::Lease::Lease(Lease&& other) noexcept
    : executor_(other.executor_), frame_(std::exchange(other.frame_, nullptr)), inputs_(other.inputs_) {}

Executable::Lease& Executable::Lease::operator=(Lease&& other) noexcept {
  std::swap(executor_, other.executor_);
  std::swap(frame_, other.frame_);
  std::swap(inputs_, other.inputs_);
  return *this;
}

void Executable::Lease::require_inputs(std::size_t count) const {
  if (count != inputs_) throw_input_count(inputs_, count);
}

void Executable::Lease::run(std::span<const void* const> inputs) {
  require_inputs(inputs.size());
  executor_->run(*frame_, inputs);
}

void Executable::Lease::take_variables(VariableValues* own) { executor_->take_variables(*frame_, own); }

bool Executable::Lease::take_variables_again(VariableValues* own) {
  return executor_->take_variables_again(*frame_, own);
}

void Executable::Lease::run_taken(std::span<const void* const> inputs) {
  require_inputs(inputs.size());
  executor_->run_taken(*frame_, inputs);
}

const std::vector<Tensor>& Executable::Lease::outputs() const { return frame_->outputs(); }

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
  for (const Tensor& output : impl_->results()) results.push_back(output.clone());
  return results;
}

const Graph& Executable::graph() const { return impl_->graph; }
const Plan& Executable::plan() const { return impl_->plan; }
LogicalDevice& Executable::device() const { return *impl_->device; }

std::size_t Executable::memory_bytes() const {
  if (impl_->placed) return impl_->placed->memory_bytes();
  if (impl_->on_stream) return impl_->on_stream->memory_bytes();
  return impl_->on_host->memory_bytes();
}

}  // namespace rhyton::graph

#include <rhyton/framework/graph/placed_executor.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/graph/program.h>
#include <rhyton/framework/profiler/profiler.h>

namespace rhyton::graph {
namespace {

/// Whether memory of one device can be read directly on the other.
bool share_memory(const LogicalDevice& a, const LogicalDevice& b) { return &a == &b || (a.is_host() && b.is_host()); }

void copy(LogicalDevice& target_device, void* target, LogicalDevice& source_device, const void* source,
          std::size_t bytes) {
  const profiler::Trace trace(target_device.is_host() ? "copy to the host" : "copy to a device");
  if (&target_device == &source_device) {
    const std::scoped_lock lock(target_device.stream().mutex());
    return copy_between_devices(target_device, target, source_device, source, bytes);
  }
  const std::scoped_lock lock(target_device.stream().mutex(), source_device.stream().mutex());
  copy_between_devices(target_device, target, source_device, source, bytes);
}

void copy(Tensor target, const Tensor& source) {
  copy(target.device(), target.mutable_device_data(), source.device(), source.device_data(), source.spec().bytes());
}

}  // namespace

struct PlacedExecutor::Part {
  LogicalDevice* device = nullptr;
  std::vector<ValueId> inputs;
  Executable executable;
  /// The copies after its run.
  std::vector<std::pair<Tensor, Tensor>> copies_to_from = {};
  /// The arguments of a run, kept so that the next one allocates nothing.
  std::vector<Tensor> tensors = {};
  std::vector<const void*> pointers = {};
};

/// New values of the variables on one device, assigned when all parts have run: a graph of updates alone, so that a GPU
/// runs them together.
struct PlacedExecutor::Assignments {
  std::vector<Variable> variables;
  std::vector<Tensor> values;
  Executable executable;
};

/// The inputs of one run: tensors, or elements in host memory.
class PlacedExecutor::Arguments {
 public:
  explicit Arguments(std::span<const Tensor> tensors) : tensors_(tensors) {}
  explicit Arguments(std::span<const void* const> elements) : elements_(elements) {}

  /// Null for elements.
  const Tensor* tensor(int input) const { return tensors_.empty() ? nullptr : &tensors_[at(input)]; }
  LogicalDevice& device(int input) const {
    return tensors_.empty() ? device_runtime().host() : tensors_[at(input)].device();
  }
  /// The address on that device.
  const void* data(int input) const {
    return tensors_.empty() ? elements_[at(input)] : tensors_[at(input)].device_data();
  }

 private:
  static std::size_t at(int input) { return static_cast<std::size_t>(input); }

  std::span<const Tensor> tensors_;
  std::span<const void* const> elements_;
};

PlacedExecutor::PlacedExecutor(Graph graph, const DeviceAssignment& devices, const ExecutableOptions& options,
                               LogicalDevice& device)
    : graph_(std::move(graph)), device_(device), name_(options.name) {
  const Partition partition = graph::partition(graph_, devices);
  std::map<const void*, Variable> variables;
  for (const Value& value : graph_.values()) {
    if (value.kind == Value::Kind::variable) variables.emplace(value.variable.identity(), value.variable);
  }
  for (const Update& update : graph_.updates) variables.emplace(update.variable.identity(), update.variable);
  for (const auto& [identity, variable] : variables) homes_.emplace_back(variable, &devices.of(variable));

  make_parts(partition, options);
  plan_copies(partition);
  for (const ValueId output : graph_.outputs) outputs_.push_back(result(output, device));
  plan_assignments(partition, devices, options);
  plan_ = plan_of_parts();
  if (logs_plans()) std::fprintf(stderr, "%s\n", to_string().c_str());
}

PlacedExecutor::~PlacedExecutor() = default;

void PlacedExecutor::make_parts(const Partition& partition, const ExecutableOptions& options) {
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    const GraphPart& part = partition.parts[p];
    ExecutableOptions own = options;
    // The outputs of all parts exist at once.
    own.frame_pool = nullptr;
    own.name = fmt::format("{}, part {} of {} on {}", name_, p + 1, partition.parts.size(), part.device->name());
    own.device = part.device;
    parts_.push_back({part.device, part.inputs, Executable(part.graph, own)});
    for (std::size_t i = 0; i < part.outputs.size(); ++i) {
      computed_.emplace(part.outputs[i], parts_.back().executable.output(i));
    }
  }
}

void PlacedExecutor::plan_copies(const Partition& partition) {
  std::map<ValueId, Part*> makers;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (const ValueId output : partition.parts[p].outputs) makers[output] = &parts_[p];
    for (const ValueId input : parts_[p].inputs) {
      LogicalDevice& device = *parts_[p].device;
      if (copies_.contains({input, &device})) continue;
      if (const auto source = computed_.find(input); source != computed_.end()) {
        if (share_memory(source->second.device(), device)) continue;
        makers.at(input)->copies_to_from.emplace_back(make_copy(input, device), source->second);
      } else {
        copied_at_start_.emplace_back(input, &device);
      }
    }
  }
  std::sort(copied_at_start_.begin(), copied_at_start_.end());
  copied_at_start_.erase(std::unique(copied_at_start_.begin(), copied_at_start_.end()), copied_at_start_.end());
}

void PlacedExecutor::plan_assignments(const Partition& partition, const DeviceAssignment& devices,
                                      const ExecutableOptions& options) {
  std::map<LogicalDevice*, std::vector<Update>> by_device;
  for (const Update& update : partition.updates) by_device[&devices.of(update.variable)].push_back(update);
  for (const auto& [device, updates] : by_device) {
    Graph graph;
    std::vector<Variable> variables;
    std::vector<Tensor> values;
    for (const Update& update : updates) {
      variables.push_back(update.variable);
      values.push_back(result(update.value, *device));
      graph.updates.push_back({update.variable, graph.add_input({values.back().spec(), -1})});
    }
    ExecutableOptions own = options;
    own.frame_pool = nullptr;
    own.name = fmt::format("{}, variables on {}", name_, device->name());
    own.device = device;
    assignments_.push_back({std::move(variables), std::move(values), Executable(graph, own)});
  }
}

const Tensor& PlacedExecutor::make_copy(ValueId value, LogicalDevice& device) {
  Tensor& copy = copies_[{value, &device}];
  const TensorSpec& spec = graph_.value(value).spec;
  if (copy.is_empty()) copy = Tensor::uninitialized(spec.shape, spec.dtype, device);
  return copy;
}

// The tensor of a value of the graph after all parts have run; `device`: its device if no part computes it.
Tensor PlacedExecutor::result(ValueId id, LogicalDevice& device) {
  if (const auto found = computed_.find(id); found != computed_.end()) return found->second;
  const Value& value = graph_.value(id);
  if (value.kind == Value::Kind::constant) return value.constant.to(device);
  Tensor& kept = kept_[{id, &device}];
  if (kept.is_empty()) kept = Tensor::uninitialized(value.spec.shape, value.spec.dtype, device);
  return kept;
}

void PlacedExecutor::run(std::span<const void* const> inputs) { run_all(Arguments(inputs)); }

void PlacedExecutor::run(std::span<const Tensor> inputs) { run_all(Arguments(inputs)); }

void PlacedExecutor::run_all(const Arguments& arguments) {
  const profiler::Trace trace(name_);
  move_variables();
  copy_at_start(arguments);
  for (Part& part : parts_) run_part(part, arguments);
  assign();
}

void PlacedExecutor::move_variables() {
  std::map<std::string, std::size_t> moved;
  for (const auto& [variable, home] : homes_) {
    if (variable.move_to(*home)) ++moved[home->full_name()];
  }
  for (const auto& [home, count] : moved) {
    log_device_event("Moved " + std::to_string(count) + " variables of " + name_ + " to " + home);
  }
}

void PlacedExecutor::copy_at_start(const Arguments& arguments) {
  const auto copy_input_or_variable = [&](const Value& value, const Tensor& target_handle) {
    Tensor target = target_handle;
    if (value.kind == Value::Kind::variable) return copy(target, value.variable.stored_value());
    copy(target.device(), target.mutable_device_data(), arguments.device(value.input), arguments.data(value.input),
         value.spec.bytes());
  };
  for (const auto& [id, device] : copied_at_start_) {
    const Value& value = graph_.value(id);
    LogicalDevice& source =
        value.kind == Value::Kind::variable ? value.variable.stored_value().device() : arguments.device(value.input);
    if (!share_memory(source, *device)) copy_input_or_variable(value, make_copy(id, *device));
  }
  for (const auto& [place, tensor] : kept_) copy_input_or_variable(graph_.value(place.first), tensor);
}

// Empty for elements in host memory that can be read directly.
Tensor PlacedExecutor::at_hand(ValueId id, LogicalDevice& device, const Arguments& arguments) const {
  const Value& value = graph_.value(id);
  if (const auto found = computed_.find(id); found != computed_.end()) {
    if (share_memory(found->second.device(), device)) return found->second;
  } else if (value.kind == Value::Kind::variable) {
    const Tensor& stored = value.variable.stored_value();
    if (share_memory(stored.device(), device)) return stored;
  } else if (share_memory(arguments.device(value.input), device)) {
    const Tensor* const given = arguments.tensor(value.input);
    return given == nullptr ? Tensor() : *given;
  }
  return copies_.at({id, &device});
}

void PlacedExecutor::run_part(Part& part, const Arguments& arguments) {
  part.tensors.clear();
  part.pointers.clear();
  for (const ValueId input : part.inputs) {
    part.tensors.push_back(at_hand(input, *part.device, arguments));
    const Tensor& tensor = part.tensors.back();
    part.pointers.push_back(tensor.is_empty() ? arguments.data(graph_.value(input).input) : tensor.device_data());
  }
  if (part.device->is_host()) {
    part.executable.run(part.pointers);
  } else {
    part.executable.run_on(part.tensors);
  }
  part.tensors.clear();  // a variable's value that is still held here could not be updated in place
  for (const auto& [target, source] : part.copies_to_from) copy(target, source);
}

void PlacedExecutor::assign() {
  // First the part that may throw: new memory, where an old value has other owners.
  for (const Assignments& assignments : assignments_) {
    for (const Variable& variable : assignments.variables) variable.writable_data();
  }
  for (Assignments& assignments : assignments_) assignments.executable.run_on(assignments.values);
}

Plan PlacedExecutor::plan_of_parts() const {
  Plan whole;
  for (const Part& part : parts_) {
    const Plan& own = part.executable.plan();
    if (own.batch > 0 && whole.batch == 0) {
      whole.batch = own.batch;
      whole.slice_size = own.slice_size;
      whole.slices = own.slices;
      whole.chunk = own.chunk;
    }
    whole.shared_bytes += own.shared_bytes;
    whole.worker_bytes = std::max(whole.worker_bytes, own.worker_bytes);
    whole.phases.insert(whole.phases.end(), own.phases.begin(), own.phases.end());
    whole.staging.insert(whole.staging.end(), own.staging.begin(), own.staging.end());
    whole.copies.insert(whole.copies.end(), own.copies.begin(), own.copies.end());
  }
  whole.output_specs = graph_.specs_of(graph_.outputs);
  return whole;
}

std::string PlacedExecutor::to_string() const {
  std::string text;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    text += fmt::format("{}, part {} of {}: {} ops on {}, then {} copies\n", name_, p + 1, parts_.size(),
                        parts_[p].executable.graph().nodes().size(), parts_[p].device->name(),
                        parts_[p].copies_to_from.size());
  }
  return text;
}

std::size_t PlacedExecutor::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) bytes += part.executable.memory_bytes();
  for (const Assignments& assignments : assignments_) bytes += assignments.executable.memory_bytes();
  for (const std::map<Place, Tensor>* tensors : {&copies_, &kept_}) {
    for (const auto& [place, tensor] : *tensors) bytes += tensor.spec().bytes();
  }
  return bytes;
}

}  // namespace rhyton::graph

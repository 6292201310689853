#include <rhyton/framework/distribute/local_devices.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/distribute/remote_graph.h>
#include <rhyton/framework/distribute/session_memory.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/host_executor.h>
#include <rhyton/framework/graph/program.h>
#include <rhyton/framework/ops/op_registry.h>

namespace rhyton::distribute {
namespace {

constexpr std::size_t max_graphs = 4096;
constexpr std::size_t longest_name = 1024;

LogicalDevice& cpu(int index) {
  const std::vector<LogicalDevice*> cpus = device_runtime().logical_devices("CPU");
  if (index < 0 || static_cast<std::size_t>(index) >= cpus.size()) {
    throw ValueError("The task has no CPU " + std::to_string(index) + ", but " + std::to_string(cpus.size()) + ".");
  }
  return *cpus[static_cast<std::size_t>(index)];
}

/// A graph that a client has sent. Between runs its variables have no values of their own.
class RemoteProgram {
 public:
  RemoteProgram(const RemoteGraph& description, std::span<const Tensor> constants, std::size_t max_bytes)
      : placeholders_(placeholders(description, max_bytes)),
        variables_(make_variables(description)),
        device_(&cpu(description.device)),
        executor_(compile(description, constants, variables_, max_bytes)) {
    for (const RemoteGraph::Input& input : description.inputs) inputs_.push_back(input.spec);
    drop_values();
  }

  void run(const RemoteRun& run, SessionMemory& memory) {
    require_count("inputs", run.inputs.size(), inputs_.size());
    require_count("variables", run.variables.size(), variables_.size());
    require_count("outputs", run.outputs.size(), executor_.graph().outputs.size());
    std::vector<Tensor> inputs;
    std::vector<const void*> elements;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs.push_back(memory.tensor(run.inputs[i], inputs_[i]));
      elements.push_back(inputs.back().raw_data());
    }
    const DeviceScope scope(*device_);
    const Binding binding(*this, run.variables, memory);
    executor_.run(elements);
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      // Copied: the next run overwrites it.
      const Tensor& output = executor_.outputs()[i];
      if (output.size() == 0) continue;
      memory.write(run.outputs[i], {static_cast<const std::byte*>(output.raw_data()), output.spec().bytes()});
    }
  }

 private:
  /// The variables have the values in the client's memory during its lifetime.
  class Binding {
   public:
    Binding(RemoteProgram& program, const std::vector<MemoryRegion>& regions, SessionMemory& memory)
        : program_(program), regions_(regions), memory_(memory) {
      try {
        for (; bound_ < regions.size(); ++bound_) {
          const Variable& variable = program.variables_[bound_];
          variable.set_stored_value(memory.take(regions[bound_], variable.spec()));
        }
      } catch (...) {
        put_back();
        throw;
      }
    }
    ~Binding() { put_back(); }
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

   private:
    void put_back() {
      for (std::size_t i = 0; i < bound_; ++i) {
        const Variable& variable = program_.variables_[i];
        memory_.put_back(regions_[i], variable.stored_value());
        variable.set_stored_value(program_.placeholder(variable.spec()));
      }
    }

    RemoteProgram& program_;
    const std::vector<MemoryRegion>& regions_;
    SessionMemory& memory_;
    std::size_t bound_ = 0;
  };

  /// Without an Executable, which would look for variables of other tasks, and so wait for steps of this process.
  static graph::Program compile(const RemoteGraph& description, std::span<const Tensor> constants,
                                std::span<const Variable> variables, std::size_t max_bytes) {
    const graph::ExecutableOptions options{.name = description.name.substr(0, longest_name)};
    return graph::compile(build_graph(description, constants, variables, max_bytes), options, cpu(description.device));
  }

  static void require_count(const char* what, std::size_t found, std::size_t expected) {
    if (found == expected) return;
    throw ValueError("A run has " + std::to_string(found) + " " + what + ", its graph " + std::to_string(expected) +
                     ".");
  }

  /// Memory for the largest variable, which all of them share between runs.
  static std::shared_ptr<Storage> placeholders(const RemoteGraph& description, std::size_t max_bytes) {
    std::size_t bytes = 0;
    for (const RemoteGraph::Variable& variable : description.variables) {
      const auto elements = static_cast<std::size_t>(variable.spec.shape.size());
      if (elements > max_bytes / size_of(variable.spec.dtype)) {
        throw ResourceExhaustedError("A variable of a graph that was sent has more bytes than the limit.");
      }
      bytes = std::max(bytes, elements * size_of(variable.spec.dtype));
    }
    return Storage::allocate(bytes);
  }

  Tensor placeholder(const TensorSpec& spec) const {
    return Tensor::from_storage(spec.shape, spec.dtype, placeholders_);
  }

  std::vector<Variable> make_variables(const RemoteGraph& description) const {
    std::vector<Variable> variables;
    for (const RemoteGraph::Variable& variable : description.variables) {
      if (variable.carries_batch && variable.spec.shape.rank() == 0) {
        throw ValueError("A graph that was sent is malformed: a scalar variable carries the batch.");
      }
      variables.emplace_back(Tensor::zeros(variable.spec.shape, variable.spec.dtype),
                             VariableOptions{.carries_batch = variable.carries_batch});
      variables.back().set_stored_value(placeholder(variable.spec));
    }
    return variables;
  }

  void drop_values() const {
    for (const Variable& variable : variables_) variable.set_stored_value(placeholder(variable.spec()));
  }

  std::shared_ptr<Storage> placeholders_;
  std::vector<Variable> variables_;
  std::vector<TensorSpec> inputs_;
  LogicalDevice* device_;
  graph::HostExecutor executor_;
};

class LocalSession final : public DeviceSession {
 public:
  LocalSession(std::size_t max_bytes, std::shared_ptr<std::atomic<int>> sessions)
      : max_bytes_(max_bytes), sessions_(std::move(sessions)), memory_(max_bytes) {}
  ~LocalSession() override { --*sessions_; }
  LocalSession(const LocalSession&) = delete;
  LocalSession& operator=(const LocalSession&) = delete;

  int cpus() const override { return static_cast<int>(device_runtime().logical_devices("CPU").size()); }

  void write(const MemoryRegion& target, std::span<const std::byte> bytes) override {
    const std::scoped_lock lock(mutex_);
    memory_.write(target, bytes);
  }

  void read(const MemoryRegion& source, std::span<std::byte> bytes) override {
    const std::scoped_lock lock(mutex_);
    memory_.read(source, bytes);
  }

  void copy(const MemoryRegion& target, const MemoryRegion& source, std::uint64_t bytes) override {
    const std::scoped_lock lock(mutex_);
    memory_.copy(target, source, bytes);
  }

  void call(const RemoteCall& call) override {
    const std::scoped_lock lock(mutex_);
    memory_.release(call.released);
    const DeviceScope scope(cpu(call.device));
    std::vector<Tensor> inputs;
    std::vector<TensorSpec> specs;
    std::size_t left = max_bytes_;
    for (const RemoteTensor& input : call.inputs) {
      left = left_of(left, input.spec, "The inputs of a call");
      inputs.push_back(memory_.tensor(input.region, input.spec));
      specs.push_back(input.spec);
    }
    const OpPtr op = make_op(call.op, call.attributes, specs);
    require_outputs(call, op->infer(specs));
    std::vector<Tensor> outputs = rhyton::apply(op, inputs);
    inputs.clear();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      memory_.store(call.outputs[i].region, outputs[i]);
      outputs[i] = Tensor();
    }
  }

  std::uint64_t compile(const RemoteGraph& graph) override {
    const std::scoped_lock lock(mutex_);
    if (programs_.size() >= max_graphs) {
      throw ResourceExhaustedError("A client may have " + std::to_string(max_graphs) + " graphs in a task.");
    }
    std::vector<Tensor> constants;
    for (const RemoteTensor& constant : graph.constants) {
      constants.push_back(memory_.tensor(constant.region, constant.spec));
    }
    const DeviceScope scope(cpu(graph.device));
    programs_.emplace(next_program_, std::make_unique<RemoteProgram>(graph, constants, max_bytes_));
    return next_program_++;
  }

  void run(const RemoteRun& run) override {
    const std::scoped_lock lock(mutex_);
    memory_.release(run.released);
    const auto found = programs_.find(run.graph);
    if (found == programs_.end()) {
      throw NotFoundError("The task has no graph " + std::to_string(run.graph) +
                          ": it was released, or the task was started again since.");
    }
    found->second->run(run, memory_);
  }

  void release(const std::vector<std::uint64_t>& blocks, const std::vector<std::uint64_t>& graphs) override {
    const std::scoped_lock lock(mutex_);
    memory_.release(blocks);
    for (const std::uint64_t graph : graphs) programs_.erase(graph);
  }

 private:
  void require_outputs(const RemoteCall& call, const std::vector<TensorSpec>& expected) const {
    bool fit = call.outputs.size() == expected.size();
    std::size_t left = max_bytes_;
    for (std::size_t i = 0; i < expected.size() && fit; ++i) {
      fit = call.outputs[i].spec == expected[i];
      left = left_of(left, expected[i], "The outputs of a call");
    }
    if (!fit)
      throw ValueError("The outputs of op " + call.op + " have other specs than those that the caller expects.");
  }

  const std::size_t max_bytes_;
  const std::shared_ptr<std::atomic<int>> sessions_;
  std::mutex mutex_;
  SessionMemory memory_;
  std::map<std::uint64_t, std::unique_ptr<RemoteProgram>> programs_;
  std::uint64_t next_program_ = 1;
};

}  // namespace

std::shared_ptr<DeviceSession> LocalDevices::open_session() {
  if (++*sessions_ > max_sessions) {
    --*sessions_;
    throw ResourceExhaustedError("A task has at most " + std::to_string(max_sessions) + " clients at a time.");
  }
  return std::make_shared<LocalSession>(max_bytes_, sessions_);
}

}  // namespace rhyton::distribute

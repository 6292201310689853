#include <rhyton/framework/distribute/remote_executor.h>

#include <cstddef>
#include <memory>
#include <mutex>

#include <rhyton/framework/distribute/remote_errors.h>
#include <rhyton/framework/distribute/remote_graph.h>
#include <rhyton/framework/ops/placement.h>
#include <rhyton/framework/profiler/profiler.h>

namespace rhyton::distribute {

template <class Work>
void RemoteExecutor::in_function(const Work& work) const {
  with_device("function '" + name_ + "'", device_.full_name(), work);
}

RemoteExecutor::RemoteExecutor(const graph::Graph& graph, const graph::ExecutableOptions& options, RemoteDevice& device)
    : graph_(graph), name_(options.name), device_(device), variables_(variables_of(graph_)) {
  std::vector<Tensor> constants;
  RemoteGraph description = describe(graph_, device.full_name(), constants);
  description.name = name_;
  description.device = device.index();
  for (const Tensor& constant : constants) {
    constants_.push_back(constant.to(device_));
    description.constants.push_back(
        {device_.connection().region(constants_.back().device_data()), constants_.back().spec()});
  }
  is_assigned_.assign(variables_.size(), false);
  for (const RemoteGraph::Update& update : description.updates) {
    is_assigned_[static_cast<std::size_t>(update.variable)] = true;
  }
  plan_.output_specs = graph_.specs_of(graph_.outputs);
  for (const TensorSpec& spec : plan_.output_specs) {
    outputs_.push_back(Tensor::uninitialized(spec.shape, spec.dtype, device_));
  }
  copies_.resize(graph_.inputs().size());
  for (const graph::Node& node : graph_.nodes()) log_placement(node.op->name(), device_);
  in_function([&] {
    const std::shared_ptr<DeviceSession> session = device_.connection().session();
    handle_ = session->compile(description);
    session_ = session;
  });
}

RemoteExecutor::~RemoteExecutor() { device_.connection().release_graph(handle_, session_); }

void RemoteExecutor::run(std::span<const void* const> inputs) {
  in_function([&] {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const TensorSpec& spec = graph_.value(graph_.inputs()[i]).spec;
      if (copies_[i].is_empty()) copies_[i] = Tensor::uninitialized(spec.shape, spec.dtype, device_);
      device_.stream().copy_from_host(copies_[i].mutable_device_data(), inputs[i], spec.bytes());
    }
    run_there(copies_);
  });
}

void RemoteExecutor::run(std::span<const Tensor> inputs) {
  in_function([&] {
    std::vector<Tensor> there;
    for (const Tensor& input : inputs) there.push_back(input.to(device_));
    run_there(there);
  });
}

void RemoteExecutor::run_there(const std::vector<Tensor>& inputs) {
  const profiler::Trace trace(name_);
  if (device_.connection().session() != session_.lock()) {
    // In another session the number may be that of another graph.
    throw NotFoundError(device_.connection().name() +
                        " was started again since the function was compiled: compile it again.");
  }
  const std::scoped_lock lock(device_.stream().mutex());
  TaskConnection& connection = device_.connection();
  RemoteRun run{.graph = handle_, .inputs = {}, .variables = {}, .outputs = {}, .released = {}};
  // First what may copy an old value that has other owners.
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    variables_[i].move_to(device_);
    if (is_assigned_[i]) variables_[i].writable_data();
  }
  for (const Variable& variable : variables_) {
    run.variables.push_back(connection.region(variable.stored_value().device_data()));
  }
  for (const Tensor& input : inputs) run.inputs.push_back(connection.region(input.device_data()));
  for (Tensor& output : outputs_) run.outputs.push_back(connection.region(output.mutable_device_data()));
  const std::shared_ptr<DeviceSession> session = connection.session();
  connection.send_released(*session);
  run.released = connection.take_released();
  session->run(run);
}

std::size_t RemoteExecutor::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Tensor& output : outputs_) bytes += output.spec().bytes();
  return bytes;
}

}  // namespace rhyton::distribute

#include <rhyton/models/cluster/parameter_server.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <utility>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/greeting.h>

namespace rhyton::distribute {
namespace {

std::string description_of(const TensorSpec& spec) {
  return "shape " + spec.shape.to_string() + " and dtype " + std::string(name_of(spec.dtype));
}

void require_same_spec(const std::string& what, const NamedTensor& tensor, const Variable& variable) {
  if (tensor.value.spec() == variable.spec() && tensor.indices.is_empty()) return;
  throw ValueError(what + " '" + tensor.name + "' has " + description_of(tensor.value.spec()) +
                   (tensor.indices.is_empty() ? "" : ", with indices") + ", but the variable of the task has " +
                   description_of(variable.spec()) + ".");
}

/// Without the name, which is another one for each optimizer that a program creates.
io::Json without_name(io::Json optimizer) {
  if (io::Json* const config = optimizer.is_object() ? optimizer.find("config") : nullptr;
      config != nullptr && config->is_object()) {
    config->erase("name");
  }
  return optimizer;
}

/// Assigns a value of the variable's shape and dtype, in the memory of the variable unless others still read the old
/// one.
void overwrite(const Variable& variable, const Tensor& value) {
  const std::size_t bytes = value.spec().bytes();
  if (bytes == 0) return;
  if (!variable.stored_value().device().is_host() || !value.device().is_host()) {
    variable.assign(value);
    return;
  }
  std::memcpy(variable.writable_data(), value.raw_data(), bytes);
}

void require_distinct(const std::vector<NamedTensor>& tensors) {
  std::set<std::string> names;
  for (const NamedTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) throw ValueError("'" + tensor.name + "' is given twice.");
  }
}

}  // namespace

ParameterServer::ParameterServer(ClusterSpec cluster, TaskSpec task)
    : cluster_(std::move(cluster)), task_(std::move(task)) {}

TaskGreeting ParameterServer::greet(const TaskGreeting& caller) { return answer_to(caller, task_, cluster_); }

void ParameterServer::create(const std::vector<NamedTensor>& variables) {
  const std::scoped_lock lock(mutex_);
  require_distinct(variables);
  for (const NamedTensor& variable : variables) {
    const auto found = variables_.find(variable.name);
    if (found != variables_.end()) {
      require_same_spec("The new variable", variable, found->second);
    } else if (variable.name.empty() || !variable.indices.is_empty()) {
      throw ValueError("A variable needs a name and no indices.");
    } else if (!optimizer_.is_empty() && optimizer_.is_built()) {
      throw RuntimeError("The variable '" + variable.name +
                         "' is new, but gradients were applied already: all variables have to be created before.");
    }
  }
  for (const NamedTensor& variable : variables) {
    if (variables_.contains(variable.name)) continue;
    variables_.emplace(variable.name, Variable(variable.value, {.name = variable.name}));
  }
}

void ParameterServer::assign(const std::vector<NamedTensor>& values) {
  const std::scoped_lock lock(mutex_);
  require_distinct(values);
  for (const NamedTensor& value : values) require_same_spec("The value", value, find(value.name));
  for (const NamedTensor& value : values) overwrite(find(value.name), value.value);
}

std::vector<NamedTensor> ParameterServer::read(const std::vector<std::string>& names) {
  const std::scoped_lock lock(mutex_);
  std::vector<NamedTensor> values;
  // Handles: a later step writes to memory of its own while these are sent.
  for (const std::string& name : names) values.push_back({.name = name, .value = find(name).stored_value()});
  if (names.empty()) {
    for (const auto& [name, variable] : variables_) values.push_back({.name = name, .value = variable.stored_value()});
  }
  return values;
}

void ParameterServer::set_optimizer(const io::Json& optimizer) {
  const std::scoped_lock lock(mutex_);
  if (!optimizer_.is_empty()) {
    if (without_name(optimizer) == without_name(optimizer_config_)) return;
    throw ValueError("The task has the optimizer " + optimizer_config_.dump() + ", the caller " + optimizer.dump() +
                     ".");
  }
  optimizer_ = optimizers::deserialize(optimizer);
  optimizer_config_ = optimizer;
}

std::int64_t ParameterServer::apply_gradients(const std::vector<NamedTensor>& gradients) {
  const std::scoped_lock lock(mutex_);
  if (optimizer_.is_empty()) throw RuntimeError("Gradients came before an optimizer was set.");
  if (gradients.empty()) throw ValueError("No gradients provided for any variable.");
  require_distinct(gradients);
  std::vector<Tensor> values;
  std::vector<Variable> variables;
  for (const NamedTensor& gradient : gradients) {
    const Variable& variable = find(gradient.name);
    values.push_back(dense_gradient(gradient, variable));
    variables.push_back(variable);
  }
  if (!optimizer_.is_built()) {
    std::vector<Variable> all;
    for (const auto& [name, variable] : variables_) all.push_back(variable);
    optimizer_.build(all);
  }
  optimizer_.apply(values, variables);
  return static_cast<std::int64_t>(optimizer_.iterations().item());
}

std::int64_t ParameterServer::iterations() {
  const std::scoped_lock lock(mutex_);
  return optimizer_.is_empty() ? 0 : static_cast<std::int64_t>(optimizer_.iterations().item());
}

void ParameterServer::shut_down() {
  {
    const std::scoped_lock lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_all();
}

void ParameterServer::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return is_ended_; });
}

const Variable& ParameterServer::find(const std::string& name) const {
  const auto found = variables_.find(name);
  if (found != variables_.end()) return found->second;
  throw NotFoundError("The task has no variable '" + name + "'.");
}

TaskReply ParameterServer::call(const TaskCall& call, const std::stop_token& /*stop*/) { return job_.call(call); }

}  // namespace rhyton::distribute

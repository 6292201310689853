#include <rhyton/models/cluster/served_job.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::distribute {
namespace {

const std::string slot_prefix = "optimizer/";

std::string spec_text_of(const TensorSpec& spec) {
  return "shape " + spec.shape.to_string() + " and dtype " + std::string(name_of(spec.dtype));
}

void require_fitting_spec(const std::string& what, const NamedTensor& tensor, const Variable& variable) {
  if (tensor.value.spec() == variable.spec() && tensor.indices.is_empty()) return;
  throw ValueError(what + " '" + variable.path() + "' has " + spec_text_of(tensor.value.spec()) +
                   (tensor.indices.is_empty() ? "" : ", with indices") + ", but the variable of the task has " +
                   spec_text_of(variable.spec()) + ".");
}

}  // namespace

Tensor dense_gradient(const NamedTensor& gradient, const Variable& variable) {
  if (gradient.indices.is_empty()) {
    require_fitting_spec("The gradient", gradient, variable);
    return gradient.value;
  }
  const Tensor& rows = gradient.value;
  const Tensor& indices = gradient.indices;
  const bool is_index = indices.rank() == 1 && (indices.dtype() == int32 || indices.dtype() == int64);
  const bool has_rows = rows.rank() >= 1 && rows.rank() == variable.shape().rank() && is_index &&
                        rows.spec() == TensorSpec{variable.shape().with(0, indices.shape()[0]), variable.dtype()};
  if (!has_rows) {
    throw ValueError("The gradient '" + gradient.name + "' has rows of " + spec_text_of(rows.spec()) +
                     " and indices of " + spec_text_of(indices.spec()) + ", but the variable of the task has " +
                     spec_text_of(variable.spec()) + ".");
  }
  return scatter(indices.reshape({-1, 1}), rows, variable.shape());
}

TaskReply ServedJob::call(const TaskCall& call) {
  const std::string job = call.arguments.get_or("job", std::string());
  watch_.note(job);
  if (call.function == "ping") {
    watch_.require(job);
    return {};
  }
  if (call.function == "end") {
    watch_.end(job, call.arguments.get_or("number", 0), call.arguments.get_or("error", std::string()));
    return {};
  }
  const std::scoped_lock lock(mutex_);
  if (call.function == "begin") {
    begin(call);
    return {};
  }
  watch_.require(job);
  if (call.function == "pull") return pull();
  if (call.function == "push") return push(call);
  if (call.function == "stage") return stage(call);
  if (call.function == "commit") return commit(call);
  if (call.function == "state") return state();
  if (call.function == "assign") {
    assign(call.tensors);
    return {};
  }
  throw NotFoundError("The task has no function '" + call.function + "'.");
}

void ServedJob::begin(const TaskCall& call) {
  std::map<std::string, Tensor> values;
  for (const NamedTensor& tensor : call.tensors) values[tensor.name] = tensor.value;
  std::map<std::string, Served> variables;
  std::vector<std::string> order;
  std::vector<Variable> trained;
  std::vector<Variable> without_decay;
  for (const io::Json& entry : call.arguments["variables"]) {
    const std::string& key = entry["key"].as_string();
    const auto value = values.find(key);
    if (value == values.end()) throw ValueError("The variable '" + key + "' has no value.");
    const bool is_trained = entry["trained"].as_bool();
    const Variable variable(
        value->second, {.trainable = is_trained, .name = entry["name"].as_string(), .path = entry["path"].as_string()});
    if (!variables.emplace(key, Served{variable, is_trained}).second) {
      throw ValueError("'" + key + "' is given twice.");
    }
    order.push_back(key);
    if (is_trained) trained.push_back(variable);
    if (is_trained && !entry["decays"].as_bool()) without_decay.push_back(variable);
  }
  optimizers::Optimizer optimizer;
  if (!trained.empty()) {
    optimizer = optimizers::deserialize(call.arguments["optimizer"]);
    if (!without_decay.empty()) optimizer.exclude_from_weight_decay(without_decay);
    optimizer.build(trained);
  }
  variables_ = std::move(variables);
  order_ = std::move(order);
  optimizer_ = std::move(optimizer);
  version_ = 0;
  applied_.clear();
  all_applied_below_ = 0;
  committed_ = -1;
  staged_.clear();
  std::vector<NamedTensor> slots;
  for (const NamedTensor& tensor : call.tensors) {
    if (tensor.name.starts_with(slot_prefix)) slots.push_back(tensor);
  }
  assign(slots);
  // Last: only a job that has begun is answered.
  watch_.begin(call.arguments["job"].as_string(), static_cast<int>(call.arguments["number"].as_int()));
}

TaskReply ServedJob::pull() const {
  TaskReply reply{.values = io::Json::object({{"version", version_}})};
  // Handles: a later update writes to memory of its own while these are sent.
  for (const std::string& key : order_) {
    reply.tensors.push_back({.name = key, .value = variables_.at(key).variable.stored_value()});
  }
  return reply;
}

TaskReply ServedJob::push(const TaskCall& call) {
  const std::int64_t step = call.arguments["step"].as_int();
  const std::int64_t below = call.arguments["all_done_below"].as_int();
  if (below > all_applied_below_) {
    all_applied_below_ = below;
    applied_.erase(applied_.begin(), applied_.lower_bound(below));
  }
  const std::int64_t staleness = version_ - call.arguments["version"].as_int();
  const bool is_new = step >= all_applied_below_ && !applied_.contains(step);
  if (is_new) {
    const std::vector<NamedTensor> tensors = fitting(call.tensors);
    applied_.insert(step);
    update(tensors);
  }
  return {.values = io::Json::object({{"applied", is_new}, {"version", version_}, {"staleness", staleness}})};
}

TaskReply ServedJob::stage(const TaskCall& call) {
  const std::int64_t step = call.arguments["step"].as_int();
  const bool is_stale = step <= committed_;
  if (!is_stale) {
    staged_[step].try_emplace(call.arguments["part"].as_int(),
                              Part{call.arguments["samples"].as_int(), fitting(call.tensors)});
  }
  return {.values = io::Json::object({{"stale", is_stale}, {"version", version_}})};
}

TaskReply ServedJob::commit(const TaskCall& call) {
  const std::int64_t step = call.arguments["step"].as_int();
  if (step > committed_) {
    const std::map<std::int64_t, Part>& staged = staged_[step];
    std::vector<const Part*> parts;
    for (const io::Json& number : call.arguments["parts"]) {
      const auto found = staged.find(number.as_int());
      if (found == staged.end()) {
        throw RuntimeError("Part " + number.dump() + " of step " + std::to_string(step) + " is missing.");
      }
      parts.push_back(&found->second);
    }
    const std::int64_t samples = call.arguments["samples"].as_int();
    std::vector<NamedTensor> sums;
    for (const std::string& key : order_) {
      NamedTensor sum = combined(key, parts, samples);
      if (!sum.value.is_empty()) sums.push_back(std::move(sum));
    }
    update(sums);
    committed_ = step;
    staged_.erase(staged_.begin(), staged_.upper_bound(step));
  }
  return {.values = io::Json::object({{"version", version_}})};
}

NamedTensor ServedJob::combined(const std::string& key, const std::vector<const Part*>& parts,
                                std::int64_t samples) const {
  const Served& served = find(key);
  std::int64_t received = 0;
  for (const Part* part : parts) received += part->samples;
  NamedTensor result{.name = key, .value = Tensor()};
  for (const Part* part : parts) {
    const auto found = std::find_if(part->tensors.begin(), part->tensors.end(),
                                    [&](const NamedTensor& tensor) { return tensor.name == key; });
    if (found == part->tensors.end()) continue;
    Tensor value = found->value;
    // Gradients are those of the parts' shares of the batch's loss, whose sum is the whole loss. A counter advances by
    // the same number in every part. Anything else, such as an average, takes the mean.
    if (!served.is_trained && !is_floating(value.dtype())) return *found;
    if (!served.is_trained) value = value * (static_cast<double>(part->samples) / static_cast<double>(received));
    result.value = result.value.is_empty() ? value : result.value + value;
  }
  if (served.is_trained && !result.value.is_empty() && received != samples) {
    result.value = result.value * (static_cast<double>(samples) / static_cast<double>(received));
  }
  return result;
}

void ServedJob::assign(const std::vector<NamedTensor>& values) {
  const std::vector<Variable> slots = optimizer_.is_empty() ? std::vector<Variable>() : optimizer_.variables();
  std::vector<Variable> variables;
  for (const NamedTensor& value : values) {
    Variable variable;
    if (value.name.starts_with(slot_prefix)) {
      const std::size_t index = std::stoul(value.name.substr(slot_prefix.size()));
      if (index >= slots.size()) throw ValueError("The optimizer of the task has no variable '" + value.name + "'.");
      variable = slots[index];
    } else {
      variable = find(value.name).variable;
    }
    require_fitting_spec("The value", value, variable);
    variables.push_back(variable);
  }
  for (std::size_t i = 0; i < values.size(); ++i) variables[i].assign(values[i].value);
}

TaskReply ServedJob::state() const {
  TaskReply reply;
  if (optimizer_.is_empty()) return reply;
  const std::vector<Variable> slots = optimizer_.variables();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    reply.tensors.push_back({.name = slot_prefix + std::to_string(i), .value = slots[i].stored_value()});
  }
  return reply;
}

const ServedJob::Served& ServedJob::find(const std::string& key) const {
  const auto found = variables_.find(key);
  if (found != variables_.end()) return found->second;
  throw NotFoundError("The task has no variable '" + key + "'.");
}

std::vector<NamedTensor> ServedJob::fitting(const std::vector<NamedTensor>& tensors) const {
  std::set<std::string> names;
  std::vector<NamedTensor> dense;
  for (const NamedTensor& tensor : tensors) {
    const Served& served = find(tensor.name);
    if (!names.insert(tensor.name).second) throw ValueError("'" + tensor.name + "' is given twice.");
    if (!served.is_trained) require_fitting_spec("The increment of", tensor, served.variable);
    dense.push_back(
        {.name = tensor.name, .value = served.is_trained ? dense_gradient(tensor, served.variable) : tensor.value});
  }
  return dense;
}

void ServedJob::update(const std::vector<NamedTensor>& tensors) {
  std::vector<Tensor> gradients;
  std::vector<Variable> trained;
  for (const NamedTensor& tensor : tensors) {
    const Served& served = find(tensor.name);
    if (served.is_trained) {
      gradients.push_back(tensor.value);
      trained.push_back(served.variable);
    }
  }
  if (!trained.empty()) optimizer_.apply(gradients, trained);
  for (const NamedTensor& tensor : tensors) {
    const Served& served = find(tensor.name);
    if (!served.is_trained) served.variable.assign_add(tensor.value);
  }
  ++version_;
}

}  // namespace rhyton::distribute

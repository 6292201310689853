#include <rhyton/models/cluster/served_variables.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::distribute {
namespace {

/// Access to which variables an optimizer decays: what `exclude_from_weight_decay` has excluded is not in its
/// configuration.
struct Decays : optimizers::OptimizerImpl {
  static bool decays(const optimizers::OptimizerImpl& optimizer, const Variable& variable) {
    const auto decay_of = &Decays::decay_of;
    return !optimizer.weight_decay_of(variable) || (optimizer.*decay_of)(variable).has_value();
  }
};

/// A mark in the path of a variable, by which the variables that an optimizer makes for it are recognized.
std::string marked(const Variable& variable, std::size_t index, std::size_t part) {
  return variable.path() + "/@" + std::to_string(index) + "." + std::to_string(part) + "@";
}

struct SlotName {
  /// Empty for a variable that belongs to the optimizer as a whole.
  std::optional<std::size_t> variable;
  std::size_t part = 0;
  std::string kind;
};

SlotName slot_name_of(const std::string& path) {
  const std::size_t begin = path.find("_@");
  const std::size_t end = begin == std::string::npos ? begin : path.find('@', begin + 2);
  if (end == std::string::npos) return {.variable = std::nullopt, .kind = path};
  const std::string numbers = path.substr(begin + 2, end - begin - 2);
  const std::size_t dot = numbers.find('.');
  return {.variable = std::stoul(numbers), .part = std::stoul(numbers.substr(dot + 1)), .kind = path.substr(end)};
}

/// The names of the variables that such an optimizer makes for these, in its order.
std::vector<std::pair<SlotName, TensorSpec>> slots_of(const optimizers::Optimizer& optimizer,
                                                      const std::vector<Variable>& marked_variables) {
  const optimizers::Optimizer twin = optimizers::deserialize(optimizers::serialize(optimizer));
  twin.build(marked_variables);
  std::vector<std::pair<SlotName, TensorSpec>> slots;
  for (const Variable& variable : twin.variables()) {
    slots.emplace_back(slot_name_of(variable.path()), variable.spec());
  }
  return slots;
}

/// Rows with elements other than zero, where those are at most half of many rows; else the gradient as it is.
NamedTensor without_zero_rows(const std::string& key, const Tensor& gradient) {
  constexpr std::int64_t few_rows = 64;
  NamedTensor dense{.name = key, .value = gradient};
  if (gradient.rank() < 2 || gradient.shape()[0] < few_rows || gradient.size() == 0) return dense;
  const std::int64_t rows = gradient.shape()[0];
  const std::size_t row_bytes = gradient.spec().bytes() / static_cast<std::size_t>(rows);
  const auto* const bytes = static_cast<const char*>(gradient.raw_data());
  const std::vector<char> zeros(row_bytes, 0);
  std::vector<std::int64_t> used;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (std::memcmp(bytes + static_cast<std::size_t>(row) * row_bytes, zeros.data(), row_bytes) == 0) continue;
    used.push_back(row);
    if (static_cast<std::int64_t>(used.size()) * 2 > rows) return dense;
  }
  if (used.empty()) used.push_back(0);
  const auto count = static_cast<std::int64_t>(used.size());
  Tensor values = Tensor::uninitialized(gradient.shape().with(0, count), gradient.dtype());
  auto* next = static_cast<char*>(values.mutable_raw_data());
  for (const std::int64_t row : used) {
    std::memcpy(next, bytes + static_cast<std::size_t>(row) * row_bytes, row_bytes);
    next += row_bytes;
  }
  return {.name = key, .value = values, .indices = Tensor::from_data<std::int64_t>({count}, used)};
}

}  // namespace

ServedVariables::ServedVariables(std::vector<RemoteTask> servers, JobVariables variables,
                                 const VariablePartitioner& partitioner)
    : servers_(std::move(servers)),
      variables_(std::move(variables)),
      all_([&] {
        std::vector<Variable> all = variables_.trained;
        all.insert(all.end(), variables_.others.begin(), variables_.others.end());
        return all;
      }()),
      placement_(all_, static_cast<int>(servers_.size()), partitioner),
      pulled_versions_(servers_.size()) {
  require_servable(variables_, static_cast<int>(servers_.size()), partitioner);
}

void ServedVariables::for_each_server(const std::function<void(int server)>& work) const {
  if (servers_.size() == 1) return work(0);
  std::mutex mutex;
  std::exception_ptr error;
  {
    std::vector<std::jthread> threads;
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      threads.emplace_back([&, s] {
        try {
          work(static_cast<int>(s));
        } catch (...) {
          const std::scoped_lock lock(mutex);
          if (!error) error = std::current_exception();
        }
      });
    }
  }
  if (error) std::rethrow_exception(error);
}

void ServedVariables::lay_out_optimizer() {
  std::vector<Variable> whole;
  std::vector<std::vector<Variable>> parts(servers_.size());
  for (std::size_t i = 0; i < variables_.trained.size(); ++i) {
    const Variable& variable = variables_.trained[i];
    const auto like = [&](const Shape& shape, std::size_t part) {
      return Variable(Tensor::zeros(shape, variable.dtype()),
                      {.name = variable.name(), .path = marked(variable, i, part)});
    };
    whole.push_back(like(variable.shape(), 0));
    const std::vector<Shard>& shards = placement_.shards_of(i);
    for (std::size_t k = 0; k < shards.size(); ++k) {
      const Shape shape = shards.size() == 1 ? variable.shape() : variable.shape().with(0, shards[k].rows);
      parts[static_cast<std::size_t>(shards[k].server)].push_back(like(shape, k));
    }
  }
  slot_variables_ = variables_.optimizer.variables();
  slots_.assign(slot_variables_.size(), {});
  if (whole.empty()) return;
  std::map<std::pair<std::optional<std::size_t>, std::string>, std::size_t> own;
  const auto own_slots = slots_of(variables_.optimizer, whole);
  if (own_slots.size() != slots_.size()) {
    throw NotImplementedError("ParameterServerStrategy cannot divide the state of " +
                              variables_.optimizer.class_name() + ".");
  }
  for (std::size_t j = 0; j < own_slots.size(); ++j) {
    own[{own_slots[j].first.variable, own_slots[j].first.kind}] = j;
  }
  for (std::size_t s = 0; s < servers_.size(); ++s) {
    if (parts[s].empty()) continue;
    const auto served = slots_of(variables_.optimizer, parts[s]);
    for (std::size_t index = 0; index < served.size(); ++index) {
      const SlotName& name = served[index].first;
      const std::size_t j = own.at({name.variable, name.kind});
      Slot slot{.server = static_cast<int>(s), .index = index, .rows = {}};
      if (name.variable) slot.rows = placement_.shards_of(*name.variable).at(name.part);
      slots_[j].push_back(slot);
    }
  }
}

bool ServedVariables::has_changed(std::size_t index) const {
  const Variable& variable = index < all_.size() ? all_[index] : slot_variables_[index - all_.size()];
  return index >= versions_.size() || variable.version() != versions_[index];
}

void ServedVariables::note_versions() {
  versions_.clear();
  for (const Variable& variable : all_) versions_.push_back(variable.version());
  for (const Variable& variable : slot_variables_) versions_.push_back(variable.version());
}

std::vector<NamedTensor> ServedVariables::tensors_for(int server, bool only_changes) const {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (only_changes && !has_changed(i)) continue;
    for (const Shard& shard : placement_.shards_of(i)) {
      if (shard.server != server) continue;
      tensors.push_back({.name = shard.key, .value = rows_of(all_[i].stored_value(), shard)});
    }
  }
  for (std::size_t j = 0; j < slot_variables_.size(); ++j) {
    if (only_changes && !has_changed(all_.size() + j)) continue;
    for (const Slot& slot : slots_[j]) {
      if (slot.server != server) continue;
      // A variable of the optimizer as a whole, or one of another shape than its variable's, has no rows to divide.
      const bool is_whole = slot.rows.key.empty() || slot.rows.key.find('/') == std::string::npos;
      const Tensor& value = slot_variables_[j].stored_value();
      tensors.push_back(
          {.name = "optimizer/" + std::to_string(slot.index), .value = is_whole ? value : rows_of(value, slot.rows)});
    }
  }
  return tensors;
}

void ServedVariables::begin(const std::string& job, int number) {
  job_ = job;
  number_ = number;
  lay_out_optimizer();
  const io::Json optimizer = optimizers::serialize(variables_.optimizer);
  for_each_server([&](int server) {
    io::Json entries = io::Json::array();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const bool is_trained = i < variables_.trained.size();
      for (const Shard& shard : placement_.shards_of(i)) {
        if (shard.server != server) continue;
        entries.push_back(
            io::Json::object({{"key", shard.key},
                              {"name", all_[i].name()},
                              {"path", all_[i].path()},
                              {"trained", is_trained},
                              {"decays", is_trained && Decays::decays(*variables_.optimizer.impl(), all_[i])}}));
      }
    }
    servers_[static_cast<std::size_t>(server)].call(
        {.function = "begin",
         .arguments =
             io::Json::object({{"job", job}, {"number", number}, {"optimizer", optimizer}, {"variables", entries}}),
         .tensors = tensors_for(server, false)});
  });
  note_versions();
}

void ServedVariables::send_changes() {
  if (variables_.optimizer.impl()->variables().size() != slot_variables_.size()) {
    throw NotImplementedError(
        "A learning rate schedule cannot be set while parameter servers train: expected it at `compile`.");
  }
  bool is_any = false;
  for (std::size_t i = 0; i < versions_.size() && !is_any; ++i) is_any = has_changed(i);
  if (!is_any) return;
  for_each_server([&](int server) {
    const std::vector<NamedTensor> tensors = tensors_for(server, true);
    if (tensors.empty()) return;
    servers_[static_cast<std::size_t>(server)].call(
        {.function = "assign", .arguments = io::Json::object({{"job", job_}}), .tensors = tensors});
  });
  note_versions();
}

std::vector<std::vector<NamedTensor>> ServedVariables::pull_all() {
  std::vector<std::vector<NamedTensor>> values(servers_.size());
  for_each_server([&](int server) {
    const auto at = static_cast<std::size_t>(server);
    TaskReply reply = servers_[at].call(
        {.function = "pull", .arguments = io::Json::object({{"job", job_}}), .has_deadline = false}, stop_);
    pulled_versions_[at] = reply.values["version"].as_int();
    values[at] = std::move(reply.tensors);
  });
  return values;
}

Tensor ServedVariables::whole(const Variable& variable, const std::vector<Tensor>& parts) const {
  Tensor value = parts.front();
  if (parts.size() > 1) {
    value = Tensor::uninitialized(variable.shape(), variable.dtype());
    auto* next = static_cast<char*>(value.mutable_raw_data());
    std::size_t left = value.spec().bytes();
    for (const Tensor& part : parts) {
      if (part.dtype() != variable.dtype() || part.spec().bytes() > left) break;
      std::memcpy(next, part.raw_data(), part.spec().bytes());
      next += part.spec().bytes();
      left -= part.spec().bytes();
    }
    if (left != 0) throw ValueError("The parts of '" + variable.path() + "' on the servers have other shapes.");
  }
  if (value.spec() == variable.spec()) return value;
  throw ValueError("The servers' value of '" + variable.path() + "' has shape " + value.shape().to_string() +
                   " and dtype " + std::string(name_of(value.dtype())) + ", but the variable has shape " +
                   variable.shape().to_string() + " and dtype " + std::string(name_of(variable.dtype())) + ".");
}

void ServedVariables::pull() {
  std::map<std::string, Tensor> values;
  for (const std::vector<NamedTensor>& of_server : pull_all()) {
    for (const NamedTensor& value : of_server) values[value.name] = value.value;
  }
  pulled_others_.clear();
  const std::unique_lock between_steps(step_mutex());
  for (std::size_t i = 0; i < all_.size(); ++i) {
    std::vector<Tensor> parts;
    for (const Shard& shard : placement_.shards_of(i)) {
      const auto found = values.find(shard.key);
      if (found == values.end()) throw ValueError("The servers have no value of '" + all_[i].path() + "'.");
      parts.push_back(found->second);
    }
    const Tensor value = whole(all_[i], parts);
    if (i >= variables_.trained.size()) pulled_others_.push_back(value.clone());
    all_[i].set_stored_value(value);
  }
}

void ServedVariables::take_all() {
  pull();
  std::vector<std::vector<NamedTensor>> states(servers_.size());
  for_each_server([&](int server) {
    const auto at = static_cast<std::size_t>(server);
    states[at] = servers_[at]
                     .call({.function = "state", .arguments = io::Json::object({{"job", job_}}), .has_deadline = false})
                     .tensors;
  });
  const std::unique_lock between_steps(step_mutex());
  const std::vector<Variable>& slots = slot_variables_;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    if (slots_[j].empty()) continue;
    std::vector<Tensor> parts;
    for (const Slot& slot : slots_[j]) {
      const auto& state = states[static_cast<std::size_t>(slot.server)];
      if (slot.index >= state.size()) throw ValueError("The servers have no value of '" + slots[j].path() + "'.");
      parts.push_back(state[slot.index].value);
      // All servers have the same value of what belongs to the optimizer as a whole.
      if (slot.rows.key.find('/') == std::string::npos) break;
    }
    slots[j].set_stored_value(whole(slots[j], parts));
  }
  note_versions();
}

void ServedVariables::commit(std::int64_t step, const std::vector<std::int64_t>& parts, std::int64_t samples) {
  for_each_server([&](int server) {
    servers_[static_cast<std::size_t>(server)].call(
        {.function = "commit",
         .arguments = io::Json::object(
             {{"job", job_}, {"step", step}, {"parts", io::Json::array_from(parts)}, {"samples", samples}}),
         .has_deadline = false});
  });
}

void ServedVariables::end(const std::string& error) {
  for_each_server([&](int server) {
    servers_[static_cast<std::size_t>(server)].call({.function = "end",
                                                     .arguments = io::Json::object({{"job", job_}, {"error", error}}),
                                                     .timeout = std::chrono::seconds(2)});
  });
}

PushResult ServedVariables::push(const WorkerStep& step, const std::vector<Tensor>& gradients) {
  std::vector<std::vector<NamedTensor>> tensors(servers_.size());
  const auto add = [&](std::size_t i, const Tensor& value, bool is_gradient) {
    for (const Shard& shard : placement_.shards_of(i)) {
      const Tensor rows = rows_of(value, shard);
      NamedTensor tensor =
          is_gradient ? without_zero_rows(shard.key, rows) : NamedTensor{.name = shard.key, .value = rows};
      if (!tensor.indices.is_empty()) {
        saved_bytes_ += static_cast<std::int64_t>(rows.spec().bytes() - tensor.value.spec().bytes() -
                                                  tensor.indices.spec().bytes());
      }
      tensors[static_cast<std::size_t>(shard.server)].push_back(std::move(tensor));
    }
  };
  for (std::size_t i = 0; i < variables_.trained.size(); ++i) {
    if (!gradients.at(i).is_empty()) add(i, gradients[i].cast(variables_.trained[i].dtype()), true);
  }
  for (std::size_t i = 0; i < variables_.others.size(); ++i) {
    add(variables_.trained.size() + i, subtract(variables_.others[i].stored_value(), pulled_others_.at(i)), false);
  }
  PushResult result;
  std::mutex mutex;
  for_each_server([&](int server) {
    const auto at = static_cast<std::size_t>(server);
    io::Json arguments = io::Json::object({{"job", job_}, {"step", step.step}});
    if (step.part < 0) {
      arguments["all_done_below"] = step.all_done_below;
      arguments["version"] = pulled_versions_[at];
    } else {
      arguments["part"] = step.part;
      arguments["samples"] = step.samples;
    }
    const TaskReply reply = servers_[at].call({.function = step.part < 0 ? "push" : "stage",
                                               .arguments = std::move(arguments),
                                               .tensors = tensors[at],
                                               .has_deadline = false},
                                              stop_);
    const std::scoped_lock lock(mutex);
    result.staleness = std::max(result.staleness, reply.values.get_or("staleness", std::int64_t{0}));
    result.is_stale = result.is_stale || reply.values.get_or("stale", false);
  });
  // What was added is not added again by another push.
  for (std::size_t i = 0; i < variables_.others.size(); ++i) {
    pulled_others_[i] = variables_.others[i].stored_value().clone();
  }
  return result;
}

}  // namespace rhyton::distribute

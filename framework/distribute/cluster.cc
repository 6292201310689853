#include <rhyton/framework/distribute/cluster.h>

#include <array>
#include <cstdint>
#include <utility>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::distribute {
namespace {

using io::Json;

constexpr std::string_view expected_form =
    R"({"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}})";

[[noreturn]] void throw_malformed(const std::string& what) {
  throw ValueError("TF_CONFIG: " + what + ". Expected " + std::string(expected_form) + ".");
}

std::string name_of(const TaskSpec& task) { return task.type + " " + std::to_string(task.index); }

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool is_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  const std::string port = text.substr(colon + 1);
  return !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos &&
         std::stoi(port) <= 65535;
}

/// The member of ClusterSpec for a type of tasks.
using Tasks = std::vector<std::string> ClusterSpec::*;

Tasks tasks_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, Tasks>, 4> all = {{{"chief", &ClusterSpec::chief},
                                                                             {"worker", &ClusterSpec::worker},
                                                                             {"ps", &ClusterSpec::ps},
                                                                             {"evaluator", &ClusterSpec::evaluator}}};
  for (const auto& [name, tasks] : all) {
    if (name == type) return tasks;
  }
  throw_malformed("the task type '" + std::string(type) + R"(' is none of "chief", "worker", "ps" and "evaluator")");
}

ClusterSpec cluster_from(const Json& json) {
  if (!json.is_object()) throw_malformed("\"cluster\" is no object: " + json.dump());
  ClusterSpec cluster;
  for (const auto& [type, addresses] : json.items()) {
    std::vector<std::string>& tasks = cluster.*tasks_of(type);
    if (!addresses.is_array()) {
      throw_malformed("the tasks of \"" + type + "\" are no list of addresses: " + addresses.dump());
    }
    for (const Json& address : addresses) {
      if (!address.is_string() || !is_address(address.as_string())) {
        throw_malformed("a task of \"" + type + "\" has no address \"host:port\" but " + address.dump());
      }
      tasks.push_back(address.as_string());
    }
  }
  for (const auto& [type, tasks] : {std::pair("chief", &cluster.chief), std::pair("evaluator", &cluster.evaluator)}) {
    if (tasks->size() > 1) {
      throw_malformed("there are " + std::to_string(tasks->size()) + " tasks of the type \"" + type +
                      "\", of which a cluster has one at most");
    }
  }
  if (cluster.chief.empty() && cluster.worker.empty()) throw_malformed("the cluster has neither a chief nor a worker");
  return cluster;
}

TaskSpec task_from(const Json& json, const ClusterSpec& cluster) {
  const Json* const type = json.is_object() ? json.find("type") : nullptr;
  const Json* const index = json.is_object() ? json.find("index") : nullptr;
  if (type == nullptr || !type->is_string() || index == nullptr || !index->is_int()) {
    throw_malformed("\"task\" has to be an object with the string \"type\" and the integer \"index\", but is " +
                    json.dump());
  }
  const std::size_t tasks = cluster.tasks(type->as_string()).size();
  const std::int64_t number = index->as_int();
  if (number < 0 || static_cast<std::uint64_t>(number) >= tasks) {
    throw_malformed("the task is " + type->as_string() + " " + std::to_string(number) + ", but the cluster has " +
                    counted(tasks, "task") + " of that type");
  }
  return {.type = type->as_string(), .index = static_cast<int>(number)};
}

}  // namespace

const std::vector<std::string>& ClusterSpec::tasks(std::string_view type) const { return this->*tasks_of(type); }

int ClusterConfig::number_of_workers() const { return static_cast<int>(cluster.chief.size() + cluster.worker.size()); }

std::optional<int> ClusterConfig::worker_rank() const {
  if (task.type == "chief") return 0;
  if (task.type == "worker") return static_cast<int>(cluster.chief.size()) + task.index;
  return std::nullopt;
}

bool ClusterConfig::is_chief() const { return worker_rank() == 0; }

ClusterConfig parse_cluster_config(std::string_view text) {
  const Json json = Json::parse(text, "TF_CONFIG");
  if (!json.is_object()) throw_malformed("it is no object");
  const Json* const cluster = json.find("cluster");
  if (cluster == nullptr) throw_malformed("there is no \"cluster\"");
  const Json* const task = json.find("task");
  if (task == nullptr) throw_malformed("there is no \"task\"");
  ClusterConfig config{.cluster = cluster_from(*cluster), .task = {}};
  config.task = task_from(*task, config.cluster);
  return config;
}

std::optional<ClusterConfig> cluster_config_from_environment() {
  const std::string text(environment("TF_CONFIG"));
  if (text.empty()) return std::nullopt;
  const Json json = Json::parse(text, "TF_CONFIG");
  // TensorFlow, too, treats an empty cluster as none.
  const Json* const cluster = json.is_object() ? json.find("cluster") : nullptr;
  const bool has_no_cluster = json.is_object() && (cluster == nullptr || (cluster->is_object() && cluster->empty()));
  if (has_no_cluster) return std::nullopt;
  return parse_cluster_config(text);
}

void require_ranks(const ClusterConfig& config, int rank, int size) {
  if (!config.cluster.ps.empty()) {
    throw NotImplementedError("TF_CONFIG names " + counted(config.cluster.ps.size(), "parameter server") +
                              " (\"ps\"), which are not supported: leave \"ps\" out, and all workers train together.");
  }
  const std::string here = "this process is rank " + std::to_string(rank) + " of " + std::to_string(size);
  const std::optional<int> expected = config.worker_rank();
  if (!expected.has_value()) {
    if (size == 1) return;  // an evaluator runs beside the job, not in it
    throw ValueError("TF_CONFIG says that this process is " + name_of(config.task) +
                     ", which takes no part in the training, but " + here + " in one job.");
  }
  if (config.number_of_workers() != size) {
    throw ValueError("TF_CONFIG names " + counted(config.cluster.chief.size(), "chief") + " and " +
                     counted(config.cluster.worker.size(), "worker") + ", but " + here +
                     ": start as many processes with mpirun as TF_CONFIG names.");
  }
  if (*expected != rank) {
    throw ValueError("TF_CONFIG says that this process is " + name_of(config.task) + ", number " +
                     std::to_string(*expected) + " of the cluster (the chief counts first), but " + here +
                     ": mpirun must start the processes in the order of TF_CONFIG.");
  }
}

}  // namespace rhyton::distribute

#include <rhyton/framework/distribute/cluster.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

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

std::string counted(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

int count_of(const ClusterSpec& cluster, std::string_view type) {
  return cluster.has_job(type) ? cluster.num_tasks(type) : 0;
}

int chiefs_of(const ClusterSpec& cluster) { return count_of(cluster, "chief") + count_of(cluster, "master"); }

constexpr std::array<std::string_view, 5> task_types = {"chief", "master", "worker", "ps", "evaluator"};

void require_task_type(const std::string& type) {
  if (std::find(task_types.begin(), task_types.end(), type) != task_types.end()) return;
  throw_malformed("the task type '" + type + R"(' is none of "chief", "master", "worker", "ps" and "evaluator")");
}

ClusterSpec cluster_from(const Json& json) {
  if (!json.is_object()) throw_malformed("\"cluster\" is no object: " + json.dump());
  ClusterSpec cluster;
  try {
    cluster = ClusterSpec::from_json(json);
  } catch (const ValueError& error) {
    throw_malformed(error.what());
  }
  for (const std::string& type : cluster.jobs()) require_task_type(type);
  for (const auto& [type, count] :
       {std::pair("chief", chiefs_of(cluster)), std::pair("evaluator", count_of(cluster, "evaluator"))}) {
    if (count > 1) {
      throw_malformed("there are " + std::to_string(count) + " tasks of the type \"" + type +
                      "\", of which a cluster has one at most");
    }
  }
  return cluster;
}

/// Kubeflow gives a parameter server a list with its own address alone, whatever its number is.
Json with_number_of_server(const Json& cluster, const Json& task) {
  const Json* const servers = cluster.is_object() ? cluster.find("ps") : nullptr;
  const bool is_server = task.is_object() && task.get_or("type", "") == "ps";
  const Json* const index = is_server ? task.find("index") : nullptr;
  if (servers == nullptr || !servers->is_array() || servers->size() != 1 || index == nullptr || !index->is_int()) {
    return cluster;
  }
  Json changed = cluster;
  changed["ps"] = Json::object({{std::to_string(index->as_int()), (*servers)[0]}});
  return changed;
}

TaskSpec task_from(const Json& json, const ClusterSpec& cluster) {
  const Json* const type = json.is_object() ? json.find("type") : nullptr;
  const Json* const index = json.is_object() ? json.find("index") : nullptr;
  if (type == nullptr || !type->is_string() || index == nullptr || !index->is_int()) {
    throw_malformed("\"task\" has to be an object with the string \"type\" and the integer \"index\", but is " +
                    json.dump());
  }
  const std::string& name = type->as_string();
  require_task_type(name);
  const std::int64_t number = index->as_int();
  if (number > ClusterSpec::largest_number) {
    throw_malformed("the task is " + name + " " + std::to_string(number) + ", but the largest number is " +
                    std::to_string(ClusterSpec::largest_number));
  }
  // As Kubeflow writes it: evaluators are no part of the cluster.
  const bool is_outside = name == "evaluator" && !cluster.has_job(name) && number >= 0;
  const std::vector<int> indices = cluster.has_job(name) ? cluster.task_indices(name) : std::vector<int>();
  if (!is_outside && std::find(indices.begin(), indices.end(), number) == indices.end()) {
    throw_malformed("the task is " + name + " " + std::to_string(number) + ", but the cluster has " +
                    counted(static_cast<int>(indices.size()), "task") + " of that type");
  }
  return {.type = name, .index = static_cast<int>(number)};
}

}  // namespace

std::string name_of(const TaskSpec& task) {
  return task.type.empty() ? "a client" : task.type + " " + std::to_string(task.index);
}

int ClusterConfig::number_of_workers() const { return chiefs_of(cluster) + count_of(cluster, "worker"); }

std::optional<int> ClusterConfig::worker_rank() const {
  if (task.type == "chief" || task.type == "master") return 0;
  if (task.type == "worker") return chiefs_of(cluster) + task.index;
  return std::nullopt;
}

bool ClusterConfig::is_chief() const { return worker_rank() == 0; }

ClusterConfig parse_cluster_config(std::string_view text) {
  const Json json = Json::parse(text, "TF_CONFIG");
  if (!json.is_object()) throw_malformed("it is no object");
  const Json* const sparse = json.find("sparseCluster");
  const Json* const cluster = sparse != nullptr ? sparse : json.find("cluster");
  if (cluster == nullptr) throw_malformed("there is no \"cluster\"");
  const Json* const task = json.find("task");
  if (task == nullptr) throw_malformed("there is no \"task\"");
  ClusterConfig config{.cluster = cluster_from(sparse != nullptr ? with_number_of_server(*sparse, *task) : *cluster),
                       .task = {}};
  if (sparse == nullptr && config.number_of_workers() == 0) {
    throw_malformed("the cluster has neither a chief nor a worker");
  }
  config.task = task_from(*task, config.cluster);
  return config;
}

std::optional<ClusterConfig> cluster_config_from_environment() {
  const std::string text(environment("TF_CONFIG"));
  if (text.empty()) return std::nullopt;
  const Json json = Json::parse(text, "TF_CONFIG");
  // TensorFlow, too, treats an empty cluster as none.
  const Json* const cluster = json.is_object() ? json.find("cluster") : nullptr;
  const bool has_no_cluster = json.is_object() && !json.contains("sparseCluster") &&
                              (cluster == nullptr || (cluster->is_object() && cluster->empty()));
  if (has_no_cluster) return std::nullopt;
  return parse_cluster_config(text);
}

void require_ranks(const ClusterConfig& config, int rank, int size) {
  if (const int servers = count_of(config.cluster, "ps"); servers > 0) {
    throw NotImplementedError("TF_CONFIG names " + counted(servers, "parameter server") +
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
    throw ValueError("TF_CONFIG names " + counted(chiefs_of(config.cluster), "chief") + " and " +
                     counted(count_of(config.cluster, "worker"), "worker") + ", but " + here +
                     ": start as many processes with mpirun as TF_CONFIG names.");
  }
  if (*expected != rank) {
    throw ValueError("TF_CONFIG says that this process is " + name_of(config.task) + ", number " +
                     std::to_string(*expected) + " of the cluster (the chief counts first), but " + here +
                     ": mpirun must start the processes in the order of TF_CONFIG.");
  }
}

}  // namespace rhyton::distribute

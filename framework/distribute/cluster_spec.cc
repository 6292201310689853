#include <rhyton/framework/distribute/cluster_spec.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

using io::Json;

constexpr std::string_view expected_cluster = R"({"ps": ["host:port", ...], "worker": ["host:port", ...]})";

ClusterSpec::Tasks numbered(const std::vector<std::string>& addresses) {
  ClusterSpec::Tasks tasks;
  for (const std::string& address : addresses) tasks.emplace(static_cast<int>(tasks.size()), address);
  return tasks;
}

/// The number of a task in an object of tasks, such as "1". The functions of a cluster have an entry for every number
/// up to the largest: one of too many digits must not fill the memory.
int task_number(const std::string& job_name, const std::string& text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_too_large = error == std::errc::result_out_of_range || number > ClusterSpec::largest_number;
  if (stop != end || text.starts_with('-') || (error != std::errc() && !is_too_large)) {
    throw ValueError("a task of \"" + job_name + "\" has no number from 0 as its key but \"" + text + "\"");
  }
  if (is_too_large) {
    throw ValueError("a task of \"" + job_name + "\" has the number " + text + ", but the largest is " +
                     std::to_string(ClusterSpec::largest_number));
  }
  return number;
}

const std::string& address_of(const std::string& job_name, const Json& address) {
  if (!address.is_string() || !is_task_address(address.as_string())) {
    throw ValueError("a task of \"" + job_name + "\" has no address \"host:port\" but " + address.dump());
  }
  return address.as_string();
}

ClusterSpec::Tasks tasks_from(const std::string& job_name, const Json& json) {
  ClusterSpec::Tasks tasks;
  if (json.is_array()) {
    for (const Json& address : json) tasks.emplace(static_cast<int>(tasks.size()), address_of(job_name, address));
    return tasks;
  }
  if (!json.is_object()) {
    throw ValueError("the tasks of \"" + job_name + "\" are no list of addresses: " + json.dump());
  }
  for (const auto& [key, address] : json.items()) {
    const int number = task_number(job_name, key);
    if (!tasks.emplace(number, address_of(job_name, address)).second) {
      throw ValueError("task " + std::to_string(number) + " of \"" + job_name + "\" is given twice");
    }
  }
  return tasks;
}

}  // namespace

bool is_task_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view port = text.substr(colon + 1);
  return !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos &&
         std::stoi(std::string(port)) <= 65535;
}

ClusterSpec::ClusterSpec(std::initializer_list<std::pair<std::string, std::vector<std::string>>> jobs) {
  for (const auto& [job_name, addresses] : jobs) add(job_name, numbered(addresses));
}

ClusterSpec::ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs) {
  for (const auto& [job_name, addresses] : jobs) add(job_name, numbered(addresses));
}

ClusterSpec ClusterSpec::parse(std::string_view text, std::string_view name) {
  const Json json = Json::parse(text, name);
  try {
    return from_json(json);
  } catch (const ValueError& error) {
    throw ValueError(std::string(name) + ": " + error.what() + ". Expected " + std::string(expected_cluster) + ".");
  }
}

ClusterSpec ClusterSpec::from_json(const Json& json) {
  if (!json.is_object()) throw ValueError("the cluster is no object: " + json.dump());
  ClusterSpec cluster;
  for (const auto& [job_name, tasks] : json.items()) cluster.add(job_name, tasks_from(job_name, tasks));
  return cluster;
}

void ClusterSpec::add(const std::string& job_name, Tasks tasks) {
  if (job_name.empty()) throw ValueError("a job of the cluster has the name \"\"");
  if (has_job(job_name)) throw ValueError("the job \"" + job_name + "\" is given twice");
  for (const auto& [number, address] : tasks) address_of(job_name, address);
  jobs_.emplace_back(job_name, std::move(tasks));
}

const ClusterSpec::Tasks& ClusterSpec::tasks(std::string_view job_name) const {
  for (const auto& [name, tasks] : jobs_) {
    if (name == job_name) return tasks;
  }
  throw ValueError("No such job in cluster: '" + std::string(job_name) + "'");
}

std::vector<std::string> ClusterSpec::jobs() const {
  std::vector<std::string> names;
  for (const auto& [name, tasks] : jobs_) names.push_back(name);
  return names;
}

bool ClusterSpec::has_job(std::string_view job_name) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job.first == job_name; });
}

int ClusterSpec::num_tasks(std::string_view job_name) const { return static_cast<int>(tasks(job_name).size()); }

std::vector<int> ClusterSpec::task_indices(std::string_view job_name) const {
  std::vector<int> indices;
  for (const auto& [number, address] : tasks(job_name)) indices.push_back(number);
  return indices;
}

const std::string& ClusterSpec::task_address(std::string_view job_name, int task_index) const {
  const Tasks& all = tasks(job_name);
  const auto found = all.find(task_index);
  if (found == all.end()) {
    throw ValueError("No task with index " + std::to_string(task_index) + " in job '" + std::string(job_name) + "'");
  }
  return found->second;
}

std::vector<std::string> ClusterSpec::job_tasks(std::string_view job_name) const {
  std::vector<std::string> addresses;
  for (const auto& [number, address] : tasks(job_name)) {
    addresses.resize(static_cast<std::size_t>(number));
    addresses.push_back(address);
  }
  return addresses;
}

io::Json ClusterSpec::as_dict() const {
  std::vector<std::string> names = jobs();
  std::sort(names.begin(), names.end());
  Json cluster = Json::object();
  for (const std::string& name : names) {
    const Tasks& all = tasks(name);
    const bool is_dense = !all.empty() && static_cast<std::size_t>(all.rbegin()->first) + 1 == all.size();
    if (is_dense) {
      cluster[name] = Json::array_from(job_tasks(name));
      continue;
    }
    Json sparse = Json::object();
    for (const auto& [number, address] : all) sparse[std::to_string(number)] = address;
    cluster[name] = sparse;
  }
  return cluster;
}

}  // namespace rhyton::distribute

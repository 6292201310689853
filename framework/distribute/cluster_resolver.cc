#include <rhyton/framework/distribute/cluster_resolver.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <system_error>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute::cluster_resolver {
namespace {

/// The maximum number of hosts, or of entries of a list: a wrong digit must not fill the memory.
constexpr int max_entries = 100000;

[[noreturn]] void throw_malformed(std::string_view name, std::string_view text, const std::string& expected) {
  throw ValueError(std::string(name) + ": expected " + expected + ", got '" + std::string(text) + "'.");
}

std::optional<int> digits(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const bool is_digit = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_digit) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() ? std::optional<int>(number) : std::nullopt;
}

/// The parts between commas that are not within brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool in_brackets = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') in_brackets = true;
    if (text[at] == ']') in_brackets = false;
    if (text[at] != ',' || in_brackets) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The numbers of "3", or of "03-05", with their leading zeros; none for anything else.
std::vector<std::string> expand_range(std::string_view range) {
  const std::size_t dash = range.find('-');
  const std::string_view first_text = range.substr(0, dash);
  const std::optional<int> first = digits(first_text);
  const std::optional<int> last = dash == std::string_view::npos ? first : digits(range.substr(dash + 1));
  std::vector<std::string> numbers;
  if (!first || !last || *last < *first || *last - *first >= max_entries) return numbers;
  for (int number = *first; number <= *last; ++number) {
    std::string text = std::to_string(number);
    if (text.size() < first_text.size()) text.insert(0, first_text.size() - text.size(), '0');
    numbers.push_back(text);
  }
  return numbers;
}

std::string required(const char* name) {
  std::string value(environment(name));
  if (value.empty())
    throw RuntimeError(std::string(name) + " not found in environment. Not running inside a SLURM step?");
  return value;
}

int number_of(const char* name, const std::string& value) {
  const std::optional<int> number = digits(value);
  if (!number.has_value()) throw_malformed(name, value, "a number from 0");
  return *number;
}

/// SLURM_PROCID is the number of a task on its node plus those of the nodes before, unless tasks are distributed
/// otherwise.
void require_own_place(int rank, const std::vector<int>& tasks_per_node) {
  const std::string node_text(environment("SLURM_NODEID"));
  const std::string local_text(environment("SLURM_LOCALID"));
  if (node_text.empty() || local_text.empty()) return;
  const int node = number_of("SLURM_NODEID", node_text);
  const int local = number_of("SLURM_LOCALID", local_text);
  const auto nodes_before = tasks_per_node.begin() + std::min<std::ptrdiff_t>(node, std::ssize(tasks_per_node));
  const int expected = std::accumulate(tasks_per_node.begin(), nodes_before, 0) + local;
  if (rank == expected) return;
  throw ValueError("SLURM_PROCID: expected " + std::to_string(expected) + " for task " + local_text + " of node " +
                   node_text + " (SLURM_LOCALID, SLURM_NODEID), got '" + std::to_string(rank) +
                   "'. The tasks have to be started with srun --distribution=block.");
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view hostlist, std::string_view name) {
  const auto malformed = [&] { throw_malformed(name, hostlist, "a list of hosts such as 'n[1-2],m5,o[03-04,7]'"); };
  std::vector<std::string> hosts;
  for (const std::string_view part : split(hostlist)) {
    const std::size_t open = part.find('[');
    const std::string prefix(part.substr(0, open));
    if (part.empty() || prefix.find(']') != std::string::npos) malformed();
    if (open == std::string_view::npos) {
      hosts.push_back(prefix);
      continue;
    }
    const std::string_view ranges = part.substr(open + 1);
    if (ranges.empty() || ranges.find_first_of("[]") != ranges.size() - 1 || ranges.back() != ']') malformed();
    for (const std::string_view range : split(ranges.substr(0, ranges.size() - 1))) {
      const std::vector<std::string> numbers = expand_range(range);
      if (numbers.empty() || hosts.size() + numbers.size() > max_entries) malformed();
      for (const std::string& number : numbers) hosts.push_back(prefix + number);
    }
  }
  return hosts;
}

std::vector<int> expand_tasks_per_node(std::string_view tasks_per_node, std::string_view name) {
  const auto malformed = [&] { throw_malformed(name, tasks_per_node, "numbers of tasks such as '3(x2),2,1'"); };
  std::vector<int> numbers;
  for (std::string_view part : split(tasks_per_node)) {
    int repetitions = 1;
    if (const std::size_t open = part.find("(x"); open != std::string_view::npos) {
      const bool is_closed = part.back() == ')';
      const std::optional<int> times = is_closed ? digits(part.substr(open + 2, part.size() - open - 3)) : std::nullopt;
      if (!times || *times > max_entries) malformed();
      repetitions = *times;
      part = part.substr(0, open);
    }
    const std::optional<int> number = digits(part);
    if (!number || *number > max_entries || std::ssize(numbers) + repetitions > max_entries) malformed();
    numbers.insert(numbers.end(), static_cast<std::size_t>(repetitions), *number);
  }
  return numbers;
}

SlurmClusterResolver::SlurmClusterResolver(const SlurmOptions& options) {
  const int rank = number_of("SLURM_PROCID", required("SLURM_PROCID"));
  std::map<std::string, int> jobs = options.jobs;
  if (jobs.empty()) jobs["worker"] = number_of("SLURM_STEP_NUM_TASKS", required("SLURM_STEP_NUM_TASKS"));

  const std::vector<std::string> hosts = expand_hostlist(required("SLURM_STEP_NODELIST"), "SLURM_STEP_NODELIST");
  std::vector<int> tasks_per_node(hosts.size(), options.tasks_per_node.value_or(0));
  if (!options.tasks_per_node.has_value()) {
    const std::string value = required("SLURM_STEP_TASKS_PER_NODE");
    tasks_per_node = expand_tasks_per_node(value, "SLURM_STEP_TASKS_PER_NODE");
    if (tasks_per_node.size() != hosts.size()) {
      throw_malformed("SLURM_STEP_TASKS_PER_NODE", value,
                      "the numbers of tasks of the " + std::to_string(hosts.size()) + " nodes of SLURM_STEP_NODELIST");
    }
  }
  std::vector<std::string> addresses;
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    for (int local = 0; local < tasks_per_node[node]; ++local) {
      addresses.push_back(hosts[node] + ":" + std::to_string(options.port_base + local));
    }
  }
  const auto add_tasks = [](int sum, const auto& job) { return sum + job.second; };
  const int requested = std::accumulate(jobs.begin(), jobs.end(), 0, add_tasks);
  if (requested != std::ssize(addresses)) {
    throw RuntimeError("Requested " + std::to_string(requested) + " tasks but only " +
                       std::to_string(addresses.size()) + " were assigned.");
  }
  if (rank >= requested) {
    throw_malformed("SLURM_PROCID", std::to_string(rank),
                    "a number below " + std::to_string(requested) + ", the number of tasks");
  }
  require_own_place(rank, tasks_per_node);

  std::map<std::string, std::vector<std::string>> cluster;
  int first = 0;
  for (const auto& [job_name, count] : jobs) {
    cluster[job_name] = {addresses.begin() + first, addresses.begin() + first + count};
    if (first <= rank && rank < first + count) config_.task = {.type = job_name, .index = rank - first};
    first += count;
  }
  config_.cluster = ClusterSpec(cluster);
}

}  // namespace rhyton::distribute::cluster_resolver

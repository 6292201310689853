#include <rhyton/framework/threading/thread_count.h>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace rhyton::threading {
namespace {

std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

int schedulable_cores() {
  // The mask of a machine with more processors than cpu_set_t holds needs a larger buffer.
  for (std::size_t processors = CPU_SETSIZE; processors <= (std::size_t{1} << 16); processors *= 2) {
    std::vector<cpu_set_t> mask(processors / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::optional<int> granted_cores_in(const std::string& folder) {
  if (const std::optional<int> cores = cores_of_cpu_max(first_line_of(folder + "/cpu.max"))) return cores;
  const std::string quota = first_line_of(folder + "/cpu.cfs_quota_us");
  if (quota.empty()) return std::nullopt;
  return cores_of_cpu_max(quota + " " + first_line_of(folder + "/cpu.cfs_period_us"));
}

/// The tightest limit among this process's control group and its ancestors.
int granted_cores() {
  int cores = std::numeric_limits<int>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "<hierarchy>:<controllers>:<path>"; the unified hierarchy has no controllers in its line.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool counts_time = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (!controllers.empty() && !counts_time) continue;
    const std::string root = controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controllers;
    std::string path = line.substr(second + 1);
    while (true) {
      if (path == "/") path.clear();
      if (const std::optional<int> granted = granted_cores_in(root + path)) cores = std::min(cores, *granted);
      if (path.empty()) break;
      path.resize(std::min(path.rfind('/'), path.size()));
    }
  }
  return cores;
}

}  // namespace

std::optional<int> cores_of_cpu_max(std::string_view cpu_max) {
  const std::size_t space = cpu_max.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> quota = parse_positive(cpu_max.substr(0, space));
  const std::optional<std::int64_t> period = parse_positive(cpu_max.substr(space + 1));
  if (!quota || !period) return std::nullopt;
  const std::int64_t cores = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<int>(std::min<std::int64_t>(cores, std::numeric_limits<int>::max()));
}

int default_thread_count() {
  static const int count = std::max(1, std::min(schedulable_cores(), granted_cores()));
  return count;
}

}  // namespace rhyton::threading

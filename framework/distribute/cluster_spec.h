#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::distribute {

/// The tasks of a cluster, which are processes, by jobs (`tf.train.ClusterSpec`). Each task has a number in its job and
/// an address "host:port".
///
/// ```
/// distribute::ClusterSpec cluster({{"ps", {"localhost:2222"}}, {"worker", {"localhost:2223", "localhost:2224"}}});
/// cluster.task_address("worker", 1);  // "localhost:2224"
/// ```
class ClusterSpec {
 public:
  /// The addresses of a job's tasks by number. Numbers may be missing, where a task need not know all others.
  using Tasks = std::map<int, std::string>;
  /// The largest number of a task.
  static constexpr int largest_number = 999'999;

  ClusterSpec() = default;
  /// Throws ValueError, which names the job, for an address that is not "host:port", a job without a name and one that
  /// is given twice.
  ClusterSpec(std::initializer_list<std::pair<std::string, std::vector<std::string>>> jobs);
  explicit ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs);

  /// Reads `{"ps": ["host:port"], "worker": {"1": "host:port"}}`: the tasks of a job are a list, or an object that
  /// gives their numbers, up to `largest_number`. `name` is the source of the text in messages. Throws ValueError,
  /// which says what was expected.
  static ClusterSpec parse(std::string_view text, std::string_view name = "cluster");
  /// The same for JSON that was parsed; the message is without name and expectation.
  static ClusterSpec from_json(const io::Json& json);

  /// The names of the jobs, in the order in which they were given.
  std::vector<std::string> jobs() const;
  bool has_job(std::string_view job_name) const;
  /// The number of tasks of a job. This and the functions below throw ValueError in TensorFlow's words for a job, or a
  /// task, that the cluster does not have.
  int num_tasks(std::string_view job_name) const;
  /// The numbers of the tasks of a job, in ascending order.
  std::vector<int> task_indices(std::string_view job_name) const;
  const std::string& task_address(std::string_view job_name, int task_index) const;
  /// The addresses by number; empty texts for numbers that are missing.
  std::vector<std::string> job_tasks(std::string_view job_name) const;
  /// The jobs in alphabetical order as `parse` reads them: a list of addresses, or an object where numbers are
  /// missing and for a job without tasks.
  io::Json as_dict() const;

  bool empty() const { return jobs_.empty(); }
  /// Whether jobs, numbers and addresses are the same, in any order.
  friend bool operator==(const ClusterSpec& a, const ClusterSpec& b) { return a.as_dict() == b.as_dict(); }

 private:
  void add(const std::string& job_name, Tasks tasks);
  const Tasks& tasks(std::string_view job_name) const;

  std::vector<std::pair<std::string, Tasks>> jobs_;
};

/// Whether a text is an address "host:port", with a port from 0 to 65535.
bool is_task_address(std::string_view text);

}  // namespace rhyton::distribute

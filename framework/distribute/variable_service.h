#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::distribute {

/// What a task that holds variables does for others besides: it applies gradients to them by an optimizer. Implemented
/// and called as TaskService. All functions throw ValueError for arguments that do not suit the variables, and name
/// both; a representative also throws UnavailableError, and RuntimeError for a task that holds none.
class VariableService {
 public:
  virtual ~VariableService() = default;

  /// Creates those variables that there are not yet, with these values. Existing ones must have the same shape and
  /// dtype, and keep their values. Throws RuntimeError for new ones after the first gradients.
  virtual void create(const std::vector<NamedTensor>& variables) = 0;
  virtual void assign(const std::vector<NamedTensor>& values) = 0;
  /// The values of these variables; of all, in alphabetical order, without names. Throws NotFoundError.
  virtual std::vector<NamedTensor> read(const std::vector<std::string>& names) = 0;
  /// Sets the optimizer, as `optimizers::serialize` writes it. Throws ValueError if there is another one.
  virtual void set_optimizer(const io::Json& optimizer) = 0;
  /// Applies one step of the optimizer and returns the number of its steps so far. Throws RuntimeError without an
  /// optimizer.
  virtual std::int64_t apply_gradients(const std::vector<NamedTensor>& gradients) = 0;
  /// The number of steps of the optimizer so far.
  virtual std::int64_t iterations() = 0;
  /// Ends the task: `Server::join` returns.
  virtual void shut_down() = 0;
};

}  // namespace rhyton::distribute

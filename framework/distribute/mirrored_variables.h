#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::distribute {

/// The replicas' copies of variables. Replica 0 uses the variable itself, so that code without knowledge of replicas —
/// saving, callbacks, printing — reads its value; the others have copies, which are renewed after other code has
/// assigned the variable. Several threads may call its functions at once, each for variables that no other thread uses;
/// functions for all variables require that the caller holds `step_mutex()` exclusively.
class MirroredVariables {
 public:
  /// `devices`: the devices of the replicas.
  explicit MirroredVariables(std::vector<LogicalDevice*> devices) : devices_(std::move(devices)) {}

  /// That replica's copy; the variable itself for replica 0.
  Variable of(const Variable& variable, int replica);
  /// Creates the copies if there are none yet.
  void mirror(const Variable& variable);

  /// Copies the value of each of these variables that was assigned since `note_step` to its copies. To be called before
  /// replicas run.
  void renew(const std::vector<Variable>& variables);
  /// Records that the replicas have run and have written equal values to variables and copies.
  void note_step(const std::vector<Variable>& variables);
  /// The same for all variables that have copies.
  void renew_all();
  void note_step_of_all();

  /// Throws RuntimeError, which names the variable and the replica, if a copy's bits differ from the variable's.
  void require_equal() const;

 private:
  struct Mirrored {
    Variable variable;
    /// The copies of replicas 1, 2, ….
    std::vector<Variable> copies;
    /// The sum of the versions when the values were last known to be equal; 0 before that.
    std::uint64_t versions = 0;

    std::uint64_t versions_now() const;
  };

  // The caller holds the mutex.
  Mirrored& entry(const Variable& variable);
  static void renew(Mirrored& mirrored);

  std::vector<LogicalDevice*> devices_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Mirrored> entries_;
};

}  // namespace rhyton::distribute

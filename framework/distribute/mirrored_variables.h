#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::distribute {

/// The copies of variables that replicas have. Replica 0 works on the variable itself, so that whoever knows nothing of
/// replicas — saving, callbacks, printing — sees its value; the others have copies, which are renewed where somebody
/// else has assigned the variable. Several threads may call its functions at once, each for variables that no other
/// thread works with; what concerns all variables is called by whoever holds `step_mutex()` alone.
class MirroredVariables {
 public:
  /// `devices`: those of the replicas.
  explicit MirroredVariables(std::vector<LogicalDevice*> devices) : devices_(std::move(devices)) {}

  /// That replica's copy; the variable itself for replica 0.
  Variable of(const Variable& variable, int replica);
  /// Makes the copies where there are none.
  void mirror(const Variable& variable);

  /// Makes the copies of these variables equal to them where a variable was assigned since `note_step`. To be called
  /// before replicas run.
  void renew(const std::vector<Variable>& variables);
  /// The replicas have run, and have written variables and copies alike.
  void note_step(const std::vector<Variable>& variables);
  /// The same for all variables there are.
  void renew_all();
  void note_step_of_all();

  /// Throws RuntimeError naming the variable and the replica where a copy's bits are not the variable's.
  void require_equal() const;

 private:
  struct Mirrored {
    Variable variable;
    /// Those of replicas 1, 2, ….
    std::vector<Variable> copies;
    /// What the versions added up to when they were last known to be equal; 0 before that.
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

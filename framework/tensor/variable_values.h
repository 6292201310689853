#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// Values of variables for one call, independent of assignments by other threads: the weights between two steps, or the
/// call's own sums.
class VariableValues {
 public:
  struct Entry {
    Variable variable;
    Tensor value;
    /// Whether assignments change only this value. Otherwise they change the variable too.
    bool is_own = false;
  };

  /// Adds the current values of those variables that have no entry yet. `are_own`: see Entry. The caller holds
  /// `step_mutex()`.
  void take(const std::vector<Variable>& variables, bool are_own);
  /// The entry of the variable; null if there is none.
  Entry* find(const Variable& variable);
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }

  /// The memory of an entry's own value, which may be written in place.
  static void* writable_data(Entry& entry);
  /// Exchanges the own values with those of the variables. The caller holds `step_mutex()` exclusively.
  void exchange();

 private:
  std::vector<Entry> entries_;
  std::unordered_map<const void*, std::size_t> places_;
};

/// During its lifetime, the variables and the own values in `values` are exchanged: for runs that access variables
/// only. The thread holds `step_mutex()` exclusively for this time.
class OwnValuesInVariables {
 public:
  /// `values` may be null.
  explicit OwnValuesInVariables(VariableValues* values) : values_(values) { exchange(); }
  ~OwnValuesInVariables() { exchange(); }
  OwnValuesInVariables(const OwnValuesInVariables&) = delete;
  OwnValuesInVariables& operator=(const OwnValuesInVariables&) = delete;

 private:
  void exchange() {
    if (values_ != nullptr) values_->exchange();
  }

  VariableValues* values_;
};

/// During its lifetime, ops that this thread executes eagerly read and assign these values instead of the variables'.
class VariableValuesScope {
 public:
  explicit VariableValuesScope(VariableValues& values);
  ~VariableValuesScope();
  VariableValuesScope(const VariableValuesScope&) = delete;
  VariableValuesScope& operator=(const VariableValuesScope&) = delete;

  /// The values of the innermost scope; null outside of any.
  static VariableValues* current();
  /// The variable's entry in the innermost scope that has one; null if there is none.
  static VariableValues::Entry* find(const Variable& variable);

 private:
  VariableValues* values_;
  VariableValuesScope* outer_;
};

}  // namespace rhyton

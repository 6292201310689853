#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// Values of variables that one call sees, whatever other threads do with the variables meanwhile: the weights as they
/// were between two steps, or sums of the call's own.
class VariableValues {
 public:
  struct Entry {
    Variable variable;
    Tensor value;
    /// Whether assignments stay here. Else they go to the variable too.
    bool is_own = false;
  };

  /// Takes the values that the variables have, of those that are not here yet. `are_own`: see Entry. Whoever calls it
  /// holds `step_mutex()`.
  void take(const std::vector<Variable>& variables, bool are_own);
  /// Null where the variable is not here.
  Entry* find(const Variable& variable);
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }

  /// Memory of an own value that may be written in place.
  static void* writable_data(Entry& entry);
  /// Exchanges the own values with those of the variables. Whoever calls it holds `step_mutex()` alone.
  void exchange();

 private:
  std::vector<Entry> entries_;
  std::unordered_map<const void*, std::size_t> places_;
};

/// While it lives, the variables have the own values of `values`, if any, and those have theirs: for runs that know
/// only variables. Whoever makes it holds `step_mutex()` alone as long as it lives.
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

/// While it lives, ops that this thread executes eagerly read and assign the values in it instead of the variables'.
class VariableValuesScope {
 public:
  explicit VariableValuesScope(VariableValues& values);
  ~VariableValuesScope();
  VariableValuesScope(const VariableValuesScope&) = delete;
  VariableValuesScope& operator=(const VariableValuesScope&) = delete;

  /// That of the innermost scope; null outside of any.
  static VariableValues* current();
  /// That variable's entry in the innermost scope that has one; null where none has.
  static VariableValues::Entry* find(const Variable& variable);

 private:
  VariableValues* values_;
  VariableValuesScope* outer_;
};

}  // namespace rhyton

#pragma once

#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::saving {

/// Values in a file and their variables: all are found and checked before any is assigned, so that a file that does not
/// match changes nothing.
class PendingValues {
 public:
  /// Adds a value, which must have the shape of the variable.
  void add(const Variable& variable, io::Hdf5Dataset value);
  void add(PendingValues others);
  std::size_t size() const { return values_.size(); }

  /// For variables that are in use: reads all values before it assigns the first. Throws, without having assigned any,
  /// if the file is damaged.
  void assign_all() const;
  /// For variables of a new model: reads one value after another, into the variables' own memory where possible, so
  /// that little further memory is needed.
  void assign_one_by_one() const;

 private:
  struct Value {
    Variable variable;
    io::Hdf5Dataset dataset;
  };
  std::vector<Value> values_;
};

}  // namespace rhyton::saving

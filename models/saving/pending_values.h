#pragma once

#include <variant>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::saving {

/// Values of a file and their variables: all are found and checked before any is assigned, so that a file that does not
/// match changes nothing.
class PendingValues {
 public:
  /// Adds a value, which must have the shape of the variable.
  void add(const Variable& variable, io::Hdf5Dataset value);
  /// The same for a value that follows from others of the file, of the variable's dtype.
  void add(const Variable& variable, const Tensor& value);
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
    std::variant<io::Hdf5Dataset, Tensor> source;

    /// In the variable's dtype.
    Tensor read() const;
    /// Reads it into the memory of the variable; false if it has to be converted or moved.
    bool read_into_variable() const;
  };
  std::vector<Value> values_;
};

}  // namespace rhyton::saving

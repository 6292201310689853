#pragma once

#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::saving {

/// Values that lie in a file, and the variables that they are for: found and checked first, and then assigned, so that
/// a file that does not fit changes nothing.
class PendingValues {
 public:
  /// The shapes must be equal.
  void add(const Variable& variable, io::Hdf5Dataset value);
  void add(PendingValues others);
  std::size_t size() const { return values_.size(); }

  /// For variables that others see: reads all values before it assigns the first. Throws, without having assigned any,
  /// where the file is damaged.
  void assign_all() const;
  /// For variables of a model that nobody has yet: reads one after another, where it can into
  /// the memory that they have, and so needs no more than theirs.
  void assign_one_by_one() const;

 private:
  struct Value {
    Variable variable;
    io::Hdf5Dataset dataset;
  };
  std::vector<Value> values_;
};

}  // namespace rhyton::saving

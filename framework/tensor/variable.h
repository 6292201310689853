#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

class LogicalDevice;

/// The options of a Variable. Fields in the order of `keras.Variable`.
struct VariableOptions {
  bool trainable = true;
  /// The last part of the path, "kernel".
  std::string name = "variable";
  /// The whole path, "sequential/dense/kernel"; the name if empty.
  std::string path = "";
  /// Whether the first axis is the batch of the functions that use it, as of the states that a stateful recurrent layer
  /// keeps for each sample. A compiled function then reads and assigns it in slices of the batch, if it has as many
  /// samples as the function's inputs.
  bool carries_batch = false;
};

/// A tensor that keeps its identity while its value changes: weights, optimizer slots, metric totals, random states.
/// A handle: copies are the same variable.
///
/// Reads and assignments go through the current listener: run eagerly they take effect at once; while a graph is traced
/// they become nodes of it, ordered per variable.
class Variable {
 public:
  /// An empty handle.
  Variable() = default;
  /// A variable with that value. Throws ValueError for a traced or empty tensor, and for a scalar that is to carry the
  /// batch.
  explicit Variable(const Tensor& initial_value, const VariableOptions& options = {});

  bool is_empty() const { return impl_ == nullptr; }
  const std::string& name() const;
  const std::string& path() const;
  void set_path(std::string path);
  const TensorSpec& spec() const;
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  bool trainable() const;
  /// As in the options.
  bool carries_batch() const;
  /// Takes effect in a model at its next `compile`.
  void set_trainable(bool trainable);
  /// What optimizers replace the value by after each of their steps: its projection onto the values that it may have.
  /// Empty if it may have any.
  const std::function<Tensor(const Tensor& value)>& constraint() const;
  void set_constraint(std::function<Tensor(const Tensor& value)> constraint) const;

  /// The value; in a trace, a traced tensor. Not changed by later assignments of the variable.
  Tensor value() const;
  operator Tensor() const {
    return value();
  }  // NOLINT(google-explicit-constructor): as in Keras, a variable is a tensor
  /// Sets the value. Throws ValueError in Keras's words when the shape differs; the value is cast to the dtype.
  void assign(const Tensor& value) const;
  /// Adds to, or subtracts from, the value. Throw as `assign`.
  void assign_add(const Tensor& value) const;
  void assign_sub(const Tensor& value) const;

  /// The number of assignments so far.
  std::uint64_t version() const;
  bool is_same(const Variable& other) const { return impl_ == other.impl_; }
  const void* identity() const { return impl_.get(); }

  // Bypass the listeners; for the executors of graphs and the eager interpreter.

  /// The elements as they are now, shared, not copied.
  const Tensor& stored_value() const;
  /// Replaces the stored tensor by one of the same spec; the variable stays on its device.
  void set_stored_value(const Tensor& value) const;
  /// Memory, on the variable's device, that may be written in place: the value is first copied if it has other owners.
  /// Counts as an assignment.
  void* writable_data() const;
  /// Moves the elements to that device if they are not already there; true when they moved.
  bool move_to(LogicalDevice& device) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rhyton

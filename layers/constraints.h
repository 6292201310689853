#pragma once

#include <functional>
#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/axes.h>

namespace rhyton::layers {

/// A projection of a weight onto the values that it may have, which the optimizer applies after each of its steps. See
/// https://keras.io/api/layers/constraints. Custom constraints derive from this class; `register_constraint` makes them
/// available to saved models.
class ConstraintImpl {
 public:
  virtual ~ConstraintImpl() = default;
  /// Returns the projected value, of the same shape, computed with ops.
  virtual Tensor call(const Tensor& weight) const = 0;
  /// "NonNeg".
  virtual std::string class_name() const = 0;
  virtual io::Json get_config() const { return io::Json::object(); }
};

/// A constraint argument of a layer: empty, a name ("non_neg", "MaxNorm", …), or an object
/// (`constraints::MaxNorm({.max_value = 3})`).
class Constraint {
 public:
  /// Empty: any value.
  Constraint() = default;
  /// Throws ValueError for an unknown name.
  Constraint(const char* name);         // NOLINT(google-explicit-constructor): names convert by themselves
  Constraint(const std::string& name);  // NOLINT(google-explicit-constructor)
  explicit Constraint(std::shared_ptr<const ConstraintImpl> impl) : impl_(std::move(impl)) {}

  bool is_empty() const { return impl_ == nullptr; }
  /// The projected value. Throws ValueError if this is empty.
  Tensor operator()(const Tensor& weight) const;

  /// Keras's saved form: `{"module": "keras.constraints", "class_name": "NonNeg", …}`; null if this is empty.
  io::Json to_config() const;
  /// Reads that form, Keras 2's without a module, a name, or null.
  static Constraint from_config(const io::Json& config);
  static constexpr const char* config_type = "a constraint";
  static constexpr bool config_is_object = true;

  const std::shared_ptr<const ConstraintImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const ConstraintImpl> impl_;
};

}  // namespace rhyton::layers

// Norms are √ Σ w² over `axis`: 0, of a Dense kernel [inputs, units], bounds the weights of each unit, {0, 1, 2}, of a
// Conv2D kernel, those of each filter. `std::nullopt`, Keras's None, stands for all axes. Norms are increased by
// `config::epsilon()` where they divide, so that zeros stay zeros. A step throws ValueError for an axis out of range.

namespace rhyton::constraints {

struct MaxNormOptions {
  ByName by_name = ByName();
  double max_value = 2.0;
  layers::OptionalAxes axis = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.count("max_value", self.max_value);
    fields("axis", self.axis.value());
  }
};

/// Norms of at most `max_value`.
class MaxNorm : public layers::Constraint {
 public:
  explicit MaxNorm(const MaxNormOptions& options = {});
  explicit MaxNorm(double max_value) : MaxNorm(MaxNormOptions{.max_value = max_value}) {}
};

struct MinMaxNormOptions {
  ByName by_name = ByName();
  double min_value = 0.0;
  double max_value = 1.0;
  double rate = 1.0;
  layers::OptionalAxes axis = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("min_value", self.min_value);
    fields("max_value", self.max_value);
    fields("rate", self.rate);
    fields("axis", self.axis.value());
  }
};

/// Norms between `min_value` and `max_value`: each step moves a norm by the fraction `rate` of the way to the nearest
/// of them, all the way for a rate of 1.
class MinMaxNorm : public layers::Constraint {
 public:
  explicit MinMaxNorm(const MinMaxNormOptions& options = {});
};

/// No negative weights: max(w, 0).
class NonNeg : public layers::Constraint {
 public:
  NonNeg();
};

struct UnitNormOptions {
  ByName by_name = ByName();
  layers::OptionalAxes axis = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis.value());
  }
};

/// Norms of 1.
class UnitNorm : public layers::Constraint {
 public:
  explicit UnitNorm(const UnitNormOptions& options = {});
};

/// Registers a custom constraint for names and saved models. Saved models name it "package>class_name".
void register_constraint(const std::string& class_name,
                         std::function<layers::Constraint(const io::Json& config)> factory,
                         const std::string& package = "Custom");

}  // namespace rhyton::constraints

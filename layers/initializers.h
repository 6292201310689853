#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// Computes the initial values of a weight. See https://keras.io/api/layers/initializers. Custom initializers derive
/// from this class; `register_initializer` makes them available to saved models.
class InitializerImpl {
 public:
  virtual ~InitializerImpl() = default;
  /// Returns a concrete tensor. Throws ValueError for a shape that it cannot fill.
  virtual Tensor call(const Shape& shape, DType dtype) const = 0;
  /// "GlorotUniform".
  virtual std::string class_name() const = 0;
  virtual io::Json get_config() const = 0;
};

/// An initializer argument of a layer: a name ("he_normal", "HeNormal", …) or an object
/// (`initializers::RandomNormal({.stddev = 0.1})`). With an integer seed every call gives the same values; without one,
/// each call gives different values, which are determined by `set_random_seed`.
class Initializer {
 public:
  /// Empty: the default of the layer.
  Initializer() = default;
  /// Throws ValueError for an unknown name.
  Initializer(const char* name);         // NOLINT(google-explicit-constructor): names convert by themselves
  Initializer(const std::string& name);  // NOLINT(google-explicit-constructor)
  explicit Initializer(std::shared_ptr<const InitializerImpl> impl) : impl_(std::move(impl)) {}

  bool is_empty() const { return impl_ == nullptr; }
  /// The initial values of a weight. Throws ValueError if this is empty or cannot fill that shape.
  Tensor operator()(const Shape& shape, DType dtype = DType::float32) const;

  /// Keras's saved form: `{"module": "keras.initializers", "class_name": "Zeros", …}`; null if this is empty.
  io::Json to_config() const;
  /// Reads that form, Keras 2's without a module, a name, or null.
  static Initializer from_config(const io::Json& config);
  static constexpr const char* config_type = "an initializer";
  static constexpr bool config_is_object = true;

  const std::shared_ptr<const InitializerImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const InitializerImpl> impl_;
};

}  // namespace rhyton::layers

namespace rhyton::initializers {

/// The numbers of inputs and outputs of a weight: for a kernel [..., in, out] the last two lengths, each times the
/// product of the other lengths; for a vector its length for both.
struct Fans {
  std::int64_t in = 1;
  std::int64_t out = 1;
};
Fans compute_fans(const Shape& shape);

/// The axes of a weight that are inputs, or those that are outputs.
using FanAxes = std::vector<std::int64_t>;
/// The same for a weight with those axes: the products of their lengths. Throws ValueError for an axis out of range.
Fans compute_fans(const Shape& shape, const FanAxes& input_axes, const FanAxes& output_axes);

class Zeros : public layers::Initializer {
 public:
  Zeros();
};

class Ones : public layers::Initializer {
 public:
  Ones();
};

struct ConstantOptions {
  ByName by_name = ByName();
  double value = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("value", self.value);
  }
};

class Constant : public layers::Initializer {
 public:
  explicit Constant(double value = 0.0);
  explicit Constant(const ConstantOptions& options) : Constant(options.value) {}
};

struct RandomNormalOptions {
  ByName by_name = ByName();
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("seed", self.seed);
    fields("mean", self.mean);
    fields("stddev", self.stddev);
  }
};

/// The normal distribution.
class RandomNormal : public layers::Initializer {
 public:
  explicit RandomNormal(const RandomNormalOptions& options = {});
};

struct TruncatedNormalOptions {
  ByName by_name = ByName();
  double mean = 0.0;
  /// Of the distribution before truncation.
  double stddev = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("seed", self.seed);
    fields("mean", self.mean);
    fields("stddev", self.stddev);
  }
};

/// The normal distribution truncated at two standard deviations from the mean.
class TruncatedNormal : public layers::Initializer {
 public:
  explicit TruncatedNormal(const TruncatedNormalOptions& options = {});
};

struct RandomUniformOptions {
  ByName by_name = ByName();
  double minval = -0.05;
  double maxval = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("seed", self.seed);
    fields("minval", self.minval);
    fields("maxval", self.maxval);
  }
};

/// The uniform distribution on [minval, maxval).
class RandomUniform : public layers::Initializer {
 public:
  explicit RandomUniform(const RandomUniformOptions& options = {});
};

struct VarianceScalingOptions {
  ByName by_name = ByName();
  double scale = 1.0;
  /// "fan_in", "fan_out" or "fan_avg".
  std::string mode = "fan_in";
  /// "truncated_normal" (also "normal"), "untruncated_normal" or "uniform".
  std::string distribution = "truncated_normal";
  std::optional<std::int64_t> seed = std::nullopt;
  /// The axes of the weight that are inputs and outputs, if both are given; else the last two, see `compute_fans`.
  std::optional<FanAxes> input_axes = std::nullopt;
  std::optional<FanAxes> output_axes = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("seed", self.seed);
    fields("scale", self.scale);
    fields("mode", self.mode);
    fields("distribution", self.distribution);
    // Versions of Keras before 3.15 do not have them.
    fields.unless_default("input_axes", self.input_axes, VarianceScalingOptions().input_axes);
    fields.unless_default("output_axes", self.output_axes, VarianceScalingOptions().output_axes);
  }
};

/// Draws numbers of variance scale / fan. Throws ValueError in Keras's words for a scale that is not positive and for
/// an unknown mode or distribution.
class VarianceScaling : public layers::Initializer {
 public:
  explicit VarianceScaling(const VarianceScalingOptions& options = {});
};

/// The options of the presets of VarianceScaling below.
struct SeedOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> seed = std::nullopt;
  /// As in VarianceScalingOptions.
  std::optional<FanAxes> input_axes = std::nullopt;
  std::optional<FanAxes> output_axes = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("seed", self.seed);
    fields.unless_default("input_axes", self.input_axes, SeedOptions().input_axes);
    fields.unless_default("output_axes", self.output_axes, SeedOptions().output_axes);
  }
};

/// U(-l, l) with l = √(6 / (fan in + fan out)); also "Xavier".
class GlorotUniform : public layers::Initializer {
 public:
  explicit GlorotUniform(const SeedOptions& options = {});
};

/// A truncated normal distribution of variance 2 / (fan in + fan out).
class GlorotNormal : public layers::Initializer {
 public:
  explicit GlorotNormal(const SeedOptions& options = {});
};

/// U(-l, l) with l = √(6 / fan in).
class HeUniform : public layers::Initializer {
 public:
  explicit HeUniform(const SeedOptions& options = {});
};

/// A truncated normal distribution of variance 2 / fan in.
class HeNormal : public layers::Initializer {
 public:
  explicit HeNormal(const SeedOptions& options = {});
};

/// U(-l, l) with l = √(3 / fan in).
class LecunUniform : public layers::Initializer {
 public:
  explicit LecunUniform(const SeedOptions& options = {});
};

/// A truncated normal distribution of variance 1 / fan in.
class LecunNormal : public layers::Initializer {
 public:
  explicit LecunNormal(const SeedOptions& options = {});
};

struct OrthogonalOptions {
  ByName by_name = ByName();
  double gain = 1.0;
  std::optional<std::int64_t> seed = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("seed", self.seed);
    fields("gain", self.gain);
  }
};

/// A random matrix with orthonormal columns, or rows if there are fewer rows, times `gain`; all axes but the last form
/// the rows. Calling it throws ValueError for a rank below 2.
class Orthogonal : public layers::Initializer {
 public:
  explicit Orthogonal(const OrthogonalOptions& options = {});
};

struct IdentityOptions {
  ByName by_name = ByName();
  double gain = 1.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.unless_default("gain", self.gain, IdentityOptions().gain);  // Keras omits it and reads it
  }
};

/// The identity matrix times `gain`. Calling it throws ValueError for a rank other than 2.
class Identity : public layers::Initializer {
 public:
  explicit Identity(double gain = 1.0);
  explicit Identity(const IdentityOptions& options) : Identity(options.gain) {}
};

/// The initializer of a weight with those axes of inputs and outputs: of a VarianceScaling, or a preset of it, without
/// such axes one that has them; any other is returned unchanged.
layers::Initializer with_fan_axes(const layers::Initializer& initializer, const FanAxes& input_axes,
                                  const FanAxes& output_axes);

/// Registers a custom initializer for names and saved models. Saved models name it "package>class_name".
void register_initializer(const std::string& class_name,
                          std::function<layers::Initializer(const io::Json& config)> factory,
                          const std::string& package = "Custom");

}  // namespace rhyton::initializers

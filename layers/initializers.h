#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// Where the first values of a weight come from. See https://keras.io/api/layers/initializers. One of one's own derives
/// from this class; `register_initializer` lets saved models name it.
class InitializerImpl {
 public:
  virtual ~InitializerImpl() = default;
  /// A concrete tensor. Throws ValueError for a shape that it cannot fill.
  virtual Tensor call(const Shape& shape, DType dtype) const = 0;
  /// "GlorotUniform".
  virtual std::string class_name() const = 0;
  virtual io::Json get_config() const = 0;
};

/// What a layer takes as an initializer: a name ("he_normal", "HeNormal", …) or an object
/// (`initializers::RandomNormal({.stddev = 0.1})`). With an integer seed it gives the same values at each call; without
/// one, other values each time, which follow from `set_random_seed`.
class Initializer {
 public:
  /// None: the layer's default.
  Initializer() = default;
  /// Throws ValueError for an unknown name.
  Initializer(const char* name);         // NOLINT(google-explicit-constructor): names convert by themselves
  Initializer(const std::string& name);  // NOLINT(google-explicit-constructor)
  explicit Initializer(std::shared_ptr<const InitializerImpl> impl) : impl_(std::move(impl)) {}

  bool is_empty() const { return impl_ == nullptr; }
  /// The first values of a weight. Throws ValueError where this is none, or cannot fill that shape.
  Tensor operator()(const Shape& shape, DType dtype = DType::float32) const;

  /// Keras's form: `{"module": "keras.initializers", "class_name": "Zeros", …}`; null where this is none.
  io::Json to_config() const;
  /// Reads that form, Keras 2's without a module, a name, and null.
  static Initializer from_config(const io::Json& config);

  const std::shared_ptr<const InitializerImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const InitializerImpl> impl_;
};

}  // namespace rhyton::layers

namespace rhyton::initializers {

/// The numbers of a weight's inputs and outputs: of a kernel [..., in, out] the last two lengths, each times what the
/// other axes hold; of a vector its length twice.
struct Fans {
  std::int64_t in = 1;
  std::int64_t out = 1;
};
Fans compute_fans(const Shape& shape);

class Zeros : public layers::Initializer {
 public:
  Zeros();
};

class Ones : public layers::Initializer {
 public:
  Ones();
};

class Constant : public layers::Initializer {
 public:
  explicit Constant(double value = 0.0);
};

struct RandomNormalOptions {
  ByName by_name = ByName();
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
};

/// The normal distribution.
class RandomNormal : public layers::Initializer {
 public:
  explicit RandomNormal(const RandomNormalOptions& options = {});
};

struct TruncatedNormalOptions {
  ByName by_name = ByName();
  double mean = 0.0;
  /// Of the distribution before it is cut.
  double stddev = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
};

/// The normal distribution without what lies more than two deviations from the mean.
class TruncatedNormal : public layers::Initializer {
 public:
  explicit TruncatedNormal(const TruncatedNormalOptions& options = {});
};

struct RandomUniformOptions {
  ByName by_name = ByName();
  double minval = -0.05;
  double maxval = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
};

/// All numbers in [minval, maxval) equally likely.
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
};

/// Numbers of variance scale / fan. Throws ValueError in Keras's words for a scale that is not positive and for an
/// unknown mode or distribution.
class VarianceScaling : public layers::Initializer {
 public:
  explicit VarianceScaling(const VarianceScalingOptions& options = {});
};

/// For the initializers that have no other argument.
struct SeedOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> seed = std::nullopt;
};

/// U(-l, l) with l = √(6 / (fan in + fan out)); "Xavier".
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
};

/// A random matrix of orthonormal columns, or rows where those are fewer, times `gain`; all axes but the last together
/// are its rows. Calling it throws ValueError for a rank below 2.
class Orthogonal : public layers::Initializer {
 public:
  explicit Orthogonal(const OrthogonalOptions& options = {});
};

/// The unit matrix times `gain`. Calling it throws ValueError for a rank other than 2.
class Identity : public layers::Initializer {
 public:
  explicit Identity(double gain = 1.0);
};

/// Lets names and saved models mean a class of one's own. Saved models name it "package>class_name".
void register_initializer(const std::string& class_name,
                          std::function<layers::Initializer(const io::Json& config)> factory,
                          const std::string& package = "Custom");

}  // namespace rhyton::initializers

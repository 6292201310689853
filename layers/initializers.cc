#include <rhyton/layers/initializers.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/framework/serialization/config_writer.h>

namespace rhyton::initializers {
namespace {

using layers::InitializerImpl;
using Seed = std::optional<std::int64_t>;
using Distribution = Tensor (*)(const Shape&, std::uint64_t, std::int64_t, double, double, DType);

/// The standard deviation of the standard normal distribution truncated at two standard deviations.
constexpr double truncated_stddev = 0.87962566103423978;

/// The identity matrix.
Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype) {
  return ops::one_hot(ops::range(rows), columns, dtype);
}

/// Fills the tensor with one value.
class Filling final : public InitializerImpl {
 public:
  Filling(std::string class_name, double value) : class_name_(std::move(class_name)), value_(value) {}
  Tensor call(const Shape& shape, DType dtype) const override { return Tensor::full(shape, value_, dtype); }
  std::string class_name() const override { return class_name_; }
  io::Json get_config() const override {
    return class_name_ == "Constant" ? written(ConstantOptions{.value = value_}) : io::Json::object();
  }

 private:
  std::string class_name_;
  double value_;
};

class UnitMatrix final : public InitializerImpl {
 public:
  explicit UnitMatrix(double gain) : gain_(gain) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() != 2) {
      throw ValueError("Identity matrix initializer can only be used for 2D matrices. Received: shape=" +
                       shape.to_string() + " of rank " + std::to_string(shape.rank()) + ".");
    }
    return ops::multiply(eye(shape[0], shape[1], dtype), gain_);
  }
  std::string class_name() const override { return "Identity"; }
  io::Json get_config() const override { return written(IdentityOptions{.gain = gain_}); }

 private:
  double gain_;
};

class Random : public InitializerImpl {
 public:
  /// `config` holds the options.
  Random(std::string class_name, const Seed& seed, io::Json config)
      : class_name_(std::move(class_name)), seed_(seed), config_(std::move(config)) {}
  std::string class_name() const override { return class_name_; }
  io::Json get_config() const override { return config_; }

 protected:
  Tensor draw(Distribution distribution, double first, double second, const Shape& shape, DType dtype) const {
    const std::uint64_t seed = seed_.has_value() ? static_cast<std::uint64_t>(*seed_) : context().next_seed();
    const DType drawn = dtype == DType::float64 ? dtype : DType::float32;
    // Mixed with a word, so that a layer with the same seed draws other numbers.
    const std::uint64_t key = random::mix_key(seed, "initializer");
    return ops::cast(distribution(shape, key, 0, first, second, drawn), dtype);
  }

 private:
  std::string class_name_;
  Seed seed_;
  io::Json config_;
};

/// A distribution with two parameters that do not depend on the shape.
class FixedDistribution final : public Random {
 public:
  template <class Options>
  FixedDistribution(std::string class_name, Distribution distribution, double first, double second,
                    const Options& options)
      : Random(std::move(class_name), options.seed, written(options)),
        distribution_(distribution),
        first_(first),
        second_(second) {}

  Tensor call(const Shape& shape, DType dtype) const override {
    return draw(distribution_, first_, second_, shape, dtype);
  }

 private:
  Distribution distribution_;
  double first_;
  double second_;
};

/// The options with the name of the distribution in Keras's form. Throws ValueError for wrong ones.
VarianceScalingOptions checked(VarianceScalingOptions options) {
  if (!(options.scale > 0)) {
    throw ValueError("Argument `scale` must be positive float. Received: scale=" + io::Json(options.scale).dump());
  }
  if (options.mode != "fan_in" && options.mode != "fan_out" && options.mode != "fan_avg") {
    throw ValueError("Invalid `mode` argument: " + options.mode +
                     ". Please use one of {'fan_in', 'fan_out', 'fan_avg'}");
  }
  std::string& distribution = options.distribution;
  std::transform(distribution.begin(), distribution.end(), distribution.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (distribution == "normal") distribution = "truncated_normal";
  if (distribution != "uniform" && distribution != "truncated_normal" && distribution != "untruncated_normal") {
    throw ValueError("Invalid `distribution` argument: " + distribution +
                     ".Please use one of {'uniform', 'truncated_normal', 'untruncated_normal'}");
  }
  return options;
}

class Scaling final : public Random {
 public:
  /// `options` are checked; `config` holds those that the class has.
  Scaling(std::string class_name, const VarianceScalingOptions& options, io::Json config)
      : Random(std::move(class_name), options.seed, std::move(config)), options_(options) {}

  bool has_axes() const { return options_.input_axes && options_.output_axes; }

  std::shared_ptr<const Scaling> with_axes(const FanAxes& input_axes, const FanAxes& output_axes) const {
    VarianceScalingOptions options = options_;
    options.input_axes = input_axes;
    options.output_axes = output_axes;
    io::Json config = get_config();
    config["input_axes"] = io::Json::array_from(input_axes);
    config["output_axes"] = io::Json::array_from(output_axes);
    return std::make_shared<const Scaling>(class_name(), options, std::move(config));
  }

  Tensor call(const Shape& shape, DType dtype) const override {
    const Fans fans =
        has_axes() ? compute_fans(shape, *options_.input_axes, *options_.output_axes) : compute_fans(shape);
    const auto fan_in = static_cast<double>(fans.in);
    const auto fan_out = static_cast<double>(fans.out);
    const double fan = options_.mode == "fan_in"    ? fan_in
                       : options_.mode == "fan_out" ? fan_out
                                                    : (fan_in + fan_out) / 2;
    const double variance = options_.scale / std::max(1.0, fan);
    if (options_.distribution == "uniform") {
      const double limit = std::sqrt(3.0 * variance);
      return draw(&ops::random_uniform, -limit, limit, shape, dtype);
    }
    if (options_.distribution == "untruncated_normal") {
      return draw(&ops::random_normal, 0.0, std::sqrt(variance), shape, dtype);
    }
    return draw(&ops::truncated_normal, 0.0, std::sqrt(variance) / truncated_stddev, shape, dtype);
  }

 private:
  VarianceScalingOptions options_;
};

class OrthogonalMatrix final : public Random {
 public:
  explicit OrthogonalMatrix(const OrthogonalOptions& options)
      : Random("Orthogonal", options.seed, written(options)), gain_(options.gain) {}

  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() < 2) {
      throw ValueError("The tensor to initialize must be at least two-dimensional. Received: shape=" +
                       shape.to_string() + " of rank " + std::to_string(shape.rank()) + ".");
    }
    const std::int64_t columns = shape.at(-1);
    const std::int64_t rows = shape.slice(0, shape.rank() - 1).size();
    const Shape tall = {std::max(rows, columns), std::min(rows, columns)};
    const DType drawn = dtype == DType::float64 ? dtype : DType::float32;
    const auto [q, r] = ops::qr(draw(&ops::random_normal, 0.0, 1.0, tall, drawn));
    // Keras's choice of signs makes the distribution uniform over all orthogonal matrices.
    const Tensor signs = ops::sign(ops::sum(ops::multiply(r, eye(tall[1], tall[1], drawn)), {1}));
    Tensor matrix = ops::multiply(q, signs);
    if (rows < columns) matrix = ops::transpose(matrix);
    return ops::cast(ops::multiply(ops::reshape(matrix, shape), gain_), dtype);
  }

 private:
  double gain_;
};

/// The arguments that define a preset of VarianceScaling.
struct Preset {
  const char* class_name;
  double scale;
  const char* mode;
  const char* distribution;
};

constexpr std::array presets = {
    Preset{"GlorotUniform", 1.0, "fan_avg", "uniform"}, Preset{"GlorotNormal", 1.0, "fan_avg", "truncated_normal"},
    Preset{"HeUniform", 2.0, "fan_in", "uniform"},      Preset{"HeNormal", 2.0, "fan_in", "truncated_normal"},
    Preset{"LecunUniform", 1.0, "fan_in", "uniform"},   Preset{"LecunNormal", 1.0, "fan_in", "truncated_normal"},
};

std::shared_ptr<const InitializerImpl> from_preset(const std::string& name, const SeedOptions& given) {
  for (const Preset& preset : presets) {
    if (name != preset.class_name) continue;
    VarianceScalingOptions options;
    options.scale = preset.scale;
    options.mode = preset.mode;
    options.distribution = preset.distribution;
    options.seed = given.seed;
    options.input_axes = given.input_axes;
    options.output_axes = given.output_axes;
    return std::make_shared<const Scaling>(preset.class_name, options, written(given));
  }
  return nullptr;
}

}  // namespace

Fans compute_fans(const Shape& shape) {
  if (shape.rank() == 0) return {};
  if (shape.rank() == 1) return {shape[0], shape[0]};
  const std::int64_t receptive_field = shape.slice(0, shape.rank() - 2).size();
  return {shape.at(-2) * receptive_field, shape.at(-1) * receptive_field};
}

Fans compute_fans(const Shape& shape, const FanAxes& input_axes, const FanAxes& output_axes) {
  const auto product = [&](const FanAxes& axes) {
    std::int64_t lengths = 1;
    for (const std::int64_t axis : axes) {
      if (axis < -shape.rank() || axis >= shape.rank()) {
        throw ValueError("Axis " + std::to_string(axis) + " of an initializer is out of bounds for the shape " +
                         shape.to_string() + ".");
      }
      lengths *= shape.at(static_cast<int>(axis));
    }
    return lengths;
  };
  return {product(input_axes), product(output_axes)};
}

layers::Initializer with_fan_axes(const layers::Initializer& initializer, const FanAxes& input_axes,
                                  const FanAxes& output_axes) {
  const auto scaling = std::dynamic_pointer_cast<const Scaling>(initializer.impl());
  if (scaling == nullptr || scaling->has_axes()) return initializer;
  return layers::Initializer(scaling->with_axes(input_axes, output_axes));
}

Zeros::Zeros() : Initializer(std::make_shared<const Filling>("Zeros", 0.0)) {}
Ones::Ones() : Initializer(std::make_shared<const Filling>("Ones", 1.0)) {}
Constant::Constant(double value) : Initializer(std::make_shared<const Filling>("Constant", value)) {}
Identity::Identity(double gain) : Initializer(std::make_shared<const UnitMatrix>(gain)) {}

RandomNormal::RandomNormal(const RandomNormalOptions& options)
    : Initializer(std::make_shared<const FixedDistribution>("RandomNormal", Distribution{&ops::random_normal},
                                                            options.mean, options.stddev, options)) {}

TruncatedNormal::TruncatedNormal(const TruncatedNormalOptions& options)
    : Initializer(std::make_shared<const FixedDistribution>("TruncatedNormal", Distribution{&ops::truncated_normal},
                                                            options.mean, options.stddev, options)) {}

RandomUniform::RandomUniform(const RandomUniformOptions& options)
    : Initializer(std::make_shared<const FixedDistribution>("RandomUniform", Distribution{&ops::random_uniform},
                                                            options.minval, options.maxval, options)) {}

VarianceScaling::VarianceScaling(const VarianceScalingOptions& options)
    : Initializer(std::make_shared<const Scaling>("VarianceScaling", checked(options), written(checked(options)))) {}

GlorotUniform::GlorotUniform(const SeedOptions& options) : Initializer(from_preset("GlorotUniform", options)) {}
GlorotNormal::GlorotNormal(const SeedOptions& options) : Initializer(from_preset("GlorotNormal", options)) {}
HeUniform::HeUniform(const SeedOptions& options) : Initializer(from_preset("HeUniform", options)) {}
HeNormal::HeNormal(const SeedOptions& options) : Initializer(from_preset("HeNormal", options)) {}
LecunUniform::LecunUniform(const SeedOptions& options) : Initializer(from_preset("LecunUniform", options)) {}
LecunNormal::LecunNormal(const SeedOptions& options) : Initializer(from_preset("LecunNormal", options)) {}

Orthogonal::Orthogonal(const OrthogonalOptions& options)
    : Initializer(std::make_shared<const OrthogonalMatrix>(options)) {}

}  // namespace rhyton::initializers

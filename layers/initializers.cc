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
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/layers/keras_object.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::initializers {
namespace {

using layers::InitializerImpl;
using Seed = std::optional<std::int64_t>;
using Distribution = Tensor (*)(const Shape&, std::uint64_t, std::int64_t, double, double, DType);

/// The standard deviation of the standard normal distribution truncated at two standard deviations.
constexpr double truncated_stddev = 0.87962566103423978;

io::Json seed_json(const Seed& seed) { return seed.has_value() ? io::Json(*seed) : io::Json(); }

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
    return class_name_ == "Constant" ? io::Json::object({{"value", value_}}) : io::Json::object();
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
  /// Keras omits the gain here but reads one.
  io::Json get_config() const override {
    return gain_ == 1.0 ? io::Json::object() : io::Json::object({{"gain", gain_}});
  }

 private:
  double gain_;
};

class Random : public InitializerImpl {
 public:
  Random(std::string class_name, const Seed& seed) : class_name_(std::move(class_name)), seed_(seed) {}
  std::string class_name() const override { return class_name_; }
  io::Json get_config() const override { return io::Json::object({{"seed", seed_json(seed_)}}); }

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
};

/// A distribution with two parameters that do not depend on the shape.
class FixedDistribution final : public Random {
 public:
  using Parameter = std::pair<std::string, double>;
  FixedDistribution(std::string class_name, Distribution distribution, Parameter first, Parameter second,
                    const Seed& seed)
      : Random(std::move(class_name), seed),
        distribution_(distribution),
        first_(std::move(first)),
        second_(std::move(second)) {}

  Tensor call(const Shape& shape, DType dtype) const override {
    return draw(distribution_, first_.second, second_.second, shape, dtype);
  }
  io::Json get_config() const override {
    io::Json config = Random::get_config();
    config[first_.first] = first_.second;
    config[second_.first] = second_.second;
    return config;
  }

 private:
  Distribution distribution_;
  Parameter first_;
  Parameter second_;
};

class Scaling final : public Random {
 public:
  Scaling(std::string class_name, VarianceScalingOptions options)
      : Random(std::move(class_name), options.seed), options_(std::move(options)) {
    if (!(options_.scale > 0)) {
      throw ValueError("Argument `scale` must be positive float. Received: scale=" + io::Json(options_.scale).dump());
    }
    if (options_.mode != "fan_in" && options_.mode != "fan_out" && options_.mode != "fan_avg") {
      throw ValueError("Invalid `mode` argument: " + options_.mode +
                       ". Please use one of {'fan_in', 'fan_out', 'fan_avg'}");
    }
    std::string& distribution = options_.distribution;
    std::transform(distribution.begin(), distribution.end(), distribution.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (distribution == "normal") distribution = "truncated_normal";
    if (distribution != "uniform" && distribution != "truncated_normal" && distribution != "untruncated_normal") {
      throw ValueError("Invalid `distribution` argument: " + distribution +
                       ".Please use one of {'uniform', 'truncated_normal', 'untruncated_normal'}");
    }
  }

  Tensor call(const Shape& shape, DType dtype) const override {
    const Fans fans = compute_fans(shape);
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

  io::Json get_config() const override {
    io::Json config = Random::get_config();
    if (class_name() == "VarianceScaling") {
      config["scale"] = options_.scale;
      config["mode"] = options_.mode;
      config["distribution"] = options_.distribution;
    }
    return config;
  }

 private:
  VarianceScalingOptions options_;
};

class OrthogonalMatrix final : public Random {
 public:
  explicit OrthogonalMatrix(const OrthogonalOptions& options)
      : Random("Orthogonal", options.seed), gain_(options.gain) {}

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

  io::Json get_config() const override {
    io::Json config = Random::get_config();
    config["gain"] = gain_;
    return config;
  }

 private:
  double gain_;
};

/// The arguments that define a preset of VarianceScaling.
struct Preset {
  const char* class_name;
  const char* snake_name;
  double scale;
  const char* mode;
  const char* distribution;
};

constexpr std::array presets = {
    Preset{"GlorotUniform", "glorot_uniform", 1.0, "fan_avg", "uniform"},
    Preset{"GlorotNormal", "glorot_normal", 1.0, "fan_avg", "truncated_normal"},
    Preset{"HeUniform", "he_uniform", 2.0, "fan_in", "uniform"},
    Preset{"HeNormal", "he_normal", 2.0, "fan_in", "truncated_normal"},
    Preset{"LecunUniform", "lecun_uniform", 1.0, "fan_in", "uniform"},
    Preset{"LecunNormal", "lecun_normal", 1.0, "fan_in", "truncated_normal"},
};

std::shared_ptr<const InitializerImpl> from_preset(const std::string& name, const Seed& seed) {
  for (const Preset& preset : presets) {
    if (name != preset.class_name && name != preset.snake_name) continue;
    VarianceScalingOptions options;
    options.scale = preset.scale;
    options.mode = preset.mode;
    options.distribution = preset.distribution;
    options.seed = seed;
    return std::make_shared<const Scaling>(preset.class_name, options);
  }
  return nullptr;
}

bool is_any_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_of_keras(const std::string& class_name) {
  return from_preset(class_name, std::nullopt) != nullptr ||
         is_any_of(class_name, {"Zeros", "Ones", "Constant", "RandomNormal", "TruncatedNormal", "RandomUniform",
                                "VarianceScaling", "Orthogonal", "Identity"});
}

Seed read_seed(const io::Json& config) {
  const io::Json* const seed = config.find("seed");
  if (seed == nullptr || seed->is_null()) return std::nullopt;
  // A shared SeedGenerator in Keras's form.
  if (seed->is_object()) return read_seed((*seed)["config"]);
  return seed->as_int();
}

layers::Initializer from_name(const std::string& name, const io::Json& config, const std::string& registered = {}) {
  if (const auto factory = find_class<layers::Initializer>(registered, name)) return factory(config);
  for (const char* const key : {"input_axes", "output_axes"}) {
    const io::Json* const axes = config.find(key);
    if (axes != nullptr && !axes->is_null()) {
      throw NotImplementedError("The argument `" + std::string(key) + "` of initializer " + name +
                                " is not supported. Received: " + config.dump());
    }
  }
  const Seed seed = read_seed(config);
  if (auto preset = from_preset(name, seed)) return layers::Initializer(std::move(preset));
  if (is_any_of(name, {"Zeros", "zeros", "zero"})) return Zeros();
  if (is_any_of(name, {"Ones", "ones", "one"})) return Ones();
  if (is_any_of(name, {"Constant", "constant"})) return Constant(config.get_or("value", 0.0));
  if (is_any_of(name, {"RandomNormal", "random_normal", "normal"})) {
    return RandomNormal({.mean = config.get_or("mean", 0.0), .stddev = config.get_or("stddev", 0.05), .seed = seed});
  }
  if (is_any_of(name, {"TruncatedNormal", "truncated_normal"})) {
    return TruncatedNormal({.mean = config.get_or("mean", 0.0), .stddev = config.get_or("stddev", 0.05), .seed = seed});
  }
  if (is_any_of(name, {"RandomUniform", "random_uniform", "uniform"})) {
    return RandomUniform(
        {.minval = config.get_or("minval", -0.05), .maxval = config.get_or("maxval", 0.05), .seed = seed});
  }
  if (is_any_of(name, {"VarianceScaling", "variance_scaling"})) {
    return VarianceScaling({.scale = config.get_or("scale", 1.0),
                            .mode = config.get_or("mode", "fan_in"),
                            .distribution = config.get_or("distribution", "truncated_normal"),
                            .seed = seed});
  }
  if (is_any_of(name, {"Orthogonal", "orthogonal", "OrthogonalInitializer"})) {
    return Orthogonal({.gain = config.get_or("gain", 1.0), .seed = seed});
  }
  if (is_any_of(name, {"Identity", "identity", "IdentityInitializer"})) return Identity(config.get_or("gain", 1.0));
  throw ValueError("Could not interpret initializer identifier: " + name);
}

}  // namespace

Fans compute_fans(const Shape& shape) {
  if (shape.rank() == 0) return {};
  if (shape.rank() == 1) return {shape[0], shape[0]};
  const std::int64_t receptive_field = shape.slice(0, shape.rank() - 2).size();
  return {shape.at(-2) * receptive_field, shape.at(-1) * receptive_field};
}

Zeros::Zeros() : Initializer(std::make_shared<const Filling>("Zeros", 0.0)) {}
Ones::Ones() : Initializer(std::make_shared<const Filling>("Ones", 1.0)) {}
Constant::Constant(double value) : Initializer(std::make_shared<const Filling>("Constant", value)) {}
Identity::Identity(double gain) : Initializer(std::make_shared<const UnitMatrix>(gain)) {}

RandomNormal::RandomNormal(const RandomNormalOptions& options)
    : Initializer(std::make_shared<const FixedDistribution>("RandomNormal", Distribution{&ops::random_normal},
                                                            std::pair("mean", options.mean),
                                                            std::pair("stddev", options.stddev), options.seed)) {}

TruncatedNormal::TruncatedNormal(const TruncatedNormalOptions& options)
    : Initializer(std::make_shared<const FixedDistribution>("TruncatedNormal", Distribution{&ops::truncated_normal},
                                                            std::pair("mean", options.mean),
                                                            std::pair("stddev", options.stddev), options.seed)) {}

RandomUniform::RandomUniform(const RandomUniformOptions& options)
    : Initializer(std::make_shared<const FixedDistribution>("RandomUniform", Distribution{&ops::random_uniform},
                                                            std::pair("minval", options.minval),
                                                            std::pair("maxval", options.maxval), options.seed)) {}

VarianceScaling::VarianceScaling(const VarianceScalingOptions& options)
    : Initializer(std::make_shared<const Scaling>("VarianceScaling", options)) {}

GlorotUniform::GlorotUniform(const SeedOptions& options) : Initializer(from_preset("GlorotUniform", options.seed)) {}
GlorotNormal::GlorotNormal(const SeedOptions& options) : Initializer(from_preset("GlorotNormal", options.seed)) {}
HeUniform::HeUniform(const SeedOptions& options) : Initializer(from_preset("HeUniform", options.seed)) {}
HeNormal::HeNormal(const SeedOptions& options) : Initializer(from_preset("HeNormal", options.seed)) {}
LecunUniform::LecunUniform(const SeedOptions& options) : Initializer(from_preset("LecunUniform", options.seed)) {}
LecunNormal::LecunNormal(const SeedOptions& options) : Initializer(from_preset("LecunNormal", options.seed)) {}

Orthogonal::Orthogonal(const OrthogonalOptions& options)
    : Initializer(std::make_shared<const OrthogonalMatrix>(options)) {}

void register_initializer(const std::string& class_name,
                          std::function<layers::Initializer(const io::Json& config)> factory,
                          const std::string& package) {
  register_class<layers::Initializer>(package, class_name, std::move(factory));
}

}  // namespace rhyton::initializers

namespace rhyton::layers {

Initializer::Initializer(const char* name) : Initializer(std::string(name)) {}

Initializer::Initializer(const std::string& name) : Initializer(initializers::from_name(name, io::Json::object())) {}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  if (is_empty()) throw ValueError("This initializer is none and cannot be called.");
  return impl_->call(shape, dtype);
}

io::Json Initializer::to_config() const {
  if (is_empty()) return nullptr;
  const std::string class_name = impl_->class_name();
  if (!initializers::is_of_keras(class_name)) return custom_object<Initializer>(class_name, impl_->get_config());
  // Keras 3.0 has only the longer names of these two; later versions have them too.
  const bool has_longer_name = class_name == "Orthogonal" || class_name == "Identity";
  return keras_object("keras.initializers", has_longer_name ? class_name + "Initializer" : class_name,
                      impl_->get_config());
}

bool is_known_initializer(const std::string& registered_name, const std::string& name) {
  if (find_class<Initializer>(registered_name, name)) return true;
  try {
    initializers::from_name(name, io::Json::object());
    return true;
  } catch (const ValueError&) {
    return false;
  }
}

Initializer Initializer::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  const KerasObject object = read_keras_object(config, "initializer");
  return initializers::from_name(object.class_name, object.config, object.registered_name);
}

}  // namespace rhyton::layers

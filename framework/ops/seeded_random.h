#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/seed_generator.h>
#include <rhyton/framework/tensor/tensor.h>

// Random tensors as in `keras.random`: `random::normal({2, 3}, {.seed = 42})`. The same seed gives the same numbers at
// every call; without one they differ from call to call and depend on `set_random_seed`, and with a SeedGenerator they
// differ from call to call and depend on its seed. In a graph, such as that of a step of `fit`, those of a number are
// the same in each run, the others are drawn in the run. Layers draw from `ops/random.h`. The numbers are not those of
// Keras, whose backends differ too.

namespace rhyton::random {

/// Fields in the order of `keras.random.normal`.
struct NormalOptions {
  ByName by_name = ByName();
  double mean = 0.0;
  double stddev = 1.0;
  /// A floating dtype; `floatx()` unless set.
  std::optional<DType> dtype = std::nullopt;
  Seed seed = {};
};

/// Fields in the order of `keras.random.uniform`.
struct UniformOptions {
  ByName by_name = ByName();
  double minval = 0.0;
  double maxval = 1.0;
  /// A floating dtype; `floatx()` unless set.
  std::optional<DType> dtype = std::nullopt;
  Seed seed = {};
};

/// The normal distribution. Throws ValueError for a dtype that is not floating.
Tensor normal(const Shape& shape, const NormalOptions& options = {});
/// The normal distribution; numbers more than two deviations from the mean are drawn again. Throws as `normal`.
Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {});
/// Numbers in [minval, maxval), all equally likely. Throws as `normal`.
Tensor uniform(const Shape& shape, const UniformOptions& options = {});

/// The last arguments of the distributions below, in Keras's order.
struct DrawOptions {
  ByName by_name = ByName();
  /// A floating dtype; `floatx()` unless set.
  std::optional<DType> dtype = std::nullopt;
  Seed seed = {};
};

/// The same of functions with integer results.
struct IntegerDrawOptions {
  ByName by_name = ByName();
  DType dtype = DType::int32;
  Seed seed = {};
};

/// A parameter of a distribution: a number, or a tensor that broadcasts to the shape of the result.
class Parameter {
 public:
  Parameter(const Scalar& number) : value_(number) {}  // NOLINT(google-explicit-constructor): an argument
  template <class T>
  requires std::is_arithmetic_v<T> Parameter(T number) : value_(Scalar(number)) {}  // NOLINT: an argument
  Parameter(const Tensor& tensor) : value_(tensor) {}  // NOLINT(google-explicit-constructor): an argument

  /// In that shape, in float64. Throws InvalidArgumentError when it does not broadcast to it.
  Tensor broadcast(const Shape& shape) const;

 private:
  std::variant<Scalar, Tensor> value_;
};

/// Integers in [minval, maxval), all equally likely; of more than 2^53 of them not all. Throws ValueError for a dtype
/// that is not of integers, InvalidArgumentError where there is no integer to draw, and for integers that int32 does
/// not hold. (keras.random.randint)
Tensor randint(const Shape& shape, std::int64_t minval, std::int64_t maxval, const IntegerDrawOptions& options = {});

/// `num_samples` classes for each row of the unnormalized log probabilities `logits` [B, C]: [B, num_samples]. Classes
/// whose logit is infinite or NaN have the probability 0; of a row without any other the result is C, as on TensorFlow.
/// No gradient. Throws ValueError for another rank. (keras.random.categorical)
Tensor categorical(const Tensor& logits, std::int64_t num_samples, const IntegerDrawOptions& options = {});

/// The gamma distribution with shape `alpha` and scale 1. No gradient, unlike TensorFlow's. Throws as `normal`.
/// (keras.random.gamma)
Tensor gamma(const Shape& shape, const Parameter& alpha, const DrawOptions& options = {});

/// The beta distribution: x / (x + y) of gamma distributions with the shapes `alpha` and `beta`. Throws as `normal`.
/// (keras.random.beta)
Tensor beta(const Shape& shape, const Parameter& alpha, const Parameter& beta, const DrawOptions& options = {});

/// How many of `counts` trials succeed that do so with the `probabilities`. Throws as `normal`. (keras.random.binomial)
Tensor binomial(const Shape& shape, const Parameter& counts, const Parameter& probabilities,
                const DrawOptions& options = {});

/// Fields in the order of `keras.random.shuffle`.
struct ShuffleOptions {
  ByName by_name = ByName();
  int axis = 0;
  Seed seed = {};
};

/// The sub-tensors of x along `axis` in a random order, all equally likely. Differentiable. (keras.random.shuffle)
Tensor shuffle(const Tensor& x, const ShuffleOptions& options = {});

/// Fields in the order of `keras.random.dropout`.
struct DropoutOptions {
  ByName by_name = ByName();
  /// The shape in which elements are kept or dropped, which broadcasts to that of the inputs; -1 for the length of the
  /// inputs. By default each element is by itself.
  std::optional<Shape> noise_shape = std::nullopt;
  Seed seed = {};
};

/// The fraction `rate` of the elements replaced by 0, the others multiplied by 1 / (1 - rate). Differentiable. Throws
/// ValueError for a rate outside of [0, 1], for integers and a noise shape that does not fit. (keras.random.dropout)
Tensor dropout(const Tensor& inputs, double rate, const DropoutOptions& options = {});

}  // namespace rhyton::random

#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Random tensors as in `keras.random`: `random::normal({2, 3}, {.seed = 42})`. The same seed gives the same numbers at
// every call; without one they differ from call to call and depend on `set_random_seed`. The numbers are drawn when the
// function is called: in a graph they are constants. Layers that draw new ones in every step use `ops/random.h`.

namespace rhyton::random {

/// Fields in the order of `keras.random.normal`.
struct NormalOptions {
  ByName by_name = ByName();
  double mean = 0.0;
  double stddev = 1.0;
  /// A floating dtype; `floatx()` unless set.
  std::optional<DType> dtype = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// Fields in the order of `keras.random.uniform`.
struct UniformOptions {
  ByName by_name = ByName();
  double minval = 0.0;
  double maxval = 1.0;
  /// A floating dtype; `floatx()` unless set.
  std::optional<DType> dtype = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// The normal distribution. Throws ValueError for a dtype that is not floating.
Tensor normal(const Shape& shape, const NormalOptions& options = {});
/// The normal distribution; numbers more than two deviations from the mean are drawn again. Throws as `normal`.
Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {});
/// Numbers in [minval, maxval), all equally likely. Throws as `normal`.
Tensor uniform(const Shape& shape, const UniformOptions& options = {});

}  // namespace rhyton::random

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::random {

/// What one call of a random function draws from: a key and a number of the call (`ops/random.h`).
struct Draw {
  std::uint64_t key = 0;
  Tensor counter;
};

/// The `seed` of random functions that draw new numbers at every call, also at every run of a compiled function, where
/// its state is read and counted (`keras.random.SeedGenerator`). The first numbers are those of its seed as a plain
/// number. A handle: copies count together.
///
///     const random::SeedGenerator seeds(1337);
///     const Tensor first = random::normal({2, 3}, {.seed = seeds});
///     const Tensor second = random::normal({2, 3}, {.seed = seeds});  // other numbers
class SeedGenerator {
 public:
  /// Without a seed it depends on `set_random_seed`; without a name it is "seed_generator", with a number.
  explicit SeedGenerator(std::optional<std::uint64_t> seed = std::nullopt, const std::string& name = "");

  const std::string& name() const { return name_; }
  /// The seed that was given.
  std::optional<std::uint64_t> seed() const { return seed_; }
  /// The number of calls so far, int64.
  const Variable& state() const { return state_; }
  /// The draw of this call, which is counted.
  Draw next() const;

 private:
  std::string name_;
  std::optional<std::uint64_t> seed_;
  std::uint64_t key_;
  Variable state_;
};

/// The argument `seed` of a random function: a number, which gives the same numbers at every call, a SeedGenerator, or
/// none, for numbers that depend on `set_random_seed` and the calls before and differ in each run of a compiled
/// function.
class Seed {
 public:
  Seed() = default;
  template <std::integral T>
  Seed(T number) : number_(static_cast<std::uint64_t>(number)) {}  // NOLINT(google-explicit-constructor): an argument
  template <std::integral T>
  Seed(const std::optional<T>& number) {  // NOLINT(google-explicit-constructor): an argument
    if (number) number_ = static_cast<std::uint64_t>(*number);
  }
  Seed(std::nullopt_t) {}                                          // NOLINT(google-explicit-constructor)
  Seed(const SeedGenerator& generator) : generator_(generator) {}  // NOLINT(google-explicit-constructor)

  /// Whether the numbers of a compiled function differ from run to run.
  bool has_state() const { return !number_; }
  /// The draw of a call.
  Draw next() const;

 private:
  std::optional<std::uint64_t> number_;
  std::optional<SeedGenerator> generator_;
};

}  // namespace rhyton::random

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// The salt of a hash, where Keras takes a tuple of two integers, or one that stands for both: `{133, 137}`, or 133.
class HashSalt {
 public:
  /// None.
  HashSalt() = default;
  HashSalt(std::int64_t both) : key_({both, both}) {}   // NOLINT(google-explicit-constructor): a number is one
  HashSalt(int both) : HashSalt(std::int64_t{both}) {}  // NOLINT(google-explicit-constructor)
  HashSalt(std::int64_t first, std::int64_t second) : key_({first, second}) {}

  bool is_none() const { return !key_; }

  /// The bucket, from 0 to `buckets` - 1, of a string: by TensorFlow's SipHash with the salt as key, without a salt by
  /// its FarmHash (tf.strings.to_hash_bucket_strong, to_hash_bucket_fast).
  std::int64_t bucket_of(std::string_view text, std::int64_t buckets) const;

  /// A list of two integers, or null.
  io::Json to_config() const;
  static HashSalt from_config(const io::Json& config);
  static constexpr const char* config_type = "an integer or a list of 2 integers";

 private:
  std::optional<std::array<std::int64_t, 2>> key_;
};

}  // namespace rhyton::layers

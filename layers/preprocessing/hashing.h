#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/hash_salt.h>

namespace rhyton::layers {

/// The value that is masked, where Keras takes a string or an integer: `""`, or 0.
class HashMask {
 public:
  HashMask(std::int64_t number) : value_(number) {}          // NOLINT(google-explicit-constructor)
  HashMask(int number) : value_(std::int64_t{number}) {}     // NOLINT(google-explicit-constructor)
  HashMask(std::string text) : value_(std::move(text)) {}    // NOLINT(google-explicit-constructor)
  HashMask(const char* text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  /// Null for a value of the other kind.
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const std::int64_t* number() const { return std::get_if<std::int64_t>(&value_); }

  io::Json to_config() const;
  static HashMask from_config(const io::Json& config);
  static constexpr const char* config_type = "a string or an integer";

 private:
  std::variant<std::int64_t, std::string> value_;
};

/// Fields in the order of `keras.layers.Hashing`. There are no sparse tensors: `sparse` is always false.
struct HashingOptions {
  ByName by_name = ByName();
  /// The value whose bin is 0; all others then have the bins from 1 on.
  std::optional<HashMask> mask_value = std::nullopt;
  /// With a salt the hash is SipHash, without one FarmHash.
  HashSalt salt = {};
  /// "int", "one_hot", "multi_hot" or "count".
  std::string output_mode = "int";
  std::string name = {};
  /// That of the result: "int64" or "int32" for the mode "int", "int64" if empty; else the global policy if empty.
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Hashing.
struct HashingArguments : HashingOptions {
  std::int64_t num_bins = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_bins", self.num_bins);
    fields("salt", self.salt);
    fields("mask_value", self.mask_value);
    fields("output_mode", self.output_mode);
    fields.constant("sparse", false);
  }
};

/// Strings or integers as the numbers of `num_bins` bins, by a hash that does not change between processes and machines,
/// that of Keras on TensorFlow. It is called on strings or numbers; integers are hashed as their decimal digits,
/// floating numbers are rounded towards 0 before. The result is in the form of the `output_mode`:
///
/// - "int": the number of the bin, in the shape of the input;
/// - "one_hot": [...] -> [..., num_bins]; a last axis of length 1 is replaced;
/// - "multi_hot": [batch, n] -> [batch, num_bins], 1 for each bin that a sample has; a vector is one sample;
/// - "count": how often a sample has it.
///
/// See https://keras.io/api/layers/preprocessing_layers/categorical/hashing.
///
/// ```
/// Tensor bins = layers::Hashing(3)(StringTensor({"A", "B", "C"}));  // 1, 0, 1
/// ```
///
/// As a layer of a model it runs on the host, before the compiled step of the batch; see HostLayer.
///
/// The constructor throws ValueError in Keras's words for `num_bins` below 1, an unknown `output_mode` and a dtype that
/// does not fit it. A call throws TypeError for a `mask_value` of the other kind than the input.
class Hashing : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Hashing";
  using Arguments = HashingArguments;

  explicit Hashing(std::int64_t num_bins, const HashingOptions& options = {});
  static Hashing from_config(const io::Json& config);
};

}  // namespace rhyton::layers

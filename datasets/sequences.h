#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Arguments of `pad_sequences`. Fields in the order of Keras's signature.
struct PadSequencesOptions {
  ByName by_name = ByName();
  /// The length of the result; that of the longest sequence if not given.
  std::optional<std::int64_t> maxlen = std::nullopt;
  std::string dtype = "int32";
  /// Whether values are added before the sequence, "pre", or behind it, "post".
  std::string padding = "pre";
  /// Whether a longer sequence loses its first elements, "pre", or its last ones, "post".
  std::string truncating = "pre";
  /// The value that is added.
  Scalar value = 0.0;
};

/// Makes one tensor of sequences of different lengths (`keras.utils.pad_sequences`,
/// https://keras.io/api/data_loading/timeseries/#padsequences-function): [sequences, maxlen] + sample shape, where each
/// sequence is [length] + sample shape. A fraction is truncated for a dtype of integers.
///
/// ```
/// datasets::pad_sequences({{1}, {2, 3}, {4, 5, 6}});  // [[0, 0, 1], [0, 2, 3], [4, 5, 6]]
/// ```
///
/// Throws ValueError in Keras's words for sequences without a length or with different sample shapes and for unknown
/// options; without `maxlen` for no sequences.
Tensor pad_sequences(const std::vector<Tensor>& sequences, const PadSequencesOptions& options = {});
Tensor pad_sequences(const std::vector<std::vector<std::int64_t>>& sequences, const PadSequencesOptions& options = {});
/// The same for sequences of another type of numbers.
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, std::int64_t> && !std::same_as<T, bool>) Tensor
    pad_sequences(const std::vector<std::vector<T>>& sequences, const PadSequencesOptions& options = {}) {
  std::vector<Tensor> tensors;
  for (const std::vector<T>& sequence : sequences) {
    tensors.push_back(Tensor::from_data({static_cast<std::int64_t>(sequence.size())}, sequence));
  }
  return pad_sequences(tensors, options);
}

}  // namespace rhyton::datasets

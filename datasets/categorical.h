#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Converts class numbers to one-hot vectors (`keras.utils.to_categorical`,
/// https://keras.io/api/utils/python_utils/#tocategorical-function): float32 x.shape + (num_classes,), without a last
/// axis of x of length 1 unless that is its only one. Fractions are truncated; a negative number counts from the last
/// class. Without `num_classes`, or for 0, the largest number decides. Reads the elements on the host.
///
/// Throws ValueError for no numbers without `num_classes`, InvalidArgumentError in NumPy's words for a number that is
/// no class.
Tensor to_categorical(const Tensor& x, const std::optional<std::int64_t>& num_classes = std::nullopt);
/// The same for a list: `to_categorical({0, 1, 2, 3}, 4)`.
Tensor to_categorical(const std::vector<std::int64_t>& x,
                      const std::optional<std::int64_t>& num_classes = std::nullopt);

}  // namespace rhyton::datasets

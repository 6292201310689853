#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <rhyton/layers/layer.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/config.h>
#include <rhyton/models/training/step_data.h>

/// Functions of models and batches under the names that they have in Keras, `keras.utils`.
namespace rhyton::utils {

using config::disable_interactive_logging;
using config::enable_interactive_logging;
using config::is_interactive_logging_enabled;

/// The parts of a batch, as `train_step` gets it: `const auto [x, y, sample_weight] = unpack_x_y_sample_weight(data);`
inline std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::vector<Tensor>> unpack_x_y_sample_weight(
    const models::StepData& data) {
  return {data.x, data.y, data.sample_weight};
}

/// A batch of these parts, of which all but x may be empty.
inline models::StepData pack_x_y_sample_weight(std::vector<Tensor> x, std::vector<Tensor> y = {},
                                               std::vector<Tensor> sample_weight = {}) {
  return {.x = std::move(x), .y = std::move(y), .sample_weight = std::move(sample_weight)};
}

/// Whether a value is a symbolic tensor, known at compile time.
template <class T>
constexpr bool is_keras_tensor(const T& /*value*/) {
  return std::derived_from<std::remove_cvref_t<T>, layers::SymbolicTensor>;
}

/// The inputs that a symbolic tensor is computed from: those of its Inputs, each once, in the order in which the calls
/// of layers before it lead to them.
std::vector<layers::SymbolicTensor> get_source_inputs(const layers::SymbolicTensor& tensor);

}  // namespace rhyton::utils

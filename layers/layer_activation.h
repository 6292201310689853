#pragma once

#include <functional>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>

// Layers as activations of others: `keras.layers.Dense(4, activation=keras.layers.LeakyReLU(0.1))`. These have no
// weights and get none (`require_activation_without_weights`, activations.h).

namespace rhyton::layers {

/// Whether the configuration of an activation is that of a layer, and not of a function.
bool describes_layer(const io::Json& config);

/// The same for a layer of a known class.
bool describes_known_layer(const io::Json& config);

/// That layer. Throws ValueError for an unknown class, and for a layer that has weights or may get them.
Layer layer_activation(const io::Json& config);

/// The layer that a function is, as it was given to `ActivationFunction`: read from a configuration, or of the classes
/// Activation, ELU, LeakyReLU, ReLU and Softmax. Null for other functions and classes.
const Layer* layer_of(const std::function<Tensor(const Tensor&)>& function);

}  // namespace rhyton::layers

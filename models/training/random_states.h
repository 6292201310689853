#pragma once

#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>

namespace rhyton::training {

/// The variables of a layer and its sublayers that are no weights, in the order of the layers: the random states of
/// Dropout. Keras's files do not contain them.
std::vector<Variable> random_states_of(const layers::Layer& layer);

}  // namespace rhyton::training

#pragma once

#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>

namespace rhyton::training {

/// What a layer and all below it keep besides weights, in the order of the layers: the random states of Dropout. No
/// file of Keras holds them.
std::vector<Variable> random_states_of(const layers::Layer& layer);

}  // namespace rhyton::training

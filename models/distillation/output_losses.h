#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/training/options.h>

// Losses of a model's outputs outside of `compile`: one, a list, or a dictionary, with empty ones for outputs that are
// left out.

namespace rhyton::distillation {

/// In the order of the outputs: those of a dictionary in the order of its keys.
std::vector<losses::Loss> flat_losses(const models::LossArgument& losses);

/// Whether it is a function, which gives one value per sample, and not an object, which reduces them: in Keras one made
/// from a string such as "mse" is a function.
bool is_function(const losses::Loss& loss);

/// The mean over all values of the loss.
Tensor mean_of_loss(const losses::Loss& loss, const Tensor& y_true, const Tensor& y_pred);

/// The sum of `loss_of(i)` over the outputs i that have a loss.
Tensor sum_over_outputs(const std::vector<losses::Loss>& losses, const std::function<Tensor(std::size_t i)>& loss_of);

/// The structure in Keras's form, which `losses_from_config` reads.
io::Json losses_to_config(const models::LossArgument& losses);
models::LossArgument losses_from_config(const io::Json& config);

/// "a list of 2", "one", …, for messages.
std::string structure_of(const models::LossArgument& losses);

}  // namespace rhyton::distillation

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/saving/pending_values.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::saving {

/// The saved values of `optimizer.variables()`. `datasets`: those of the optimizer in a file, in their order; `names`:
/// theirs ("Adam/dense/kernel/m:0"), empty if the file has none. Supports three orders:
///
/// * Keras 3: iteration, learning rate, averages, slots;
/// * Keras 2 since TensorFlow 2.11: iteration, averages, slots, with one for SGD even without momentum;
/// * older and "legacy" optimizers: iteration, then all slots of one kind after those of another.
///
/// Variables that Keras 2 does not save keep their values: the learning rate, which it has in the configuration, and
/// the placeholders of Adafactor; the product of Nadam is that of the saved number of iterations. Empty if the state is
/// that of another optimizer, or of other variables. Throws IOError if the number of iterations cannot be read.
std::optional<PendingValues> find_state(const optimizers::Optimizer& optimizer,
                                        const std::vector<io::Hdf5Dataset>& datasets,
                                        const std::vector<std::string>& names = {});

}  // namespace rhyton::saving

#pragma once

#include <optional>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/callbacks/training_state.h>

// How the state of an interrupted training stands in an HDF5 file beside the weights: in a group of its own, which
// Keras passes over. Its attribute `state` holds numbers and texts as JSON, its datasets the tensors.

namespace rhyton::saving {

/// Writes it below `root`, which must not hold one. Throws IOError.
void write_training_state(const callbacks::TrainingState& state, io::Hdf5Group root);

/// What `write_training_state` has written; empty where there is none, as in the files of Keras. Throws IOError naming
/// the object when it is damaged or of a later version.
std::optional<callbacks::TrainingState> read_training_state(const io::Hdf5Group& root);

}  // namespace rhyton::saving

#pragma once

#include <optional>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/callbacks/training_state.h>

// The state of an interrupted training, in an HDF5 file together with the weights: in a separate group, which Keras
// ignores. Its attribute `state` has numbers and texts as JSON; its datasets are the tensors.

namespace rhyton::saving {

/// Writes the state below `root`, which must not have one yet. Throws IOError.
void write_training_state(const callbacks::TrainingState& state, io::Hdf5Group root);

/// Reads the state that `write_training_state` has written; empty if there is none, as in files of Keras. Throws
/// IOError, which names the group, if the state is damaged or of a later version.
std::optional<callbacks::TrainingState> read_training_state(const io::Hdf5Group& root);

}  // namespace rhyton::saving

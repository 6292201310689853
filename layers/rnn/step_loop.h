#pragma once

#include <vector>

#include <rhyton/layers/rnn/rnn_cell.h>

namespace rhyton::layers {

/// Calls `step` for each step of the sequence (`keras.backend.rnn`). At masked steps the states stay as they are, and
/// the output is the one before, zeros at first, or zeros with `zero_output_for_mask`. The sequence must have initial
/// states and at least one step.
CellSequenceResult step_loop(const CellStep& step, const CellSequence& sequence);

}  // namespace rhyton::layers

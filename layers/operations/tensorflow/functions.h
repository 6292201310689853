#pragma once

#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/symbolic_tensor.h>

// Functions of TensorFlow in functional models of tf.keras, which has no operations: it writes `x + 1`,
// `tf.reduce_mean(x)` and `x[:, 0]` as layers of the classes TFOpLambda and SlicingOpLambda.

namespace rhyton::layers {

/// Whether an entry of a functional model's configuration is such a layer.
bool is_tensorflow_function(const io::Json& entry);

/// Throws NotImplementedError, naming the layer and the function, if Rhyton has no operation for it.
void require_tensorflow_function(const io::Json& entry);

/// The outputs of the operations of Keras 3 that compute what the function of that entry gives for these arguments: the
/// first one by position, the others by keyword, with TensorFlow's names. Slices are dictionaries of `start`, `stop`
/// and `step`. The last operation has the name of the entry, the others names that begin with it. Throws
/// NotImplementedError, naming the layer and the function, for a function or arguments that Rhyton lacks.
std::vector<SymbolicTensor> call_tensorflow_function(const io::Json& entry, const CallArguments& arguments);

}  // namespace rhyton::layers

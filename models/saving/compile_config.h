#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/training/options.h>

namespace rhyton::saving {

/// What `compile` was given, as `config.json` holds it under "compile_config": optimizer, loss, loss_weights, metrics,
/// weighted_metrics, run_eagerly, steps_per_execution and jit_compile. Without keys that Keras 3.0 does not know.
io::Json serialize_compile_config(const models::CompileOptions& options);

/// Reads that form, as every Keras 3 writes it. Throws ValueError or TypeError in Keras's words for losses, metrics and
/// optimizers that are not known.
models::CompileOptions deserialize_compile_config(const io::Json& config);

}  // namespace rhyton::saving

#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/training/options.h>

namespace rhyton::saving {

/// The arguments of `compile` in the form of "compile_config" in `config.json`: optimizer, loss, loss_weights, metrics,
/// weighted_metrics, run_eagerly, steps_per_execution and jit_compile. Without keys that Keras 3.0 does not have.
io::Json serialize_compile_config(const models::CompileOptions& options);

/// Reads that form, as any Keras 3 writes it. Throws ValueError or TypeError with Keras's messages for unknown losses,
/// metrics and optimizers.
models::CompileOptions deserialize_compile_config(const io::Json& config);

}  // namespace rhyton::saving

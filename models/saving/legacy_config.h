#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>
#include <rhyton/models/training/options.h>

// How a legacy `.h5` file tells architecture and training: layers as `{"class_name", "config"}` alone, the optimizer
// apart from the other arguments of `compile`; in files of Keras 2 also tuples and shapes as objects.

namespace rhyton::saving {

/// The attribute "model_config".
io::Json legacy_model_config(const models::Model& model);

/// The attribute "training_config": what `compile` was given.
io::Json legacy_training_config(const models::CompileOptions& options);

/// The same object without what only Keras 2 wrote: tuples and shapes become lists.
io::Json without_legacy_forms(const io::Json& config);

/// "training_config", after `without_legacy_forms`, as `config.json` holds it under "compile_config".
io::Json current_training_config(const io::Json& config);

/// Reads "training_config" of Keras 3 or 2, after `without_legacy_forms`.
models::CompileOptions read_legacy_training_config(const io::Json& config);

}  // namespace rhyton::saving

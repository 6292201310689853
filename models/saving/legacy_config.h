#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>
#include <rhyton/models/training/options.h>

// The configuration in a legacy `.h5` file: layers as `{"class_name", "config"}` only, the optimizer separate from the
// other arguments of `compile`; in files of Keras 2 also tuples and shapes as objects.

namespace rhyton::saving {

/// The attribute "model_config".
io::Json legacy_model_config(const models::Model& model);

/// The attribute "training_config": the arguments of `compile`.
io::Json legacy_training_config(const models::CompileOptions& options);

/// The same object without forms of Keras 2: its objects for tuples and shapes become lists.
io::Json without_legacy_forms(const io::Json& config);

/// Converts "training_config", after `without_legacy_forms`, to the form of "compile_config" in `config.json`.
io::Json current_training_config(const io::Json& config);

/// Reads "training_config" of Keras 3 or 2, after `without_legacy_forms`.
models::CompileOptions read_legacy_training_config(const io::Json& config);

}  // namespace rhyton::saving

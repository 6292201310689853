#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>

namespace rhyton::saving {

/// The model as `config.json` holds it: architecture, and under "compile_config" what `compile` was given.
io::Json serialize_model(const models::Model& model);

/// The model that such an object describes, with fresh weights. Where `compile` is true and the object tells what
/// `compile` was given, it is compiled, and its optimizer has its slots. Throws as `load_model` says, without the file.
models::Model deserialize_model(const io::Json& object, bool compile);

/// Makes the optimizer's slots where the model is built and compiled, so that there is something for a saved state.
void build_optimizer(const models::Model& model);

}  // namespace rhyton::saving

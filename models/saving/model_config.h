#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>

namespace rhyton::saving {

/// The model in the form of `config.json`: architecture, and under "compile_config" the arguments of `compile`.
io::Json serialize_model(const models::Model& model);

/// The model that such an object describes, with newly initialized weights. If `compile` is true and the object has the
/// arguments of `compile`, the model is compiled, and its optimizer's slots exist. Throws as `load_model`; the messages
/// do not name the file.
models::Model deserialize_model(const io::Json& object, bool compile);

/// Creates the optimizer's slots if the model is built and compiled, so that a saved state can be assigned to them.
void build_optimizer(const models::Model& model);

}  // namespace rhyton::saving

#pragma once

#include <functional>
#include <map>
#include <string>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

/// Makes a model; the arguments have the names that they have in Keras. Those that are absent have Rhyton's defaults,
/// except that weights are random. Throws Error for an argument that the function does not have; `data_format`, which
/// is set globally, is ignored.
using MakeApplication = std::function<models::Model(const io::Json& arguments)>;

/// The functions that make models, by name.
const std::map<std::string, MakeApplication>& all_applications();

}  // namespace rhyton::applications

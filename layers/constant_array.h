#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/initializers.h>

namespace rhyton::layers {

/// A Constant of Keras whose value is an array: it is repeated along the axes that it lacks, as values are broadcast.
///
/// `value`: a list, or {"class_name": "__numpy__", "config": {"value": [...], "dtype": "float64"}}. Throws Error for
/// anything else; the initializer throws ValueError for a shape that the array does not fit.
Initializer constant_array(const io::Json& value);

}  // namespace rhyton::layers

#pragma once

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Writes a value and a line break to the standard output. Numbers have the fewest digits that read back as the same
/// double; a float has the digits of its exact value, as in Keras.
void print(const io::Json& value);

/// The lengths, null for unknown ones.
io::Json to_json(const Shape& shape);

/// The elements as nested arrays; a scalar as a number.
io::Json to_json(const Tensor& tensor);

/// An object with one value per name.
io::Json to_json(const callbacks::Logs& logs);

/// An object with a list of one value per epoch for each name: the result of `json.dumps(history.history)` in Python.
io::Json to_json(const models::History& history);

}  // namespace rhyton::tool

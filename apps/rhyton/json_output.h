#pragma once

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Writes a value and a line break to the standard output. Numbers have the fewest digits that read back as the same
/// double; a float's digits are those of its own value, as Keras writes them.
void print(const io::Json& value);

/// The lengths, null where unknown.
io::Json to_json(const Shape& shape);

/// The elements as nested arrays; a number alone for a scalar.
io::Json to_json(const Tensor& tensor);

/// Name by name one value.
io::Json to_json(const callbacks::Logs& logs);

/// Name by name a list of one value per epoch: what `json.dumps(history.history)` gives in Python.
io::Json to_json(const models::History& history);

}  // namespace rhyton::tool

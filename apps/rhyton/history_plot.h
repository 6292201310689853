#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Draws a history written by `train --history`, or by `json.dump(history.history, file)` in Python, as an SVG picture:
/// for the loss and each metric a chart over the epochs, with the validation values in the same chart. Throws
/// ValueError unless `history` is an object of lists of numbers.
std::string plot_history(const io::Json& history);

}  // namespace rhyton::tool

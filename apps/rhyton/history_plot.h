#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// What `train --history`, or `json.dump(history.history, file)` in Python, has written, as an SVG picture: for the
/// loss and each metric a chart over the epochs, with what was validated beside it. Throws ValueError when `history` is
/// no object of lists of numbers.
std::string plot_history(const io::Json& history);

}  // namespace rhyton::tool

#pragma once

#include <string>

namespace rhyton::models {

/// A number of bytes as Keras shows it: "4.00 KB", in units of powers of 1024.
std::string readable_memory_size(double bytes);

}  // namespace rhyton::models

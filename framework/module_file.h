#pragma once

#include <filesystem>

namespace rhyton {

/// The file of a module: a part of this library that is loaded when it is needed. It has this name, in the folder of
/// this library, or is the file that the environment variable `variable` names. Empty where that folder is unknown; the
/// file need not exist.
std::filesystem::path module_file(const char* name, const char* variable);

}  // namespace rhyton

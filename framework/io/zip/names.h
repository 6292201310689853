#pragma once

#include <string_view>

namespace rhyton::io {

/// Why a member of a zip archive may not have that name; empty when it may.
std::string_view zip_name_complaint(std::string_view name);

}  // namespace rhyton::io

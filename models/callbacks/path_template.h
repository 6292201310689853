#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rhyton::callbacks {

/// A name that a path may contain in braces, and its value.
struct PathField {
  std::string name;
  std::variant<std::int64_t, double> value;
};

/// `path` with each `{name}` or `{name:format}` replaced as Python's `str.format` does, `{{` and `}}` by single braces:
/// "{epoch:02d}-{val_loss:.2f}.keras" becomes "07-0.25.keras". A format is `[[fill]align][sign][#][0][width]
/// [.precision][type]` with the types of Python's numbers except `c`; separators of thousands, `#` for reals,
/// conversions (`!r`), attributes and nested formats are refused.
///
/// Throws NotFoundError with the name in quotes, like Python's KeyError, for an unknown field; ValueError for an
/// invalid format, in Python's words if Python refuses it too.
std::string format_path(std::string_view path, const std::vector<PathField>& fields);

}  // namespace rhyton::callbacks

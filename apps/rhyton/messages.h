#pragma once

#include <string>
#include <string_view>

#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// A text from a file or an exception as one line that is safe on a terminal: line breaks and the blanks around them
/// become one blank, other control characters and invalid UTF-8 bytes become '?'.
std::string one_line(std::string_view text);

/// A list for messages: "['numbers', 'words']".
std::string quoted_list(const std::vector<std::string>& names);

/// The result of `action`. If it throws, the message is prefixed with `path` unless it contains it.
template <class Action>
auto naming_file(const std::string& path, Action action) {
  try {
    return action();
  } catch (const saving::UnknownClassesError&) {
    throw;  // the handler names the file
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(path) != std::string::npos) throw;
    throw Error(path + ": " + message);
  }
}

}  // namespace rhyton::tool

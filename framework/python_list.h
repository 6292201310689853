#pragma once

#include <string>
#include <vector>

namespace rhyton {

/// The names as Python prints a list of them, for messages: ['a', 'b'].
inline std::string python_list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() > 1 ? ", '" : "'") + name + "'";
  return text + "]";
}

}  // namespace rhyton

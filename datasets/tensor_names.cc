#include <rhyton/datasets/tensor_names.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>

namespace rhyton::datasets {

const std::vector<std::string>& TensorNames::list() const {
  static const std::vector<std::string> none;
  return names_ == nullptr ? none : *names_;
}

std::optional<std::size_t> TensorNames::find(std::string_view name) const {
  const auto found = std::find(list().begin(), list().end(), name);
  if (found == list().end()) return std::nullopt;
  return static_cast<std::size_t>(found - list().begin());
}

void TensorNames::require_fitting(std::size_t count, const char* part) const {
  if (is_empty()) return;
  const std::set<std::string> different(list().begin(), list().end());
  if (list().size() == count && different.size() == count) return;
  throw ValueError(fmt::format("An element with {} tensors in `{}` needs as many different names. Received: {}", count,
                               part, python_list(list())));
}

}  // namespace rhyton::datasets

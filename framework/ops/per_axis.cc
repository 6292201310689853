#include <rhyton/framework/ops/per_axis.h>

#include <rhyton/framework/error.h>

namespace rhyton {
inline namespace ops {

std::vector<std::int64_t> PerAxis::for_axes(std::size_t axes, const std::string& argument) const {
  if (numbers_.size() == 1) return std::vector<std::int64_t>(axes, numbers_.front());
  if (numbers_.size() == axes) return numbers_;
  throw ValueError("`" + argument + "` should be of length 1 or " + std::to_string(axes) + ". Received: " + argument +
                   "=" + to_string() + " of length " + std::to_string(numbers_.size()));
}

std::string PerAxis::to_string() const {
  if (numbers_.empty()) return "None";
  if (numbers_.size() == 1) return std::to_string(numbers_.front());
  std::string listed;
  for (const std::int64_t number : numbers_) listed += (listed.empty() ? "" : ", ") + std::to_string(number);
  return "(" + listed + ")";
}

}  // namespace ops
}  // namespace rhyton

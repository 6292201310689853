#include <rhyton/layers/window_size.h>

#include <set>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

template <int rank>
WindowSize<rank> WindowSize<rank>::given() const {
  WindowSize result = *this;
  result.is_given_ = true;
  return result;
}

template <int rank>
std::string WindowSize<rank>::to_string() const {
  std::string listed;
  for (const std::int64_t value : values_) listed += (listed.empty() ? "" : ", ") + std::to_string(value);
  return "(" + listed + (rank == 1 ? ",)" : ")");
}

template <int rank>
WindowSize<rank> WindowSize<rank>::from_config(const char* argument, const io::Json& config) {
  if (config.is_int()) return {config.as_int()};
  if (config.is_array() && config.size() == static_cast<std::size_t>(rank)) {
    WindowSize result;
    for (std::size_t i = 0; i < result.values_.size(); ++i) result.values_[i] = config[i].as_int();
    return result.given();
  }
  throw ValueError("The `" + std::string(argument) + "` argument must be a tuple of " + std::to_string(rank) +
                   " integers. Received " + argument + "=" + config.dump());
}

template <int rank>
void WindowSize<rank>::require_at_least(std::int64_t least, const std::string& argument) const {
  std::set<std::int64_t> wrong;
  for (const std::int64_t value : values_) {
    if (value < least) wrong.insert(value);
  }
  if (wrong.empty()) return;
  std::string listed;
  for (const std::int64_t value : wrong) listed += (listed.empty() ? "" : ", ") + std::to_string(value);
  throw ValueError("The `" + argument + "` argument must be a tuple of " + std::to_string(rank) +
                   " integers. Received " + argument + "=" + (is_single_ ? std::to_string(values_[0]) : to_string()) +
                   ", including values {" + listed + "} that do not satisfy `value " + (least == 0 ? ">= 0" : "> 0") +
                   "`");
}

template class WindowSize<1>;
template class WindowSize<2>;
template class WindowSize<3>;

}  // namespace rhyton::layers

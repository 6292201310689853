#include <rhyton/layers/reshaping/margins.h>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

constexpr std::array<const char*, 3> ordinals = {"1st", "2nd", "3rd"};

std::string entry_of(std::size_t axis, const std::string& argument) {
  return ordinals.at(axis) + std::string(" entry of ") + argument;
}

/// What Keras says of anything but these forms. It speaks of crops in 2D even of padding.
std::string forms_of(const std::string& argument, int rank) {
  const std::string start = "`" + argument + "` should be either an int, a tuple of " + std::to_string(rank) + " ints ";
  if (rank == 2) {
    return start +
           "(symmetric_height_crop, symmetric_width_crop), or a tuple of 2 tuples of 2 ints ((top_crop, bottom_crop), "
           "(left_crop, right_crop)). Received: " +
           argument + "=";
  }
  const std::string end = argument == "padding" ? "_pad" : "_crop";
  std::string single;
  std::string pairs;
  for (const char* const axis : {"dim1", "dim2", "dim3"}) {
    const std::string separator = single.empty() ? "" : ", ";
    // Its third pair ends with the second axis.
    const std::string right = axis == std::string("dim3") ? "dim2" : axis;
    single += separator + "symmetric_" + axis + end;
    pairs += separator + "(left_" + axis + end + ", right_" + right + end + ")";
  }
  return start + "(" + single + "), or a tuple of 3 tuples of 2 ints (" + pairs +
         "). Received: " + (argument == "padding" ? "padding=" : "");
}

}  // namespace

template <int rank>
std::string Margins<rank>::to_string() const {
  std::string listed;
  for (const Size2& axis : axes_) listed += (listed.empty() ? "" : ", ") + axis.to_string();
  return "(" + listed + ")";
}

template <int rank>
io::Json Margins<rank>::to_config() const {
  io::Json pairs = io::Json::array();
  for (const Size2& axis : axes_) pairs.push_back(io::Json::array_from(axis.values()));
  return pairs;
}

template <int rank>
Margins<rank> Margins<rank>::from_config(const char* argument, const io::Json& config) {
  const std::string name = argument;
  if (config.is_int()) return {config.as_int()};
  if (!config.is_array()) throw ValueError(forms_of(name, rank) + config.dump() + ".");
  if (config.size() != static_cast<std::size_t>(rank)) {
    throw ValueError("`" + name + "` should have " +
                     (rank == 2 ? "two elements. Received: " + name + "=" : std::string("3 elements. Received: ")) +
                     config.dump() + ".");
  }
  Margins result(0);
  result.is_single_ = false;
  for (std::size_t i = 0; i < result.axes_.size(); ++i) {
    result.axes_[i] = Size2::from_config(entry_of(i, name).c_str(), config[i]);
  }
  return result;
}

template <int rank>
void Margins<rank>::require_not_negative(const std::string& argument) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) axes_[i].require_not_negative(entry_of(i, argument));
}

template class Margins<2>;
template class Margins<3>;

}  // namespace rhyton::layers

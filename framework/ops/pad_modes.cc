#include <rhyton/framework/ops/rearranging.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_border(PadMode mode, std::int64_t before, std::int64_t after, std::int64_t length) {
  if (before < 0 || after < 0) {
    throw InvalidArgumentError("Paddings must be non-negative: " + std::to_string(before) + " " +
                               std::to_string(after) + " [Op:Pad]");
  }
  const std::string both = std::to_string(before) + ", " + std::to_string(after);
  if (mode == PadMode::reflect && std::max(before, after) >= length) {
    throw InvalidArgumentError("paddings must be less than the dimension size: " + both + " not less than " +
                               std::to_string(length) + " [Op:MirrorPad]");
  }
  if (mode == PadMode::symmetric && std::max(before, after) > length) {
    throw InvalidArgumentError("paddings must be no greater than the dimension size: " + both + " greater than " +
                               std::to_string(length) + " [Op:MirrorPad]");
  }
  if (length == 0) {
    throw InvalidArgumentError("An axis without elements can be padded with a constant only [Op:Pad]");
  }
}

/// The place in x of position `position` of an axis, which begins at 0 in x and may be outside.
std::int64_t source_of(PadMode mode, std::int64_t position, std::int64_t length) {
  switch (mode) {
    case PadMode::reflect:
      if (position < 0) return -position;
      return position < length ? position : 2 * length - 2 - position;
    case PadMode::symmetric:
      if (position < 0) return -position - 1;
      return position < length ? position : 2 * length - 1 - position;
    case PadMode::wrap:
      return (position % length + length) % length;
    case PadMode::edge:
    case PadMode::constant:
      break;
  }
  return std::clamp<std::int64_t>(position, 0, length - 1);
}

}  // namespace

PadMode pad_mode_from_name(std::string_view name) {
  if (name == "constant") return PadMode::constant;
  if (name == "reflect") return PadMode::reflect;
  if (name == "symmetric") return PadMode::symmetric;
  if (name == "edge") return PadMode::edge;
  if (name == "wrap") return PadMode::wrap;
  throw ValueError(
      "Value of argument `mode` expected to be one of \"constant\", \"reflect\", \"symmetric\", \"edge\" or "
      "\"wrap\". Received `mode` = " +
      std::string(name));
}

std::string_view pad_mode_name(PadMode mode) {
  switch (mode) {
    case PadMode::reflect:
      return "reflect";
    case PadMode::symmetric:
      return "symmetric";
    case PadMode::edge:
      return "edge";
    case PadMode::wrap:
      return "wrap";
    case PadMode::constant:
      break;
  }
  return "constant";
}

Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, PadMode mode,
           std::optional<double> constant_value) {
  if (mode == PadMode::constant) return pad(x, paddings, constant_value.value_or(0.0));
  if (constant_value) {
    throw ValueError("Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode=" +
                     std::string(pad_mode_name(mode)));
  }
  if (paddings.size() == 1 && x.rank() > 1) {
    return pad(x, std::vector(static_cast<std::size_t>(x.rank()), paddings.front()), mode);
  }
  if (paddings.size() != static_cast<std::size_t>(x.rank())) {
    throw InvalidArgumentError("The first dimension of paddings must be the rank of inputs[" +
                               std::to_string(paddings.size()) + ",2] " + bracketed(x.shape()) + " [Op:Pad]");
  }
  Tensor y = x;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const auto [before, after] = paddings[static_cast<std::size_t>(axis)];
    if (before == 0 && after == 0) continue;
    const std::int64_t length = x.shape()[axis];
    require_border(mode, before, after, length);
    std::vector<std::int64_t> places;
    for (std::int64_t i = -before; i < checked_add(length, after); ++i) places.push_back(source_of(mode, i, length));
    y = gather(y, Tensor::from_data(Shape({static_cast<std::int64_t>(places.size())}), places), axis);
  }
  return y;
}

Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& pad_width, std::string_view mode,
           std::optional<double> constant_values) {
  return pad(x, pad_width, pad_mode_from_name(mode), constant_values);
}

Tensor pad(const Tensor& x, std::int64_t pad_width, std::string_view mode, std::optional<double> constant_values) {
  const std::pair border(pad_width, pad_width);
  return pad(x, std::vector(static_cast<std::size_t>(x.rank()), border), mode, constant_values);
}

}  // namespace ops
}  // namespace rhyton

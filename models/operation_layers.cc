#include <rhyton/models/operation_layers.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Layer;

bool is_class(const Json& json, const char* class_name) {
  const Json* const found = json.is_object() ? json.find("class_name") : nullptr;
  return found != nullptr && found->is_string() && found->as_string() == class_name;
}

/// The positional arguments of the one call. Throws where there are not two.
const Json& two_arguments(const Json& entry) {
  const Json& nodes = entry["inbound_nodes"];
  const Json* const arguments = nodes.size() == 1 && nodes[0].is_object() ? nodes[0].find("args") : nullptr;
  if (arguments == nullptr || !arguments->is_array() || arguments->size() != 2) {
    throw NotImplementedError("The operation '" + entry["name"].as_string() + "' (" + entry["class_name"].as_string() +
                              ") must be called once, with two arguments.");
  }
  return *arguments;
}

class PowerImpl final : public OperationImpl {
 public:
  /// `base`, `exponent`: null for a tensor.
  PowerImpl(const std::string& name, Json base, Json exponent)
      : OperationImpl(name), base_(std::move(base)), exponent_(std::move(exponent)) {}

  std::string class_name() const override { return "Power"; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    if (base_.is_null() && exponent_.is_null()) return {power(inputs.at(0), inputs.at(1))};
    if (base_.is_null()) return {power(inputs.at(0), number_of(exponent_))};
    return {power(number_of(base_), inputs.at(0))};
  }

  Json arguments(const std::vector<Json>& tensors) const override {
    return Json::array({base_.is_null() ? tensors.front() : base_, exponent_.is_null() ? tensors.back() : exponent_});
  }

 private:
  Json base_;
  Json exponent_;
};

/// One part of a key such as `[:, 1:4, None, ..., -1]`.
struct KeyPart {
  enum class Kind : std::uint8_t { index, slice, ellipsis, new_axis };
  Kind kind = Kind::slice;
  /// That of an index; else where the slice begins and ends.
  std::int64_t start = 0;
  std::int64_t stop = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 1;
};

std::optional<KeyPart> read_part(const Json& json) {
  using enum KeyPart::Kind;
  if (json.is_null()) return KeyPart{.kind = new_axis};
  if (json.is_int()) return KeyPart{.kind = index, .start = json.as_int()};
  if (is_class(json, "__ellipsis__")) return KeyPart{.kind = ellipsis};
  const Json* const bounds = is_class(json, "__slice__") ? json.find("config") : nullptr;
  if (bounds == nullptr || !bounds->is_object()) return std::nullopt;
  KeyPart part;
  part.step = bounds->get_or("step", part.step);
  part.start = bounds->get_or("start", part.start);
  part.stop = bounds->get_or("stop", part.stop);
  return part.step < 1 ? std::nullopt : std::optional(part);
}

std::optional<std::vector<KeyPart>> read_key(const Json& key) {
  std::vector<KeyPart> parts;
  const auto add = [&](const Json& json) {
    const std::optional<KeyPart> part = read_part(json);
    if (part) parts.push_back(*part);
    return part.has_value();
  };
  if (!key.is_array()) return add(key) ? std::optional(parts) : std::nullopt;
  if (!std::all_of(key.begin(), key.end(), add)) return std::nullopt;
  const auto ellipses = std::count_if(parts.begin(), parts.end(),
                                      [](const KeyPart& part) { return part.kind == KeyPart::Kind::ellipsis; });
  return ellipses > 1 ? std::nullopt : std::optional(parts);
}

class GetItemImpl final : public OperationImpl {
 public:
  GetItemImpl(const std::string& name, Json key, std::vector<KeyPart> parts)
      : OperationImpl(name), key_(std::move(key)), parts_(std::move(parts)) {
    has_ellipsis_ = std::any_of(parts_.begin(), parts_.end(),
                                [](const KeyPart& part) { return part.kind == KeyPart::Kind::ellipsis; });
    named_axes_ = static_cast<int>(std::count_if(parts_.begin(), parts_.end(), [](const KeyPart& part) {
      return part.kind == KeyPart::Kind::index || part.kind == KeyPart::Kind::slice;
    }));
  }

  std::string class_name() const override { return "GetItem"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    const Shape& shape = inputs.at(0);
    if (named_axes_ > shape.rank()) {
      throw ValueError("Too many indices for '" + name() + "': the input of shape " + shape.to_string() + " has " +
                       std::to_string(shape.rank()) + " axes, but " + std::to_string(named_axes_) + " were indexed.");
    }
    int axis = 0;
    for (const KeyPart& part : parts_) {
      if (part.kind == KeyPart::Kind::ellipsis) axis += shape.rank() - named_axes_;
      if (part.kind == KeyPart::Kind::index) check_index(part.start, shape, axis);
      axis += part.kind == KeyPart::Kind::index || part.kind == KeyPart::Kind::slice ? 1 : 0;
    }
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs.at(0);
    const auto rank = static_cast<std::size_t>(x.rank());
    std::vector<std::int64_t> begin(rank, 0);
    std::vector<std::int64_t> end(rank, std::numeric_limits<std::int64_t>::max());
    std::vector<std::int64_t> steps(rank, 1);
    // Which axes are kept: their numbers, or -1 for a new one.
    std::vector<int> kept;
    int axis = 0;
    const auto keep = [&](int count) {
      for (; count > 0; --count) kept.push_back(axis++);
    };
    for (const KeyPart& part : parts_) {
      const auto place = static_cast<std::size_t>(axis);
      switch (part.kind) {
        case KeyPart::Kind::index: {
          const std::int64_t length = x.shape()[axis];
          begin[place] = part.start < 0 ? part.start + length : part.start;
          end[place] = checked_add(begin[place], std::int64_t{1});
          ++axis;
          break;
        }
        case KeyPart::Kind::slice:
          begin[place] = part.start;
          end[place] = part.stop;
          steps[place] = part.step;
          keep(1);
          break;
        case KeyPart::Kind::ellipsis:
          keep(x.rank() - named_axes_);
          break;
        case KeyPart::Kind::new_axis:
          kept.push_back(-1);
          break;
      }
    }
    if (!has_ellipsis_) keep(x.rank() - axis);
    const Tensor picked = strided_slice(x, begin, end, steps);
    Shape shape;
    for (const int from : kept) shape.push_back(from < 0 ? 1 : picked.shape()[from]);
    return {reshape(picked, shape)};
  }

  Json arguments(const std::vector<Json>& tensors) const override { return Json::array({tensors.front(), key_}); }

 private:
  void check_index(std::int64_t index, const Shape& shape, int axis) const {
    const std::int64_t length = shape[axis];
    if (length < 0 || (index >= -length && index < length)) return;
    throw ValueError("Index " + std::to_string(index) + " of '" + name() + "' is out of range for axis " +
                     std::to_string(axis) + " of the input's shape " + shape.to_string() + ".");
  }

  Json key_;
  std::vector<KeyPart> parts_;
  bool has_ellipsis_ = false;
  /// The number of axes of the input that the key selects from.
  int named_axes_ = 0;
};

}  // namespace

Scalar number_of(const Json& json) { return json.is_int() ? Scalar(json.as_int()) : Scalar(json.as_double()); }

OperationImpl::OperationImpl(const std::string& name) : LayerImpl({.name = name}) { mark_built(); }

Json OperationImpl::get_config() const { return Json::object({{"name", name()}}); }

Json OperationImpl::entry() const {
  return Json::object({{"module", "keras.src.ops.numpy"},
                       {"class_name", class_name()},
                       {"config", get_config()},
                       {"registered_name", class_name()}});
}

Layer power_layer(const Json& entry) {
  const Json& arguments = two_arguments(entry);
  const auto number_or_null = [&](const Json& argument) {
    if (!argument.is_number() && !is_class(argument, "__keras_tensor__")) {
      throw NotImplementedError(
          "The operation '" + entry["name"].as_string() +
          "' (Power) can be called with symbolic tensors and numbers only. Received: " + argument.dump());
    }
    return argument.is_number() ? argument : Json();
  };
  Json base = number_or_null(arguments[0]);
  Json exponent = number_or_null(arguments[1]);
  if (base.is_number() && exponent.is_number()) {
    throw ValueError("The operation '" + entry["name"].as_string() + "' (Power) is called without a symbolic tensor.");
  }
  return layers::make_layer<PowerImpl>(entry["name"].as_string(), std::move(base), std::move(exponent));
}

Layer get_item_layer(const Json& entry) {
  const Json& arguments = two_arguments(entry);
  std::optional<std::vector<KeyPart>> parts = read_key(arguments[1]);
  if (!parts || !is_class(arguments[0], "__keras_tensor__")) {
    throw NotImplementedError("The operation '" + entry["name"].as_string() +
                              "' (GetItem) can be read with integers, slices with steps of at least 1, `...` and None "
                              "only. Received: " +
                              arguments[1].dump());
  }
  return layers::make_layer<GetItemImpl>(entry["name"].as_string(), arguments[1], *std::move(parts));
}

}  // namespace rhyton::models

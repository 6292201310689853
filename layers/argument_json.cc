#include <rhyton/layers/argument_json.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/nested_numbers.h>

namespace rhyton::layers {
namespace {

using io::Json;

std::string class_of(const Json& json) {
  const Json* const name = json.is_object() ? json.find("class_name") : nullptr;
  return name != nullptr && name->is_string() ? name->as_string() : std::string();
}

Json number_json(const Scalar& number) {
  if (number.is_bool()) return number.as_integer() != 0;
  return number.is_integer() ? Json(number.as_integer()) : Json(number.as_double());
}

Json bound_json(const std::optional<std::int64_t>& bound) { return bound ? Json(*bound) : Json(); }

/// The elements as nested lists. `position` is the first element of the part with the axes from `axis` on.
Json elements_json(const std::vector<Scalar>& elements, const Shape& shape, int axis, std::size_t& position) {
  if (axis == shape.rank()) return number_json(elements[position++]);
  Json list = Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(elements_json(elements, shape, axis + 1, position));
  return list;
}

Json tensor_json(const Tensor& tensor) {
  std::vector<Scalar> elements;
  if (is_floating(tensor.dtype())) {
    for (const double element : tensor.to_vector()) elements.emplace_back(element);
  } else {
    const Tensor integers = cast(tensor, DType::int64);
    const bool is_bool = tensor.dtype() == DType::bool_;
    for (const std::int64_t element : integers.elements<std::int64_t>()) {
      elements.push_back(is_bool ? Scalar(element != 0) : Scalar(element));
    }
  }
  std::size_t position = 0;
  return Json::object({{"class_name", "__tensor__"},
                       {"config", Json::object({{"value", elements_json(elements, tensor.shape(), 0, position)},
                                                {"dtype", std::string(name_of(tensor.dtype()))}})}});
}

Tensor tensor_from_json(const Json& config) {
  const DType dtype = dtype_from_name(config["dtype"].as_string());
  const auto [shape, elements] = nested_numbers(argument_from_json(config["value"]));
  if (is_floating(dtype)) {
    std::vector<double> numbers;
    for (const Scalar& element : elements) numbers.push_back(element.as_double());
    return cast(Tensor::from_data<double>(shape, numbers), dtype);
  }
  std::vector<std::int64_t> numbers;
  for (const Scalar& element : elements) {
    if (element.is_floating() || (dtype != DType::bool_ && !Scalar(element.as_integer()).fits(dtype))) {
      throw ValueError("The element " + Argument(element).to_string() +
                       " of a constant tensor is out of range for dtype " + std::string(name_of(dtype)) + ".");
    }
    numbers.push_back(element.as_integer());
  }
  return cast(Tensor::from_data<std::int64_t>(shape, numbers), dtype);
}

Slice slice_from_json(const Json& config) {
  const auto bound = [&](const char* key) {
    const Json* const value = config.find(key);
    return value == nullptr || value->is_null() ? std::nullopt : std::optional(value->as_int());
  };
  return {bound("start"), bound("stop"), bound("step")};
}

}  // namespace

std::vector<const Json::Member*> sorted_members(const Json& dictionary) {
  std::vector<const Json::Member*> members;
  for (const Json::Member& member : dictionary.items()) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  return members;
}

bool is_symbol(const Json& json) { return class_of(json) == "__keras_tensor__"; }

Json argument_to_json(const Argument& argument, const std::function<Json(const SymbolicTensor&)>& symbol) {
  if (argument.is_none()) return nullptr;
  if (argument.is_number()) return number_json(argument.number());
  if (argument.is_string()) return argument.string();
  if (argument.is_tensor()) return tensor_json(argument.tensor());
  if (argument.is_symbolic()) return symbol(argument.symbolic());
  if (argument.is_ellipsis()) return Json::object({{"class_name", "__ellipsis__"}, {"config", Json::object()}});
  if (argument.is_slice()) {
    const Slice& slice = argument.slice();
    return Json::object({{"class_name", "__slice__"},
                         {"config", Json::object({{"start", bound_json(slice.start)},
                                                  {"stop", bound_json(slice.stop)},
                                                  {"step", bound_json(slice.step)}})}});
  }
  if (argument.is_list()) {
    Json list = Json::array();
    for (const Argument& entry : argument.list()) list.push_back(argument_to_json(entry, symbol));
    return list;
  }
  Argument::Dictionary entries = argument.dictionary();
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Json::Member> members;
  for (const auto& [key, entry] : entries) members.push_back({key, argument_to_json(entry, symbol)});
  return Json::object_from(std::move(members));
}

Argument argument_from_json(const Json& json, const std::function<Argument(const Json&)>& symbol) {
  if (json.is_null()) return {};
  if (json.is_bool()) return json.as_bool();
  if (json.is_int()) return json.as_int();
  if (json.is_number()) return json.as_double();
  if (json.is_string()) return json.as_string();
  if (json.is_array()) {
    Argument::List list;
    for (const Json& entry : json) list.push_back(argument_from_json(entry, symbol));
    return list;
  }
  if (!json.contains("class_name")) {
    Argument::Dictionary entries;
    for (const Json::Member* const member : sorted_members(json)) {
      entries.emplace_back(member->key, argument_from_json(member->value, symbol));
    }
    return Argument::dictionary(std::move(entries));
  }
  const std::string class_name = class_of(json);
  if (class_name == "__keras_tensor__" && symbol != nullptr) return symbol(json);
  if (class_name == "__ellipsis__") return Ellipsis();
  if (class_name == "__slice__") return slice_from_json(json["config"]);
  if (class_name == "__tensor__" || class_name == "__numpy__") return tensor_from_json(json["config"]);
  throw NotImplementedError("An object of class '" + class_name +
                            "' cannot be read as an argument of a call. Received: " + json.dump());
}

}  // namespace rhyton::layers

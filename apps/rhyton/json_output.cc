#include <rhyton/apps/rhyton/json_output.h>

#include <iostream>

namespace rhyton::tool {
namespace {

template <class T>
io::Json nested(const Shape& shape, int axis, const T*& next) {
  if (axis == shape.rank()) return *next++;
  io::Json list = io::Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(shape, axis + 1, next));
  return list;
}

template <class T>
io::Json nested(const Tensor& tensor) {
  const T* next = tensor.data<T>();
  return nested(tensor.shape(), 0, next);
}

}  // namespace

void print(const io::Json& value) { std::cout << value.dump() << "\n"; }

io::Json to_json(const Shape& shape) {
  io::Json lengths = io::Json::array();
  for (const std::int64_t length : shape) lengths.push_back(length < 0 ? io::Json() : io::Json(length));
  return lengths;
}

io::Json to_json(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::float32:
      return nested<float>(tensor);
    case DType::int32:
      return nested<std::int32_t>(tensor);
    case DType::int64:
      return nested<std::int64_t>(tensor);
    case DType::uint8:
      return nested<std::uint8_t>(tensor);
    case DType::int8:
      return nested<std::int8_t>(tensor);
    case DType::int16:
      return nested<std::int16_t>(tensor);
    case DType::uint16:
      return nested<std::uint16_t>(tensor);
    case DType::uint32:
      return nested<std::uint32_t>(tensor);
    case DType::bool_:
      return nested<bool>(tensor);
    default:
      return nested<double>(tensor.cast(float64));
  }
}

io::Json to_json(const callbacks::Logs& logs) {
  io::Json object = io::Json::object();
  for (const auto& [name, value] : logs) {
    object[name] = value.is_vector() ? io::Json::array_from(value.elements()) : io::Json(static_cast<double>(value));
  }
  return object;
}

io::Json to_json(const models::History& history) {
  io::Json object = io::Json::object();
  for (const auto& [name, values] : history.history) object[name] = io::Json::array_from(values);
  for (const auto& [name, vectors] : history.vectors) {
    io::Json epochs = io::Json::array();
    for (const std::vector<double>& elements : vectors) epochs.push_back(io::Json::array_from(elements));
    object[name] = std::move(epochs);
  }
  return object;
}

}  // namespace rhyton::tool

#include <rhyton/apps/rhyton/json_output.h>

#include <iostream>
#include <type_traits>

#include <rhyton/framework/tensor/visit_dtype.h>

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
  return visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>) return nested<T>(tensor);
    return nested<double>(tensor.cast(float64));
  });
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

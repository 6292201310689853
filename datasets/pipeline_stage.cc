#include <rhyton/datasets/pipeline_stage.h>

#include <cstddef>
#include <cstring>
#include <typeinfo>

#include <fmt/format.h>

#include <rhyton/datasets/element_parts.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::datasets {
namespace {

Tensor stacked_part(const std::vector<Batch>& elements, std::vector<Tensor> Batch::*part, std::size_t index,
                    std::size_t component) {
  const auto tensor_of = [&](const Batch& element) -> const Tensor& { return (element.*part).at(index); };
  const TensorSpec spec = tensor_of(elements.front()).spec();
  for (std::size_t row = 0; row < elements.size(); ++row) {
    const Tensor& tensor = tensor_of(elements[row]);
    if (tensor.shape() != spec.shape || tensor.dtype() != spec.dtype) {
      throw InvalidArgumentError(
          fmt::format("Cannot batch tensors with different shapes in component {}. First element had shape {} and "
                      "element {} had shape {}.",
                      component, brackets(spec.shape), row, brackets(tensor.shape())));
    }
  }
  if (spec.dtype == string_dtype) {
    std::vector<StringTensor> parts;
    for (const Batch& element : elements) parts.push_back(StringTensor::of(tensor_of(element)));
    return StringTensor::stack(parts);
  }
  const std::size_t bytes = spec.bytes();
  const Shape shape = {static_cast<std::int64_t>(elements.size())};
  Tensor batch = Tensor::uninitialized(shape.concatenate(spec.shape), spec.dtype);
  auto* rows = static_cast<std::byte*>(batch.mutable_raw_data());
  for (const Batch& element : elements) {
    if (bytes > 0) std::memcpy(rows, tensor_of(element).raw_data(), bytes);
    rows += bytes;
  }
  return batch;
}

/// Throws `error` with the number of the element in its message, if its class is exactly that one.
template <class Class>
void throw_with_number(const Error& error, std::int64_t number) {
  if (typeid(error) != typeid(Class)) return;
  throw Class(fmt::format("{} (element {} of `map`)", error.what(), number));
}

template <class... Classes>
void throw_numbered(const Error& error, std::int64_t number) {
  (throw_with_number<Classes>(error, number), ...);
}

}  // namespace

void require_single_tensors(const Batch& element, bool with_y) {
  if (element.x.size() == 1 && element.y.size() == (with_y ? 1U : 0U) && element.sample_weight.empty()) return;
  throw TypeError(fmt::format(
      "The function takes {}, but an element has {} x, {} y and {} sample weights. A function of a `datasets::Batch` "
      "takes any element.",
      with_y ? "x and y" : "x", element.x.size(), element.y.size(), element.sample_weight.size()));
}

Batch dictionary_element(const std::map<std::string, Tensor>& x, const Tensor& y, const Tensor& sample_weight) {
  Batch element;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : x) {
    names.push_back(name);
    element.x.push_back(tensor);
  }
  element.x_names = std::move(names);
  if (!y.is_empty()) element.y = {y};
  if (!sample_weight.is_empty()) element.sample_weight = {sample_weight};
  return element;
}

Cardinality BatchingStage::cardinality() const {
  const Cardinality count = source().cardinality();
  if (!count || *count == infinite_cardinality) return count;
  return *count / batch_size_ + (!drops_remainder_ && *count % batch_size_ != 0 ? 1 : 0);
}

Elements BatchingStage::iterator(std::uint64_t pass) const {
  return elements([from = shared(source().iterator(pass)), size = static_cast<std::size_t>(batch_size_),
                   drops = drops_remainder_, join = join()]() -> std::optional<Batch> {
    std::vector<Batch> rows;
    while (rows.size() < size) {
      std::optional<Batch> element = from->next();
      if (!element) break;
      rows.push_back(*std::move(element));
    }
    if (rows.empty() || (drops && rows.size() < size)) return std::nullopt;
    return join(rows);
  });
}

void require_positive(const char* name, std::int64_t value) {
  if (value < 1) throw ValueError(fmt::format("`{}` must be greater than zero. Received: {}={}", name, name, value));
}

std::string brackets(const Shape& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ",") + std::to_string(length);
  return "[" + text + "]";
}

Batch stacked(const std::vector<Batch>& elements) {
  Batch batch;
  batch.x_names = elements.front().x_names;
  batch.y_names = elements.front().y_names;
  std::size_t component = 0;
  for (const auto part : {&Batch::x, &Batch::y, &Batch::sample_weight}) {
    for (const Batch& element : elements) {
      if ((element.*part).size() != (elements.front().*part).size()) {
        throw ValueError("Elements with different numbers of tensors cannot be batched.");
      }
    }
    for (std::size_t i = 0; i < (elements.front().*part).size(); ++i) {
      (batch.*part).push_back(stacked_part(elements, part, i, component++));
    }
  }
  return batch;
}

BatchSpec batched(const BatchSpec& spec) {
  return map_tensors<BatchSpec>(spec, [](const TensorSpec& tensor) {
    return TensorSpec{.shape = Shape{-1}.concatenate(tensor.shape), .dtype = tensor.dtype};
  });
}

Shape common_lengths(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return a;
  Shape common = a;
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a[axis] != b[axis]) common = common.with(axis, -1);
  }
  return common;
}

template <class Result>
Result call_on_cpu(const FunctionOfElements<Result>& function, const Batch& element) {
  const DeviceScope cpu("/CPU:0");
  return function(element);
}

template Batch call_on_cpu(const FunctionOfElements<Batch>&, const Batch&);
template bool call_on_cpu(const FunctionOfElements<bool>&, const Batch&);
template std::int64_t call_on_cpu(const FunctionOfElements<std::int64_t>&, const Batch&);
template Pipeline call_on_cpu(const FunctionOfElements<Pipeline>&, const Batch&);

Batch map_element(const ElementFunction& function, const Batch& element, std::int64_t number) {
  try {
    return call_on_cpu(function, element);
  } catch (const Error& error) {
    throw_numbered<ValueError, TypeError, RuntimeError, InvalidArgumentError, NotFoundError, ResourceExhaustedError,
                   NotImplementedError, IOError, Error>(error, number);
    throw;
  }
}

}  // namespace rhyton::datasets

// x[key] of symbolic tensors.

#include <algorithm>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/item.h>
#include <rhyton/framework/ops/slice_range.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

/// As Python prints the key: a list is a tuple.
std::string text_of_key(const Argument& key) {
  if (!key.is_list()) return key.to_string();
  std::string text = key.to_string();
  text.front() = '(';
  text.back() = ')';
  if (key.list().size() == 1) text.insert(text.size() - 1, ",");
  return text;
}

[[noreturn]] void refuse_key(const Argument& key) {
  throw ValueError("Unsupported key type for array slice. Received: `" + text_of_key(key) + "`");
}

bool is_position(const Argument& index) { return index.is_number() && index.number().is_integer(); }

Index index_of(const Argument& index, const Argument& key) {
  if (index.is_none()) return newaxis;
  if (index.is_ellipsis()) return ellipsis;
  if (index.is_slice()) return index.slice();
  if (is_position(index)) return index.number().as_integer();
  refuse_key(key);
}

/// As in Keras, an integer, or a list of integers, slices, `...` and None.
std::vector<Index> key_of(const Argument& key) {
  if (is_position(key)) return {key.number().as_integer()};
  if (!key.is_list()) refuse_key(key);
  std::vector<Index> indices;
  for (const Argument& index : key.list()) indices.push_back(index_of(index, key));
  return indices;
}

/// The number of elements that a slice selects from an axis; -1 for an axis of unknown length, as in Keras.
std::int64_t length_of(const Slice& slice, std::int64_t length) {
  const std::int64_t count = slice_range(slice, std::max<std::int64_t>(length, 0)).count();
  return length < 0 ? -1 : count;
}

/// The spec of x[key], whose unknown lengths Keras does not compare with positions.
std::vector<TensorSpec> item_spec(const std::vector<Argument>& arguments) {
  const Argument& x = arguments.at(0);
  const Argument& key = arguments.at(1);
  const TensorSpec spec = spec_of(x);
  const std::vector<Index> indices = key_of(key);
  const std::string array = "Array has shape " + spec.shape.to_string() + " but ";
  const auto count = [&](auto matches) {
    return static_cast<int>(std::count_if(indices.begin(), indices.end(), matches));
  };
  const int ellipses = count([](const Index& index) { return std::holds_alternative<Ellipsis>(index); });
  if (ellipses > 1) throw ValueError("Slice should only have one ellipsis. Received: `" + text_of_key(key) + "`");
  const int selected = static_cast<int>(indices.size()) - ellipses -
                       count([](const Index& index) { return std::holds_alternative<NewAxis>(index); });
  if (selected > spec.shape.rank()) {
    throw ValueError(array + "slice has to many indices. Received: `" + text_of_key(key) + "`");
  }
  Shape shape;
  int axis = 0;
  const auto keep = [&](int axes) {
    for (; axes > 0; --axes) shape.push_back(spec.shape[axis++]);
  };
  for (const Index& index : indices) {
    if (std::holds_alternative<NewAxis>(index)) {
      shape.push_back(1);
    } else if (std::holds_alternative<Ellipsis>(index)) {
      keep(spec.shape.rank() - selected);
    } else if (const auto* const slice = std::get_if<Slice>(&index)) {
      shape.push_back(length_of(*slice, spec.shape[axis++]));
    } else {
      const std::int64_t length = spec.shape[axis++];
      const std::int64_t position = std::get<std::int64_t>(index);
      if (length >= 0 && (position < -length || position >= length)) {
        throw ValueError(array + "out-of-bounds index " + text_of_key(key) + " was requested.");
      }
    }
  }
  keep(spec.shape.rank() - axis);
  return {{shape, spec.dtype}};
}

Argument argument_of_index(const Index& index) {
  return std::visit(
      []<class T>(const T& value) -> Argument {
        if constexpr (std::same_as<T, NewAxis>) return {};
        if constexpr (!std::same_as<T, NewAxis>) return value;
      },
      index);
}

}  // namespace

std::vector<Operation> indexing_operations() {
  return {{.class_name = "GetItem",
           .module = "ops.numpy",
           .parameters = {"x", "key"},
           .options = {},
           .compute = computes([](const Tensor& x, const Argument& key) { return get_item(x, key_of(key)); }),
           .infer = item_spec}};
}

SymbolicTensor SymbolicTensor::operator[](std::int64_t index) const {
  return operation_output("GetItem", {*this, index});
}

SymbolicTensor SymbolicTensor::operator[](const std::vector<Index>& key) const {
  Argument::List entries;
  for (const Index& index : key) entries.push_back(argument_of_index(index));
  return operation_output("GetItem", {*this, Argument(std::move(entries))});
}

}  // namespace rhyton::layers

#include <rhyton/framework/io/stored_elements.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/memory_errors.h>

namespace rhyton::io {
namespace {

template <class Stored>
Stored load(const std::byte* source, bool swapped) {
  std::array<std::byte, sizeof(Stored)> bytes;
  std::copy_n(source, sizeof(Stored), bytes.begin());
  if (swapped) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return std::bit_cast<Stored>(bytes);
}

template <class Stored, class Element>
Element widen(Stored value, std::string_view name) {
  if constexpr (std::is_same_v<Element, bool>) {
    return value != 0;
  } else {
    if constexpr (std::is_same_v<Stored, std::uint64_t>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        throw IOError(fmt::format("\"{}\" holds the unsigned integer {}, which int64 cannot hold", name, value));
      }
    }
    return static_cast<Element>(value);
  }
}

/// Copies elements whose first index varies fastest into row-major order.
template <class Copy>
void for_each_row_major(const Shape& shape, Copy copy) {
  std::array<std::int64_t, Shape::max_rank> strides{};
  std::array<std::int64_t, Shape::max_rank> index{};
  std::int64_t stride = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  std::int64_t source = 0;
  const std::int64_t count = shape.size();
  for (std::int64_t target = 0; target < count; ++target) {
    copy(static_cast<std::size_t>(target), static_cast<std::size_t>(source));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const auto place = static_cast<std::size_t>(axis);
      source += strides[place];
      if (++index[place] < shape[axis]) {
        break;
      }
      source -= index[place] * strides[place];
      index[place] = 0;
    }
  }
}

template <class Stored, class Element>
void convert(const Shape& shape, const StoredLayout& layout, std::span<const std::byte> bytes, std::string_view name,
             void* target) {
  const bool swapped = layout.byte_order != std::endian::native && sizeof(Stored) > 1;
  const bool transposed = layout.first_index_fastest && shape.rank() > 1;
  auto* elements = static_cast<Element*>(target);
  if (std::is_same_v<Stored, Element> && !swapped && !transposed) {
    if (!bytes.empty()) {
      std::memcpy(target, bytes.data(), bytes.size());
    }
  } else if (transposed) {
    for_each_row_major(shape, [&](std::size_t to, std::size_t from) {
      elements[to] = widen<Stored, Element>(load<Stored>(bytes.data() + from * sizeof(Stored), swapped), name);
    });
  } else {
    for (std::size_t index = 0; index < bytes.size() / sizeof(Stored); ++index) {
      elements[index] = widen<Stored, Element>(load<Stored>(bytes.data() + index * sizeof(Stored), swapped), name);
    }
  }
}

}  // namespace

std::size_t size_of(StoredType type) {
  switch (type) {
    case StoredType::boolean:
    case StoredType::int8:
    case StoredType::uint8:
      return 1;
    case StoredType::int16:
    case StoredType::uint16:
    case StoredType::float16:
    case StoredType::bfloat16:
      return 2;
    case StoredType::int32:
    case StoredType::uint32:
    case StoredType::float32:
      return 4;
    case StoredType::int64:
    case StoredType::uint64:
    case StoredType::float64:
      return 8;
  }
  return 0;
}

DType dtype_for(StoredType type) {
  switch (type) {
    case StoredType::boolean:
      return DType::bool_;
    case StoredType::uint8:
      return DType::uint8;
    case StoredType::int8:
      return DType::int8;
    case StoredType::int16:
      return DType::int16;
    case StoredType::uint16:
      return DType::uint16;
    case StoredType::int32:
      return DType::int32;
    case StoredType::uint32:
      return DType::uint32;
    case StoredType::uint64:
    case StoredType::int64:
      return DType::int64;
    case StoredType::float16:
      return DType::float16;
    case StoredType::bfloat16:
      return DType::bfloat16;
    case StoredType::float32:
      return DType::float32;
    case StoredType::float64:
      return DType::float64;
  }
  return DType::float32;
}

std::uint64_t stored_bytes(const Shape& shape, StoredType type, std::string_view name) {
  // As in NumPy, the other axes must not overflow even if one has no elements: strides are products of them.
  std::uint64_t bytes = size_of(type);
  bool overflows = false;
  bool is_empty = false;
  for (const std::int64_t length : shape) {
    overflows = overflows || length < 0 ||
                (length > 0 && bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / length));
    is_empty = is_empty || length == 0;
    bytes = overflows ? 0 : bytes * static_cast<std::uint64_t>(std::max<std::int64_t>(length, 1));
  }
  // Widening multiplies the size by 4 at most.
  if (overflows || bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 4)) {
    throw IOError(fmt::format("\"{}\" claims an array of the impossible shape {}", name, shape.to_string()));
  }
  return is_empty ? 0 : bytes;
}

Tensor tensor_from_stored(const Shape& shape, const StoredLayout& layout, std::span<const std::byte> bytes,
                          std::string_view name) {
  const std::uint64_t expected = stored_bytes(shape, layout.type, name);
  if (bytes.size() != expected) {
    throw IOError(fmt::format("\"{}\" has the wrong size: expected {} bytes of data for shape {}, found {}", name,
                              expected, shape.to_string(), bytes.size()));
  }
  Tensor result = naming_memory_errors(name, [&] { return Tensor::uninitialized(shape, dtype_for(layout.type)); });
  void* target = result.mutable_raw_data();
  const auto run = [&]<class Stored, class Element>() { convert<Stored, Element>(shape, layout, bytes, name, target); };
  switch (layout.type) {
    case StoredType::boolean:
      run.template operator()<std::uint8_t, bool>();
      break;
    case StoredType::int8:
      run.template operator()<std::int8_t, std::int8_t>();
      break;
    case StoredType::int16:
      run.template operator()<std::int16_t, std::int16_t>();
      break;
    case StoredType::int32:
      run.template operator()<std::int32_t, std::int32_t>();
      break;
    case StoredType::int64:
      run.template operator()<std::int64_t, std::int64_t>();
      break;
    case StoredType::uint8:
      run.template operator()<std::uint8_t, std::uint8_t>();
      break;
    case StoredType::uint16:
      run.template operator()<std::uint16_t, std::uint16_t>();
      break;
    case StoredType::uint32:
      run.template operator()<std::uint32_t, std::uint32_t>();
      break;
    case StoredType::uint64:
      run.template operator()<std::uint64_t, std::int64_t>();
      break;
    case StoredType::float16:
    case StoredType::bfloat16:  // moved as bits
      run.template operator()<std::uint16_t, std::uint16_t>();
      break;
    case StoredType::float32:
      run.template operator()<float, float>();
      break;
    case StoredType::float64:
      run.template operator()<double, double>();
      break;
  }
  return result;
}

}  // namespace rhyton::io

#include <rhyton/framework/ops/segments.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <rhyton/framework/backends/cpu/primitives/index_types.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/backends/elementwise/binary.h>

namespace rhyton::cpu {
namespace {

template <class T>
constexpr bool is_half_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// The elements as numbers that compare.
template <class T>
auto comparable(T value) {
  if constexpr (is_half_type<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

struct Sum {
  template <class T>
  static T neutral() {
    return T(0);
  }
  template <class T>
  static T join(T a, T b) {
    return elementwise::Add()(a, b);
  }
};

struct Product {
  template <class T>
  static T neutral() {
    return T(1);
  }
  template <class T>
  static T join(T a, T b) {
    return elementwise::Multiply()(a, b);
  }
};

/// The largest finite number of a half type.
template <class T>
float largest_half() {
  return std::is_same_v<T, Half> ? 65504.0F : 0x1.FEp127F;
}

// NaN wins, as in the other reductions.
struct Largest {
  template <class T>
  static T neutral() {
    if constexpr (is_half_type<T>) {
      return T(-largest_half<T>());
    } else {
      return std::numeric_limits<T>::lowest();
    }
  }
  template <class T>
  static T join(T a, T b) {
    const auto first = comparable(a);
    return first > comparable(b) || first != first ? a : b;
  }
};

struct Smallest {
  template <class T>
  static T neutral() {
    if constexpr (is_half_type<T>) {
      return T(largest_half<T>());
    } else {
      return std::numeric_limits<T>::max();
    }
  }
  template <class T>
  static T join(T a, T b) {
    const auto first = comparable(a);
    return first < comparable(b) || first != first ? a : b;
  }
};

template <class Kind, class T>
void run(const KernelArguments& arguments) {
  const TensorView& data = arguments.inputs[0];
  const std::int64_t count = data.shape()[0];
  const std::int64_t inner = data.shape().slice(1, data.shape().rank()).size();
  const std::int64_t segments = arguments.outputs[0].shape()[0];
  const T* x = data.as<const T>();
  T* y = arguments.outputs[0].as<T>();
  if (!arguments.accumulate) std::fill_n(y, segments * inner, Kind::template neutral<T>());
  with_indices(arguments.inputs[1], [&](const auto* ids) {
    for (std::int64_t i = 0; i < count; ++i, x += inner) {
      const auto id = static_cast<std::int64_t>(ids[i]);
      if (id < 0) continue;
      if (id >= segments) {
        throw InvalidArgumentError("segment_ids[" + std::to_string(i) + "] = " + std::to_string(id) +
                                   " is out of range [0, " + std::to_string(segments) + ")");
      }
      T* to = y + id * inner;
      for (std::int64_t k = 0; k < inner; ++k) to[k] = Kind::join(to[k], x[k]);
    }
  });
}

template <class Kind, class... T>
void add(KernelTable& table, std::string_view name) {
  (table.add(name, dtype_of<T>, {.run = &run<Kind, T>}), ...);
}

}  // namespace

void register_segment_kernels(KernelTable& table) {
  add<Sum, float, double, std::int32_t, std::int64_t, std::uint8_t>(table, "UnsortedSegmentSum");
  add<Product, float, double, std::int32_t, std::int64_t, std::uint8_t>(table, "UnsortedSegmentProd");
  add<Largest, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "UnsortedSegmentMax");
  add<Smallest, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "UnsortedSegmentMin");
}

}  // namespace rhyton::cpu

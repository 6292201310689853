#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/limits.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/reduce/reduce.h>

namespace rhyton::gpu {
namespace {

/// Values of one byte are compared as words.
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int32_t, Computed<T>>;

/// The largest or smallest element; NaN takes precedence over all others.
template <class T, bool largest>
struct ExtremumKind {
  using Element = T;
  using Result = T;
  using Value = Compared<T>;

  __host__ __device__ static Value neutral() {
    if constexpr (std::is_floating_point_v<Value>) {
      return largest ? -infinity<Value> : infinity<Value>;
    } else {
      return largest ? lowest_number<T> : largest_number<T>;
    }
  }
  __host__ __device__ static Value join(Value a, Value b) {
    // Only NaN is unequal to itself.
    return (largest ? a > b : a < b) || a != a ? a : b;
  }
  __host__ __device__ static Value value_of(const T& x, std::int64_t) { return static_cast<Value>(number(x)); }
  __host__ __device__ static T result(Value value) { return element<T>(static_cast<Computed<T>>(value)); }
};

template <class T>
using MaxKind = ExtremumKind<T, true>;
template <class T>
using MinKind = ExtremumKind<T, false>;

}  // namespace

void register_reduce_extremum_kernels(KernelTable& table) {
  add_reduce_kernels<MaxKind, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "Max");
  add_reduce_kernels<MinKind, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "Min");
}

}  // namespace rhyton::gpu

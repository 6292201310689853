#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/reduce/reduce.h>

namespace rhyton::gpu {
namespace {

/// Elements of one byte are compared as words.
template <class T>
using Compared = std::conditional_t<sizeof(T) == 1, std::int32_t, Computed<T>>;

/// A value and its position, -1 for none.
template <class T>
struct Candidate {
  std::int64_t position;
  Compared<T> value;
};

/// The position of the first of the largest or smallest elements. As in an iteration from the first element on, NaN is
/// selected where it is the first, and otherwise never.
template <class T, bool largest>
struct PositionKind {
  using Element = T;
  using Result = std::int32_t;
  using Value = Candidate<T>;

  __host__ __device__ static Value neutral() { return {-1, Compared<T>(0)}; }
  __host__ __device__ static Value value_of(const T& x, std::int64_t position) {
    const auto value = static_cast<Compared<T>>(number(x));
    const bool is_nan = value != value;
    return {is_nan && position > 0 ? -1 : position, value};
  }
  __host__ __device__ static Value join(const Value& a, const Value& b) {
    if (a.position < 0) return b;
    if (b.position < 0 || a.value != a.value) return a;
    if (b.value != b.value) return b;
    if (a.value == b.value) return a.position < b.position ? a : b;
    return (largest ? a.value > b.value : a.value < b.value) ? a : b;
  }
  __host__ __device__ static std::int32_t result(const Value& value) {
    return static_cast<std::int32_t>(value.position);
  }
};

template <class Kind>
void run_position(const KernelArguments& arguments) {
  const int axis = arguments.attributes<ArgExtremumOp>().axis;
  reduce_along<Kind, true>(arguments, std::span<const int>(&axis, 1));
}

template <class Kind>
std::size_t position_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const int axis = static_cast<const ArgExtremumOp&>(op).axis;
  return reduction_workspace<Kind>(inputs[0].shape, std::span<const int>(&axis, 1));
}

template <class Kind>
constexpr Kernel position_kernel = {.run = &run_position<Kind>, .workspace_bytes = &position_workspace<Kind>};

template <bool largest, class... T>
void add_all(KernelTable& table, std::string_view name) {
  (table.add(name, dtype_of<T>, position_kernel<PositionKind<T, largest>>), ...);
  // A truth value is stored as a byte of 0 or 1.
  table.add(name, DType::bool_, position_kernel<PositionKind<std::uint8_t, largest>>);
}

}  // namespace

void register_reduce_position_kernels(KernelTable& table) {
  add_all<true, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "ArgMax");
  add_all<false, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "ArgMin");
}

}  // namespace rhyton::gpu

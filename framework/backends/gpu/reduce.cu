#include <rhyton/framework/backends/gpu/reduce.h>

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/numbers.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

/// What elements are added and multiplied in. Integers wrap around.
template <class T>
struct AccumulatorOf {
  using Type = Computed<T>;
};
template <>
struct AccumulatorOf<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct AccumulatorOf<std::int64_t> {
  using Type = std::uint64_t;
};

template <class T>
struct AccumulatedKind {
  using Element = T;
  using Result = T;
  using Value = typename AccumulatorOf<T>::Type;
  __host__ __device__ static Value value_of(const T& x, std::int64_t) { return static_cast<Value>(number(x)); }
  __host__ __device__ static T result(Value value) { return element<T>(static_cast<Computed<T>>(value)); }
};

template <class T>
struct SumKind : AccumulatedKind<T> {
  using typename AccumulatedKind<T>::Value;
  __host__ __device__ static Value neutral() { return Value(0); }
  __host__ __device__ static Value join(Value a, Value b) { return a + b; }
};

template <class T>
struct ProdKind : AccumulatedKind<T> {
  using typename AccumulatedKind<T>::Value;
  __host__ __device__ static Value neutral() { return Value(1); }
  __host__ __device__ static Value join(Value a, Value b) { return a * b; }
};

/// A truth value in a word of its own.
struct TruthKind {
  using Element = bool;
  using Result = bool;
  using Value = std::uint32_t;
  __host__ __device__ static Value value_of(bool x, std::int64_t) { return x ? 1 : 0; }
  __host__ __device__ static bool result(Value value) { return value != 0; }
};

template <class T>
struct AllKind : TruthKind {
  __host__ __device__ static Value neutral() { return 1; }
  __host__ __device__ static Value join(Value a, Value b) { return a & b; }
};

template <class T>
struct AnyKind : TruthKind {
  __host__ __device__ static Value neutral() { return 0; }
  __host__ __device__ static Value join(Value a, Value b) { return a | b; }
};

}  // namespace

void register_reduce_kernels(KernelTable& table) {
  add_reduce_kernels<SumKind, float, double, Half, BFloat16, std::int32_t, std::int64_t>(table, "Sum");
  add_reduce_kernels<ProdKind, float, double, Half, BFloat16, std::int32_t, std::int64_t>(table, "Prod");
  add_reduce_kernels<AllKind, bool>(table, "All");
  add_reduce_kernels<AnyKind, bool>(table, "Any");
  register_reduce_extremum_kernels(table);
  register_reduce_position_kernels(table);
}

}  // namespace rhyton::gpu

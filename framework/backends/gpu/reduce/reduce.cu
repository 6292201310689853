#include <rhyton/framework/backends/gpu/reduce/reduce.h>

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

/// The type of sums and products. Integers wrap around.
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

template <class T, class R = T>
struct AccumulatedKind {
  using Element = T;
  using Result = R;
  using Value = typename AccumulatorOf<T>::Type;
  __host__ __device__ static Value value_of(const T& x, std::int64_t) { return static_cast<Value>(number(x)); }
  __host__ __device__ static R result(Value value) { return element<R>(static_cast<Computed<R>>(value)); }
};

/// `R`: the type of the sums.
template <class T, class R = T>
struct SumKind : AccumulatedKind<T, R> {
  using typename AccumulatedKind<T, R>::Value;
  __host__ __device__ static Value neutral() { return Value(0); }
  __host__ __device__ static Value join(Value a, Value b) { return a + b; }
};

template <class T>
struct ProdKind : AccumulatedKind<T> {
  using typename AccumulatedKind<T>::Value;
  __host__ __device__ static Value neutral() { return Value(1); }
  __host__ __device__ static Value join(Value a, Value b) { return a * b; }
};

/// A truth value in a separate word.
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

template <class T>
using PlainSumKind = SumKind<T>;

/// Sums of a half type, rounded to it or not.
template <class T>
void run_half_sum(const KernelArguments& arguments) {
  if (arguments.outputs[0].spec.dtype == DType::float32) return run_reduce<SumKind<T, float>>(arguments);
  run_reduce<SumKind<T>>(arguments);
}

template <class... T>
void add_half_sums(KernelTable& table) {
  (table.add("Sum", dtype_of<T>, {.run = &run_half_sum<T>, .workspace_bytes = &reduce_workspace<SumKind<T>>}), ...);
}

}  // namespace

void register_reduce_kernels(KernelTable& table) {
  add_reduce_kernels<PlainSumKind, float, double, std::int32_t, std::int64_t>(table, "Sum");
  add_half_sums<Half, BFloat16>(table);
  add_reduce_kernels<ProdKind, float, double, Half, BFloat16, std::int32_t, std::int64_t>(table, "Prod");
  add_reduce_kernels<AllKind, bool>(table, "All");
  add_reduce_kernels<AnyKind, bool>(table, "Any");
  register_reduce_extremum_kernels(table);
  register_reduce_position_kernels(table);
}

}  // namespace rhyton::gpu

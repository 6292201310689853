#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/backends/gpu/elementwise/grouped_casts.h>
#include <rhyton/framework/backends/gpu/elementwise/map.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton::gpu {
namespace {

/// From numbers of a kernel to `Computed<To>`, rounded as `To` is when it is written.
template <class To>
struct CastTo {
  static constexpr const char* name = "Cast";
  template <class From>
  __host__ __device__ Computed<To> operator()(From x) const {
    return convert<Computed<To>>(x);
  }
};

template <class T>
struct FilledWith {
  static constexpr const char* name = "FullLike";
  Computed<T> value;
  __host__ __device__ Computed<T> operator()() const { return value; }
};

void run_copy(const KernelArguments& arguments) {
  const TensorView& from = arguments.inputs[0];
  const TensorView& to = arguments.outputs[0];
  if (to.data != from.data && to.size() > 0) stream_of(arguments).copy(to.data, from.data, to.spec.bytes());
}

template <class To, class From>
void convert_all(const KernelArguments& arguments) {
  if constexpr (std::is_same_v<To, From>) {
    run_copy(arguments);
  } else {
    launch_map(stream_of(arguments), CastTo<To>(), arguments.outputs[0].size(), arguments.outputs[0].as<To>(),
               arguments.inputs[0].as<const From>());
  }
}

template <class From>
void run_cast(const KernelArguments& arguments) {
  visit_dtype(arguments.outputs[0].spec.dtype,
              [&]<class To>(std::type_identity<To>) { convert_all<To, From>(arguments); });
}

/// Adjacent casts; those between float and the half types, as of all variables of a model, share launches.
template <class From>
void run_casts(std::span<const KernelArguments> casts) {
  visit_dtype(casts[0].outputs[0].spec.dtype, [&]<class To>(std::type_identity<To>) {
    if constexpr (can_group_casts<From, To>) {
      run_grouped_casts<From, To>(stream_of(casts[0]), casts);
    } else {
      for (const KernelArguments& cast : casts) convert_all<To, From>(cast);
    }
  });
}

template <class T>
void run_full_like(const KernelArguments& arguments) {
  const FilledWith<T> filled{convert<Computed<T>>(arguments.attributes<FullLikeOp>().value)};
  launch_map(stream_of(arguments), filled, arguments.outputs[0].size(), arguments.outputs[0].as<T>());
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("Cast", dtype_of<T>, {.run = &run_cast<T>, .run_together = &run_casts<T>}), ...);
  (table.add("FullLike", dtype_of<T>, {.run = &run_full_like<T>}), ...);
  (table.add("Identity", dtype_of<T>, {.run = &run_copy}), ...);
  (table.add("StopGradient", dtype_of<T>, {.run = &run_copy}), ...);
}

}  // namespace

void register_cast_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool, std::int8_t, std::int16_t,
          std::uint16_t, std::uint32_t>(table);
}

}  // namespace rhyton::gpu

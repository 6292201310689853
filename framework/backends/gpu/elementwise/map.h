#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <rhyton/framework/backends/gpu/primitives/broadcasting.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>

namespace rhyton::gpu {

// The kernels that call a function object for each element. No pointer is declared as not overlapping: an output may
// overwrite an input.

template <class... T>
inline constexpr int pack_length = std::max({sizeof(T)...}) > 4 ? 2 : 4;

template <int length, class T>
bool may_begin_pack(const T* data) {
  return is_aligned(data, sizeof(Pack<T, length>));
}

template <class Out, int length, class Function, class... In>
__device__ inline void write_pack(Out* y, const Function& f, const Pack<In, length>&... x) {
  Pack<Out, length> result;
  for (int i = 0; i < length; ++i) result.values[i] = element<Out>(f(number(x.values[i])...));
  store_whole(y, result);
}

/// y[i] = f(x[i]…): the first elements in packs, the others one by one.
template <class Function, class Out, class... In>
__global__ void map_elements(Function f, std::int64_t count, std::int64_t packs, Out* y, const In*... x) {
  constexpr int length = pack_length<Out, In...>;
  for_each_index(count - packs * (length - 1), [&](std::int64_t i) {
    if (i < packs) {
      write_pack<Out, length>(y + i * length, f, reinterpret_cast<const Pack<In, length>*>(x)[i]...);
    } else {
      const std::int64_t at = i + packs * (length - 1);
      y[at] = element<Out>(f(number(x[at])...));
    }
  });
}

/// y[i] = f(x[i]…) for operands of y's shape.
template <class Function, class Out, class... In>
void launch_map(GpuStream& stream, const Function& f, std::int64_t count, Out* y, const In*... x) {
  if (count == 0) return;
  constexpr int length = pack_length<Out, In...>;
  const bool has_packs = (may_begin_pack<length>(y) && ... && may_begin_pack<length>(x));
  const std::int64_t packs = has_packs ? count / length : 0;
  launch(stream, Function::name, one_thread_each(count - packs * (length - 1)), &map_elements<Function, Out, In...>, f,
         count, packs, y, x...);
}

template <int length, class T>
__device__ inline Pack<T, length> read_pack(const T* x, bool repeats) {
  if (!repeats) return *reinterpret_cast<const Pack<T, length>*>(x);
  Pack<T, length> pack;
  const T repeated = *x;
  for (int i = 0; i < length; ++i) pack.values[i] = repeated;
  return pack;
}

template <class Function, int operands, class Out, std::size_t... k, class... In>
__device__ inline void map_unit(const Function& f, const Broadcasting<operands>& broadcasting, std::int64_t unit,
                                Out* y, std::index_sequence<k...>, const In*... x) {
  constexpr int length = pack_length<Out, In...>;
  std::int64_t offsets[operands];
  broadcasting.locate(unit, offsets);
  const std::int64_t first = broadcasting.has_packs() ? unit * length : unit;
  const std::int64_t size = broadcasting.has_packs() ? broadcasting.count() - first : 1;
  if (size >= length) {
    write_pack<Out, length>(y + first, f, read_pack<length>(x + offsets[k], broadcasting.repeats(k))...);
    return;
  }
  // Few elements take this path, usually one.
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (std::int64_t i = 0; i < size; ++i) {
    y[first + i] = element<Out>(f(number(x[offsets[k] + (broadcasting.repeats(k) ? 0 : i)])...));
  }
}

/// y = f(x…) for operands that broadcast to y's shape.
template <class Function, class Out, class... In>
__global__ void map_broadcast(Function f, Broadcasting<sizeof...(In)> broadcasting, Out* y, const In*... x) {
  for_each_index(broadcasting.units(), [&](std::int64_t unit) {
    map_unit(f, broadcasting, unit, y, std::index_sequence_for<In...>(), x...);
  });
}

/// Operands have the shapes of the arguments' inputs.
template <class Function, class Out, class... In>
void launch_broadcast(const KernelArguments& arguments, const Function& f, Out* y, const In*... x) {
  constexpr int operands = sizeof...(In);
  const Shape& shape = arguments.outputs[0].shape();
  if (shape.size() == 0) return;
  std::array<const Shape*, operands> shapes;
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = &arguments.inputs[i].shape();
  Broadcasting<operands> broadcasting(shape, shapes);
  constexpr int length = pack_length<Out, In...>;
  if (may_begin_pack<length>(y)) broadcasting.use_packs(length, {may_begin_pack<length>(x)...});
  launch(stream_of(arguments), Function::name, one_thread_each(broadcasting.units()),
         &map_broadcast<Function, Out, In...>, f, broadcasting, y, x...);
}

}  // namespace rhyton::gpu

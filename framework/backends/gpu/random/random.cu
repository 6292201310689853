#include <rhyton/framework/ops/random.h>

#include <cmath>
#include <string_view>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/random/philox.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

/// How random numbers are converted to elements.
template <class Number>
struct Scaling {
  Number shift = 0;
  Number scale = 1;

  __host__ __device__ Number operator()(Number drawn) const { return std::fma(scale, drawn, shift); }
};

struct Uniform {
  template <class Number, int count>
  __host__ __device__ void operator()(const PhiloxWords& bits, Number (&numbers)[count]) const {
    uniform_numbers(bits, numbers);
  }
  /// Rounded down, so that the end of the interval is excluded, and the right fraction of elements is below any number
  /// that the type can represent.
  template <class T>
  __host__ __device__ T rounded(Computed<T> value) const {
    T result = element<T>(value);
    if constexpr (sizeof(T) == 2) {
      if (number(result) > value) result.bits = static_cast<std::uint16_t>(result.bits + (value < 0 ? 1 : -1));
    }
    return result;
  }
};

struct Normal {
  template <class Number, int count>
  __host__ __device__ void operator()(const PhiloxWords& bits, Number (&numbers)[count]) const {
    normal_numbers(bits, numbers);
  }
  template <class T>
  __host__ __device__ T rounded(Computed<T> value) const {
    return element<T>(value);
  }
};

/// A thread computes all elements of a block of random words. `offset`: the position of y's first element in the
/// sequence.
template <class T, class Distribution>
__global__ void draw(T* y, std::int64_t size, std::int64_t offset, bool is_aligned, std::uint64_t key,
                     const std::int64_t* counter, Scaling<Computed<T>> scaling, Distribution distribution) {
  constexpr int count = numbers_per_block<Computed<T>>;
  const auto stream = static_cast<std::uint64_t>(*counter);
  const std::int64_t first_block = offset / count;
  for_each_index((offset + size + count - 1) / count - first_block, [&](std::int64_t index) {
    const std::int64_t block = first_block + index;
    Computed<T> numbers[count];
    distribution(philox4x32(key, static_cast<std::uint64_t>(block), stream), numbers);
    Pack<T, count> elements;
    for (int i = 0; i < count; ++i) elements.values[i] = distribution.template rounded<T>(scaling(numbers[i]));
    const std::int64_t first = block * count - offset;
    if (is_aligned && first + count <= size) {
      store_whole(y + first, elements);
      return;
    }
    for (int i = 0; i < count; ++i) {
      if (first + i >= 0 && first + i < size) y[first + i] = elements.values[i];
    }
  });
}

template <class T>
__global__ void draw_truncated(T* y, std::int64_t size, std::uint64_t key, const std::int64_t* counter,
                               Scaling<Computed<T>> scaling) {
  const auto stream = static_cast<std::uint64_t>(*counter);
  for_each_index(size, [&](std::int64_t i) {
    y[i] = element<T>(scaling(truncated_normal_number<Computed<T>>(key, static_cast<std::uint64_t>(i), stream)));
  });
}

template <class T, class Distribution>
void fill(const KernelArguments& arguments, std::uint64_t key, const TensorView& counter,
          const Scaling<Computed<T>>& scaling, std::int64_t offset = 0) {
  constexpr int count = numbers_per_block<Computed<T>>;
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const std::int64_t blocks = (offset + y.size() + count - 1) / count - offset / count;
  const bool writes_blocks = offset % count == 0 && is_aligned(y.data, sizeof(Pack<T, count>));
  launch(stream_of(arguments), "Random", one_thread_each(blocks), &draw<T, Distribution>, y.as<T>(), y.size(), offset,
         writes_blocks, key, counter.as<const std::int64_t>(), scaling, Distribution());
}

template <class T>
void run_random(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const auto& op = arguments.attributes<RandomOp>();
  const TensorView& counter = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  Scaling<Number> scaling = {static_cast<Number>(op.first), static_cast<Number>(op.second)};
  switch (op.distribution) {
    case RandomOp::Distribution::uniform:
      scaling.scale = static_cast<Number>(op.second - op.first);
      return fill<T, Uniform>(arguments, op.key, counter, scaling);
    case RandomOp::Distribution::normal:
      return fill<T, Normal>(arguments, op.key, counter, scaling);
    case RandomOp::Distribution::truncated_normal:
      if (y.size() == 0) return;
      launch(stream_of(arguments), "TruncatedNormal", one_thread_each(y.size()), &draw_truncated<T>, y.as<T>(),
             y.size(), op.key, counter.as<const std::int64_t>(), scaling);
  }
}

template <class T>
void run_uniform_like(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<RandomUniformLikeOp>();
  const Shape& shape = arguments.outputs[0].shape();
  const std::int64_t per_sample = shape.rank() == 0 ? 1 : shape.slice(1, shape.rank()).size();
  fill<T, Uniform>(arguments, op.key, arguments.inputs[1], {}, op.first_sample * per_sample);
}

template <class... T>
void add_all(KernelTable& table) {
  for (const std::string_view name : {"RandomUniform", "RandomNormal", "TruncatedNormal"}) {
    (table.add(name, dtype_of<T>, {.run = &run_random<T>}), ...);
  }
  (table.add("RandomUniformLike", dtype_of<T>, {.run = &run_uniform_like<T>}), ...);
}

}  // namespace

void register_random_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu

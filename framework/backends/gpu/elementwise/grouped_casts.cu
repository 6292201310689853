#include <rhyton/framework/backends/gpu/elementwise/grouped_casts.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/backends/gpu/primitives/block_shares.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>

namespace rhyton::gpu {
namespace {

constexpr int threads = 256;
/// The number of elements that a thread processes together.
constexpr int width = 4;

template <class From, class To>
struct CastPart {
  const From* from;
  To* to;
  std::int64_t size;
};

template <class From, class To, int maximum>
__global__ void __launch_bounds__(threads) cast_parts(BlockShares<CastPart<From, To>, maximum> shares) {
  const int number = shares.part_of(blockIdx.x);
  const CastPart<From, To>& part = shares.parts[number];
  const std::int64_t begin = shares.first_element(blockIdx.x, number);
  const std::int64_t end = begin + shares.per_block < part.size ? begin + shares.per_block : part.size;
  const bool has_packs = begins_pack(part.from, width * sizeof(From)) && begins_pack(part.to, width * sizeof(To));
  for (std::int64_t at = begin + static_cast<int>(threadIdx.x) * width; at < end; at += threads * width) {
    if (has_packs && at + width <= end) {
      const auto pack = *reinterpret_cast<const Pack<From, width>*>(part.from + at);
      Pack<To, width> result;
      for (int k = 0; k < width; ++k) result.values[k] = convert<To>(pack.values[k]);
      store_whole(part.to + at, result);
    } else {
      for (std::int64_t i = at; i < end && i < at + width; ++i) part.to[i] = convert<To>(part.from[i]);
    }
  }
}

}  // namespace

template <class From, class To>
void run_grouped_casts(GpuStream& stream, std::span<const KernelArguments> casts) {
  constexpr int maximum = max_parts<CastPart<From, To>>;
  for (std::size_t first = 0; first < casts.size(); first += maximum) {
    const std::span<const KernelArguments> group =
        casts.subspan(first, std::min<std::size_t>(maximum, casts.size() - first));
    std::int64_t total = 0;
    for (const KernelArguments& cast : group) total += cast.outputs[0].size();
    BlockShares<CastPart<From, To>, maximum> shares;
    shares.per_block = elements_per_block(total, threads * width);
    for (const KernelArguments& cast : group) {
      const std::int64_t size = cast.outputs[0].size();
      if (size > 0) shares.add({cast.inputs[0].as<const From>(), cast.outputs[0].as<To>(), size}, size);
    }
    if (shares.blocks == 0) continue;
    launch(stream, "Cast", {dim3(shares.blocks), dim3(threads)}, &cast_parts<From, To, maximum>, shares);
  }
}

template void run_grouped_casts<float, Half>(GpuStream&, std::span<const KernelArguments>);
template void run_grouped_casts<float, BFloat16>(GpuStream&, std::span<const KernelArguments>);
template void run_grouped_casts<Half, float>(GpuStream&, std::span<const KernelArguments>);
template void run_grouped_casts<BFloat16, float>(GpuStream&, std::span<const KernelArguments>);

}  // namespace rhyton::gpu

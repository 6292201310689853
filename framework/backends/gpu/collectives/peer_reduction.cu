#include <rhyton/framework/backends/gpu/collectives/peer_reduction.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

/// The members' memory.
template <class T>
struct Members {
  const T* inputs[max_peers];
  T* outputs[max_peers];
  int input_count;
  int output_count;
};

/// The type of the sums: integers become unsigned, which wrap around.
template <class T>
struct Summed {
  using Type = Computed<T>;
};
template <>
struct Summed<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct Summed<std::int64_t> {
  using Type = std::uint64_t;
};

template <class T>
__global__ void sum_members(Members<T> members, std::int64_t elements, bool aligned) {
  using Sum = typename Summed<T>::Type;
  constexpr int width = pack_width<T>;
  const std::int64_t packs = (elements + width - 1) / width;
  for_each_index(packs, [&](std::int64_t index) {
    const std::int64_t first = index * width;
    if (first + width <= elements) {
      Sum sums[width];
      for (int member = 0; member < members.input_count; ++member) {
        const Pack<T, width> pack = load_pack<width>(members.inputs[member] + first, aligned);
        for (int i = 0; i < width; ++i) {
          const auto value = static_cast<Sum>(number(pack.values[i]));
          sums[i] = member == 0 ? value : sums[i] + value;
        }
      }
      Pack<T, width> result;
      for (int i = 0; i < width; ++i) result.values[i] = element<T>(static_cast<Computed<T>>(sums[i]));
      for (int member = 0; member < members.output_count; ++member) {
        store_pack(members.outputs[member] + first, result, aligned);
      }
    } else {
      for (std::int64_t i = first; i < elements; ++i) {
        auto sum = static_cast<Sum>(number(members.inputs[0][i]));
        for (int member = 1; member < members.input_count; ++member) {
          sum = sum + static_cast<Sum>(number(members.inputs[member][i]));
        }
        const T result = element<T>(static_cast<Computed<T>>(sum));
        for (int member = 0; member < members.output_count; ++member) members.outputs[member][i] = result;
      }
    }
  });
}

template <class T>
void launch_sum(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t elements,
                GpuStream& stream) {
  constexpr std::size_t pack_bytes = sizeof(Pack<T, pack_width<T>>);
  Members<T> members{};
  members.input_count = static_cast<int>(inputs.size());
  members.output_count = static_cast<int>(outputs.size());
  bool aligned = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    members.inputs[i] = static_cast<const T*>(inputs[i]);
    aligned = aligned && is_aligned(inputs[i], pack_bytes);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    members.outputs[i] = static_cast<T*>(outputs[i]);
    aligned = aligned && is_aligned(outputs[i], pack_bytes);
  }
  const std::int64_t packs = (elements + pack_width<T> - 1) / pack_width<T>;
  launch(stream, "sum_members", one_thread_each(packs), &sum_members<T>, members, elements, aligned);
}

void require_count(const char* what, std::size_t count) {
  if (count >= 1 && count <= static_cast<std::size_t>(max_peers)) return;
  throw ValueError("A sum over peers has 1 to " + std::to_string(max_peers) + " " + what + ", not " +
                   std::to_string(count) + ".");
}

}  // namespace

bool reaches(GpuStream& stream, GpuStream& other) {
  if (stream.ordinal() == other.ordinal()) return true;
  // Access once given remains, and a group of replicas asks before each of its sums.
  static std::mutex mutex;
  static std::set<std::pair<int, int>> given;
  const std::pair cards(stream.ordinal(), other.ordinal());
  {
    const std::scoped_lock lock(mutex);
    if (given.contains(cards)) return true;
  }
  int can_access = 0;
  check(cudaDeviceCanAccessPeer(&can_access, stream.ordinal(), other.ordinal()), "cudaDeviceCanAccessPeer");
  if (can_access == 0) return false;
  const std::scoped_lock lock(stream.mutex());
  stream.make_current();
  const cudaError_t status = cudaDeviceEnablePeerAccess(other.ordinal(), 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
  } else {
    check(status, "cudaDeviceEnablePeerAccess");
  }
  const std::scoped_lock given_lock(mutex);
  given.insert(cards);
  return true;
}

void sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t elements,
                  DType dtype, GpuStream& stream) {
  require_count("inputs", inputs.size());
  require_count("outputs", outputs.size());
  if (elements == 0) return;
  const std::scoped_lock lock(stream.mutex());
  switch (dtype) {
    case DType::float32:
      return launch_sum<float>(inputs, outputs, elements, stream);
    case DType::float64:
      return launch_sum<double>(inputs, outputs, elements, stream);
    case DType::float16:
      return launch_sum<Half>(inputs, outputs, elements, stream);
    case DType::bfloat16:
      return launch_sum<BFloat16>(inputs, outputs, elements, stream);
    case DType::int32:
      return launch_sum<std::int32_t>(inputs, outputs, elements, stream);
    case DType::int64:
      return launch_sum<std::int64_t>(inputs, outputs, elements, stream);
    case DType::uint8:
    case DType::bool_:
    case DType::int8:
    case DType::int16:
    case DType::uint16:
    case DType::uint32:
      break;
  }
  throw InvalidArgumentError("AllReduce: tensors of " + std::string(name_of(dtype)) + " cannot be summed.");
}

}  // namespace rhyton::gpu

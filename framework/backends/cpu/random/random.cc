#include <rhyton/framework/random/philox.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include <rhyton/framework/backends/cpu/random/draw.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/random.h>

namespace rhyton::cpu {
namespace {

void normal_chunk(const Words& words, Chunk<float>& values) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    std::tie(values[i], values[i + 1]) = random::normal_floats(words[i], words[i + 1]);
  }
}

void normal_chunk(const Words& words, Chunk<double>& values) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    std::tie(values[i], values[i + 1]) =
        random::normal_doubles({words[2 * i], words[2 * i + 1], words[2 * i + 2], words[2 * i + 3]});
  }
}

/// A normal number within two deviations: each element has a block of its own, and further ones if none of the block's
/// numbers is in range.
template <class T>
T truncated(std::uint64_t key, std::uint64_t stream, std::uint64_t element) {
  for (std::uint64_t attempt = 0; attempt < 256; ++attempt) {
    const auto words = random::philox4x32(key, random::philox_counter(element | attempt << 56, stream));
    for (std::size_t pair = 0; pair < 8 / sizeof(T); ++pair) {
      std::pair<T, T> candidates;
      if constexpr (sizeof(T) == 4) {
        candidates = random::normal_floats(words[2 * pair], words[2 * pair + 1]);
      } else {
        candidates = random::normal_doubles(words);
      }
      if (std::abs(candidates.first) <= T(2)) return candidates.first;
      if (std::abs(candidates.second) <= T(2)) return candidates.second;
    }
  }
  return T(0);  // never reached in practice: the probability is below 10^-300
}

template <class T>
void run_random(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<RandomOp>();
  const auto stream = static_cast<std::uint64_t>(*arguments.inputs[0].as<const std::int64_t>());
  const auto size = static_cast<std::uint64_t>(arguments.outputs[0].size());
  T* y = arguments.outputs[0].as<T>();
  T scale = static_cast<T>(op.second);
  switch (op.distribution) {
    case RandomOp::Distribution::uniform:
      draw<T>(op.key, stream, 0, size, y, [](const Words& words, Chunk<T>& values) { uniform_chunk(words, values); });
      scale = static_cast<T>(op.second - op.first);
      break;
    case RandomOp::Distribution::normal:
      draw<T>(op.key, stream, 0, size, y, [](const Words& words, Chunk<T>& values) { normal_chunk(words, values); });
      break;
    case RandomOp::Distribution::truncated_normal:
      for (std::uint64_t i = 0; i < size; ++i) y[i] = truncated<T>(op.key, stream, i);
      break;
  }
  const T shift = static_cast<T>(op.first);
  for (std::uint64_t i = 0; i < size; ++i) y[i] = shift + scale * y[i];
}

template <class T>
void run_uniform_like(const KernelArguments& arguments) {
  const auto stream = static_cast<std::uint64_t>(*arguments.inputs[1].as<const std::int64_t>());
  const Shape& shape = arguments.outputs[0].shape();
  const std::int64_t per_sample = shape.rank() == 0 ? 1 : shape.slice(1, shape.rank()).size();
  const auto& op = arguments.attributes<RandomUniformLikeOp>();
  draw<T>(op.key, stream, static_cast<std::uint64_t>((op.first_sample + arguments.first_sample) * per_sample),
          static_cast<std::uint64_t>(shape.size()), arguments.outputs[0].as<T>(),
          [](const Words& words, Chunk<T>& values) { uniform_chunk(words, values); });
}

template <class... T>
void add_all(KernelTable& table) {
  for (const std::string_view name : {"RandomUniform", "RandomNormal", "TruncatedNormal"}) {
    (table.add(name, dtype_of<T>, {.run = &run_random<T>}), ...);
  }
  (table.add("RandomUniformLike", dtype_of<T>, {.run = &run_uniform_like<T>}), ...);
}

}  // namespace

void register_random_kernels(KernelTable& table) { add_all<float, double>(table); }

}  // namespace rhyton::cpu

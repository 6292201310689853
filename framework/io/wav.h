#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

/// The content of a WAV file.
struct Audio {
  /// [samples, channels], float32 from -1 to below 1.
  Tensor samples;
  /// Samples per second.
  std::int64_t sample_rate = 0;
};

/// Reads a WAV file of 16-bit integers (PCM), of which as many samples as desired, zeros behind the last one if there are
/// fewer; all if none are given (`tf.audio.decode_wav`, which reads no other formats). Throws InvalidArgumentError in
/// TensorFlow's words for other bytes.
Audio decode_wav(std::span<const std::byte> bytes, std::optional<std::int64_t> desired_samples = std::nullopt);

}  // namespace rhyton::io

#pragma once

#include <cstdint>
#include <string_view>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// During its lifetime, limits the total bytes of the weights of layers that this thread builds: a configuration from
/// an untrusted source can request any number of units. Limits can be nested; each counts for itself.
///
/// ```
/// const layers::WeightLimit limit(layers::WeightLimit::for_file(file_size));
/// layers::Layer layer = layers::deserialize(config);
/// ```
class WeightLimit {
 public:
  /// The weights of a file may have this many bytes, whatever its size,
  static constexpr std::uint64_t file_floor = std::uint64_t{256} << 20;
  /// and this many for each byte of the file, which may be compressed.
  static constexpr std::uint64_t file_ratio = 16;

  explicit WeightLimit(std::uint64_t bytes);
  ~WeightLimit();
  WeightLimit(const WeightLimit&) = delete;
  WeightLimit& operator=(const WeightLimit&) = delete;

  /// The limit for a model whose weights are stored in this many bytes.
  static std::uint64_t for_file(std::uint64_t bytes);

  /// Counts a weight before its memory is allocated. Throws ResourceExhaustedError, naming it by `path`, when it
  /// exceeds a limit; ValueError when its shape is not valid for a weight.
  static void count(const Shape& shape, DType dtype, std::string_view path);

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  WeightLimit* outer_;
};

}  // namespace rhyton::layers

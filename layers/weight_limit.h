#pragma once

#include <cstdint>
#include <string_view>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// While one lives, the layers that this thread builds may make weights of that many bytes together: a configuration
/// from a stranger can ask for any number of units. Limits may lie within each other; each counts for itself.
///
/// ```
/// const layers::WeightLimit limit(layers::WeightLimit::for_file(file_size));
/// layers::Layer layer = layers::deserialize(config);
/// ```
class WeightLimit {
 public:
  /// A file's weights may have that many bytes, whatever its size,
  static constexpr std::uint64_t file_floor = std::uint64_t{256} << 20;
  /// and that many for each byte of the file, which may be packed.
  static constexpr std::uint64_t file_ratio = 16;

  explicit WeightLimit(std::uint64_t bytes);
  ~WeightLimit();
  WeightLimit(const WeightLimit&) = delete;
  WeightLimit& operator=(const WeightLimit&) = delete;

  /// What a model may have whose weights lie in so many bytes.
  static std::uint64_t for_file(std::uint64_t bytes);

  /// Counts a weight before its memory is taken. Throws ResourceExhaustedError, naming it by `path`, when it goes
  /// beyond a limit; ValueError when its shape is no shape of a weight.
  static void count(const Shape& shape, DType dtype, std::string_view path);

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  WeightLimit* outer_;
};

}  // namespace rhyton::layers

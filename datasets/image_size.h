#pragma once

#include <cstdint>

namespace rhyton::datasets {

/// Height and width in pixels, in Keras's order; one number is a square. Default-constructed: the image's own size.
class ImageSize {
 public:
  constexpr ImageSize() = default;
  constexpr ImageSize(std::int64_t side) : height(side), width(side) {}  // NOLINT(google-explicit-constructor)
  constexpr ImageSize(std::int64_t height, std::int64_t width) : height(height), width(width) {}

  constexpr bool is_empty() const { return height == 0 && width == 0; }
  friend constexpr bool operator==(const ImageSize&, const ImageSize&) = default;

  std::int64_t height = 0;
  std::int64_t width = 0;
};

}  // namespace rhyton::datasets

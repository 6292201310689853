#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// The first four bytes of an IDX file of uint8 images (N, height, width).
inline constexpr std::uint32_t idx_images_magic = 0x00000803;
/// The first four bytes of an IDX file of uint8 labels (N,).
inline constexpr std::uint32_t idx_labels_magic = 0x00000801;

/// Reads the array of an IDX file, the format of MNIST; uncompressed or compressed with gzip, as detected by its first
/// bytes. With `magic`, the file must begin with exactly that. Throws NotFoundError when
/// there is no such file, and IOError naming the file, the expected and the found value when its magic number or size
/// is wrong, when it is truncated or when its gzip data are damaged.
Tensor read_idx(const std::filesystem::path& path, std::optional<std::uint32_t> magic = std::nullopt);

/// The same from uncompressed bytes; `name` is for error messages.
Tensor parse_idx(std::span<const std::byte> bytes, std::string_view name,
                 std::optional<std::uint32_t> magic = std::nullopt);

}  // namespace rhyton::datasets

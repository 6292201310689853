#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

/// Tensors with their names, in the order of the file.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The header of a `.npy` file.
struct NpyHeader {
  /// NumPy's name of the elements' type, with the byte order in front: "<f4", ">i2", "|b1".
  std::string descr;
  /// True when the first index varies fastest.
  bool fortran_order = false;
  Shape shape;
  /// Where the elements begin in the file.
  std::size_t end = 0;
};

/// Parses only the header, also of arrays whose elements are not numbers. `bytes` may end after it; `name` is for error
/// messages. Throws IOError, and NotImplementedError for structures.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view name);

/// The array of a NumPy `.npy` file (format 1 to 3, either memory order, either byte order). Integer types without a
/// dtype are widened: uint64 → int64. Throws NotFoundError; IOError naming the file, what was expected and what was
/// found; NotImplementedError for pickled objects, text and structures.
Tensor read_npy(const std::filesystem::path& path);

/// The same from memory; `name` is for error messages.
Tensor parse_npy(std::span<const std::byte> bytes, std::string_view name);

/// Writes a tensor as `numpy.save` does (format 1.0, little endian); bfloat16, which NumPy lacks, as float32.
/// Throws IOError.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

/// The same as bytes.
std::vector<std::byte> to_npy(const Tensor& tensor);

/// All arrays of a `.npz` archive, in its order, their names without ".npy". Throws as `read_npy`.
NamedTensors read_npz(const std::filesystem::path& path);

/// The same from memory; `name` is for error messages.
NamedTensors parse_npz(std::span<const std::byte> bytes, std::string_view name);

/// One array of a `.npz` archive. Throws NotFoundError, which lists the archive's names, when it has no array of that
/// name.
Tensor read_npz(const std::filesystem::path& path, std::string_view name);

/// The same as the `.npy` file that it is in the archive.
std::vector<std::byte> read_npz_member(const std::filesystem::path& path, std::string_view name);

/// Writes an archive as `numpy.savez` does (stored, not compressed). Throws IOError; ValueError for equal names.
void write_npz(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace rhyton::io

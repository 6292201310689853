#include <rhyton/framework/io/hdf5/types.h>

#include <hdf5.h>

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include <rhyton/framework/io/stored_elements.h>

namespace rhyton::io::hdf5 {
namespace {

constexpr std::size_t half_bytes = 2;

/// Elements in the file, and the type to which the library converts them.
struct Elements {
  StoredType type = StoredType::float32;
  Handle memory_type;
  Shape shape;
};

Handle half_type(const OpenFile& file, const std::string& path) {
  constexpr std::size_t exponent_bits = 5;
  constexpr std::size_t mantissa_bits = 10;
  constexpr std::size_t exponent_bias = 15;
  Handle type = checked(H5Tcopy(H5T_IEEE_F32LE), &H5Tclose, file, "use", path);
  H5Tset_fields(type.id(), mantissa_bits + exponent_bits, mantissa_bits, exponent_bits, 0, mantissa_bits);
  H5Tset_size(type.id(), half_bytes);
  H5Tset_ebias(type.id(), exponent_bias);
  return type;
}

/// h5py's type: an enumeration over one byte.
Handle bool_type(const OpenFile& file, const std::string& path) {
  Handle type = checked(H5Tenum_create(H5T_STD_I8LE), &H5Tclose, file, "use", path);
  for (const bool value : {false, true}) {
    const auto stored = static_cast<std::int8_t>(value);
    H5Tenum_insert(type.id(), value ? "TRUE" : "FALSE", &stored);
  }
  return type;
}

bool is_bool_type(Id type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) {
    return false;
  }
  std::int8_t value = 0;
  return H5Tenum_valueof(type, "FALSE", &value) >= 0 && value == 0 && H5Tenum_valueof(type, "TRUE", &value) >= 0 &&
         value == 1;
}

[[noreturn]] void refuse_type(const OpenFile& file, const std::string& path, std::string_view what) {
  throw TypeError(
      fmt::format("\"{}\": the elements of \"{}\" are {}, not numbers of a type known here", file.name, path, what));
}

Id native_type(StoredType type) {
  switch (type) {
    case StoredType::int8:
      return H5T_NATIVE_INT8;
    case StoredType::int16:
      return H5T_NATIVE_INT16;
    case StoredType::int32:
      return H5T_NATIVE_INT32;
    case StoredType::int64:
      return H5T_NATIVE_INT64;
    case StoredType::uint8:
      return H5T_NATIVE_UINT8;
    case StoredType::uint16:
      return H5T_NATIVE_UINT16;
    case StoredType::uint32:
      return H5T_NATIVE_UINT32;
    case StoredType::uint64:
      return H5T_NATIVE_UINT64;
    case StoredType::float64:
      return H5T_NATIVE_DOUBLE;
    default:
      return H5T_NATIVE_FLOAT;
  }
}

StoredType integer_type(const OpenFile& file, const std::string& path, Id type) {
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  switch (H5Tget_size(type)) {
    case 1:
      return is_signed ? StoredType::int8 : StoredType::uint8;
    case 2:
      return is_signed ? StoredType::int16 : StoredType::uint16;
    case 4:
      return is_signed ? StoredType::int32 : StoredType::uint32;
    case 8:
      return is_signed ? StoredType::int64 : StoredType::uint64;
    default:
      refuse_type(file, path, fmt::format("integers of {} bytes", H5Tget_size(type)));
  }
}

StoredType float_type(const OpenFile& file, const std::string& path, Id type) {
  if (H5Tget_size(type) != half_bytes) {
    return H5Tget_size(type) > sizeof(float) ? StoredType::float64 : StoredType::float32;
  }
  std::size_t sign = 0;
  std::size_t exponent = 0;
  std::size_t exponent_bits = 0;
  std::size_t mantissa = 0;
  std::size_t mantissa_bits = 0;
  constexpr std::size_t half_exponent_bits = 5;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0) {
    fail(file, "read the type of", path);
  }
  // Other formats of two bytes (bfloat16 as a float type) are converted to the next larger one.
  return exponent_bits == half_exponent_bits ? StoredType::float16 : StoredType::float32;
}

Shape shape_of(const OpenFile& file, const std::string& path, Id dataset) {
  const Handle space = checked(H5Dget_space(dataset), &H5Sclose, file, "read the shape of", path);
  const H5S_class_t kind = H5Sget_simple_extent_type(space.id());
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (kind == H5S_NULL || rank < 0) {
    throw IOError(fmt::format("\"{}\": \"{}\" has no elements and no shape", file.name, path));
  }
  if (rank > Shape::max_rank) {
    throw NotImplementedError(
        fmt::format("\"{}\": \"{}\" has {} axes, more than {}", file.name, path, rank, Shape::max_rank));
  }
  std::array<hsize_t, Shape::max_rank> lengths{};
  if (H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr) < 0) {
    fail(file, "read the shape of", path);
  }
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const hsize_t length = lengths[static_cast<std::size_t>(axis)];
    if (length > static_cast<hsize_t>(INT64_MAX)) {
      throw IOError(fmt::format("\"{}\": \"{}\" claims an axis of {} elements", file.name, path, length));
    }
    shape.push_back(static_cast<std::int64_t>(length));
  }
  return shape;
}

Elements elements_of(const Hdf5Dataset& dataset, const OpenFile& file, Id id) {
  const std::string& path = dataset.path();
  const Handle type = checked(H5Dget_type(id), &H5Tclose, file, "read the type of", path);
  Elements elements;
  elements.shape = shape_of(file, path, id);
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      elements.type = integer_type(file, path, type.id());
      break;
    case H5T_FLOAT:
      elements.type = float_type(file, path, type.id());
      break;
    case H5T_ENUM:
      if (!is_bool_type(type.id())) {
        refuse_type(file, path, "of an enumeration");
      }
      elements.type = StoredType::boolean;
      break;
    case H5T_OPAQUE:
      if (H5Tget_size(type.id()) != half_bytes || !dataset.has_attribute("dtype") ||
          dataset.read_string_attribute("dtype") != "bfloat16") {
        refuse_type(file, path, "opaque");
      }
      elements.type = StoredType::bfloat16;
      break;
    case H5T_STRING:
      refuse_type(file, path, "texts");
    default:
      refuse_type(file, path, "structures");
  }
  const bool as_stored = elements.type == StoredType::boolean || elements.type == StoredType::bfloat16;
  const bool is_half = elements.type == StoredType::float16;
  elements.memory_type =
      is_half ? half_type(file, path)
              : checked(H5Tcopy(as_stored ? type.id() : native_type(elements.type)), &H5Tclose, file, "read", path);
  return elements;
}

Handle stored_type(const OpenFile& file, const std::string& path, DType dtype) {
  const auto copy_of = [&](Id type) { return checked(H5Tcopy(type), &H5Tclose, file, "write", path); };
  switch (dtype) {
    case DType::float32:
      return copy_of(H5T_IEEE_F32LE);
    case DType::float64:
      return copy_of(H5T_IEEE_F64LE);
    case DType::float16:
      return half_type(file, path);
    case DType::bfloat16:
      return checked(H5Tcreate(H5T_OPAQUE, half_bytes), &H5Tclose, file, "write", path);
    case DType::int32:
      return copy_of(H5T_STD_I32LE);
    case DType::int64:
      return copy_of(H5T_STD_I64LE);
    case DType::uint8:
      return copy_of(H5T_STD_U8LE);
    case DType::bool_:
      return bool_type(file, path);
    case DType::int8:
      return copy_of(H5T_STD_I8LE);
    case DType::int16:
      return copy_of(H5T_STD_I16LE);
    case DType::uint16:
      return copy_of(H5T_STD_U16LE);
    case DType::uint32:
      return copy_of(H5T_STD_U32LE);
  }
  throw TypeError("unknown dtype");
}

std::string place_of(const std::string& path, const OpenFile& file) { return file.name + ":" + path; }

/// The bytes of the elements. Throws if they are too many.
std::uint64_t checked_bytes(const Elements& elements, const std::string& path, const OpenFile& file) {
  const std::string name = place_of(path, file);
  const std::uint64_t bytes = stored_bytes(elements.shape, elements.type, name);
  if (bytes > file.array_limit) {
    throw ResourceExhaustedError(fmt::format("\"{}\" claims {} bytes, more than the limit of {} bytes for this file",
                                             name, bytes, file.array_limit));
  }
  return bytes;
}

/// Whether a tensor stores such elements with the same bits.
bool is_read_as_it_is(StoredType type) {
  return type != StoredType::boolean &&  // may contain values other than 0 and 1
         size_of(type) == size_of(dtype_for(type)) && type != StoredType::uint64;
}

void read_bytes(const Elements& elements, std::uint64_t bytes, const std::string& path, const OpenFile& file, Id id,
                void* target) {
  if (bytes > 0 && H5Dread(id, elements.memory_type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, target) < 0) {
    fail(file, "read", path);
  }
}

}  // namespace

TensorSpec spec_of(const Hdf5Dataset& dataset, const OpenFile& file, Id id) {
  const Elements elements = elements_of(dataset, file, id);
  return {elements.shape, dtype_for(elements.type)};
}

Tensor read_elements(const Hdf5Dataset& dataset, const OpenFile& file, Id id) {
  const Elements elements = elements_of(dataset, file, id);
  const std::uint64_t bytes = checked_bytes(elements, dataset.path(), file);
  if (is_read_as_it_is(elements.type)) {
    Tensor tensor = Tensor::uninitialized(elements.shape, dtype_for(elements.type));
    read_bytes(elements, bytes, dataset.path(), file, id, tensor.mutable_raw_data());
    return tensor;
  }
  std::vector<std::byte> stored(static_cast<std::size_t>(bytes));
  read_bytes(elements, bytes, dataset.path(), file, id, stored.data());
  const StoredLayout layout = {.type = elements.type, .byte_order = std::endian::native};
  return tensor_from_stored(elements.shape, layout, stored, place_of(dataset.path(), file));
}

void read_elements_into(const Hdf5Dataset& dataset, const OpenFile& file, Id id, const TensorSpec& spec, void* target) {
  const Elements elements = elements_of(dataset, file, id);
  const TensorSpec own = {elements.shape, dtype_for(elements.type)};
  if (own != spec) {
    throw ValueError(fmt::format("\"{}\" has shape {} and dtype {}, expected {} and {}", place_of(dataset.path(), file),
                                 own.shape.to_string(), name_of(own.dtype), spec.shape.to_string(),
                                 name_of(spec.dtype)));
  }
  if (is_read_as_it_is(elements.type)) {
    read_bytes(elements, checked_bytes(elements, dataset.path(), file), dataset.path(), file, id, target);
    return;
  }
  const Tensor tensor = read_elements(dataset, file, id);
  if (spec.bytes() > 0) std::memcpy(target, tensor.raw_data(), spec.bytes());
}

Handle write_elements(const OpenFile& file, Id group, const std::string& name, const std::string& path,
                      const Tensor& tensor) {
  std::array<hsize_t, Shape::max_rank> lengths{};
  const int rank = tensor.rank();
  for (int axis = 0; axis < rank; ++axis) {
    lengths[static_cast<std::size_t>(axis)] = static_cast<hsize_t>(tensor.shape()[axis]);
  }
  constexpr std::string_view action = "write";
  const Handle space = checked(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, lengths.data(), nullptr),
                               &H5Sclose, file, action, path);
  const Handle properties = checked(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, file, action, path);
  H5Pset_obj_track_times(properties.id(), false);
  const Handle type = stored_type(file, path, tensor.dtype());
  const void* elements = tensor.raw_data();
  Handle dataset =
      checked(H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
              &H5Oclose, file, action, path);
  if (tensor.size() > 0 && H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) < 0) {
    fail(file, action, path);
  }
  return dataset;
}

}  // namespace rhyton::io::hdf5

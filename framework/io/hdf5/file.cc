#include <hdf5.h>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include <rhyton/framework/io/checked_file.h>
#include <rhyton/framework/io/hdf5/handles.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/hdf5/part_driver.h>

namespace rhyton::io {
namespace {

using hdf5::checked;
using hdf5::Handle;
using hdf5::LibrarySession;
using hdf5::OpenFile;

void limit_to(OpenFile& file, std::uint64_t bytes) {
  file.array_limit = bytes > UINT64_MAX / Hdf5File::expansion_ratio
                         ? UINT64_MAX
                         : std::max(Hdf5File::expansion_floor, bytes * Hdf5File::expansion_ratio);
  file.attribute_limit = bytes;  // attributes are never compressed
}

Handle access_properties(const OpenFile& file) {
  Handle properties = checked(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, file, "open", "/");
  H5Pset_libver_bounds(properties.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(properties.id(), H5F_CLOSE_STRONG);
  return properties;
}

// The library would copy an image twice; these functions make it use the file's own bytes in place.
void* image_memory(std::size_t, H5FD_file_image_op_t, void* user) { return static_cast<OpenFile*>(user)->image.data(); }
void* image_copied(void* target, const void*, std::size_t, H5FD_file_image_op_t, void*) { return target; }
void* image_grown(void*, std::size_t, H5FD_file_image_op_t, void*) { return nullptr; }
herr_t image_released(void*, H5FD_file_image_op_t, void*) { return 0; }
void* user_copied(void* user) { return user; }
herr_t user_released(void*) { return 0; }

/// The library treats two files in memory of the same name as one: each gets a unique name.
std::string memory_name(const OpenFile& file) {
  return fmt::format("{} in memory at {}", file.name, static_cast<const void*>(&file));
}

Handle root_of(const OpenFile& file) {
  return checked(H5Gopen2(file.file.id(), "/", H5P_DEFAULT), &H5Oclose, file, "open", "/");
}

}  // namespace

Hdf5File Hdf5File::open_read(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw NotFoundError(fmt::format("no such file: \"{}\"", path.string()));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw IOError(fmt::format("cannot read \"{}\": it is not a regular file", path.string()));
  }
  const LibrarySession session;
  auto file = std::make_shared<OpenFile>();
  file->name = path.string();
  hdf5::FileBytes bytes(FilePart::whole(path));
  limit_to(*file, bytes.size());
  file->structure = std::make_unique<hdf5::Structure>(std::move(bytes), file->name);
  const Handle properties = access_properties(*file);
  file->file = checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, properties.id()), &H5Fclose, *file, "open as HDF5", "/");
  Handle root = root_of(*file);
  return Hdf5File(std::make_shared<Hdf5Object::State>(std::move(file), std::move(root), "/"));
}

Hdf5File Hdf5File::open_image(std::vector<std::byte> image, const std::string& name) {
  if (image.empty()) {
    throw IOError(fmt::format("\"{}\" is not an HDF5 file: it is empty", name));
  }
  const LibrarySession session;
  auto file = std::make_shared<OpenFile>();
  file->name = name;
  file->image = std::move(image);
  limit_to(*file, file->image.size());
  file->structure = std::make_unique<hdf5::Structure>(hdf5::FileBytes(file->image), name);
  const Handle properties = access_properties(*file);
  constexpr std::size_t increment = 65536;
  H5FD_file_image_callbacks_t callbacks = {&image_memory, &image_copied,  &image_grown, &image_released,
                                           &user_copied,  &user_released, file.get()};
  if (H5Pset_fapl_core(properties.id(), increment, false) < 0 ||
      H5Pset_file_image_callbacks(properties.id(), &callbacks) < 0 ||
      H5Pset_file_image(properties.id(), file->image.data(), file->image.size()) < 0) {
    hdf5::fail(*file, "open as HDF5", "/");
  }
  file->file = checked(H5Fopen(memory_name(*file).c_str(), H5F_ACC_RDONLY, properties.id()), &H5Fclose, *file,
                       "open as HDF5", "/");
  Handle root = root_of(*file);
  return Hdf5File(std::make_shared<Hdf5Object::State>(std::move(file), std::move(root), "/"));
}

Hdf5File Hdf5File::open_part(const FilePart& part, const std::string& name) {
  const LibrarySession session;
  auto file = std::make_shared<OpenFile>();
  file->name = name;
  file->part = part;
  limit_to(*file, part.size());
  file->structure = std::make_unique<hdf5::Structure>(hdf5::FileBytes(part), name);
  const Handle properties = access_properties(*file);
  const Handle driver = hdf5::register_part_driver(*file);
  const FilePart* const read_from = &*file->part;
  if (H5Pset_driver(properties.id(), driver.id(), &read_from) < 0) {
    hdf5::fail(*file, "open as HDF5", "/");
  }
  file->file = checked(H5Fopen(memory_name(*file).c_str(), H5F_ACC_RDONLY, properties.id()), &H5Fclose, *file,
                       "open as HDF5", "/");
  Handle root = root_of(*file);
  return Hdf5File(std::make_shared<Hdf5Object::State>(std::move(file), std::move(root), "/"));
}

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  const LibrarySession session;
  const NoFileSizeSignal errors_only;
  auto file = std::make_shared<OpenFile>();
  file->name = path.string();
  file->destination = std::make_unique<AtomicFile>(path);
  file->begin_writing();
  const Handle properties = access_properties(*file);
  file->file =
      checked(H5Fcreate(file->destination->temporary_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, properties.id()),
              &H5Fclose, *file, "create", "/");
  Handle root = root_of(*file);
  return Hdf5File(std::make_shared<Hdf5Object::State>(std::move(file), std::move(root), "/"));
}

Hdf5File Hdf5File::create_at_offset(const std::filesystem::path& path, std::uint64_t offset, const std::string& name) {
  const LibrarySession session;
  const NoFileSizeSignal errors_only;
  auto file = std::make_shared<OpenFile>();
  file->name = name;
  file->begin_writing();
  const Handle access = access_properties(*file);
  const Handle creation = checked(H5Pcreate(H5P_FILE_CREATE), &H5Pclose, *file, "create", "/");
  if (H5Pset_userblock(creation.id(), offset) < 0) {
    hdf5::fail(*file, "create", "/");
  }
  file->file =
      checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), &H5Fclose, *file, "create", "/");
  Handle root = root_of(*file);
  return Hdf5File(std::make_shared<Hdf5Object::State>(std::move(file), std::move(root), "/"));
}

Hdf5File Hdf5File::create_image() {
  const LibrarySession session;
  auto file = std::make_shared<OpenFile>();
  file->name = "HDF5 file";
  const Handle properties = access_properties(*file);
  constexpr std::size_t increment = std::size_t{1} << 20;
  H5Pset_fapl_core(properties.id(), increment, false);
  file->file = checked(H5Fcreate(memory_name(*file).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, properties.id()), &H5Fclose,
                       *file, "create", "/");
  Handle root = root_of(*file);
  return Hdf5File(std::make_shared<Hdf5Object::State>(std::move(file), std::move(root), "/"));
}

Hdf5Group Hdf5File::root() const { return Hdf5Group(root_); }

std::vector<std::byte> Hdf5File::image() const {
  const LibrarySession session;
  root_->id();
  const OpenFile& file = *root_->file;
  const auto id = file.file.id();
  H5Fflush(id, H5F_SCOPE_LOCAL);
  const ssize_t size = H5Fget_file_image(id, nullptr, 0);
  if (size < 0) {
    hdf5::fail(file, "take the bytes of", "/");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (H5Fget_file_image(id, bytes.data(), bytes.size()) < 0) {
    hdf5::fail(file, "take the bytes of", "/");
  }
  return bytes;
}

void Hdf5File::close() {
  const LibrarySession session;
  root_->id();
  OpenFile& file = *root_->file;
  if (H5Fflush(file.file.id(), H5F_SCOPE_GLOBAL) < 0 || !file.file.close()) {
    hdf5::fail(file, "write", "/");
  }
}

void Hdf5File::commit() { finish(false); }
void Hdf5File::commit_with_checksum() { finish(true); }

void Hdf5File::finish(bool with_checksum) {
  const LibrarySession session;
  root_->id();
  OpenFile& file = *root_->file;
  if (file.destination == nullptr) {
    throw RuntimeError(fmt::format("\"{}\" was not made to be written to a path", file.name));
  }
  close();
  if (with_checksum) append_checksum(file.destination->temporary_path(), file.name);
  file.destination->commit();
}

}  // namespace rhyton::io

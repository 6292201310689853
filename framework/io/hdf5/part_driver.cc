#include <rhyton/framework/io/hdf5/part_driver.h>

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace rhyton::io::hdf5 {
namespace {

/// The library's state of an open file, whose base struct must be first.
struct PartFile {
  H5FD_t library{};
  const FilePart* part = nullptr;
  haddr_t end_of_addresses = 0;
};

PartFile& own(H5FD_t* file) { return *reinterpret_cast<PartFile*>(file); }
const PartFile& own(const H5FD_t* file) { return *reinterpret_cast<const PartFile*>(file); }

H5FD_t* open_part(const char*, unsigned flags, hid_t properties, haddr_t) {
  const void* const info = H5Pget_driver_info(properties);
  if (info == nullptr || (flags & H5F_ACC_RDWR) != 0) return nullptr;
  auto file = std::make_unique<PartFile>();
  file->part = *static_cast<const FilePart* const*>(info);
  return &file.release()->library;
}

herr_t close_part(H5FD_t* file) {
  const std::unique_ptr<PartFile> closed(&own(file));
  return 0;
}

int compare_parts(const H5FD_t* a, const H5FD_t* b) {
  const std::less<const FilePart*> less;
  return less(own(a).part, own(b).part) ? -1 : less(own(b).part, own(a).part) ? 1 : 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_addresses; }

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  own(file).end_of_addresses = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return own(file).part->size(); }

herr_t read_part(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  const FilePart& part = *own(file).part;
  if (address == HADDR_UNDEF) return -1;
  try {
    // Zeros beyond the file's end, as in the library's own drivers.
    const std::uint64_t there = address < part.size() ? std::min<std::uint64_t>(size, part.size() - address) : 0;
    const auto known = static_cast<std::size_t>(there);
    if (known > 0) part.read(address, {static_cast<std::byte*>(buffer), known});
    std::memset(static_cast<std::byte*>(buffer) + known, 0, size - known);
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

herr_t refuse_to_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

}  // namespace

Handle register_part_driver(const OpenFile& file) {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(500);  // above those of the library
#endif
  driver.name = "rhyton file part";
  driver.maxaddr = HADDR_MAX;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(void*);  // a pointer to the FilePart
  driver.open = &open_part;
  driver.close = &close_part;
  driver.cmp = &compare_parts;
  driver.get_eoa = &end_of_addresses;
  driver.set_eoa = &set_end_of_addresses;
  driver.get_eof = &end_of_file;
  driver.read = &read_part;
  driver.write = &refuse_to_write;
  return checked(H5FDregister(&driver), &H5FDunregister, file, "open as HDF5", "/");
}

}  // namespace rhyton::io::hdf5

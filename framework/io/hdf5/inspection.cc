#include <rhyton/framework/io/hdf5/inspection.h>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {

void Inspection::claim(std::uint64_t address, std::uint64_t size, const Site& site, std::string_view what) {
  if (address > end_ || size > end_ - address) {
    site.damaged(fmt::format("{} of {} bytes at {} is beyond the end of the file", what, size, address));
  }
  if (size == 0) {
    return;
  }
  const auto next = owned_.upper_bound(address);
  const bool meets_next = next != owned_.end() && next->first < address + size;
  const bool meets_previous = next != owned_.begin() && std::prev(next)->second > address;
  if (meets_next || meets_previous) {
    site.damaged(fmt::format("{} of {} bytes at {} overlaps other data", what, size, address));
  }
  owned_.emplace(address, address + size);
}

std::vector<std::byte> Inspection::take(std::uint64_t address, std::uint64_t size, const Site& site,
                                        std::string_view what) {
  claim(address, size, site, what);
  return bytes_.read(address, size);
}

std::uint64_t Inspection::heap_object_size(std::uint64_t heap, std::uint64_t index, const Site& site) {
  auto found = heaps_.find(heap);
  if (found == heaps_.end()) {
    found = heaps_.emplace(heap, read_heap(heap, site)).first;
  }
  const auto object = found->second.find(index);
  if (object == found->second.end()) {
    site.damaged(fmt::format("the heap at {} has no object {}", heap, index));
  }
  return object->second;
}

Inspection::HeapObjects Inspection::read_heap(std::uint64_t address, const Site& site) {
  constexpr std::uint64_t header_bytes = 16;
  constexpr std::uint64_t smallest = 4096;
  const std::vector<std::byte> header = take(address, header_bytes, site, "a global heap");
  Fields fields(header, site);
  fields.expect("GCOL");
  if (fields.number(1) != 1) {
    site.damaged("a global heap is of an unknown version");
  }
  fields.skip(3);
  const std::uint64_t size = fields.length();
  if (size < smallest) {
    site.damaged(fmt::format("a global heap has {} bytes", size));
  }
  const std::vector<std::byte> block = take(address + header_bytes, size - header_bytes, site, "a global heap");
  Fields objects(block, site);
  HeapObjects sizes;
  while (objects.left() >= header_bytes) {
    const std::uint64_t before = objects.left();
    const std::uint64_t index = objects.number(2);
    objects.skip(6);
    const std::uint64_t object_bytes = objects.length();
    if (index == 0) {  // the free space, up to the end
      if (object_bytes != before) {
        site.damaged("the free space of a global heap does not end with it");
      }
      break;
    }
    if (object_bytes > objects.left() || !sizes.emplace(index, object_bytes).second) {
      site.damaged(fmt::format("the object {} of a global heap exceeds it", index));
    }
    objects.skip(padded_to_8(object_bytes));
  }
  return sizes;
}

}  // namespace rhyton::io::hdf5

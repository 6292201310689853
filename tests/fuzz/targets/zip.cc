// An archive: its table of members, and the content of each.

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/zip/zip.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t member_limit = std::uint64_t{1} << 20;
  try {
    rhyton::io::ZipReader archive(std::as_bytes(std::span(data, size)), "input.zip");
    for (const rhyton::io::ZipMember& member : archive.members()) {
      try {
        static_cast<void>(archive.read(member.name, member_limit));
      } catch (const rhyton::Error&) {
        continue;  // the others may be valid
      }
    }
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

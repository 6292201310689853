// A NumPy array, or an archive of arrays.

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    if (size > 0 && data[0] == 'P') {
      static_cast<void>(rhyton::io::parse_npz(bytes, "input.npz"));
    } else {
      static_cast<void>(rhyton::io::parse_npy(bytes, "input.npy"));
    }
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

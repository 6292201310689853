// A NumPy array of objects, as in the files of data sets.

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/pickle.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(rhyton::io::parse_npy_objects(std::as_bytes(std::span(data, size)), "input.npy"));
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

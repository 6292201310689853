// A WAV file.

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/wav.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(rhyton::io::decode_wav(std::as_bytes(std::span(data, size))));
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

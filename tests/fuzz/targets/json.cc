// A JSON text. The value read is written and read again: it must be the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using rhyton::io::Json;
  try {
    const Json value = Json::parse(std::string_view(reinterpret_cast<const char*>(data), size), "input.json");
    const std::string text = value.dump();
    if (Json::parse(text).dump() != text || Json::parse(value.dump(1)).dump() != text) {
      std::abort();
    }
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

// A message tf.train.Example: what is read from it is written, and read again as the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <rhyton/datasets/example.h>
#include <rhyton/framework/error.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using rhyton::datasets::Example;
  try {
    const Example example = Example::from_string({reinterpret_cast<const char*>(data), size});
    const std::string message = example.serialize_to_string();
    // Compared as bytes: a NaN does not equal itself.
    if (Example::from_string(message).serialize_to_string() != message) std::abort();
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

// A whole `.keras` file, loaded from disk as users do.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/model.h>

namespace {

/// One file for all inputs, removed at the end.
class InputFile {
 public:
  InputFile()
      : path_((std::filesystem::temp_directory_path() / ("rhyton_fuzz_" + std::to_string(::getpid()) + ".keras"))
                  .string()) {}
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& put(const std::uint8_t* data, std::size_t size) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFile file;
  rhyton::context().clear_session();
  const std::string& path = file.put(data, size);
  try {
    static_cast<void>(rhyton::models::load_model(path));
  } catch (const rhyton::Error&) {
    return 0;
  }
  return 0;
}

// Feeds files to a fuzz target without libFuzzer: REPLAY FILE-OR-FOLDER...

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::filesystem::path& path) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
  int fed = 0;
  for (const char* argument : std::span(arguments, static_cast<std::size_t>(count)).subspan(1)) {
    if (!std::filesystem::is_directory(argument)) {
      feed(argument);
      ++fed;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
      if (entry.is_regular_file()) {
        feed(entry.path());
        ++fed;
      }
    }
  }
  std::printf("%d files\n", fed);
  return fed > 0 ? 0 : 1;
}

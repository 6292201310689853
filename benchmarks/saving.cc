// Compares saving and loading with plain writing and reading of a file of the same size:
//
//   saving save|load|write|read FILE [MEGABYTES]
//
// `save` writes a model of that many megabytes (100), `load` loads it, `read` reads the file's bytes and `write`
// replaces it as atomically as `save` does. Prints the median of five in seconds, and the peak memory beyond that of
// the process before the work, as JSON. benchmarks/compare.py runs all of them, and peers/saving_h5py.py.

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

/// The peak memory of this program; that of getrusage() would include its parent process.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    double kilobytes = 0;
    status >> kilobytes;
    return kilobytes / 1024.0;
  }
  throw std::runtime_error("/proc/self/status does not contain the peak of memory");
}

template <class Work>
void report(Work work) {
  const double before = peak_megabytes();
  const double seconds = measuring::median_seconds(5, work);
  std::printf("{\"seconds\": %.6f, \"memory_mb\": %.1f}\n", seconds, peak_megabytes() - before);
}

void read_plainly(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  std::vector<char> bytes(std::filesystem::file_size(path));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) std::abort();
    done += static_cast<std::size_t>(count);
  }
  ::close(file);
}

void write_plainly(const std::string& path, const std::vector<char>& bytes) {
  const std::string temporary = path + ".tmp";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) std::abort();
    done += static_cast<std::size_t>(count);
  }
  ::fsync(file);
  ::close(file);
  std::filesystem::rename(temporary, path);
}

models::Sequential model_of(double megabytes) {
  constexpr std::int64_t units = 1024;
  const auto layers_needed = static_cast<int>(std::lround(megabytes * 1e6 / (4.0 * units * (units + 1))));
  std::vector<layers::Layer> layers = {layers::Input({.shape = {units}})};
  for (int i = 0; i < layers_needed; ++i) layers.push_back(layers::Dense(units));
  return models::Sequential(layers);
}

int run(measuring::Words words) {
  const std::string_view work = words.size() > 2 ? words[1] : "";
  const std::string path = words.size() > 2 ? words[2] : "";
  if (work == "save") {
    const models::Sequential model = model_of(measuring::number_in(words, 3, 100.0));
    report([&] { model.save(path); });
  } else if (work == "load") {
    report([&] { models::load_model(path); });
  } else if (work == "write") {
    const std::vector<char> bytes(std::filesystem::file_size(path));
    report([&] { write_plainly(path, bytes); });
  } else if (work == "read") {
    report([&] { read_plainly(path); });
  } else {
    std::fputs("Usage: saving save|load|write|read FILE [MEGABYTES]\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) { return measuring::run_program("saving", count, words, run); }

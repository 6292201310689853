// Saving and loading beside plain writing and reading of a file of the same size:
//
//   saving [MEGABYTES] [FOLDER]
//
// Prints the best of five of each, their ratios, and the most memory that the process has had after each kind of work.
// Beside it: peers/saving_h5py.py.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

/// The shortest of five runs, in seconds.
template <class Work>
double best(Work work) {
  double shortest = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return shortest;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
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

}  // namespace

int main(int count, char** words) {
  const double megabytes = count > 1 ? std::atof(words[1]) : 100.0;
  const std::string folder = count > 2 ? words[2] : std::filesystem::temp_directory_path().string();
  const std::string path = folder + "/saving_benchmark.keras";
  const std::string plain = folder + "/saving_benchmark.plain";
  {
    const models::Sequential model = model_of(megabytes);
    const double made = peak_megabytes();
    const double saving = best([&] { model.save(path); });
    std::printf("save    %7.1f ms   peak +%.0f MB over %.0f MB with the model\n", saving * 1e3, peak_megabytes() - made,
                made);
    const std::vector<char> bytes(std::filesystem::file_size(path));
    const double writing = best([&] { write_plainly(plain, bytes); });
    std::printf("write   %7.1f ms   save / write = %.2f\n", writing * 1e3, saving / writing);
  }
  const double loading = best([&] { models::load_model(path); });
  const double reading = best([&] { read_plainly(path); });
  std::printf("load    %7.1f ms\nread    %7.1f ms   load / read = %.2f\n", loading * 1e3, reading * 1e3,
              loading / reading);
  std::filesystem::remove(plain);
  std::filesystem::remove(path);
}

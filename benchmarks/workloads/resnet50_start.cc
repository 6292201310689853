// How long a program waits for ResNet-50: until its first training step is finished, and for its weights.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include <unistd.h>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

/// A file in the system's folder for temporary files, which is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending)
      : path_(std::filesystem::temp_directory_path() / ("rhyton_" + std::to_string(::getpid()) + ending)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void read_bytes(const std::string& path) {
  std::vector<char> bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw RuntimeError("Cannot read " + path);
}

}  // namespace

io::Json resnet50_start(const Options&) {
  constexpr std::int64_t samples = 4;
  const models::Model model = applications::ResNet50({.weights = std::nullopt, .classifier_activation = "linear"});
  const Tensor x = random_uniform(Shape{samples, 224, 224, 3}, /*key=*/1, /*counter=*/0);
  const Tensor y = random_uniform(Shape{samples}, /*key=*/2, /*counter=*/0, 0.0, 1000.0).cast(int32);

  const Clock::time_point start = Clock::now();
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  model.train_on_batch(x, y);
  const double first_step = seconds_since(start);

  const TemporaryFile weights(".weights.h5");
  model.save_weights(weights.path());
  return io::Json::object(
      {{"cases", io::Json::object({{"first step", first_step},
                                   {"later step", seconds_per_call([&] { model.train_on_batch(x, y); })},
                                   {"load_weights", seconds_per_call([&] { model.load_weights(weights.path()); })},
                                   {"bytes", seconds_per_call([&] { read_bytes(weights.path()); })}})}});
}

}  // namespace workloads

// Files stay complete when the writing process is killed; saving does not disturb training.

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/saving/saving_models.h>
#include <rhyton/tests/support/file_size_limit.h>

namespace rhyton::models {
namespace {

constexpr const char* destination = "RHYTON_TEST_SAVES_TO";

/// Weights of about 400 KB, so that writing a file takes a while.
Sequential wide_model() {
  return Sequential(
      {layers::Input({.shape = {300}}), layers::Dense(300, {.name = "a"}), layers::Dense(30, {.name = "b"})},
      {.name = "wide"});
}

void fill(const Model& model, double value) {
  for (const Variable& variable : model.weights()) variable.assign(Tensor::full(variable.shape(), value));
}

/// The common value of all weights; fails if they differ.
double only_value(const Model& model) {
  std::set<double> values;
  for (const Tensor& weight : model.get_weights()) {
    for (const double value : weight.to_vector()) values.insert(value);
  }
  EXPECT_EQ(values.size(), 1u) << "weights of several moments";
  return values.empty() ? -1 : *values.begin();
}

/// In the format of the path's extension; sharded weights in two files.
void save(const Model& model, const std::string& path) {
  if (path.ends_with(".weights.json")) {
    model.save_weights(path, {.max_shard_size = 370000 / (1024.0 * 1024.0 * 1024.0)});
  } else if (path.ends_with(".weights.h5")) {
    model.save_weights(path);
  } else {
    model.save(path);
  }
}

/// Not a test: the body of the process that is killed below.
TEST(SavingProcess, DISABLED_SavesAgainAndAgain) {
  const char* const path = std::getenv(destination);
  ASSERT_NE(path, nullptr);
  const Sequential model = wide_model();
  for (int count = 1; count < 100000; ++count) {
    fill(model, count);
    save(model, path);
  }
}

class KilledWhileSaving : public testing::TestWithParam<const char*> {};

TEST_P(KilledWhileSaving, LeavesAWholeFile) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / GetParam()).string();
  setenv(destination, path.c_str(), 1);
  setenv("RHYTON_NUM_THREADS", "1", 1);
  std::mt19937 random(5);
  const Sequential model = wide_model();
  const bool is_sharded = path.ends_with(".json");
  double last = 0;
  for (int round = 0; round < 12; ++round) {
    std::string program = "/proc/self/exe";
    std::vector<std::string> words = {program, "--gtest_also_run_disabled_tests",
                                      "--gtest_filter=SavingProcess.DISABLED_SavesAgainAndAgain", "--gtest_brief=1"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = 0;
    ASSERT_EQ(posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments.data(), environ), 0);
    const auto written = [&] {
      return std::filesystem::exists(path) ? std::filesystem::last_write_time(path) : std::filesystem::file_time_type();
    };
    const auto before = written();
    while (written() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<int>(0, 20000)(random)));
    ASSERT_EQ(kill(process, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";

    model.load_weights(path);
    last = only_value(model);
    EXPECT_GE(last, 1);
    const std::size_t files = is_sharded ? 6 : 1;  // the new shards and the old ones, or two names of each
    EXPECT_LE(folder.names().size(), files + 1) << "at most one temporary file, of the last process";
  }
  // The next save removes the remains of the killed one.
  save(model, path);
  std::vector<std::string> expected = {GetParam()};
  if (is_sharded) expected.insert(expected.end(), {"model_00000.weights.h5", "model_00001.weights.h5"});
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAreArray(expected));
  unsetenv(destination);
  unsetenv("RHYTON_NUM_THREADS");
}

INSTANTIATE_TEST_SUITE_P(Saving, KilledWhileSaving,
                         testing::Values("model.keras", "model.h5", "model.weights.h5", "model.weights.json"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           for (char& letter : name) letter = letter == '.' ? '_' : letter;
                           return name;
                         });

TEST(FullDisk, KeepsTheOldFileOfEveryFormat) {
  const test::TemporaryFolder folder;
  const Sequential model = wide_model();
  for (const char* const name : {"model.keras", "model.h5", "model.weights.h5"}) {
    const std::string path = (folder / name).string();
    fill(model, 1);
    save(model, path);
    fill(model, 2);
    for (const rlim_t bytes : {100, 1000, 3000, 20000, 300000}) {
      const test::FileSizeLimit limit(bytes);
      EXPECT_THROW(save(model, path), Error) << name << ", " << bytes << " bytes";
    }
    model.load_weights(path);
    EXPECT_EQ(only_value(model), 1) << name;
    fill(model, 3);
    save(model, path);
    model.load_weights(path);
    EXPECT_EQ(only_value(model), 3) << name;
  }
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("model.h5", "model.keras", "model.weights.h5"));
}

Tensor far_below(const Tensor& y_true, const Tensor& y_pred) { return y_true - y_pred * 64.0; }

/// Each step adds 1 to every weight: the gradient of the mean of a sum of all weights.
class StepsOfOne {
 public:
  StepsOfOne() : model_({layers::Input({.shape = {64}}), layers::Dense(64, {.kernel_initializer = "zeros"})}) {
    model_.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 1.0}), .loss = losses::Loss(far_below, "far_below")});
  }
  void train(int epochs, const std::vector<callbacks::Callback>& callbacks = {}) const {
    model_.fit(Tensor::full({8, 64}, 1.0), Tensor::zeros({8, 64}),
               {.batch_size = 1, .epochs = epochs, .verbose = 0, .callbacks = callbacks, .shuffle = false});
  }
  const Sequential& model() const { return model_; }

 private:
  Sequential model_;
};

TEST(SavingBesideTraining, SeesTheModelBetweenTwoStepsAndChangesNothing) {
  const test::TemporaryFolder folder;
  const StepsOfOne alone;
  alone.train(200);

  const StepsOfOne watched;
  std::atomic<bool> is_done = false;
  std::atomic<int> saves = 0;
  std::set<double> seen;
  std::thread saver([&] {
    int count = 0;
    while (!is_done) {
      const std::string path = (folder / ("model" + std::to_string(count++ % 3) + ".keras")).string();
      watched.model().save(path);
      const Model loaded = load_model(path, {.custom_objects = {{"far_below", far_below}}});
      const double value = only_value(loaded);
      if (loaded.is_compiled()) {
        EXPECT_EQ(loaded.optimizer().iterations().item(), value);
      }
      seen.insert(value);
      ++saves;
    }
  });
  // Waits for a file from time to time, so that files are spread over the training.
  watched.train(200, {callbacks::LambdaCallback({.on_epoch_end = [&](int epoch, callbacks::Logs&) {
                  while (epoch % 40 == 39 && saves < epoch / 40)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }})});
  is_done = true;
  saver.join();
  expect_same_bits(watched.model().get_weights(), alone.model().get_weights(), "weight");
  EXPECT_EQ(only_value(watched.model()), 1600.0);
  EXPECT_GE(seen.size(), 2u);
}

}  // namespace
}  // namespace rhyton::models

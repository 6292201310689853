// The programs that train on several replicas: on logical CPUs, and in processes started by MPI.

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/mnist.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/apps/programs.h>

namespace rhyton {
namespace {

using test::number_after;
using test::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReplicaPrograms : public test::Programs {};

/// Programs that need several processes.
class MultiWorkerPrograms : public test::Programs {
 protected:
  void SetUp() override {
    if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed";
  }
};

/// The numbers "name: 0.1234" of a line, which have four digits and may differ in the last one.
void expect_same_metrics(const std::string& actual, const std::string& expected) {
  const std::regex metric(R"((\w+): (\d+\.\d+))");
  int count = 0;
  for (std::sregex_iterator it(expected.begin(), expected.end(), metric), end; it != end; ++it, ++count) {
    EXPECT_NEAR(number_after(" " + it->str(1) + ": ", actual), std::stod(it->str(2)), 2e-4) << it->str(1);
  }
  EXPECT_EQ(count, 4) << expected;
}

TEST_F(ReplicaPrograms, MnistCnnTrainsOnReplicasAsOnOneDevice) {
  const std::string command = "mnist_cnn --limit 600 --epochs 1 --seed 1 --quiet";
  const Outcome one = run(command + " --device /CPU:0");
  ASSERT_EQ(one.lines().size(), 1) << one.errors;
  for (const int replicas : {2, 3}) {
    const Outcome several = run(command + " --replicas " + std::to_string(replicas));
    EXPECT_EQ(several.status, 0) << several.errors;
    ASSERT_EQ(several.lines().size(), 1) << several.output;
    expect_same_metrics(several.output, one.output);
    EXPECT_THAT(several.errors, HasSubstr("Using MirroredStrategy with devices ("));
    EXPECT_THAT(several.errors, HasSubstr("device:CPU:" + std::to_string(replicas - 1) + "')"));
  }
}

TEST_F(ReplicaPrograms, MnistCnnRefusesReplicasThatCannotBe) {
  EXPECT_THAT(run("mnist_cnn --replicas 0").errors, HasSubstr("--replicas: Value 0 not in range"));
  EXPECT_THAT(run("mnist_cnn --replicas 2 --compare-devices").errors, HasSubstr("excludes"));
  EXPECT_THAT(run("mnist_cnn --replicas 2 --device nonsense").errors, HasSubstr("nonsense"));
  if (config::list_physical_devices("GPU").empty()) {
    const Outcome outcome = run("mnist_cnn --replicas 2 --device GPU");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.errors, "mnist_cnn: Replicas need a GPU, but this machine has none.\n");
  }
}

TEST_F(ReplicaPrograms, MirroredRegressionTrainsTheSameWithFitAndInALoop) {
  for (const int replicas : {1, 2, 3}) {
    const Outcome outcome = run("mirrored_regression " + std::to_string(replicas));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, StartsWith("replicas: " + std::to_string(replicas) + "\n"));
    const std::size_t loop = outcome.output.find("# A custom training loop");
    ASSERT_NE(loop, std::string::npos) << outcome.output;
    const std::string by_fit = outcome.output.substr(0, loop);
    const std::string by_loop = outcome.output.substr(loop);
    // The mean over ten steps, the first of which starts with the same weights in all runs.
    EXPECT_NEAR(number_after("loss: ", by_fit), 0.2601, 1e-4);
    EXPECT_NEAR(number_after("loss: ", by_loop), 0.2601, 1e-4);
    EXPECT_NEAR(number_after("loss: ", by_loop.substr(by_loop.find("Epoch 2/2"))), 0, 1e-9);
    EXPECT_NEAR(number_after("evaluation, loss: ", by_loop), 0, 1e-9);
  }
}

TEST_F(ReplicaPrograms, MirroredRegressionLogsThatEachReplicaComputes) {
  const Outcome outcome = run("mirrored_regression --log-placement");
  EXPECT_EQ(outcome.status, 0);
  for (const char* const op : {"MatMul", "AllReduce", "SgdUpdate"}) {
    for (const char* const device : {"CPU:0", "CPU:1"}) {
      EXPECT_THAT(outcome.errors, HasSubstr(std::string("Executing op ") + op +
                                            " in device /job:localhost/replica:0/task:0/device:" + device));
    }
  }
  EXPECT_THAT(run("mirrored_regression").errors, Not(HasSubstr("Executing op")));
}

TEST_F(MultiWorkerPrograms, ProcessesTrainAsOneDoes) {
  const std::string command = "mnist_multi_worker --limit 600 --epochs 2 --seed 1 --save ";
  const Outcome one = run_with_mpi(1, command + path("one.keras"));
  EXPECT_EQ(one.status, 0) << one.errors;
  ASSERT_EQ(one.lines().size(), 5) << one.output;

  const Outcome two = run_with_mpi(2, command + path("two.keras"));
  EXPECT_EQ(two.status, 0) << two.errors;
  // Only the chief prints.
  ASSERT_EQ(two.lines().size(), 5) << two.output;
  EXPECT_EQ(two.lines()[0], "workers: 2, replicas: 2, images per step: 64");
  EXPECT_THAT(two.errors, HasSubstr("Using MultiWorkerMirroredStrategy with 2 workers, local_devices = ("));
  for (const std::size_t epoch_end : {2, 4}) expect_same_metrics(two.lines()[epoch_end], one.lines()[epoch_end]);

  // The saved model is the one that was validated.
  const models::Model model = models::load_model(path("two.keras"));
  const datasets::ImageData test = datasets::mnist::load_data().test;
  const callbacks::Logs logs =
      model.evaluate(test.images.reshape({-1, 28, 28, 1}).cast(float32) / 255.0, test.labels, {.verbose = 0});
  EXPECT_NEAR(logs.at("loss"), number_after("val_loss: ", two.lines()[4]), 1e-4);
}

TEST_F(MultiWorkerPrograms, TrainingGoesOnWithAnotherNumberOfProcesses) {
  const auto command = [&](int epochs) {
    return "mnist_multi_worker --limit 64 --seed 1 --epochs " + std::to_string(epochs);
  };
  const std::string backup = path("backup");
  const std::string metadata = backup + "/training_metadata.json";
  // Two processes with a long training, which is ended after their first backup.
  run_in_shell("{ " + mpirun(2) + program(command(100'000)) + " --backup " + backup + " & job=$!; until test -e " +
               metadata +
               " || ! kill -0 $job; do sleep 0.05; done; "
               "kill -TERM $job; wait $job; true; }");
  ASSERT_TRUE(std::filesystem::exists(metadata)) << test::content_of(path("errors"));

  const int epochs = 2 + static_cast<int>(io::Json::parse(test::content_of(metadata))["epoch"].as_int());
  const Outcome rest = run_with_mpi(1, command(epochs) + " --backup " + backup);
  EXPECT_EQ(rest.status, 0) << rest.errors;
  EXPECT_THAT(rest.output, Not(HasSubstr("Epoch 1/"))) << "it has begun anew";
  EXPECT_FALSE(std::filesystem::exists(backup)) << "the training has come to its end";

  const Outcome whole = run_with_mpi(1, command(epochs));
  ASSERT_FALSE(rest.lines().empty());
  ASSERT_FALSE(whole.lines().empty()) << whole.errors;
  expect_same_metrics(rest.lines().back(), whole.lines().back());
}

}  // namespace
}  // namespace rhyton

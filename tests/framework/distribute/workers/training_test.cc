#include <cstdlib>
#include <filesystem>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/distribute/job_description.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/callbacks/backup_and_restore.h>
#include <rhyton/models/callbacks/csv_logger.h>
#include <rhyton/models/callbacks/model_checkpoint.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/distribute/workers/strategies.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

// Several processes compared with one: all processes run the same code.

namespace rhyton::distribute {
namespace {

namespace fs = std::filesystem;
using layers::Dense;
using models::Model;
using models::Sequential;
using test::message_of;

Model make_model() {
  Sequential model({layers::Input({.shape = {12}}), Dense(16, {.activation = "tanh", .use_bias = false}),
                    layers::BatchNormalization({.synchronized = true}), layers::Dropout(0.25), Dense(3)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01, .global_clipnorm = 0.5}),
                 .loss = "mse",
                 .metrics = {"mae"}});
  return model;
}

/// The last batch has 3 samples: one of 4 processes gets none.
Training training() {
  return {.make_model = make_model,
          .x = random_normal({83, 12}, 3, 0),
          .y = random_normal({83, 3}, 4, 0),
          .fit = {.batch_size = 16, .epochs = 2}};
}

/// A folder shared by all processes, which the chief recreates.
fs::path shared_folder(const std::string& name) {
  fs::path folder =
      fs::temp_directory_path() / ("rhyton_workers_" + name + "_" + std::string(environment("RHYTON_TEST_JOB")));
  ProcessGroup& processes = *mpi_process_group();
  if (processes.rank() == 0) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  processes.barrier();
  return folder;
}

TEST(Workers, TrainLikeOneDevice) {
  for (const int replicas : {1, 2}) {
    SCOPED_TRACE(replicas);
    const Trained several = training().run_under(workers(replicas));
    expect_equal_trainings(several, training().run(0));
    expect_same_bits(training().run_under(workers(replicas)), several);
  }
}

TEST(Workers, TrainMaskedSequencesLikeOneDevice) {
  for (const int replicas : {1, 2}) {
    SCOPED_TRACE(replicas);
    const Training masked = masked_training("sum_over_batch_size");
    expect_equal_trainings(masked.run_under(workers(replicas)), masked.run(0));
  }
}

/// Gradients of 4.3 MB; those of the last layers are available first.
Training wide_training() {
  Training wide = training();
  wide.make_model = [] {
    Sequential model({layers::Input({.shape = {12}}), Dense(520, {.activation = "tanh"}),
                      Dense(520, {.activation = "tanh", .use_bias = false}),
                      layers::BatchNormalization({.synchronized = true}), layers::Dropout(0.25),
                      Dense(520, {.activation = "relu"}), Dense(520, {.activation = "relu"}), Dense(3)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.001}), .loss = "mse", .metrics = {"mae"}});
    return Model(model);
  };
  return wide;
}

TEST(Workers, BucketsThatTravelDuringTheBackwardPassGiveTheSameBits) {
  for (const int replicas : {1, 2}) {
    SCOPED_TRACE(replicas);
    const auto trained_with = [&](const char* megabytes) {
      const test::EnvironmentVariable buckets("RHYTON_REDUCTION_BUCKET_MB", megabytes);
      return wide_training().run_under(workers(replicas));
    };
    const Trained whole = trained_with("0");
    for (const char* megabytes : {"1", "0.001"}) expect_same_bits(trained_with(megabytes), whole);
    expect_equal_trainings(whole, wide_training().run(0), 2e-3);
  }
}

TEST(Workers, GatherWhatAllHave) {
  const distribute::Strategy strategy = workers();
  const int rank = mpi_process_group()->rank();
  const int count = mpi_process_group()->size();
  // Rank r has r + 1 columns with the value r, so that lengths differ.
  const Tensor own = Tensor::full({2, rank + 1}, static_cast<double>(rank));
  std::vector<double> row;
  for (int r = 0; r < count; ++r) row.insert(row.end(), static_cast<std::size_t>(r) + 1, r);
  std::vector<double> expected = row;
  expected.insert(expected.end(), row.begin(), row.end());
  for (const int axis : {1, -1}) EXPECT_EQ(strategy.gather(own, axis).to_vector(), expected);
  // Rank 0 has no rows.
  const Tensor fewer = Tensor::full({rank, 3}, 1.0);
  EXPECT_EQ(strategy.gather(fewer, 0).shape(), (Shape{count * (count - 1) / 2, 3}));
  if (count > 1) {
    EXPECT_THROW(strategy.gather(own, 0), ValueError) << "columns differ";
  }
}

TEST(Workers, StartWithTheVariablesAndTheOrderOfTheChief) {
  ProcessGroup& processes = *mpi_process_group();
  Training different = training();
  different.make_model = [&] {
    set_random_seed(100 + static_cast<std::uint64_t>(processes.rank()));
    return make_model();
  };
  const Trained trained = different.run_under(workers());
  std::string weights;
  for (const Tensor& weight : trained.weights) weights += weight.to_string();
  require_same(processes, "weights", weights);
}

TEST(Workers, WithDataOfTheirOwnTrainLikeOneDeviceWithAll) {
  const int count = mpi_process_group()->size();
  const int rank = mpi_process_group()->rank();
  Training whole = training();
  whole.x = random_normal({std::int64_t{40} * count, 12}, 3, 0);
  whole.y = random_normal({std::int64_t{40} * count, 3}, 4, 0);
  whole.fit = {.batch_size = std::int64_t{10} * count, .epochs = 2, .shuffle = false};
  // Batch b of one device is the concatenation of batch b of every process, in the order of the processes.
  Training part = whole;
  part.fit.batch_size = 10;
  std::vector<float> x;
  std::vector<float> y;
  for (std::int64_t batch = 0; batch < 4; ++batch) {
    const std::int64_t first = (batch * count + rank) * 10;
    const Tensor own_x = whole.x.slice(first, first + 10);
    const Tensor own_y = whole.y.slice(first, first + 10);
    x.insert(x.end(), own_x.data<float>(), own_x.data<float>() + own_x.size());
    y.insert(y.end(), own_y.data<float>(), own_y.data<float>() + own_y.size());
  }
  part.x = Tensor::from_data<float>({40, 12}, x);
  part.y = Tensor::from_data<float>({40, 3}, y);
  expect_equal_trainings(part.run_under(workers(1, AutoShardPolicy::OFF)), whole.run(0));
}

TEST(Workers, EvaluateTogetherAndPredictAlone) {
  const Trained several = training().run_under(workers(2));
  const Trained one = training().run(0);
  one.model.set_weights(several.weights);
  const callbacks::Logs logs = several.model.evaluate(training().x, training().y, {.batch_size = 10, .verbose = 0});
  const callbacks::Logs expected = one.model.evaluate(training().x, training().y, {.batch_size = 10, .verbose = 0});
  EXPECT_NEAR(logs.at("loss"), expected.at("loss"), 1e-5);
  EXPECT_NEAR(logs.at("mae"), expected.at("mae"), 1e-5);
  if (mpi_process_group()->rank() != 0) return;
  const Tensor predicted = several.model.predict(training().x, {.verbose = 0});
  EXPECT_LE(relative_distance(predicted, one.model.predict(training().x, {.verbose = 0})), 1e-6);
}

TEST(Workers, OnlyTheChiefWritesFiles) {
  const fs::path folder = shared_folder("files");
  const fs::path own = folder / std::to_string(mpi_process_group()->rank());
  fs::create_directories(own);
  Training saving = training();
  saving.fit.callbacks = {callbacks::ModelCheckpoint((own / "model.keras").string()),
                          callbacks::CSVLogger((own / "log.csv").string()),
                          callbacks::BackupAndRestore((own / "backup").string(), {.delete_checkpoint = false})};
  const Trained trained = saving.run_under(workers());
  trained.model.save((own / "end.keras").string());
  trained.model.save_weights((own / "end.weights.h5").string());
  const bool is_chief = mpi_process_group()->rank() == 0;
  for (const char* file : {"model.keras", "log.csv", "backup", "end.keras", "end.weights.h5"}) {
    EXPECT_EQ(fs::exists(own / file), is_chief) << file;
  }
}

TEST(Workers, GoOnFromABackup) {
  const fs::path folder = shared_folder("backup");
  const Trained uninterrupted = training().run_under(workers());
  Training first = training();
  first.fit.epochs = 1;
  first.fit.callbacks = {callbacks::BackupAndRestore(folder.string(), {.delete_checkpoint = false})};
  first.run_under(workers());
  Training second = training();
  second.fit.callbacks = {callbacks::BackupAndRestore(folder.string())};
  const Trained resumed = second.run_under(workers());
  ASSERT_EQ(resumed.weights.size(), uninterrupted.weights.size());
  for (std::size_t i = 0; i < resumed.weights.size(); ++i) {
    EXPECT_EQ(resumed.weights[i].to_vector(), uninterrupted.weights[i].to_vector());
  }
}

TEST(Workers, WithDifferentWorkAreRefusedByName) {
  ProcessGroup& processes = *mpi_process_group();
  if (processes.size() == 1) GTEST_SKIP() << "A single process has no other one to differ from.";
  const bool differs = processes.rank() == processes.size() - 1;
  const std::string rank = "rank " + std::to_string(processes.size() - 1);
  Training longer = training();
  if (differs) longer.x = random_normal({80, 12}, 3, 0), longer.y = random_normal({80, 3}, 4, 0);
  const std::string about_data = message_of<ValueError>([&] { longer.run_under(workers()); });
  EXPECT_NE(about_data.find("number of samples"), std::string::npos) << about_data;
  Training wider = training();
  wider.make_model = [&] {
    Sequential model({layers::Input({.shape = {12}}), Dense(differs ? 5 : 4), Dense(3)});
    model.compile({.loss = "mse"});
    return Model(model);
  };
  const std::string about_model = message_of<ValueError>([&] { wider.run_under(workers()); });
  EXPECT_NE(about_model.find("model"), std::string::npos) << about_model;
  if (processes.size() > 2) {
    EXPECT_NE(about_data.find(rank), std::string::npos) << about_data;
    EXPECT_NE(about_model.find(rank), std::string::npos) << about_model;
  }
  // They can still run collectives.
  expect_equal_trainings(training().run_under(workers()), training().run(0));
}

}  // namespace
}  // namespace rhyton::distribute

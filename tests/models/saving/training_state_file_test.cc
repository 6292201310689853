#include <rhyton/models/saving/training_state_file.h>

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::saving {
namespace {

using callbacks::TrainingState;
using io::Json;
using ::testing::HasSubstr;

constexpr const char* group_name = "rhyton_training_state";

TrainingState some_state() {
  TrainingState state;
  state.position = {.epoch = 3,
                    .step = 7,
                    .is_stopped = true,
                    .shuffle_key = std::numeric_limits<std::uint64_t>::max() - 5,
                    .passes = 4,
                    .batch = 6,
                    .samples = 100,
                    .batch_size = 10,
                    .steps_per_epoch = 9};
  state.random = {.is_seeded = true, .base = std::uint64_t{1} << 63, .seeds_given = 12};
  state.accumulators = {Tensor::full({}, 2.5, float64), Tensor::full({3}, 0.1F)};
  state.layer_states = {Tensor::scalar(std::int64_t{1} << 62)};
  state.callbacks = {{}, {Json::object({{"best", 0.1}, {"wait", 2}}), {Tensor::full({2, 2}, 3), Tensor::full({1}, 4)}}};
  return state;
}

/// The file of `write_training_state` with another text instead of the JSON.
io::Hdf5File file_with(const std::string& text) {
  io::Hdf5File file = io::Hdf5File::create_image();
  write_training_state(some_state(), file.root());
  file.root().open_group(group_name).write_string_attribute("state", text);
  return file;
}

Json state_json() {
  io::Hdf5File whole = io::Hdf5File::create_image();
  write_training_state(some_state(), whole.root());
  return Json::parse(whole.root().open_group(group_name).read_string_attribute("state"));
}

TEST(TrainingStateFile, GivesBackWhatWasWritten) {
  const TrainingState state = some_state();
  io::Hdf5File file = io::Hdf5File::create_image();
  write_training_state(state, file.root());
  const TrainingState read = read_training_state(file.root()).value();
  EXPECT_EQ(read.position.epoch, 3);
  EXPECT_EQ(read.position.step, 7);
  EXPECT_TRUE(read.position.is_stopped);
  EXPECT_EQ(read.position.shuffle_key, state.position.shuffle_key);
  EXPECT_EQ(read.position.passes, 4U);
  EXPECT_EQ(read.position.batch, 6);
  EXPECT_EQ(read.position.samples, 100);
  EXPECT_EQ(read.position.batch_size, 10);
  EXPECT_EQ(read.position.steps_per_epoch, 9);
  EXPECT_TRUE(read.random.is_seeded);
  EXPECT_EQ(read.random.base, state.random.base);
  EXPECT_EQ(read.random.seeds_given, 12U);
  ASSERT_EQ(read.accumulators.size(), 2U);
  EXPECT_EQ(read.accumulators[0].dtype(), float64);
  EXPECT_EQ(read.accumulators[0].item(), 2.5);
  EXPECT_EQ(read.accumulators[1].to_vector(), state.accumulators[1].to_vector());
  ASSERT_EQ(read.layer_states.size(), 1U);
  EXPECT_EQ(read.layer_states[0].data<std::int64_t>()[0], std::int64_t{1} << 62);
  ASSERT_EQ(read.callbacks.size(), 2U);
  EXPECT_TRUE(read.callbacks[0].values.empty());
  EXPECT_EQ(read.callbacks[1].values, state.callbacks[1].values);
  ASSERT_EQ(read.callbacks[1].tensors.size(), 2U);
  EXPECT_EQ(read.callbacks[1].tensors[0].shape(), (Shape{2, 2}));
}

TEST(TrainingStateFile, AFileOfKerasHasNone) {
  const io::Hdf5File file = io::Hdf5File::open_read(RHYTON_GOLDEN_DIR "/keras_backup/latest.weights.h5");
  EXPECT_FALSE(read_training_state(file.root()).has_value());
}

TEST(TrainingStateFile, DamageIsAnErrorThatNamesTheGroup) {
  const auto message = [](const std::string& text) {
    try {
      read_training_state(file_with(text).root());
    } catch (const IOError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("{"), HasSubstr("/rhyton_training_state"));
  EXPECT_THAT(message("[]"), HasSubstr("/rhyton_training_state"));
  EXPECT_THAT(message("{}"), HasSubstr("version"));
  const auto with = [&](const char* key, Json value) {
    Json json = state_json();
    json[key] = std::move(value);
    return message(json.dump());
  };
  EXPECT_THAT(with("version", 2), HasSubstr("newer"));
  EXPECT_THAT(with("accumulators", std::numeric_limits<std::int64_t>::max()), HasSubstr("/rhyton_training_state"));
  EXPECT_THAT(with("layer_states", -1), HasSubstr("negative"));
  EXPECT_THAT(with("position", Json::object({{"epoch", std::int64_t{1} << 40}})), HasSubstr("epoch"));
  EXPECT_THAT(with("callbacks", Json::array({1})), HasSubstr("/rhyton_training_state"));
}

}  // namespace
}  // namespace rhyton::saving

#include <rhyton/models/training/epoch_cursor.h>

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/arrays.h>

namespace rhyton::training {
namespace {

/// Three batches of two samples: 0 1, 2 3, 4.
BatchSource five_samples() { return array_source({.x = {Tensor::from_data<float>({5, 1}, {0, 1, 2, 3, 4})}}, 2); }

/// The first samples of the batches of an epoch, "0 2 4", which is ended.
std::string epoch_of(EpochCursor& cursor, const BatchSource& data) {
  std::string firsts;
  cursor.begin_epoch();
  while (cursor.next_batch()) {
    firsts +=
        (firsts.empty() ? "" : " ") + std::to_string(static_cast<int>(data.stream->tensors().x[0].to_vector()[0]));
    cursor.count_step();
  }
  cursor.end_steps(true);
  cursor.end_epoch();
  return firsts;
}

TEST(EpochCursor, AnEpochIsAPassOverTheData) {
  const BatchSource data = five_samples();
  EpochCursor cursor(data, {.epochs = 2, .steps_per_epoch = 3});
  EXPECT_EQ(cursor.position().samples, 5);
  EXPECT_EQ(cursor.position().batch_size, 2);
  EXPECT_EQ(epoch_of(cursor, data), "0 2 4");
  EXPECT_EQ(cursor.epoch(), 1);
  EXPECT_EQ(cursor.step(), 0);
  EXPECT_TRUE(cursor.has_epoch());
  EXPECT_EQ(epoch_of(cursor, data), "0 2 4");
  EXPECT_FALSE(cursor.has_epoch());
}

TEST(EpochCursor, WithStepsPerEpochAnEpochContinuesInThePass) {
  const BatchSource data = five_samples();
  EpochCursor cursor(data, {.epochs = 3, .steps_per_epoch = 2, .continues_passes = true});
  EXPECT_EQ(epoch_of(cursor, data), "0 2");
  EXPECT_EQ(cursor.position().batch, 2);
  EXPECT_EQ(cursor.position().passes, 1U);
  EXPECT_EQ(epoch_of(cursor, data), "4 0");
  EXPECT_EQ(cursor.position().passes, 2U);
  EXPECT_EQ(epoch_of(cursor, data), "2 4");
}

TEST(EpochCursor, DataThatDoNotRepeatEndTheEpoch) {
  BatchSource data = five_samples();
  data.repeats = false;
  EpochCursor cursor(data, {.steps_per_epoch = 7, .continues_passes = true});
  cursor.begin_epoch();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(cursor.next_batch());
    cursor.count_step();
  }
  EXPECT_FALSE(cursor.next_batch());
  EXPECT_FALSE(cursor.next_batch());
  EXPECT_TRUE(cursor.ran_out_of_data());
}

TEST(EpochCursor, ContinuesAtThePositionOfAnother) {
  const BatchSource data = five_samples();
  EpochCursor first(data, {.epochs = 3, .steps_per_epoch = 3});
  epoch_of(first, data);
  first.begin_epoch();
  ASSERT_TRUE(first.next_batch());
  first.count_step();

  const BatchSource same = five_samples();
  EpochCursor second(same, {.epochs = 3, .steps_per_epoch = 3});
  second.move_to(first.position());
  EXPECT_TRUE(second.is_within_epoch());
  EXPECT_EQ(second.epoch(), 1);
  EXPECT_EQ(epoch_of(second, same), "2 4");
  EXPECT_EQ(epoch_of(second, same), "0 2 4");
}

TEST(EpochCursor, ALaterEpochOfADataSetHasItsOwnPass) {
  BatchSource data = five_samples();
  EpochCursor arrays(data, {.initial_epoch = 2, .epochs = 3});
  arrays.skip_passes_of_earlier_epochs();
  EXPECT_EQ(arrays.position().passes, 0U);
  data.repeats = false;
  EpochCursor dataset(data, {.initial_epoch = 2, .epochs = 3});
  dataset.skip_passes_of_earlier_epochs();
  EXPECT_EQ(dataset.position().passes, 2U);
}

}  // namespace
}  // namespace rhyton::training

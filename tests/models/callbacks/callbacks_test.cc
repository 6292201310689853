#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/callbacks/csv_logger.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/log_order.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/callbacks/terminate_on_nan.h>
#include <rhyton/tests/models/callbacks/fake_training.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::callbacks {
namespace {

TEST(Logs, KeepOrderAndNameWhatIsMissing) {
  Logs logs = {{"loss", 1.5}, {"accuracy", 0.5}};
  logs.set("loss", 1.0);
  EXPECT_EQ(logs.begin()->first, "loss");
  EXPECT_EQ(logs["loss"], 1.0);
  try {
    static_cast<void>(logs.at("los"));
    FAIL();
  } catch (const NotFoundError& error) {
    EXPECT_STREQ(error.what(), "There is no value named 'los'. There are: ['loss', 'accuracy'].");
  }
}

TEST(Logs, HistoryNamesWhatIsMissing) {
  const History history = {.epoch = {0, 1}, .history = {{"loss", {2.0, 1.0}}}};
  EXPECT_EQ(history["loss"], (std::vector<double>{2.0, 1.0}));
  EXPECT_THROW(history["val_loss"], NotFoundError);
}

TEST(Logs, VectorsAreTheMeansOfTheirElements) {
  Logs logs = {{"loss", 1.5}};
  logs.set("scores", LogValue(std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(logs["scores"], 0.5);
  EXPECT_EQ(logs.elements("scores"), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(logs.elements("loss"), (std::vector<double>{1.5}));
  EXPECT_THROW(logs.elements("score"), NotFoundError);
  const Logs all = with_validation(sorted_by_name(logs), logs);
  EXPECT_EQ(all.elements("val_scores"), logs.elements("scores"));
  History history;
  history.add(0, all);
  EXPECT_EQ(history["val_scores"], (std::vector<double>{0.5}));
  EXPECT_EQ(history.vectors.at("val_scores").front(), logs.elements("scores"));
  EXPECT_FALSE(history.vectors.contains("loss"));
}

TEST(LambdaCallback, CallsWhatItIsGiven) {
  FakeTraining training;
  std::vector<std::string> calls;
  const LambdaCallback callback(
      {.on_epoch_begin = [&](int epoch, Logs&) { calls.push_back("b" + std::to_string(epoch)); },
       .on_epoch_end = [&](int, Logs& logs) { logs.set("more", 7); },
       .on_train_end = [&](Logs&) { calls.emplace_back("end"); }});
  training.fit(callback, "loss", {1, 2});
  EXPECT_EQ(calls, (std::vector<std::string>{"b0", "b1", "end"}));
  EXPECT_EQ(training.history[1].at("more"), 7);
}

TEST(TerminateOnNaN, Stops) {
  FakeTraining training;
  const TerminateOnNaN callback;
  Logs fine = {{"loss", 1.0}};
  callback->on_train_batch_end(training, 0, fine);
  EXPECT_FALSE(training.is_stopped);
  Logs bad = {{"loss", std::nan("")}};
  testing::internal::CaptureStdout();
  callback->on_train_batch_end(training, 3, bad);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "Batch 3: Invalid loss, terminating training\n");
  EXPECT_TRUE(training.is_stopped);
  EXPECT_EQ(test::message_of<RuntimeError>(
                [&] { TerminateOnNaN({.raise_error = true})->on_train_batch_end(training, 3, bad); }),
            "NaN or Inf loss encountered at batch 3. Loss value: nan. Terminating training immediately.");
}

class CSVLoggerTest : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "rhyton_csv_logger_test.csv"; }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string path_;
};

TEST_F(CSVLoggerTest, WritesSortedColumns) {
  FakeTraining training;
  const CSVLogger logger(path_);
  training.fit(logger, "loss", {1.5, 0.0010000000474974513, std::nan("")});
  EXPECT_EQ(content(), "epoch,loss,val_loss\r\n0,1.5,NA\r\n1,0.0010000000474974513,NA\r\n2,nan,NA\r\n");
}

TEST_F(CSVLoggerTest, WritesVectorsAsLists) {
  FakeTraining training;
  const CSVLogger logger(path_);
  Logs logs = {{"loss", 0.5}};
  logs.set("scores", LogValue(std::vector<double>{0.25, 1.0}));
  Logs none;
  logger->on_train_begin(training, none);
  logger->on_epoch_end(training, 0, logs);
  logger->on_train_end(training, none);
  EXPECT_EQ(content(), "epoch,loss,scores,val_loss,val_scores\r\n0,0.5,\"\"\"[0.25, 1.0]\"\"\",NA,NA\r\n");
}

TEST_F(CSVLoggerTest, AppendsWithoutASecondHeader) {
  FakeTraining training;
  for (int run = 0; run < 2; ++run) {
    training.fit(CSVLogger(path_, {.separator = ";", .append = true}), "val_loss", {1.0});
  }
  EXPECT_EQ(content(), "epoch;val_loss\r\n0;1.0\r\n0;1.0\r\n");
}

TEST_F(CSVLoggerTest, TakesTheColumnsOfEachTraining) {
  FakeTraining training;
  const CSVLogger logger(path_);
  training.fit(logger, "accuracy", {1.0});
  training.fit(logger, "loss", {0.5});
  EXPECT_EQ(content(), "epoch,loss,val_loss\r\n0,0.5,NA\r\n");
}

TEST_F(CSVLoggerTest, NamesAFileThatCannotBeWritten) {
  FakeTraining training;
  EXPECT_THROW(training.fit(CSVLogger("/nonexistent/folder/log.csv"), "loss", {1.0}), IOError);
}

}  // namespace
}  // namespace rhyton::callbacks

#include <rhyton/models/training/callback_list.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/models/callbacks/fake_training.h>

namespace rhyton::training {
namespace {

using callbacks::Callback;
using callbacks::Logs;
using callbacks::TrainingControl;

/// Notes its calls and adds a value to the logs of each; looks at logs of batches if `reads`.
class Recorder : public callbacks::CallbackImpl {
 public:
  Recorder(std::string name, bool reads, std::vector<std::string>& calls)
      : name_(std::move(name)), reads_(reads), calls_(calls) {}

  void on_train_begin(TrainingControl&, Logs& logs) override { note("train_begin", logs); }
  void on_train_end(TrainingControl&, Logs& logs) override { note("train_end", logs); }
  void on_train_interrupted(TrainingControl&, Logs& logs) override { note("train_interrupted", logs); }
  void on_epoch_begin(TrainingControl&, int epoch, Logs& logs) override { note("epoch_begin", logs, epoch); }
  void on_epoch_end(TrainingControl&, int epoch, Logs& logs) override { note("epoch_end", logs, epoch); }
  void on_train_batch_begin(TrainingControl&, std::int64_t batch, Logs& logs) override {
    note("train_batch_begin", logs, batch);
  }
  void on_train_batch_end(TrainingControl&, std::int64_t batch, Logs& logs) override {
    if (reads_) note("train_batch_end", logs, batch);
  }
  void on_test_batch_end(TrainingControl&, std::int64_t batch, Logs& logs) override {
    if (reads_) note("test_batch_end", logs, batch);
  }

 private:
  void note(const std::string& method, Logs& logs, std::int64_t number = 0) {
    std::string names;
    for (const auto& [name, value] : logs) names += " " + name;
    calls_.push_back(name_ + "." + method + " " + std::to_string(number) + names);
    logs.set(name_, 1);
  }

  std::string name_;
  bool reads_;
  std::vector<std::string>& calls_;
};

class CallbackListTest : public ::testing::Test {
 protected:
  CallbackList list() { return {callbacks_, training_}; }

  callbacks::FakeTraining training_;
  std::vector<std::string> calls_;
  std::vector<Callback> callbacks_ = {callbacks::make_callback<Recorder>("a", false, calls_),
                                      callbacks::make_callback<Recorder>("b", true, calls_)};
};

TEST_F(CallbackListTest, CallsAllInOrderWithTheSameLogs) {
  Logs logs;
  list().on_train_begin(logs);
  list().on_epoch_begin(3, logs);
  EXPECT_EQ(calls_, (std::vector<std::string>{"a.train_begin 0", "b.train_begin 0 a", "a.epoch_begin 3 a b",
                                              "b.epoch_begin 3 a b"}));
}

TEST_F(CallbackListTest, ReadsTheLogsOfABatchWhenACallbackLooksAtThem) {
  int reads = 0;
  const CallbackList::ReadLogs read_logs = [&] {
    ++reads;
    return Logs{{"loss", 2}};
  };
  list().on_train_batch_end(5, read_logs);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(calls_, (std::vector<std::string>{"b.train_batch_end 5 loss"}));
  list().on_test_batch_end(6, read_logs);
  EXPECT_EQ(reads, 2);

  callbacks_ = {callbacks::make_callback<Recorder>("a", false, calls_)};
  list().on_train_batch_end(7, read_logs);
  list().on_test_batch_end(7, read_logs);
  EXPECT_EQ(reads, 2);
}

TEST_F(CallbackListTest, CopiesOfTheLogsOfABatchKeepThem) {
  int reads = 0;
  std::vector<Logs> copies;
  {
    Logs logs = Logs::deferred([&] {
      ++reads;
      return Logs{{"loss", 2}};
    });
    copies.push_back(logs);
    logs.set("more", 3);
    EXPECT_EQ(logs.size(), 2);
    copies = {logs};
  }
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(copies[0]["loss"], 2);
  EXPECT_EQ(copies[0]["more"], 3);
}

TEST_F(CallbackListTest, TellsAllOfAnInterruption) {
  Logs logs = {{"loss", 1}};
  list().on_train_interrupted(logs);
  EXPECT_EQ(calls_, (std::vector<std::string>{"a.train_interrupted 0 loss", "b.train_interrupted 0 loss a"}));
}

}  // namespace
}  // namespace rhyton::training

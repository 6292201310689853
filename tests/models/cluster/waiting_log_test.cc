#include <rhyton/models/cluster/waiting_log.h>

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace rhyton::distribute {
namespace {

using std::chrono::seconds;

/// A wait for worker 0 that is noted at these times.
class WaitingLogTest : public testing::Test {
 protected:
  /// What is logged then.
  std::string note_after(seconds time) {
    testing::internal::CaptureStderr();
    log_.note("worker 0", WaitingLog::Clock::time_point(time));
    return testing::internal::GetCapturedStderr();
  }

  WaitingLog log_;
};

TEST_F(WaitingLogTest, LogsALongWaitEveryMinute) {
  EXPECT_EQ(note_after(seconds(100)), "");
  EXPECT_EQ(note_after(seconds(159)), "");
  EXPECT_EQ(note_after(seconds(160)), "INFO:rhyton:Still waiting for worker 0, for 60 s so far\n");
  EXPECT_EQ(note_after(seconds(161)), "");
  EXPECT_EQ(note_after(seconds(225)), "INFO:rhyton:Still waiting for worker 0, for 125 s so far\n");
  EXPECT_EQ(note_after(seconds(284)), "");
  EXPECT_NE(note_after(seconds(285)), "");
}

TEST_F(WaitingLogTest, CountsFromTheBeginningOfEachWait) {
  note_after(seconds(100));
  log_.end();
  EXPECT_EQ(note_after(seconds(1000)), "");
  EXPECT_EQ(note_after(seconds(1060)), "INFO:rhyton:Still waiting for worker 0, for 60 s so far\n");
}

}  // namespace
}  // namespace rhyton::distribute

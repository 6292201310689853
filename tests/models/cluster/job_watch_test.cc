#include <rhyton/models/cluster/job_watch.h>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::HasSubstr;

TEST(JobWatch, FollowsAJobFromItsBeginningToItsEnd) {
  JobWatch watch;
  EXPECT_FALSE(watch.is_over(1));
  watch.begin("a", 1);
  EXPECT_FALSE(watch.is_over(1));
  watch.end("a", 1, "");
  EXPECT_TRUE(watch.is_over(1));
  EXPECT_FALSE(watch.is_over(2));
}

TEST(JobWatch, ThrowsTheErrorThatEndedTheJob) {
  JobWatch watch;
  watch.begin("a", 1);
  watch.end("a", 1, "Out of luck.");
  EXPECT_EQ(test::message_of<RuntimeError>([&] { static_cast<void>(watch.is_over(1)); }),
            "The chief has ended the training: Out of luck.");
}

TEST(JobWatch, SaysThatItWaitsForAChiefThatDoesNotCome) {
  JobWatch watch(std::chrono::seconds(0));
  const auto log_of_question = [&](int number) {
    testing::internal::CaptureStderr();
    static_cast<void>(watch.is_over(number));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(log_of_question(1), HasSubstr("INFO:rhyton:Still waiting for the chief to begin training number 1"));
  watch.begin("a", 1);
  EXPECT_EQ(log_of_question(1), "");
  watch.end("a", 1, "");
  EXPECT_THAT(log_of_question(2), HasSubstr("Still waiting for the chief to begin training number 2"));
}

}  // namespace
}  // namespace rhyton::distribute

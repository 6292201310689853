// Tests without other processes. The others are in tests/framework/distribute/processes.

#include <rhyton/framework/distribute/heartbeat.h>

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::distribute {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::EnvironmentVariable;

TEST(Silence, LastsWhileNothingIsHeard) {
  Silence silence(seconds(1));
  for (int tick = 0; tick < 5; ++tick) silence.pass(seconds(1));
  EXPECT_EQ(silence.lasted(), seconds(5));
}

TEST(Silence, EndsWithAnyMessage) {
  Silence silence(seconds(1));
  silence.pass(seconds(1));
  silence.heard();
  EXPECT_EQ(silence.lasted(), seconds(0));
}

TEST(Silence, DoesNotCountTimeInWhichThisProcessWasStoppedItself) {
  Silence silence(seconds(1));
  silence.pass(hours(8));
  EXPECT_LE(silence.lasted(), seconds(2));
}

TEST(WorkerTimeout, IsTwentySecondsUnlessSet) {
  for (const std::optional<std::string>& nothing : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const EnvironmentVariable variable("RHYTON_WORKER_TIMEOUT", nothing);
    EXPECT_EQ(worker_timeout(), seconds(20));
  }
}

TEST(WorkerTimeout, IsReadInSeconds) {
  const EnvironmentVariable variable("RHYTON_WORKER_TIMEOUT", "2.5");
  EXPECT_EQ(worker_timeout(), milliseconds(2500));
}

TEST(WorkerTimeout, MayBeZero) {
  const EnvironmentVariable variable("RHYTON_WORKER_TIMEOUT", "0");
  EXPECT_EQ(worker_timeout(), milliseconds(0));
}

TEST(WorkerTimeout, RefusesAnythingElse) {
  for (const char* const text : {"-1", "soon", "5s", "nan", "inf", "1e7"}) {
    const EnvironmentVariable variable("RHYTON_WORKER_TIMEOUT", text);
    EXPECT_THROW(worker_timeout(), ValueError) << text;
  }
}

}  // namespace
}  // namespace rhyton::distribute

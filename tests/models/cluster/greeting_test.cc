#include <rhyton/models/cluster/greeting.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Greetings of worker 0 for server 0 of a cluster of the two.
class GreetingTest : public testing::Test {
 protected:
  TaskGreeting answer(const TaskGreeting& greeting) const {
    return answer_to(greeting, {.type = "ps", .index = 0}, cluster_);
  }
  std::string complaint_about(const TaskGreeting& greeting) const {
    return test::message_of<ValueError>([&] { answer(greeting); });
  }

  ClusterSpec cluster_{{"ps", {"localhost:2222"}}, {"worker", {"localhost:2223"}}};
  TaskGreeting greeting_{
      .library_version = library_version(), .task = {.type = "worker", .index = 0}, .cluster = cluster_};
};

TEST_F(GreetingTest, IsAnsweredByTheTask) {
  const TaskGreeting answered = answer(greeting_);
  EXPECT_EQ(name_of(answered.task), "ps 0");
  EXPECT_EQ(answered.library_version, library_version());
  EXPECT_EQ(answered.cluster, cluster_);
}

TEST_F(GreetingTest, OfAnotherVersionIsRefused) {
  TaskGreeting other = greeting_;
  other.protocol_version = 3;
  EXPECT_EQ(
      complaint_about(other),
      "ps 0 has version 2 of the protocol, but worker 0 has version 3: all tasks of a cluster must have the same.");
  other = greeting_;
  other.library_version = "0.0.1";
  EXPECT_THAT(complaint_about(other),
              AllOf(HasSubstr("Rhyton " + library_version()), HasSubstr("worker 0 has Rhyton 0.0.1")));
}

TEST_F(GreetingTest, OfAnotherClusterIsRefused) {
  greeting_.cluster = ClusterSpec({{"ps", {"localhost:2222"}}, {"worker", {"localhost:9999"}}});
  EXPECT_THAT(complaint_about(greeting_), AllOf(HasSubstr("localhost:2223"), HasSubstr("localhost:9999")));
}

// As Kubeflow's dynamic workers, which know the servers and themselves.
TEST_F(GreetingTest, OfACallerThatKnowsOnlySomeTasksIsAnswered) {
  greeting_.cluster = ClusterSpec::parse(R"({"ps": ["localhost:2222"], "worker": {"5": "localhost:2228"}})");
  EXPECT_NO_THROW(answer(greeting_));
  greeting_.cluster = ClusterSpec::parse(R"({"ps": ["localhost:1111"], "worker": {"5": "localhost:2228"}})");
  EXPECT_THROW(answer(greeting_), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute

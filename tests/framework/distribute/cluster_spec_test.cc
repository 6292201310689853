#include <rhyton/framework/distribute/cluster_spec.h>

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ClusterSpec server_and_workers() {
  return ClusterSpec({{"worker", {"localhost:2223", "localhost:2224"}}, {"ps", {"localhost:2222"}}});
}

std::string complaint_about_cluster(const std::string& text) {
  return test::message_of<ValueError>([&] { ClusterSpec::parse(text, "--cluster"); });
}

TEST(ClusterSpec, HasTensorFlowsNames) {
  const ClusterSpec cluster = server_and_workers();
  EXPECT_THAT(cluster.jobs(), ElementsAre("worker", "ps"));
  EXPECT_EQ(cluster.num_tasks("worker"), 2);
  EXPECT_EQ(cluster.task_address("worker", 1), "localhost:2224");
  EXPECT_THAT(cluster.job_tasks("worker"), ElementsAre("localhost:2223", "localhost:2224"));
  EXPECT_THAT(cluster.task_indices("worker"), ElementsAre(0, 1));
  EXPECT_EQ(cluster.as_dict().dump(), R"({"ps": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]})");
}

TEST(ClusterSpec, IsTheSameFromAMapAndFromJson) {
  EXPECT_EQ(ClusterSpec(std::map<std::string, std::vector<std::string>>{
                {"ps", {"localhost:2222"}}, {"worker", {"localhost:2223", "localhost:2224"}}}),
            server_and_workers());
  EXPECT_EQ(ClusterSpec::parse(server_and_workers().as_dict().dump()), server_and_workers());
  EXPECT_FALSE(ClusterSpec({{"ps", {"localhost:2222"}}}) == server_and_workers());
}

// As tf.train.ClusterSpec({"worker": {"1": "a:1", 3: "b:1"}}) does.
TEST(ClusterSpec, ReadsTasksByNumber) {
  const ClusterSpec cluster = ClusterSpec::parse(R"({"worker": {"3": "b:1", "1": "a:1"}, "ps": {"0": "p:1"}})");
  EXPECT_EQ(cluster.num_tasks("worker"), 2);
  EXPECT_THAT(cluster.task_indices("worker"), ElementsAre(1, 3));
  EXPECT_THAT(cluster.job_tasks("worker"), ElementsAre("", "a:1", "", "b:1"));
  EXPECT_EQ(cluster.as_dict().dump(), R"({"ps": ["p:1"], "worker": {"1": "a:1", "3": "b:1"}})");
  EXPECT_THROW(cluster.task_address("worker", 0), ValueError);
}

// A list by number has an entry for each number below the largest.
TEST(ClusterSpec, RefusesLargeNumbers) {
  EXPECT_EQ(ClusterSpec::parse(R"({"worker": {"999999": "a:1"}})").job_tasks("worker").size(), 1000000U);
  for (const std::string number : {"1000000", "2147483647", "2147483648", "1000000000000", "99999999999999999999"}) {
    EXPECT_THAT(complaint_about_cluster(R"({"worker": {")" + number + R"(": "a:1"}})"),
                HasSubstr("--cluster: a task of \"worker\" has the number " + number +
                          ", but the largest is 999999. Expected"));
  }
  for (const std::string number : {"", "-1", "-1000000000000", "1000000000000x", "one"}) {
    EXPECT_THAT(complaint_about_cluster(R"({"worker": {")" + number + R"(": "a:1"}})"),
                HasSubstr("a task of \"worker\" has no number from 0 as its key but \"" + number + "\""));
  }
}

TEST(ClusterSpec, MayBeEmpty) {
  EXPECT_TRUE(ClusterSpec().empty());
  EXPECT_THAT(ClusterSpec::parse("{}").jobs(), IsEmpty());
  EXPECT_EQ(ClusterSpec::parse(R"({"worker": []})").num_tasks("worker"), 0);
  EXPECT_THAT(ClusterSpec::parse(R"({"worker": []})").job_tasks("worker"), IsEmpty());
  EXPECT_EQ(ClusterSpec::parse(R"({"worker": []})").as_dict().dump(), R"({"worker": {}})");
}

TEST(ClusterSpec, RefusesJobsAndTasksThatItDoesNotHaveInTensorFlowsWords) {
  const ClusterSpec cluster = server_and_workers();
  const auto message = [](const auto& call) { return test::message_of<ValueError>(call); };
  EXPECT_EQ(message([&] { cluster.num_tasks("chief"); }), "No such job in cluster: 'chief'");
  EXPECT_EQ(message([&] { cluster.job_tasks("chief"); }), "No such job in cluster: 'chief'");
  EXPECT_EQ(message([&] { cluster.task_address("worker", 2); }), "No task with index 2 in job 'worker'");
}

TEST(ClusterSpec, SaysWhatIsMalformed) {
  EXPECT_EQ(complaint_about_cluster(R"({"ps": "a:1"})"),
            "--cluster: the tasks of \"ps\" are no list of addresses: \"a:1\". Expected "
            R"({"ps": ["host:port", ...], "worker": ["host:port", ...]}.)");
  EXPECT_THAT(complaint_about_cluster("[]"), HasSubstr("the cluster is no object: []"));
  EXPECT_THAT(complaint_about_cluster("{"), HasSubstr("--cluster"));
  EXPECT_THAT(complaint_about_cluster(R"({"": ["a:1"]})"), HasSubstr("a job of the cluster has the name \"\""));
  EXPECT_THAT(complaint_about_cluster(R"({"ps": ["a"]})"),
              HasSubstr("a task of \"ps\" has no address \"host:port\" but \"a\""));
  EXPECT_THAT(complaint_about_cluster(R"({"ps": {"1": "a:1", "01": "b:1"}})"),
              HasSubstr("task 1 of \"ps\" is given twice"));
  EXPECT_THROW(ClusterSpec({{"ps", {"a:1"}}, {"ps", {"b:1"}}}), ValueError);
  EXPECT_THROW(ClusterSpec({{"ps", {"a"}}}), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute

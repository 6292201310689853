#include <rhyton/framework/distribute/cluster.h>

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using test::EnvironmentVariable;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* two_workers =
    R"({"cluster": {"worker": ["a:12345", "b:23456"]}, "task": {"type": "worker", "index": 1}})";

std::string chief_and_workers(const std::string& type, int index) {
  return R"({"cluster": {"worker": ["a:1", "b:1"], "chief": ["c:1"], "evaluator": ["e:1"]}, "task": {"type": ")" +
         type + R"(", "index": )" + std::to_string(index) + "}}";
}

/// The message of the ValueError for that text.
std::string complaint_about(const std::string& text) {
  return test::message_of<ValueError>([&] { parse_cluster_config(text); });
}

std::string complaint_about_ranks(const std::string& text, int rank, int size) {
  return test::message_of<ValueError>([&] { require_ranks(parse_cluster_config(text), rank, size); });
}

TEST(ParseClusterConfig, ReadsTheClusterAndTheTask) {
  const ClusterConfig config = parse_cluster_config(two_workers);
  EXPECT_THAT(config.cluster.job_tasks("worker"), ElementsAre("a:12345", "b:23456"));
  EXPECT_THAT(config.cluster.jobs(), ElementsAre("worker"));
  EXPECT_EQ(config.task.type, "worker");
  EXPECT_EQ(config.task.index, 1);
  EXPECT_EQ(config.number_of_workers(), 2);
  EXPECT_EQ(config.worker_rank(), 1);
  EXPECT_FALSE(config.is_chief());
}

TEST(ParseClusterConfig, TakesWorkerZeroForTheChiefOfAClusterWithoutOne) {
  const ClusterConfig config =
      parse_cluster_config(R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}})");
  EXPECT_TRUE(config.is_chief());
}

TEST(ParseClusterConfig, CountsTheChiefFirst) {
  EXPECT_EQ(parse_cluster_config(chief_and_workers("chief", 0)).worker_rank(), 0);
  EXPECT_EQ(parse_cluster_config(chief_and_workers("worker", 0)).worker_rank(), 1);
  EXPECT_EQ(parse_cluster_config(chief_and_workers("worker", 1)).worker_rank(), 2);
  EXPECT_EQ(parse_cluster_config(chief_and_workers("evaluator", 0)).worker_rank(), std::nullopt);
  EXPECT_EQ(parse_cluster_config(chief_and_workers("worker", 1)).number_of_workers(), 3);
  EXPECT_TRUE(parse_cluster_config(chief_and_workers("chief", 0)).is_chief());
  EXPECT_FALSE(parse_cluster_config(chief_and_workers("worker", 0)).is_chief());
  EXPECT_FALSE(parse_cluster_config(chief_and_workers("evaluator", 0)).is_chief());
}

TEST(ParseClusterConfig, HoldsParameterServers) {
  const ClusterConfig config = parse_cluster_config(
      R"({"cluster": {"worker": ["a:1"], "ps": ["p:1", "q:1"]}, "task": {"type": "ps", "index": 1}})");
  EXPECT_THAT(config.cluster.job_tasks("ps"), ElementsAre("p:1", "q:1"));
  EXPECT_EQ(config.worker_rank(), std::nullopt);
}

TEST(ParseClusterConfig, IgnoresOtherMembers) {
  const ClusterConfig config = parse_cluster_config(
      R"({"environment": "cloud", "cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0, "trial": 3}})");
  EXPECT_EQ(config.number_of_workers(), 1);
}

// The texts that Kubeflow's TFJob puts into the environment of its containers.
TEST(ParseClusterConfig, ReadsWhatKubeflowWrites) {
  const std::string cluster = R"({"cluster":{"chief":["mnist-chief-0.ns.svc:2222"],"ps":["mnist-ps-0.ns.svc:2222"],)"
                              R"("worker":["mnist-worker-0.ns.svc:2222","mnist-worker-1.ns.svc:2222"]},)";
  const ClusterConfig server =
      parse_cluster_config(cluster + R"("task":{"type":"ps","index":0},"environment":"cloud"})");
  EXPECT_EQ(server.cluster.task_address(server.task.type, server.task.index), "mnist-ps-0.ns.svc:2222");
  EXPECT_EQ(server.number_of_workers(), 3);

  // Evaluators are no part of the cluster.
  const ClusterConfig evaluator =
      parse_cluster_config(cluster + R"("task":{"type":"evaluator","index":1},"environment":"cloud"})");
  EXPECT_EQ(evaluator.worker_rank(), std::nullopt);
  EXPECT_FALSE(evaluator.cluster.has_job("evaluator"));
}

TEST(ParseClusterConfig, ReadsKubeflowsDynamicWorkers) {
  const ClusterConfig worker = parse_cluster_config(
      R"({"sparseCluster":{"worker":{"3":"w3.ns.svc:2222"},"ps":["ps0.ns.svc:2222"]},"task":{"type":"worker","index":3}})");
  EXPECT_EQ(worker.cluster.task_address("worker", 3), "w3.ns.svc:2222");
  EXPECT_EQ(worker.task.index, 3);
  // A server is told its own address only, in a list.
  const ClusterConfig server = parse_cluster_config(
      R"({"sparseCluster":{"worker":{},"ps":["ps1.ns.svc:2222"]},"task":{"type":"ps","index":1}})");
  EXPECT_EQ(server.cluster.num_tasks("worker"), 0);
  EXPECT_EQ(server.cluster.task_address("ps", 1), "ps1.ns.svc:2222");
  const EnvironmentVariable tf_config("TF_CONFIG",
                                      R"({"sparseCluster":{"worker":{},"ps":["p:1"]},"task":{"type":"ps","index":0}})");
  EXPECT_TRUE(cluster_config_from_environment().has_value());
}

TEST(ParseClusterConfig, TakesAMasterForTheChief) {
  const ClusterConfig config = parse_cluster_config(
      R"({"cluster": {"master": ["m:1"], "worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})");
  EXPECT_EQ(config.worker_rank(), 1);
  EXPECT_THAT(complaint_about(R"({"cluster": {"master": ["m:1"], "chief": ["c:1"]}, "task": {}})"),
              HasSubstr("there are 2 tasks of the type \"chief\""));
}

TEST(ParseClusterConfig, SaysWhatWasExpected) {
  EXPECT_THAT(complaint_about("{\"cluster\": "), HasSubstr("TF_CONFIG"));
  EXPECT_THAT(complaint_about("[]"), StartsWith("TF_CONFIG: it is no object. Expected {\"cluster\": {\"worker\": ["));
  EXPECT_THAT(complaint_about("{}"), HasSubstr("there is no \"cluster\""));
  EXPECT_THAT(complaint_about(R"({"cluster": {"worker": ["a:1"]}})"), HasSubstr("there is no \"task\""));
  EXPECT_THAT(complaint_about(R"({"cluster": ["a:1"], "task": {}})"), HasSubstr("\"cluster\" is no object: [\"a:1\"]"));
  EXPECT_THAT(complaint_about(R"({"cluster": {"worker": "a:1"}, "task": {}})"),
              HasSubstr("the tasks of \"worker\" are no list of addresses: \"a:1\""));
  EXPECT_THAT(complaint_about(R"({"cluster": {"boss": ["a:1"]}, "task": {}})"),
              HasSubstr("the task type 'boss' is none of"));
  EXPECT_THAT(complaint_about(R"({"cluster": {"ps": ["a:1"]}, "task": {}})"),
              HasSubstr("neither a chief nor a worker"));
  EXPECT_THAT(complaint_about(R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {}})"),
              HasSubstr("there are 2 tasks of the type \"chief\", of which a cluster has one at most"));
  for (const char* const address : {R"("a")", R"("a:")", R"(":1")", R"("a:b")", R"("a:65536")", R"("a:-1")", "1"}) {
    EXPECT_THAT(complaint_about(std::string(R"({"cluster": {"worker": [)") + address + R"(]}, "task": {}})"),
                HasSubstr(std::string("a task of \"worker\" has no address \"host:port\" but ") + address));
  }
  for (const char* const task : {"1", "{}", R"({"type": "worker"})", R"({"type": "worker", "index": "0"})",
                                 R"({"type": 0, "index": 0})", R"({"type": "worker", "index": 0.5})"}) {
    EXPECT_THAT(complaint_about(std::string(R"({"cluster": {"worker": ["a:1"]}, "task": )") + task + "}"),
                HasSubstr("\"task\" has to be an object with the string \"type\" and the integer \"index\""));
  }
}

TEST(ParseClusterConfig, RefusesATaskThatTheClusterDoesNotHave) {
  EXPECT_THAT(complaint_about(R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 2}})"),
              HasSubstr("the task is worker 2, but the cluster has 2 tasks of that type"));
  EXPECT_THAT(complaint_about(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": -1}})"),
              HasSubstr("the task is worker -1, but the cluster has 1 task of that type"));
  EXPECT_THAT(complaint_about(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "chief", "index": 0}})"),
              HasSubstr("the task is chief 0, but the cluster has 0 tasks of that type"));
  EXPECT_THAT(
      complaint_about(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator", "index": 1000000000000}})"),
      HasSubstr("the task is evaluator 1000000000000, but the largest number is 999999"));
}

TEST(ClusterConfigFromEnvironment, IsEmptyWithoutACluster) {
  for (const std::optional<std::string>& nothing :
       {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>("{}"),
        std::optional<std::string>(R"({"cluster": {}})")}) {
    const EnvironmentVariable tf_config("TF_CONFIG", nothing);
    EXPECT_FALSE(cluster_config_from_environment().has_value());
  }
}

TEST(ClusterConfigFromEnvironment, ReadsTfConfig) {
  const EnvironmentVariable tf_config("TF_CONFIG", two_workers);
  ASSERT_TRUE(cluster_config_from_environment().has_value());
  EXPECT_EQ(cluster_config_from_environment()->task.index, 1);
}

TEST(ClusterConfigFromEnvironment, RefusesWhatIsMalformed) {
  for (const char* const text : {"worker", "[]", R"({"cluster": {"worker": ["a:1"]}})"}) {
    const EnvironmentVariable tf_config("TF_CONFIG", text);
    EXPECT_THROW(cluster_config_from_environment(), ValueError) << text;
  }
}

TEST(RequireRanks, AcceptsTheRanksOfTheCluster) {
  EXPECT_NO_THROW(require_ranks(parse_cluster_config(two_workers), 1, 2));
  EXPECT_NO_THROW(require_ranks(parse_cluster_config(chief_and_workers("chief", 0)), 0, 3));
  EXPECT_NO_THROW(require_ranks(parse_cluster_config(chief_and_workers("worker", 1)), 2, 3));
}

TEST(RequireRanks, StatesBothWhereTheyContradict) {
  EXPECT_THAT(complaint_about_ranks(two_workers, 1, 3),
              StartsWith("TF_CONFIG names 0 chiefs and 2 workers, but this process is rank 1 of 3:"));
  EXPECT_THAT(complaint_about_ranks(two_workers, 0, 2),
              StartsWith("TF_CONFIG says that this process is worker 1, number 1 of the cluster (the chief counts "
                         "first), but this process is rank 0 of 2:"));
  EXPECT_THAT(complaint_about_ranks(chief_and_workers("worker", 0), 0, 3), HasSubstr("worker 0, number 1"));
}

TEST(RequireRanks, LetsAnEvaluatorRunByItselfOnly) {
  EXPECT_NO_THROW(require_ranks(parse_cluster_config(chief_and_workers("evaluator", 0)), 0, 1));
  EXPECT_THAT(complaint_about_ranks(chief_and_workers("evaluator", 0), 3, 4),
              AllOf(HasSubstr("evaluator 0, which takes no part in the training"), HasSubstr("rank 3 of 4")));
}

TEST(RequireRanks, RefusesParameterServers) {
  const ClusterConfig config = parse_cluster_config(
      R"({"cluster": {"worker": ["a:1"], "ps": ["p:1"]}, "task": {"type": "worker", "index": 0}})");
  EXPECT_THROW(require_ranks(config, 0, 1), NotImplementedError);
}

}  // namespace
}  // namespace rhyton::distribute

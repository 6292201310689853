#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/rhyton.h>
#include <rhyton/tests/apps/rhyton/rhyton_tool.h>
#include <rhyton/tests/apps/server_process.h>
#include <rhyton/tests/models/cluster/free_address.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::tool {
namespace {

using test::ServerProcess;
using testing::HasSubstr;
using testing::StartsWith;

class ServerCommand : public testing::Test {
 protected:
  void SetUp() override {
    try {
      distribute::grpc_transport();
    } catch (const RuntimeError&) {
      GTEST_SKIP() << "this build has no gRPC";
    }
  }

  std::vector<std::string> arguments() const {
    return {"--cluster", cluster_.as_dict().dump(), "--job", "ps", "--task", "0"};
  }
  distribute::RemoteTask connect() const { return {cluster_, {.type = "ps", .index = 0}}; }

  distribute::ClusterSpec cluster_{{"ps", {test::free_address()}}, {"worker", {test::free_address()}}};
};

TEST_F(ServerCommand, ServesVariables) {
  ServerProcess server(arguments());
  EXPECT_EQ(server.line(), "Started server with target: grpc://" + cluster_.task_address("ps", 0) + "\n");
  const distribute::RemoteTask task = connect();
  task.create({{.name = "w", .value = Tensor::full({2, 2}, 3)}});
  task.set_optimizer(optimizers::SGD({.learning_rate = 1}));
  task.push({{.name = "w", .value = Tensor::full({2, 2}, 1)}});
  EXPECT_THAT(task.pull().front().value.to_vector(), testing::Each(2));
  task.shut_down();
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServerCommand, ReadsTfConfig) {
  const test::EnvironmentVariable tf_config(
      "TF_CONFIG", R"({"cluster": )" + cluster_.as_dict().dump() + R"(, "task": {"type": "ps", "index": 0}})");
  ServerProcess server({});
  EXPECT_THAT(server.line(), HasSubstr(cluster_.task_address("ps", 0)));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServerCommand, IsMissedWhenItIsKilled) {
  ServerProcess server(arguments());
  const distribute::RemoteTask task = connect();
  server.signal(SIGKILL);
  EXPECT_EQ(server.wait(), 128 + SIGKILL);
  EXPECT_THAT(test::message_of<distribute::UnavailableError>([&] { task.iterations(); }),
              StartsWith("ps 0 (" + cluster_.task_address("ps", 0) + ") cannot be reached: "));
}

TEST_F(ServerCommand, IsMissedWhenItIsStopped) {
  ServerProcess server(arguments());
  const distribute::RemoteTask task = connect();
  task.create({{.name = "w", .value = Tensor::zeros({3000000})}});
  server.signal(SIGSTOP);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(task.pull(), distribute::UnavailableError);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

using ServerUsage = test::RhytonTool;

TEST_F(ServerUsage, SaysWhatIsMissing) {
  const auto errors_of = [&](const std::string& command) {
    const test::Outcome outcome = run("rhyton server " + command, "TF_CONFIG=");
    EXPECT_EQ(outcome.status, 1) << command;
    return outcome.errors;
  };
  EXPECT_THAT(errors_of(""), HasSubstr("expected the tasks of the cluster"));
  EXPECT_THAT(errors_of("--cluster '{\"ps\": 1}'"), HasSubstr("--cluster: the tasks of \"ps\" are no list"));
  EXPECT_THAT(errors_of("--cluster '{\"ps\": [\"127.0.0.1:1\"]}' --job worker"),
              HasSubstr("No such job in cluster: 'worker'"));
}

}  // namespace
}  // namespace rhyton::tool

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/rhyton.h>
#include <rhyton/tests/apps/programs.h>
#include <rhyton/tests/apps/server_process.h>
#include <rhyton/tests/models/cluster/free_address.h>

namespace rhyton::test {
namespace {

using testing::HasSubstr;

/// The program of docs/distributed.md, with its tasks in processes of their own.
class ClusterProgram : public Programs {
 protected:
  void SetUp() override {
    try {
      distribute::grpc_transport();
    } catch (const RuntimeError&) {
      GTEST_SKIP() << "this build has no gRPC";
    }
    for (const auto& [job, task] : std::vector<std::pair<std::string, int>>{{"ps", 0}, {"worker", 0}, {"worker", 1}}) {
      servers_.push_back(std::make_unique<ServerProcess>(std::vector<std::string>{
          "--cluster", cluster_.as_dict().dump(), "--job", job, "--task", std::to_string(task)}));
    }
    for (const std::unique_ptr<ServerProcess>& server : servers_) {
      EXPECT_THAT(server->line(), HasSubstr("Started server with target"));
    }
  }

  Outcome run_cluster(const std::string& options) const {
    return run("cluster --cluster '" + cluster_.as_dict().dump() + "' " + options);
  }

  distribute::ClusterSpec cluster_{{"ps", {free_address()}}, {"worker", {free_address(), free_address()}}};
  std::vector<std::unique_ptr<ServerProcess>> servers_;
};

TEST_F(ClusterProgram, ComputesOnItsTasks) {
  const Outcome outcome = run_cluster("--log-placement");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("product on /job:worker/replica:0/task:0/device:CPU:0:"));
  EXPECT_THAT(outcome.output, HasSubstr("[[2. 4.]\n [6. 8.]]"));
  EXPECT_THAT(outcome.output, HasSubstr("sum on /job:worker/replica:0/task:1/device:CPU:0:"));
  EXPECT_THAT(outcome.output, HasSubstr("[[ 3.  6.]\n [ 9. 12.]]"));
  EXPECT_LT(number_after("step 40: loss ", outcome.output), 1e-4);
  EXPECT_THAT(outcome.output, HasSubstr("w on /job:ps/replica:0/task:0/device:CPU:0:"));
  EXPECT_THAT(outcome.errors, HasSubstr("Executing op MatMul in device /job:worker/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(outcome.errors, HasSubstr("Executing op SgdUpdate in device /job:ps/replica:0/task:0/device:CPU:0"));
}

TEST_F(ClusterProgram, NamesATaskThatWasKilled) {
  servers_.back()->signal(SIGKILL);
  servers_.back()->wait();
  servers_.back() = std::make_unique<ServerProcess>(std::vector<std::string>{"--help"});
  const Outcome outcome = run_cluster("");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("/job:worker/replica:0/task:1 (" + cluster_.task_address("worker", 1)));
}

}  // namespace
}  // namespace rhyton::test

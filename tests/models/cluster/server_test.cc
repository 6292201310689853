#include <rhyton/models/cluster/server.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/models/cluster/greeting.h>
#include <rhyton/models/cluster/parameter_server.h>
#include <rhyton/models/cluster/remote_task.h>
#include <rhyton/models/cluster/worker_service.h>
#include <rhyton/rhyton.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/cluster/free_address.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const TaskSpec server_task{.type = "ps", .index = 0};

bool has_grpc() {
  try {
    grpc_transport();
    return true;
  } catch (const RuntimeError&) {
    return false;
  }
}

Tensor counted(std::int64_t rows, std::int64_t columns) {
  Tensor tensor = Tensor::uninitialized({rows, columns}, float32);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<float>()[i] = static_cast<float>(i % 1000);
  return tensor;
}

/// A cluster of one server and one worker, on addresses of this process.
class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_grpc()) GTEST_SKIP() << "this build has no gRPC";
  }

  RemoteTask connect() {
    return RemoteTask(cluster_, server_task, {.own_task = TaskSpec{.type = "worker", .index = 0}});
  }
  std::string name() const { return "ps 0 (" + cluster_.task_address("ps", 0) + ")"; }

  ClusterSpec cluster_{{"ps", {test::free_address()}}, {"worker", {test::free_address()}}};
};

TEST_F(ServerTest, HoldsVariablesForOtherTasks) {
  const Server server(cluster_, {.job_name = "ps"});
  EXPECT_EQ(server.target(), "grpc://" + cluster_.task_address("ps", 0));

  const RemoteTask task = connect();
  EXPECT_EQ(task.name(), name());
  task.create({{.name = "scalar", .value = Tensor::scalar(3.0F)},
               {.name = "none", .value = Tensor::zeros({0, 4})},
               {.name = "count", .value = Tensor::from_data<std::int64_t>({2}, {1, -2})}});
  const std::vector<NamedTensor> values = task.pull();
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].name, "count");
  EXPECT_EQ(values[0].value.dtype(), int64);
  EXPECT_THAT(values[0].value.to_vector(), ElementsAre(1, -2));
  EXPECT_EQ(values[1].value.shape(), Shape({0, 4}));
  EXPECT_EQ(values[2].value.item(), 3);
}

TEST_F(ServerTest, SendsLargeTensorsInParts) {
  const Server server(cluster_, {.job_name = "ps"});
  const RemoteTask task = connect();
  const Tensor large = counted(1200, 1001);  // 4.8 MB, no multiple of a part
  task.create({{.name = "large", .value = large}, {.name = "small", .value = counted(1, 1)}});
  const Tensor value = task.pull({"large"}).front().value;
  EXPECT_EQ(value.shape(), large.shape());
  EXPECT_EQ(value.to_vector(), large.to_vector());
}

TEST_F(ServerTest, AppliesGradients) {
  const Server server(cluster_, {.job_name = "ps"});
  const RemoteTask task = connect();
  task.create({{.name = "w", .value = Tensor::from_data<float>({3, 1}, {1, 2, 3})}});
  task.set_optimizer(optimizers::SGD({.learning_rate = 0.5}));
  EXPECT_EQ(task.push({{.name = "w", .value = Tensor::from_data<float>({3, 1}, {2, 2, 2})}}), 1);
  EXPECT_EQ(task.push({{.name = "w",
                        .value = Tensor::from_data<float>({2, 1}, {4, 4}),
                        .indices = Tensor::from_data<std::int32_t>({2}, {2, 2})}}),
            2);
  EXPECT_THAT(task.pull({"w"}).front().value.to_vector(), ElementsAre(0, 1, -2));
  EXPECT_EQ(task.iterations(), 2);
  task.assign({{.name = "w", .value = Tensor::from_data<float>({3, 1}, {7, 8, 9})}});
  EXPECT_THAT(task.pull({"w"}).front().value.to_vector(), ElementsAre(7, 8, 9));
}

TEST_F(ServerTest, LosesNoGradientsOfSeveralThreads) {
  const Server server(cluster_, {.job_name = "ps"});
  const RemoteTask task = connect();
  task.create({{.name = "w", .value = Tensor::zeros({2})}});
  task.set_optimizer(optimizers::SGD({.learning_rate = 1}));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const RemoteTask own = connect();
      for (int step = 0; step < 25; ++step) own.push({{.name = "w", .value = Tensor::full({2}, -1)}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(task.iterations(), 100);
  EXPECT_THAT(task.pull({"w"}).front().value.to_vector(), ElementsAre(100, 100));
}

TEST_F(ServerTest, PassesErrorsOnWithTheNameOfTheTask) {
  const Server server(cluster_, {.job_name = "ps"});
  const RemoteTask task = connect();
  task.create({{.name = "w", .value = Tensor::zeros({2})}});
  EXPECT_EQ(test::message_of<NotFoundError>([&] { task.pull({"v"}); }), name() + ": The task has no variable 'v'.");
  EXPECT_EQ(test::message_of<ValueError>([&] { task.create({{.name = "w", .value = Tensor::zeros({3})}}); }),
            name() +
                ": The new variable 'w' has shape (3,) and dtype float32, but the variable of the task has shape "
                "(2,) and dtype float32.");
  EXPECT_THROW(task.push({{.name = "w", .value = Tensor::zeros({2})}}), RuntimeError);
  EXPECT_THROW(task.create({{.name = "", .value = Tensor::zeros({2})}}), ValueError);
}

TEST_F(ServerTest, RefusesPeersOfOtherVersionsAndClusters) {
  const Server server(cluster_, {.job_name = "ps"});
  const std::string& address = cluster_.task_address("ps", 0);
  const auto peer = grpc_transport().connect(address, name(), {});
  TaskGreeting greeting{.library_version = library_version(), .cluster = cluster_};
  greeting.protocol_version = 99;
  EXPECT_EQ(test::message_of<ValueError>([&] { peer->greet(greeting); }),
            name() +
                ": ps 0 has version 2 of the protocol, but a client has version 99: all tasks of a cluster must "
                "have the same.");

  const ClusterSpec other({{"ps", {address}}, {"worker", {"127.0.0.1:1"}}});
  EXPECT_THAT(test::message_of<ValueError>([&] { RemoteTask(other, server_task); }),
              AllOf(StartsWith(name()), HasSubstr(cluster_.as_dict().dump()), HasSubstr(other.as_dict().dump())));
  // The wrong task at an address.
  const ClusterSpec swapped({{"ps", {cluster_.task_address("worker", 0)}}, {"worker", {address}}});
  EXPECT_THROW(RemoteTask(swapped, {.type = "worker", .index = 0}), ValueError);
}

TEST_F(ServerTest, RefusesCallsWithoutAGreeting) {
  const Server server(cluster_, {.job_name = "ps"});
  const auto peer = grpc_transport().connect(cluster_.task_address("ps", 0), name(), {});
  EXPECT_THROW(peer->iterations(), RuntimeError);
}

TEST_F(ServerTest, NoticesThatATaskWasStartedAgain) {
  auto first = std::make_unique<Server>(cluster_, ServerOptions{.job_name = "ps"});
  const RemoteTask task = connect();
  EXPECT_EQ(task.iterations(), 0);
  first.reset();
  const Server second(cluster_, {.job_name = "ps"});
  connect();
  // A connection of its own may still be waiting to be made again.
  std::string complaint;
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       std::chrono::steady_clock::now() < end && complaint.find("started again") == std::string::npos;) {
    complaint = test::message_of<RuntimeError>([&] { task.iterations(); });
  }
  EXPECT_THAT(complaint, HasSubstr("the task was started again since the caller's greeting"));
}

TEST_F(ServerTest, ReportsATaskThatIsNotThere) {
  const TransportOptions impatient{.timeout = std::chrono::milliseconds(200)};
  EXPECT_THAT(test::message_of<UnavailableError>([&] { RemoteTask(cluster_, server_task, {.transport = impatient}); }),
              StartsWith(name()));
}

TEST_F(ServerTest, IsTheOnlyOneAtItsAddress) {
  const Server server(cluster_, {.job_name = "ps"});
  EXPECT_THAT(test::message_of<RuntimeError>([&] { Server second(cluster_, {.job_name = "ps"}); }),
              StartsWith("Nothing can listen on '" + cluster_.task_address("ps", 0) + "'"));
}

TEST_F(ServerTest, JoinsUntilItIsShutDown) {
  Server server(cluster_, {.job_name = "ps"});
  std::future<void> joined = std::async(std::launch::async, [&] { server.join(); });
  connect().shut_down();
  EXPECT_EQ(joined.wait_for(std::chrono::seconds(20)), std::future_status::ready);

  Server stopped(ClusterSpec({{"ps", {test::free_address()}}}));
  joined = std::async(std::launch::async, [&] { stopped.join(); });
  stopped.stop();
  EXPECT_EQ(joined.wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_F(ServerTest, LimitsTheSizeOfACall) {
  const Server server(cluster_, {.job_name = "ps", .transport = {.max_tensor_bytes = 1000}});
  const RemoteTask task = connect();
  task.create({{.name = "small", .value = Tensor::zeros({100})}});
  EXPECT_THAT(test::message_of<ResourceExhaustedError>(
                  [&] { task.create({{.name = "large", .value = Tensor::zeros({1000})}}); }),
              HasSubstr("'large' has the shape (1000,)"));
}

/// Certificates of one authority, as `openssl` makes them.
class Certificates {
 public:
  explicit Certificates(const std::string& host) {
    const std::string make_key = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ";
    run("openssl req -x509 -days 2 -subj /CN=root" + make_key + file("root.key") + " -out " + file("root.pem"));
    run("openssl req -subj /CN=task" + make_key + file("task.key") + " -out " + file("task.csr"));
    std::ofstream(file("names")) << "subjectAltName=IP:" << host;
    run("openssl x509 -req -days 2 -CAcreateserial -in " + file("task.csr") + " -CA " + file("root.pem") + " -CAkey " +
        file("root.key") + " -extfile " + file("names") + " -out " + file("task.pem"));
  }

  TransportOptions options() const {
    return {
        .security = {.certificate_file = file("task.pem"), .key_file = file("task.key"), .root_file = file("root.pem")},
        .timeout = std::chrono::seconds(5)};
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  static void run(const std::string& command) {
    ASSERT_EQ(std::system((command + " > /dev/null 2>&1").c_str()), 0) << command;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ServerTest, ChecksTheCertificatesOfBothSides) {
  if (std::system("command -v openssl > /dev/null") != 0) GTEST_SKIP() << "there is no openssl";
  const std::string& address = cluster_.task_address("ps", 0);
  const std::string host = address.substr(0, address.find(':'));
  const Certificates certificates(host);
  const Server server(cluster_, {.job_name = "ps", .transport = certificates.options()});
  EXPECT_EQ(RemoteTask(cluster_, server_task, {.transport = certificates.options()}).iterations(), 0);

  const TransportOptions unprotected{.timeout = std::chrono::seconds(1)};
  EXPECT_THROW(RemoteTask(cluster_, server_task, {.transport = unprotected}), UnavailableError);
  const Certificates others(host);
  TransportOptions of_another_authority = others.options();
  of_another_authority.timeout = std::chrono::seconds(1);
  EXPECT_THROW(RemoteTask(cluster_, server_task, {.transport = of_another_authority}), UnavailableError);
  TransportOptions without_file = certificates.options();
  without_file.security.key_file = certificates.file("none");
  EXPECT_THROW(RemoteTask(cluster_, server_task, {.transport = without_file}), IOError);
}

TEST_F(ServerTest, RefusesAnAddressBeyondLoopbackWithoutSecurity) {
  EXPECT_THROW(Server(ClusterSpec({{"ps", {"0.0.0.0:0"}}})), ValueError);
}

/// y = 2 a - b + 0.5, from 64 samples.
std::pair<Tensor, Tensor> samples(std::uint64_t seed) {
  const Tensor x = random_uniform({64, 2}, seed, 0, -1, 1);
  return {x, matmul(x, Tensor::from_data<float>({2, 1}, {2, -1})) + 0.5};
}

// Two workers with models of their own: each pulls the weights, computes gradients, and pushes them.
TEST_F(ServerTest, TrainsTheModelsOfSeveralWorkers) {
  const Server server(cluster_, {.job_name = "ps"});
  const auto worker = [&](std::uint64_t seed) {
    const RemoteTask task = connect();
    const models::Sequential model({layers::Input({.shape = {2}}), layers::Dense(1)});
    const std::vector<Variable> weights = model.trainable_weights();
    const std::vector<std::string> names = {"kernel", "bias"};
    task.create({{.name = "kernel", .value = weights[0].value()}, {.name = "bias", .value = weights[1].value()}});
    task.set_optimizer(optimizers::SGD({.learning_rate = 0.1}));
    const auto [x, y] = samples(seed);
    double loss_value = 0;
    for (int step = 0; step < 150; ++step) {
      const std::vector<NamedTensor> values = task.pull(names);
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i].assign(values[i].value);
      GradientTape tape;
      const Tensor loss = mean(losses::mean_squared_error(y, model(x, {.training = true})));
      const std::vector<Tensor> gradients = tape.gradient(loss, weights);
      task.push({{.name = "kernel", .value = gradients[0]}, {.name = "bias", .value = gradients[1]}});
      loss_value = loss.item();
    }
    return loss_value;
  };
  std::future<double> other = std::async(std::launch::async, worker, 1);
  EXPECT_LT(worker(2), 1e-3);
  EXPECT_LT(other.get(), 1e-3);
  const std::vector<NamedTensor> trained = connect().pull({"kernel", "bias"});
  EXPECT_NEAR(trained[0].value.to_vector()[0], 2, 0.1);
  EXPECT_NEAR(trained[0].value.to_vector()[1], -1, 0.1);
  EXPECT_NEAR(trained[1].value.to_vector()[0], 0.5, 0.05);
  EXPECT_EQ(connect().iterations(), 300);
}

TEST_F(ServerTest, WorkersHoldNoVariablesForOtherTasks) {
  const TaskSpec worker{.type = "worker", .index = 0};
  WorkerService service(cluster_, worker);
  const std::string& address = cluster_.task_address("worker", 0);
  const std::unique_ptr<TaskListener> listener = grpc_transport().listen(address, {.task = service}, {});
  const RemoteTask task(cluster_, worker);
  const std::string refusal =
      "worker 0 (" + address + "): The task holds no variables for other tasks: expected a parameter server.";
  const std::vector<NamedTensor> tensors = {{.name = "w", .value = Tensor::zeros({2})}};
  EXPECT_EQ(test::message_of<RuntimeError>([&] { task.create(tensors); }), refusal);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { task.assign(tensors); }), refusal);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { static_cast<void>(task.pull()); }), refusal);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { task.push(tensors); }), refusal);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { task.set_optimizer(optimizers::SGD()); }), refusal);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { static_cast<void>(task.iterations()); }), refusal);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { task.shut_down(); }),
            "worker 0 (" + address + "): The task ends with its program; it is not shut down by other tasks.");
}

TEST(TaskOf, FindsTheOnlyTask) {
  EXPECT_EQ(task_of(ClusterSpec({{"ps", {"a:1"}}}), {}).type, "ps");
  const ClusterSpec two({{"ps", {"a:1", "b:1"}}, {"worker", {"c:1"}}});
  EXPECT_EQ(task_of(two, {.job_name = "worker"}).index, 0);
  EXPECT_EQ(test::message_of<ValueError>([&] { task_of(two, {}); }), "Must specify an explicit `job_name`.");
  EXPECT_EQ(test::message_of<ValueError>([&] { task_of(two, {.job_name = "ps"}); }),
            "Must specify an explicit `task_index`.");
  EXPECT_THROW(task_of(two, {.job_name = "ps", .task_index = 2}), ValueError);
  EXPECT_THROW(task_of(two, {.job_name = "chief"}), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute

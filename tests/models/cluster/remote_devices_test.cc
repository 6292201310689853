#include <rhyton/models/cluster/connect_to_cluster.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/distribute/remote_device.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/models/cluster/server.h>
#include <rhyton/rhyton.h>
#include <rhyton/tests/models/cluster/free_address.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two parameter servers and two workers, in this process, to which it is connected. The jobs have names of their own
/// in each test: devices live as long as the process.
class RemoteDevicesTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      grpc_transport();
    } catch (const RuntimeError&) {
      GTEST_SKIP() << "this build has no gRPC";
    }
    cluster_ = ClusterSpec({{ps_, {test::free_address()}}, {worker_, {test::free_address(), test::free_address()}}});
    start(ps_, 0);
    start(worker_, 0);
    start(worker_, 1);
    connect_to_cluster(cluster_);
  }

  void start(const std::string& job, int task) {
    servers_.push_back(std::make_unique<Server>(cluster_, ServerOptions{.job_name = job, .task_index = task}));
  }
  std::string ps() const { return "/job:" + ps_ + "/task:0"; }
  std::string worker(int task) const { return "/job:" + worker_ + "/task:" + std::to_string(task); }
  std::string full_name(const std::string& job, int task) const {
    return "/job:" + job + "/replica:0/task:" + std::to_string(task) + "/device:CPU:0";
  }
  /// The bytes of this process's tensors in the memory of a task.
  std::size_t bytes_at(const std::string& name) const {
    const auto scope = device(name);
    return scope.target().allocator().statistics().in_use;
  }

  std::string test_ = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string ps_ = "ps" + test_;
  std::string worker_ = "worker" + test_;
  ClusterSpec cluster_;
  std::vector<std::unique_ptr<Server>> servers_;
};

Tensor range(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) / 8;
  return Tensor::from_data(shape, values);
}

void expect_same_bits(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.spec(), expected.spec());
  if (expected.size() == 0) return;
  EXPECT_EQ(std::memcmp(actual.raw_data(), expected.raw_data(), expected.spec().bytes()), 0);
}

// TensorFlow's guide: constants on the parameter server, one worker multiplies, the other adds.
TEST_F(RemoteDevicesTest, RunsOpsWhereScopesSay) {
  Tensor a;
  Tensor b;
  {
    const auto scope = device(ps());
    a = Tensor::from_data<float>({2, 2}, {1, 2, 3, 4});
    b = Tensor::full({2, 2}, 2);
  }
  EXPECT_EQ(a.device().full_name(), full_name(ps_, 0));
  EXPECT_EQ(b.device().full_name(), full_name(ps_, 0));
  Tensor product;
  {
    const auto scope = device(worker(0));
    product = matmul(a, b);
  }
  Tensor total;
  {
    const auto scope = device("/job:" + worker_ + "/replica:0/task:1/device:CPU:0");
    total = product + a;
  }
  EXPECT_EQ(product.device().full_name(), full_name(worker_, 0));
  EXPECT_EQ(total.device().full_name(), full_name(worker_, 1));
  EXPECT_THAT(total.to_vector(), ElementsAre(7, 8, 17, 18));
  // Without a scope ops run here, on copies of their inputs.
  const Tensor here = total * 2.0;
  EXPECT_EQ(here.device().full_name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_THAT(here.to_vector(), ElementsAre(14, 16, 34, 36));
}

TEST_F(RemoteDevicesTest, KeepsAllDtypesAndEmptyTensors) {
  const Tensor values = Tensor::from_data<float>({3}, {0, 1, 2});
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::int32, DType::int64,
                            DType::uint8, DType::bool_}) {
    SCOPED_TRACE(std::string(name_of(dtype)));
    const Tensor here = concatenate({cast(values, dtype), cast(values, dtype)}, 0);
    const auto scope = device(ps());
    expect_same_bits(concatenate({cast(values, dtype), cast(values, dtype)}, 0), here);
  }
  const auto scope = device(ps());
  const Tensor none = Tensor::zeros({0, 3}) + 1.0;
  EXPECT_EQ(none.shape(), Shape({0, 3}));
  EXPECT_THAT(sum(none, {0}).to_vector(), ElementsAre(0, 0, 0));
}

TEST_F(RemoteDevicesTest, SendsLargeTensorsInParts) {
  const Tensor here = range({1200, 1001});  // 4.8 MB, no multiple of a part
  Tensor there;
  {
    const auto scope = device(worker(1));
    there = here + 1.0;
  }
  expect_same_bits(there, here + 1.0);
}

TEST_F(RemoteDevicesTest, ReleasesMemory) {
  const std::size_t before = bytes_at(ps());
  for (int i = 0; i < 50; ++i) {
    const auto scope = device(ps());
    const Tensor large = Tensor::zeros({1 << 18}) + 1.0;
  }
  EXPECT_EQ(bytes_at(ps()), before);
}

TEST_F(RemoteDevicesTest, NamesUnknownDevices) {
  EXPECT_THAT(test::message_of<InvalidArgumentError>([&] { const auto scope = device("/job:nobody/task:0"); }),
              AllOf(HasSubstr("/job:nobody/replica:0/task:0/device:CPU:0 unknown device"),
                    HasSubstr("/job:" + worker_ + "/replica:0/task:1")));
  EXPECT_THROW(static_cast<void>(device(worker(2))), InvalidArgumentError);
  EXPECT_THROW(static_cast<void>(device(worker(0) + "/device:CPU:77")), InvalidArgumentError);
  EXPECT_THROW(static_cast<void>(device(worker(0) + "/device:GPU:0")), InvalidArgumentError);
}

TEST_F(RemoteDevicesTest, PassesErrorsOfOpsOn) {
  const Tensor here = Tensor::from_data<float>({2}, {1, 2});
  const auto scope = device(ps());
  const Tensor indices = Tensor::from_data<std::int32_t>({1}, {7});
  EXPECT_THAT(test::message_of<InvalidArgumentError>([&] { gather(here, indices); }),
              AllOf(HasSubstr("is not in [0, 2)"), HasSubstr("op GatherV2 on device " + full_name(ps_, 0))));
  // It still works.
  EXPECT_THAT(gather(here, Tensor::from_data<std::int32_t>({1}, {1})).to_vector(), ElementsAre(2));
}

TEST_F(RemoteDevicesTest, RefusesOpsThatCannotBeSent) {
  const Tensor x = Tensor::scalar(1.0F);
  const graph::Graph graph = graph::trace({{x.spec()}}, [&](const std::vector<Tensor>& in) {
    const auto scope = device(ps());
    return std::vector<Tensor>{while_loop([](const std::vector<Tensor>& v) { return v[0] < 10.0; },
                                          [](const std::vector<Tensor>& v) { return std::vector<Tensor>{v[0] * 2.0}; },
                                          {in[0]})[0]};
  });
  EXPECT_THAT(test::message_of<NotImplementedError>([&] { graph::Executable executable(graph); }),
              AllOf(HasSubstr("Op While cannot run on " + full_name(ps_, 0)), HasSubstr("bodies")));
}

TEST_F(RemoteDevicesTest, KeepsVariablesInTheirTask) {
  Variable w;
  {
    const auto scope = device(ps());
    w = Variable(Tensor::from_data<float>({2}, {1, 2}), {.name = "w"});
  }
  EXPECT_EQ(w.value().device().full_name(), full_name(ps_, 0));
  const Tensor old = w.value();
  w.assign_add(Tensor::from_data<float>({2}, {10, 10}));
  EXPECT_EQ(w.stored_value().device().full_name(), full_name(ps_, 0));
  EXPECT_THAT(w.value().to_vector(), ElementsAre(11, 12));
  EXPECT_THAT(old.to_vector(), ElementsAre(1, 2));
}

/// The graph of a function of `inputs`, compiled.
graph::Executable compiled(const std::vector<Tensor>& inputs, const graph::Function& function) {
  std::vector<graph::FunctionInput> specs;
  for (const Tensor& input : inputs) specs.push_back({input.spec(), -1});
  return graph::Executable(graph::trace(specs, function));
}

TEST_F(RemoteDevicesTest, RunsPartsOfCompiledFunctionsInTheirTasks) {
  const Tensor x = range({8, 4});
  const auto function = [&](bool is_placed) {
    return [&, is_placed](const std::vector<Tensor>& in) {
      const auto on = [&](const std::string& name) { return device(is_placed ? name : "/CPU:0"); };
      Tensor hidden;
      {
        const auto scope = on(worker(0));
        hidden = relu(matmul(in[0], Tensor::from_data<float>({4, 3}, std::vector<float>(12, 0.5F))));
      }
      const auto scope = on(worker(1));
      return std::vector<Tensor>{softmax(hidden), hidden * 2.0};
    };
  };
  graph::Executable placed = compiled({x}, function(true));
  graph::Executable local = compiled({x}, function(false));
  for (int run = 0; run < 3; ++run) {
    const std::vector<Tensor> there = placed({x});
    const std::vector<Tensor> here = local({x});
    EXPECT_EQ(there[0].device().full_name(), full_name(worker_, 1));
    for (std::size_t i = 0; i < here.size(); ++i) expect_same_bits(there[i], here[i]);
  }
}

TEST_F(RemoteDevicesTest, AssignsVariablesInCompiledFunctions) {
  Variable w;
  {
    const auto scope = device(ps());
    w = Variable(Tensor::from_data<float>({2}, {1, 2}), {.name = "w"});
  }
  Variable count(Tensor::scalar(0.0F), {.name = "count"});
  const Tensor x = Tensor::from_data<float>({2}, {10, 20});
  graph::Executable step = compiled({x}, [&](const std::vector<Tensor>& in) {
    Tensor product;
    {
      const auto scope = device(worker(0));
      product = w.value() * in[0];
    }
    w.assign_add(product);
    count.assign_add(Tensor::scalar(1.0F));
    return std::vector<Tensor>{product};
  });
  EXPECT_THAT(step({x})[0].to_vector(), ElementsAre(10, 40));
  EXPECT_THAT(w.value().to_vector(), ElementsAre(11, 42));
  EXPECT_EQ(w.stored_value().device().full_name(), full_name(ps_, 0));
  const Tensor old = w.value();
  EXPECT_THAT(step({x})[0].to_vector(), ElementsAre(110, 840));
  EXPECT_THAT(w.value().to_vector(), ElementsAre(121, 882));
  EXPECT_THAT(old.to_vector(), ElementsAre(11, 42));
  EXPECT_EQ(count.value().item(), 2);
  EXPECT_FALSE(count.stored_value().device().is_remote());
}

// A function that is compiled in a scope runs there, and its variables stay where they are.
TEST_F(RemoteDevicesTest, CompilesWholeFunctionsForATask) {
  const Variable w(Tensor::from_data<float>({2}, {1, 2}), {.name = "w"});
  const Tensor x = Tensor::from_data<float>({2}, {10, 20});
  const auto scope = device(worker(0));
  graph::Executable function = compiled({x}, [&](const std::vector<Tensor>& in) {
    w.assign(w.value() + in[0]);
    return std::vector<Tensor>{exp(w.value() * 0.0)};
  });
  const Tensor y = function({x})[0];
  EXPECT_EQ(y.device().full_name(), full_name(worker_, 0));
  EXPECT_THAT(y.to_vector(), ElementsAre(1, 1));
  EXPECT_FALSE(w.stored_value().device().is_remote());
  EXPECT_THAT(w.stored_value().to_vector(), ElementsAre(11, 22));
}

/// Loss and gradients of a model of two layers whose first layer is on one device and whose second is on another.
std::vector<Tensor> loss_and_gradients(const Tensor& x, const Variable& first, const Variable& second,
                                       const std::string& device_of_first, const std::string& device_of_second) {
  GradientTape tape;
  Tensor hidden;
  {
    const auto scope = device(device_of_first);
    hidden = tanh(matmul(x, first));
  }
  Tensor loss;
  {
    const auto scope = device(device_of_second);
    loss = mean(square(matmul(hidden, second)));
  }
  std::vector<Tensor> results = tape.gradient(loss, std::vector<Variable>{first, second});
  results.push_back(loss);
  return results;
}

TEST_F(RemoteDevicesTest, DifferentiatesOverTasks) {
  const Tensor x = range({6, 3}) * 0.1;
  const Tensor first = range({3, 4}) * 0.3 - 0.2;
  const Tensor second = range({4, 1}) * 0.5 - 0.4;
  const std::vector<Tensor> here = loss_and_gradients(x, Variable(first), Variable(second), "/CPU:0", "/CPU:0");
  Variable first_there;
  Variable second_there;
  {
    const auto scope = device(ps());
    first_there = Variable(first);
    second_there = Variable(second);
  }
  const std::vector<Tensor> there = loss_and_gradients(x, first_there, second_there, worker(0), worker(1));
  EXPECT_TRUE(there[2].device().is_remote());
  for (std::size_t i = 0; i < here.size(); ++i) expect_same_bits(there[i], here[i]);

  // The same compiled.
  graph::Executable function = compiled({x}, [&](const std::vector<Tensor>& in) {
    return loss_and_gradients(in[0], first_there, second_there, worker(0), worker(1));
  });
  const std::vector<Tensor> compiled_there = function({x});
  for (std::size_t i = 0; i < here.size(); ++i) {
    for (std::size_t k = 0; k < here[i].to_vector().size(); ++k) {
      EXPECT_NEAR(compiled_there[i].to_vector()[k], here[i].to_vector()[k], 1e-6);
    }
  }
}

// The steps of an optimizer on variables of the parameter server equal those of one process.
TEST_F(RemoteDevicesTest, TrainsVariablesOfTheParameterServer) {
  const Tensor x = range({16, 3}) * 0.01;
  const Tensor y = sum(x, {1}, true);
  const auto train = [&](const Variable& w, const std::string& where) {
    const optimizers::Adam adam({.learning_rate = 0.05});
    adam.build({w});
    graph::Executable step = compiled({x, y}, [&](const std::vector<Tensor>& in) {
      GradientTape tape;
      Tensor loss;
      {
        const auto scope = device(where);
        loss = mean(square(matmul(in[0], w) - in[1]));
      }
      adam.apply(tape.gradient(loss, std::vector<Variable>{w}), {w});
      return std::vector<Tensor>{loss};
    });
    std::vector<double> losses;
    for (int i = 0; i < 20; ++i) losses.push_back(step({x, y})[0].item());
    return losses;
  };
  const Tensor initial = Tensor::from_data<float>({3, 1}, {0.1F, -0.3F, 0.7F});
  Variable there;
  {
    const auto scope = device(ps());
    there = Variable(initial);
  }
  const std::vector<double> expected = train(Variable(initial), "/CPU:0");
  const std::vector<double> losses = train(there, worker(0));
  EXPECT_LT(losses.back(), losses.front());
  for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], expected[i], 1e-6);
  EXPECT_EQ(there.stored_value().device().full_name(), full_name(ps_, 0));
}

TEST_F(RemoteDevicesTest, ServesSeveralThreads) {
  const auto work = [&](int number) {
    for (int i = 0; i < 30; ++i) {
      Tensor product;
      {
        const auto scope = device(number % 2 == 0 ? worker(0) : worker(1));
        product = Tensor::full({4, 4}, number) * static_cast<double>(i);
      }
      const auto scope = device(ps());
      EXPECT_EQ(sum(product).item(), 16.0 * number * i);
    }
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RemoteDevicesTest, LogsFullNames) {
  debugging::set_log_device_placement(true);
  testing::internal::CaptureStderr();
  {
    const auto scope = device(ps());
    relu(Tensor::zeros({2}));
  }
  graph::Executable function = compiled({Tensor::zeros({2})}, [&](const std::vector<Tensor>& in) {
    const auto scope = device(worker(1));
    return std::vector<Tensor>{tanh(in[0])};
  });
  debugging::set_log_device_placement(false);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("Executing op Relu in device " + full_name(ps_, 0)),
                    HasSubstr("Executing op Tanh in device " + full_name(worker_, 1))));
}

TEST_F(RemoteDevicesTest, ListsTheDevicesOfTasks) {
  std::vector<std::string> names;
  for (const LogicalDevice* const device : config::list_logical_devices("CPU")) names.push_back(device->full_name());
  EXPECT_THAT(names, testing::Contains(full_name(worker_, 1)));
}

TEST_F(RemoteDevicesTest, ReportsATaskThatHasEnded) {
  Tensor there;
  {
    const auto scope = device(ps());
    there = Tensor::full({2}, 3);
  }
  graph::Executable function = compiled({Tensor::zeros({2})}, [&](const std::vector<Tensor>& in) {
    const auto scope = device(ps());
    return std::vector<Tensor>{tanh(in[0])};
  });
  servers_.front().reset();
  EXPECT_THAT(test::message_of<UnavailableError>([&] {
                const auto scope = device(ps());
                relu(there);
              }),
              AllOf(HasSubstr("/job:" + ps_ + "/replica:0/task:0 (" + cluster_.task_address(ps_, 0)),
                    HasSubstr("op Relu on device " + full_name(ps_, 0))));
  EXPECT_THAT(test::message_of<UnavailableError>([&] { there.to_vector(); }), HasSubstr("a copy from the device"));
  EXPECT_THAT(test::message_of<UnavailableError>([&] { function({Tensor::zeros({2})}); }), HasSubstr("function"));
  // This process and the other tasks work.
  const auto scope = device(worker(0));
  EXPECT_THAT((Tensor::full({2}, 1) + 1.0).to_vector(), ElementsAre(2, 2));
}

TEST_F(RemoteDevicesTest, ConnectsAgainWithATaskThatWasStartedAgain) {
  Tensor lost;
  {
    const auto scope = device(ps());
    lost = Tensor::full({2}, 3);
  }
  Tensor kept;
  {
    const auto scope = device(worker(0));
    kept = Tensor::full({2}, 4);
  }
  graph::Executable function = compiled({Tensor::zeros({2})}, [&](const std::vector<Tensor>& in) {
    const auto scope = device(ps());
    return std::vector<Tensor>{tanh(in[0])};
  });
  servers_.erase(servers_.begin());
  start(ps_, 0);
  connect_to_cluster(cluster_);
  EXPECT_THAT(kept.to_vector(), ElementsAre(4, 4));  // of a task that ran on
  EXPECT_THAT(test::message_of<NotFoundError>([&] { function({Tensor::zeros({2})}); }), HasSubstr("compile it again"));
  EXPECT_THAT(test::message_of<NotFoundError>([&] { lost.to_vector(); }), HasSubstr("started again"));
  const auto scope = device(ps());
  EXPECT_THAT((Tensor::full({2}, 1) + 1.0).to_vector(), ElementsAre(2, 2));
}

TEST_F(RemoteDevicesTest, MeansItselfByItsOwnTask) {
  connect_to_cluster(cluster_, {.job_name = worker_, .task_index = 1});
  const auto scope = device(worker(1));
  EXPECT_FALSE((Tensor::zeros({2}) + 1.0).device().is_remote());
  EXPECT_THROW(connect_to_cluster(cluster_, {.job_name = worker_, .task_index = 2}), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute

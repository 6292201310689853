#include <rhyton/framework/distribute/strategy.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/distribute/mirrored_strategy.h>
#include <rhyton/framework/distribute/one_device_strategy.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

// The construction of strategies, their scopes, and the reduction of replicas' values; strategy_run_test.cc runs code.

namespace rhyton::distribute {
namespace {

using test::message_of;

Tensor vector_of(std::initializer_list<float> values) {
  return Tensor::from_data<float>({static_cast<std::int64_t>(values.size())}, values);
}

PerReplica per_replica(const std::vector<Tensor>& values) { return PerReplica(values); }

/// The output to standard error during the call.
template <class Call>
std::string written_by(const Call& call) {
  testing::internal::CaptureStderr();
  call();
  return testing::internal::GetCapturedStderr();
}

TEST(Strategies, HaveAReplicaPerDevice) {
  const MirroredStrategy strategy(logical_cpus(3));
  EXPECT_EQ(strategy.name(), "MirroredStrategy");
  EXPECT_EQ(strategy.num_replicas_in_sync(), 3);
  EXPECT_TRUE(strategy.is_chief());
  ASSERT_EQ(strategy.worker_devices().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(strategy.worker_devices()[i], device_runtime().logical_devices("CPU")[i]);
  }
}

TEST(Strategies, WithoutNamesTakeAllDevices) {
  const std::vector<LogicalDevice*> gpus = device_runtime().logical_devices("GPU");
  EXPECT_EQ(MirroredStrategy().worker_devices(), gpus.empty() ? device_runtime().logical_devices("CPU") : gpus);
}

TEST(Strategies, OfOneDeviceHaveOneReplica) {
  const OneDeviceStrategy strategy("/cpu:2");
  EXPECT_EQ(strategy.name(), "OneDeviceStrategy");
  EXPECT_EQ(strategy.num_replicas_in_sync(), 1);
  EXPECT_EQ(strategy.worker_devices().front(), device_runtime().logical_devices("CPU")[2]);
  EXPECT_EQ(MirroredStrategy({"/cpu:2"}).num_replicas_in_sync(), 1);
}

TEST(Strategies, SayWhichDevicesTheyUse) {
  const std::string first = device_runtime().logical_devices("CPU")[0]->full_name();
  const std::string second = device_runtime().logical_devices("CPU")[1]->full_name();
  const std::string several = written_by([] { MirroredStrategy strategy(logical_cpus(2)); });
  EXPECT_TRUE(
      several.starts_with("INFO:rhyton:Using MirroredStrategy with devices ('" + first + "', '" + second + "')\n"))
      << several;
  EXPECT_TRUE(
      several.ends_with("WARNING:rhyton:There are non-GPU devices in `distribute::Strategy`, not using nccl "
                        "allreduce.\n"))
      << several;
  EXPECT_EQ(written_by([] { MirroredStrategy strategy({"/cpu:0"}); }),
            "INFO:rhyton:Using MirroredStrategy with devices ('" + first + "',)\n");
}

TEST(Strategies, RefuseADeviceThatIsNamedTwice) {
  const std::string name = device_runtime().logical_devices("CPU")[1]->full_name();
  EXPECT_EQ(message_of<ValueError>([] {
              MirroredStrategy strategy({"/cpu:0", "/cpu:1", "/cpu:1"});
            }),
            "`devices` must be distinct. Received " + name + " twice.");
}

TEST(Strategies, RefuseDevicesThatDoNotExist) {
  EXPECT_NE(message_of<InvalidArgumentError>([] {
              MirroredStrategy strategy({"/cpu:0", "/cpu:8"});
            }).find("CPU:8"),
            std::string::npos);
  EXPECT_THROW(OneDeviceStrategy("/cpu:8"), InvalidArgumentError);
}

TEST(Strategies, RefuseNamesThatCannotBeRead) {
  EXPECT_THROW(MirroredStrategy({"/cpu:0", "/cpu:one"}), ValueError);
  EXPECT_THROW(OneDeviceStrategy("/cpu:one"), ValueError);
}

TEST(Strategies, RefuseToBeWithoutDevices) {
  EXPECT_EQ(message_of<ValueError>([] { StrategyImpl strategy({.name = "none", .devices = {}}); }),
            "Got an empty `devices` list.");
}

TEST(StrategyScopes, NestAndEnd) {
  const MirroredStrategy outer(logical_cpus(2));
  const MirroredStrategy inner(logical_cpus(3));
  EXPECT_FALSE(has_strategy());
  {
    const auto outer_scope = outer.scope();
    EXPECT_TRUE(has_strategy());
    EXPECT_EQ(get_strategy().impl(), outer.impl());
    {
      const auto inner_scope = inner.scope();
      EXPECT_EQ(get_strategy().num_replicas_in_sync(), 3);
    }
    EXPECT_EQ(get_strategy().num_replicas_in_sync(), 2);
  }
  EXPECT_FALSE(has_strategy());
}

TEST(StrategyScopes, BelongToTheirThread) {
  const MirroredStrategy strategy(logical_cpus(2));
  const auto scope = strategy.scope();
  std::thread([] { EXPECT_FALSE(has_strategy()); }).join();
  EXPECT_TRUE(has_strategy());
}

TEST(StrategyScopes, OutsideOfAnyThereIsOneReplicaWhereOpsRun) {
  const Strategy strategy = get_strategy();
  EXPECT_EQ(strategy.name(), "DefaultDistributionStrategy");
  EXPECT_EQ(strategy.num_replicas_in_sync(), 1);
  const std::vector<PerReplica> results =
      strategy.run([](const std::vector<Tensor>& x) { return std::vector<Tensor>{x[0] * 2.0}; }, {vector_of({1, 2})});
  EXPECT_EQ(results.front().at(0).to_vector(), (std::vector<double>{2, 4}));
}

class StrategyValues : public testing::Test {
 protected:
  const MirroredStrategy strategy{logical_cpus(3)};
  const PerReplica uneven = per_replica({vector_of({1, 2, 3}), vector_of({4, 5}), vector_of({9})});
};

TEST_F(StrategyValues, AreReducedOverReplicas) {
  const PerReplica value = per_replica({vector_of({1, 2}), vector_of({3, 4}), vector_of({5, 9})});
  EXPECT_EQ(strategy.reduce(ReduceOp::sum, value).to_vector(), (std::vector<double>{9, 15}));
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, value).to_vector(), (std::vector<double>{3, 5}));
}

TEST_F(StrategyValues, AValueForAllCountsOncePerReplica) {
  EXPECT_EQ(strategy.reduce(ReduceOp::sum, vector_of({1, 2})).to_vector(), (std::vector<double>{3, 6}));
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, vector_of({1, 2})).to_vector(), (std::vector<double>{1, 2}));
}

TEST_F(StrategyValues, AreReducedOverAnAxisEachElementOnce) {
  EXPECT_EQ(strategy.reduce(ReduceOp::sum, uneven, 0).item(), 24);
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, uneven, 0).item(), 4) << "not the mean of the replicas' means";
  const PerReplica rows =
      per_replica({Tensor::full({2, 2}, 1.0), Tensor::full({2, 1}, 4.0), Tensor::full({2, 1}, 6.0)});
  for (const int axis : {1, -1}) {
    EXPECT_EQ(strategy.reduce(ReduceOp::sum, rows, axis).to_vector(), (std::vector<double>{12, 12}));
    EXPECT_EQ(strategy.reduce(ReduceOp::mean, rows, axis).to_vector(), (std::vector<double>{3, 3}));
  }
}

TEST_F(StrategyValues, AreGathered) {
  EXPECT_EQ(strategy.gather(uneven, 0).to_vector(), (std::vector<double>{1, 2, 3, 4, 5, 9}));
  const PerReplica rows =
      per_replica({Tensor::full({2, 2}, 1.0), Tensor::full({2, 1}, 4.0), Tensor::full({2, 1}, 6.0)});
  EXPECT_EQ(strategy.gather(rows, 1).to_vector(), (std::vector<double>{1, 1, 4, 6, 1, 1, 4, 6}));
}

TEST_F(StrategyValues, AreListed) {
  const std::vector<Tensor> values = strategy.experimental_local_results(uneven);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[1].to_vector(), (std::vector<double>{4, 5}));
  EXPECT_EQ(strategy.experimental_local_results(vector_of({7})).size(), 3U);
}

TEST_F(StrategyValues, ABatchIsCutAlongItsFirstAxis) {
  const Tensor batch = Tensor::from_data<float>({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const PerReplica parts = strategy.distribute_batch(batch);
  EXPECT_EQ(parts.at(0).to_vector(), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(parts.at(1).to_vector(), (std::vector<double>{4, 5}));
  EXPECT_EQ(parts.at(2).to_vector(), (std::vector<double>{6, 7}));
  EXPECT_EQ(strategy.gather(parts, 0).to_vector(), batch.to_vector());
}

TEST_F(StrategyValues, LastReplicasGetNothingOfASmallBatch) {
  const PerReplica parts = strategy.distribute_batch(vector_of({3, 5}));
  EXPECT_EQ(parts.at(1).to_vector(), (std::vector<double>{5}));
  EXPECT_EQ(parts.at(2).shape(), Shape{0});
  EXPECT_EQ(strategy.gather(parts, 0).to_vector(), (std::vector<double>{3, 5}));
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, parts, 0).item(), 4);
}

}  // namespace
}  // namespace rhyton::distribute

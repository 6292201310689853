// Custom code on the replicas of a strategy: `Strategy::run`, with tapes, optimizers and metrics in it.

#include <rhyton/framework/distribute/strategy.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/metrics/auc.h>
#include <rhyton/models/metrics/confusion.h>
#include <rhyton/models/metrics/f_score.h>
#include <rhyton/models/metrics/iou.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/metrics/regression.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::distribute {
namespace {

using test::message_of;
using Tensors = std::vector<Tensor>;

class StrategyRun : public testing::Test {
 protected:
  const MirroredStrategy strategy{logical_cpus(3)};
};

int replica_id() { return replica_context()->replica_id_in_sync_group; }

TEST_F(StrategyRun, EveryReplicaHasItsOwnArguments) {
  const PerReplica own({Tensor::scalar(1.0F), Tensor::scalar(2.0F), Tensor::scalar(3.0F)});
  const std::vector<PerReplica> results = strategy.run(
      [](const Tensors& x) {
        return Tensors{x[0] * x[1], x[0] + x[1]};
      },
      {own, Tensor::scalar(10.0F)});
  ASSERT_EQ(results.size(), 2U);
  for (std::size_t replica = 0; replica < 3; ++replica) {
    const auto number = static_cast<double>(replica + 1);
    EXPECT_EQ(results[0].at(replica).item(), 10 * number);
    EXPECT_EQ(results[1].at(replica).item(), 10 + number);
    EXPECT_EQ(&results[0].at(replica).device(), strategy.worker_devices()[replica]) << "it computes on its device";
  }
}

TEST_F(StrategyRun, ReplicasKnowWhoTheyAre) {
  EXPECT_EQ(replica_context(), nullptr);
  const std::vector<PerReplica> results = strategy.run([](const Tensors&) {
    return Tensors{Tensor::scalar<std::int32_t>(replica_id()),
                   Tensor::scalar<std::int32_t>(replica_context()->num_replicas_in_sync)};
  });
  for (std::size_t replica = 0; replica < 3; ++replica) {
    EXPECT_EQ(results[0].at(replica).item(), static_cast<double>(replica));
    EXPECT_EQ(results[1].at(replica).item(), 3);
  }
  EXPECT_EQ(replica_context(), nullptr);
}

TEST_F(StrategyRun, ReplicasTakeTurnsBetweenTheirSums) {
  // Not thread-safe: the replicas run one at a time.
  std::vector<int> order;
  for (int repeat = 0; repeat < 10; ++repeat) {
    order.clear();
    strategy.run([&](const Tensors&) {
      order.push_back(replica_id());
      const Tensor sum = all_reduce(Tensor::scalar(1.0F));
      order.push_back(10 + replica_id());
      return Tensors{all_reduce(sum)};
    });
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 10, 11, 12}));
  }
}

TEST_F(StrategyRun, MayReturnNothing) {
  EXPECT_TRUE(strategy.run([](const Tensors&) { return Tensors{}; }).empty());
}

TEST_F(StrategyRun, VariablesAreMirrored) {
  const Variable total(Tensor::scalar(1.0F));
  const auto add = [&](const Tensors&) {
    total.assign_add(all_reduce(Tensor::scalar(static_cast<float>(replica_id()))));
    return Tensors{total};
  };
  for (const double expected : {4.0, 7.0}) {
    const std::vector<PerReplica> values = strategy.run(add);
    for (std::size_t replica = 0; replica < 3; ++replica) EXPECT_EQ(values[0].at(replica).item(), expected);
    EXPECT_EQ(total.value().item(), expected);
  }
  total.assign(Tensor::scalar(100.0F));
  EXPECT_EQ(strategy.run(add)[0].at(2).item(), 103) << "assigned in between, for all replicas";
  EXPECT_NO_THROW(strategy.impl()->variables().require_equal());
}

TEST_F(StrategyRun, ReplicasThatAssignDifferentValuesAreFound) {
  const Variable variable(Tensor::scalar(0.0F), {.name = "id", .path = "who/id"});
  strategy.run([&](const Tensors&) {
    variable.assign(Tensor::scalar(static_cast<float>(replica_id())));
    return Tensors{};
  });
  EXPECT_EQ(message_of<RuntimeError>([&] {
              strategy.impl()->variables().require_equal();
            }).find("Variable 'who/id' of replica 1"),
            0U);
}

TEST_F(StrategyRun, WhatAReplicaThrowsIsRethrown) {
  for (int failing = 0; failing < 3; ++failing) {
    SCOPED_TRACE("replica " + std::to_string(failing));
    // The others wait in a sum, wait for their turn, or have not begun.
    const auto fail = [&](const Tensors&) -> Tensors {
      if (replica_id() == failing) throw ValueError("replica " + std::to_string(failing) + " fails");
      return {all_reduce(Tensor::scalar(1.0F))};
    };
    EXPECT_EQ(message_of<ValueError>([&] { strategy.run(fail); }), "replica " + std::to_string(failing) + " fails");
    const auto fail_later = [&](const Tensors&) -> Tensors {
      const Tensor sum = all_reduce(Tensor::scalar(1.0F));
      if (replica_id() == failing) throw ValueError("later");
      return {all_reduce(sum)};
    };
    EXPECT_EQ(message_of<ValueError>([&] { strategy.run(fail_later); }), "later");
    EXPECT_EQ(replica_context(), nullptr);

    const std::vector<PerReplica> results =
        strategy.run([](const Tensors&) { return Tensors{all_reduce(Tensor::scalar(1.0F))}; });
    EXPECT_EQ(results[0].at(2).item(), 3) << "the strategy works on";
  }
}

TEST_F(StrategyRun, ReplicasThatBringDifferentTensorsAreAnError) {
  const auto message = message_of<RuntimeError>([&] {
    strategy.run([](const Tensors&) { return Tensors{all_reduce(Tensor::zeros({replica_id() == 2 ? 5 : 4}))}; });
  });
  EXPECT_EQ(message,
            "Replicas that sum must bring tensors of the same shapes in the same order: tensor 0 of replica 0 has 4 "
            "elements of float32, that of replica 2 has 5 elements of float32.");
}

TEST_F(StrategyRun, MetricsHoldTheSamplesOfAllReplicas) {
  const metrics::Mean mean;
  const metrics::SparseCategoricalAccuracy accuracy;
  const PerReplica values({Tensor::from_data<float>({3}, {1, 2, 3}), Tensor::from_data<float>({2}, {4, 5}),
                           Tensor::from_data<float>({1}, {9})});
  const PerReplica labels({Tensor::from_data<std::int64_t>({1}, {0}), Tensor::from_data<std::int64_t>({1}, {1}),
                           Tensor::from_data<std::int64_t>({1}, {1})});
  const Tensor scores = Tensor::from_data<float>({1, 2}, {0.25F, 0.75F});
  const auto update = [&](const Tensors& x) {
    mean.update_state(x[0]);
    accuracy.update_state(x[1], x[2]);
    return Tensors{mean.result()};
  };
  const std::vector<PerReplica> results = strategy.run(update, {values, labels, scores});
  for (std::size_t replica = 0; replica < 3; ++replica) EXPECT_EQ(results[0].at(replica).item(), 4);
  EXPECT_EQ(mean.result().item(), 4);
  EXPECT_NEAR(accuracy.result().item(), 2.0 / 3.0, 1e-6);
  strategy.run(update, {values, labels, scores});
  EXPECT_EQ(mean.result().item(), 4);
  EXPECT_EQ(mean.variables()[1].value().item(), 12) << "samples";
  mean.reset_state();
  EXPECT_EQ(strategy.run(update, {values, labels, scores})[0].at(1).item(), 4);
}

TEST_F(StrategyRun, MetricsWithOtherStatesHoldTheSamplesOfAllReplicas) {
  const Tensor labels = Tensor::from_data<float>({6, 2}, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0});
  const Tensor scores =
      Tensor::from_data<float>({6, 2}, {.9F, .1F, .6F, .4F, .2F, .8F, .3F, .7F, .55F, .45F, .75F, .25F});
  const auto make = [] {
    return std::vector<metrics::Metric>{metrics::AUC(),
                                        metrics::AUC({.thresholds = {{0.3, 0.5}}, .multi_label = true}),
                                        metrics::Precision({.thresholds = {0.5, 0.7}}),
                                        metrics::F1Score(),
                                        metrics::R2Score(),
                                        metrics::OneHotMeanIoU(2)};
  };
  const std::vector<metrics::Metric> on_replicas = make();
  const std::vector<metrics::Metric> on_one = make();
  for (int batch = 0; batch < 2; ++batch) {
    strategy.run(
        [&](const Tensors& x) {
          for (const metrics::Metric& metric : on_replicas) metric.update_state(x[0], x[1]);
          return Tensors{};
        },
        {strategy.distribute_batch(labels), strategy.distribute_batch(scores)});
    for (const metrics::Metric& metric : on_one) metric.update_state(labels, scores);
  }
  for (std::size_t m = 0; m < on_one.size(); ++m) {
    SCOPED_TRACE(on_one[m].class_name());
    ASSERT_EQ(on_replicas[m].variables().size(), on_one[m].variables().size());
    for (std::size_t i = 0; i < on_one[m].variables().size(); ++i) {
      const std::vector<double> sums = on_replicas[m].variables()[i].value().to_vector();
      const std::vector<double> expected = on_one[m].variables()[i].value().to_vector();
      ASSERT_EQ(sums.size(), expected.size());
      for (std::size_t e = 0; e < sums.size(); ++e) EXPECT_NEAR(sums[e], expected[e], 1e-6);
    }
    const std::vector<double> result = on_replicas[m].result().to_vector();
    const std::vector<double> expected = on_one[m].result().to_vector();
    for (std::size_t e = 0; e < result.size(); ++e) EXPECT_NEAR(result[e], expected[e], 1e-6);
  }
}

/// A custom training loop over batches of 7 samples: losses, and the weights at the end.
struct LoopResult {
  std::vector<double> losses;
  std::vector<Tensor> weights;
};

LoopResult train_in_a_loop(const Strategy& strategy, const optimizers::Optimizer& optimizer) {
  set_random_seed(3);
  clear_session();
  const models::Sequential model(
      {layers::Input({.shape = {4}}), layers::Dense(6, {.activation = "tanh"}), layers::Dense(2)});
  LoopResult result;
  for (std::uint64_t step = 0; step < 12; ++step) {
    const Tensor x = random_normal({7, 4}, 1, static_cast<std::int64_t>(100 * step));
    const Tensor y = random_normal({7, 2}, 2, static_cast<std::int64_t>(100 * step));
    const std::vector<PerReplica> losses = strategy.run(
        [&](const Tensors& part) {
          GradientTape tape;
          // Of the whole batch, so that the replicas' losses add up to it.
          const Tensor loss = sum(square(model(part[0]) - part[1])) / 7.0;
          const std::vector<Variable> weights = model.trainable_weights();
          optimizer.apply(tape.gradient(loss, weights), weights);
          return Tensors{loss};
        },
        {strategy.distribute_batch(x), strategy.distribute_batch(y)});
    result.losses.push_back(strategy.reduce(ReduceOp::sum, losses[0]).item());
  }
  for (const Variable& weight : model.weights()) result.weights.push_back(weight.stored_value().clone());
  return result;
}

TEST_F(StrategyRun, ALoopOfOnesOwnTrainsLikeOneDevice) {
  const std::vector<std::function<optimizers::Optimizer()>> all = {
      [] { return optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}); },
      [] { return optimizers::Adam({.learning_rate = 0.01, .global_clipnorm = 0.5}); }};
  for (const auto& make_optimizer : all) {
    const LoopResult expected = train_in_a_loop(get_strategy(), make_optimizer());
    const LoopResult actual = train_in_a_loop(strategy, make_optimizer());
    EXPECT_NO_THROW(strategy.impl()->variables().require_equal());
    for (std::size_t i = 0; i < expected.losses.size(); ++i) {
      EXPECT_NEAR(actual.losses[i], expected.losses[i], 1e-5 * expected.losses[i]) << "step " << i;
    }
    for (std::size_t i = 0; i < expected.weights.size(); ++i) {
      EXPECT_LE(relative_distance(actual.weights[i], expected.weights[i]), 1e-5) << "weight " << i;
    }
    const LoopResult again = train_in_a_loop(strategy, make_optimizer());
    EXPECT_EQ(again.losses, actual.losses) << "bit by bit";
  }
}

TEST_F(StrategyRun, AReplicaThatReturnsWhileOthersSumIsToldOf) {
  const MirroredStrategy strategy(logical_cpus(3));
  for (const int early : {0, 1, 2}) {
    SCOPED_TRACE(early);
    const auto uneven = [&](const std::vector<Tensor>&) {
      if (replica_context()->replica_id_in_sync_group == early) return std::vector<Tensor>{};
      return std::vector<Tensor>{all_reduce(Tensor::scalar(1.0F))};
    };
    EXPECT_THROW(strategy.run(uneven), RuntimeError);
  }
  const PerReplica sums =
      strategy.run([](const std::vector<Tensor>&) { return std::vector<Tensor>{all_reduce(Tensor::scalar(1.0F))}; })
          .front();
  EXPECT_EQ(sums.at(2).item(), 3);
}

TEST_F(StrategyRun, CannotBeNested) {
  const MirroredStrategy strategy(logical_cpus(2));
  const auto nested = [&](const std::vector<Tensor>&) {
    strategy.run([](const std::vector<Tensor>&) { return std::vector<Tensor>{}; });
    return std::vector<Tensor>{};
  };
  EXPECT_THROW(strategy.run(nested), RuntimeError);
}

TEST_F(StrategyRun, DropoutDrawsAnotherMaskOnEachReplica) {
  const MirroredStrategy strategy(logical_cpus(2));
  const layers::Dropout dropout(0.5);
  const Tensor x = Tensor::full({8, 8}, 1.0);
  const PerReplica masked = strategy
                                .run(
                                    [&](const std::vector<Tensor>& part) {
                                      return std::vector<Tensor>{dropout(part[0], {.training = true})};
                                    },
                                    {x})
                                .front();
  EXPECT_NE(masked.at(0).to_vector(), masked.at(1).to_vector());
}

}  // namespace
}  // namespace rhyton::distribute

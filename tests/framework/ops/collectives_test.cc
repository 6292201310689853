#include <rhyton/framework/ops/collectives.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/threading/team.h>

namespace rhyton {
namespace {

ReplicaContext context_of(int replica, int replicas, const ReplicaBatch& batch = {}) {
  return {
      .replica_id_in_sync_group = replica, .num_replicas_in_sync = replicas, .communicator = nullptr, .batch = batch};
}

/// Calls `function(replica)` as each replica, all concurrently, and returns the results. `batches`: their parts of a
/// batch, if known.
template <class Result, class Function>
std::vector<Result> as_replicas(int replicas, const std::vector<ReplicaBatch>& batches, const Function& function) {
  const std::shared_ptr<distribute::ReplicaGroup> group = distribute::ReplicaGroup::make(replicas);
  std::vector<Result> results(static_cast<std::size_t>(replicas));
  threading::Team team(replicas);
  team.run([&](int replica) {
    const auto at = static_cast<std::size_t>(replica);
    ReplicaContext context = context_of(replica, replicas, batches.empty() ? ReplicaBatch() : batches[at]);
    context.communicator = group->member(replica);
    const ReplicaScope scope(std::move(context));
    try {
      results[at] = function(replica);
    } catch (...) {
      group->abandon();
      throw;
    }
  });
  return results;
}

Tensor pair_of(double first, double second) {
  return Tensor::from_data<float>({2}, {static_cast<float>(first), static_cast<float>(second)});
}

TEST(AllReduce, OutsideOfAReplicaItIsTheTensorItself) {
  const Tensor x = pair_of(1, 2);
  EXPECT_TRUE(all_reduce(x).is_same(x));
  EXPECT_TRUE(all_reduce(Tensor()).is_empty());
  EXPECT_TRUE(all_reduce(std::vector<Tensor>()).empty());
}

TEST(AllReduce, OfOneReplicaItIsTheTensorItself) {
  const ReplicaScope scope({});
  const Tensor x = pair_of(1, 2);
  EXPECT_TRUE(all_reduce(x).is_same(x));
}

TEST(AllReduce, EveryReplicaGetsTheSums) {
  for (const int replicas : {2, 3}) {
    const auto results = as_replicas<std::vector<Tensor>>(replicas, {}, [](int replica) {
      return all_reduce({pair_of(replica, 10), Tensor::scalar<std::int64_t>(replica + 1)});
    });
    const double numbers = replicas * (replicas - 1) / 2.0;
    for (const std::vector<Tensor>& sums : results) {
      ASSERT_EQ(sums.size(), 2U);
      EXPECT_EQ(sums[0].to_vector(), (std::vector<double>{numbers, 10.0 * replicas}));
      EXPECT_EQ(sums[1].dtype(), DType::int64);
      EXPECT_EQ(sums[1].item(), numbers + replicas);
    }
  }
}

TEST(AllReduce, EmptyTensorsStayEmpty) {
  const auto results = as_replicas<std::vector<Tensor>>(2, {}, [](int) {
    // Without any tensor there is no wait.
    EXPECT_TRUE(all_reduce(std::vector<Tensor>(3)).at(2).is_empty());
    return all_reduce({Tensor(), pair_of(1, 2), Tensor()});
  });
  for (const std::vector<Tensor>& sums : results) {
    ASSERT_EQ(sums.size(), 3U);
    EXPECT_TRUE(sums[0].is_empty());
    EXPECT_EQ(sums[1].to_vector(), (std::vector<double>{2, 4}));
    EXPECT_TRUE(sums[2].is_empty());
  }
}

TEST(AllReduce, TheDerivativeIsThatOfTheSumOfAllLosses) {
  const auto gradients = as_replicas<std::vector<Tensor>>(3, {}, [](int replica) {
    GradientTape tape;
    const Tensor x = pair_of(replica, 1);
    const Tensor factor = pair_of(2, 1);
    tape.watch(x);
    tape.watch(factor);
    const std::vector<Tensor> sums = all_reduce({factor, x});
    const Tensor loss = sum(sums[0] * sums[1] * static_cast<double>(replica + 1));
    return tape.gradient(loss, std::vector<Tensor>{x, factor});
  });
  // Each replica's x contributes to all losses, which are weighted by 1, 2 and 3, times the sum of the factors.
  for (const std::vector<Tensor>& gradient : gradients) {
    EXPECT_EQ(gradient[0].to_vector(), (std::vector<double>{36, 18}));
    EXPECT_EQ(gradient[1].to_vector(), (std::vector<double>{18, 18}));
  }
}

TEST(AllReduce, RefusesWhatCannotBeSummed) {
  const auto group = distribute::ReplicaGroup::make(2);
  const AllReduceOp op(group->member(0));
  for (const DType dtype : {DType::uint8, DType::bool_}) {
    const std::vector<TensorSpec> specs{{Shape{2}, DType::float32}, {Shape{}, dtype}};
    try {
      op.infer(specs);
      FAIL() << "nothing was thrown";
    } catch (const InvalidArgumentError& error) {
      EXPECT_EQ(error.what(), "AllReduce: tensors of " + std::string(name_of(dtype)) + " cannot be summed.");
    }
  }
  const std::vector<TensorSpec> specs{{Shape{2, 3}, DType::bfloat16}, {Shape{}, DType::int32}};
  EXPECT_EQ(op.infer(specs), specs);
}

TEST(AllReduce, NoCallStandsForAnother) {
  const AllReduceOp op(distribute::ReplicaGroup::make(2)->member(1));
  EXPECT_FALSE(op.is_deterministic());
  EXPECT_EQ(op.attributes(), "group=2 replicas");
}

TEST(ReplicaScope, TellsWhoRunsTheCode) {
  EXPECT_EQ(replica_context(), nullptr);
  {
    const ReplicaScope outer(context_of(1, 2));
    EXPECT_EQ(replica_context()->replica_id_in_sync_group, 1);
    {
      const ReplicaScope inner(context_of(4, 5));
      EXPECT_EQ(replica_context()->replica_id_in_sync_group, 4);
      EXPECT_EQ(replica_context()->num_replicas_in_sync, 5);
    }
    EXPECT_EQ(replica_context()->replica_id_in_sync_group, 1);
  }
  EXPECT_EQ(replica_context(), nullptr);
}

TEST(ReplicaScope, IsThatOfItsThread) {
  const auto ids = as_replicas<int>(4, {}, [](int) { return replica_context()->replica_id_in_sync_group; });
  EXPECT_EQ(ids, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(replica_context(), nullptr);
}

TEST(PartOfBatch, IsNullWhereItIsNotKnown) {
  EXPECT_EQ(part_of_batch(), nullptr);
  const ReplicaScope unknown(context_of(1, 2));
  EXPECT_EQ(part_of_batch(), nullptr);
  const ReplicaScope known(context_of(1, 2, {.global_samples = 7, .first_sample = 4, .samples = 3}));
  ASSERT_NE(part_of_batch(), nullptr);
  EXPECT_EQ(part_of_batch()->first_sample, 4);
  EXPECT_FALSE(part_of_batch()->is_empty());
}

TEST(ReplicaShare, IsThePartOfTheBatch) {
  EXPECT_EQ(replica_share(), 1.0);
  {
    const ReplicaScope unknown(context_of(1, 4));
    EXPECT_EQ(replica_share(), 0.25);
  }
  {
    const ReplicaScope known(context_of(0, 4, {.global_samples = 8, .first_sample = 0, .samples = 3}));
    EXPECT_EQ(replica_share(), 0.375);
  }
  const ReplicaScope without_samples(context_of(3, 4, {.global_samples = 3, .first_sample = 3, .samples = 0}));
  EXPECT_EQ(replica_share(), 0.0);
}

TEST(AddOverReplicas, OutsideOfAReplicaItOnlyCalls) {
  const Variable total(Tensor::scalar(1.0F));
  add_over_replicas({total}, [&] { total.assign(total * 3.0); });
  EXPECT_EQ(total.value().item(), 3.0);
}

TEST(AddOverReplicas, AllHoldWhatAllHaveAdded) {
  const auto totals = as_replicas<std::vector<double>>(3, {}, [](int replica) {
    const Variable total(Tensor::scalar(100.0F));
    const Variable count(Tensor::scalar<std::int64_t>(7));
    for (int step = 0; step < 2; ++step) {
      add_over_replicas({total, count}, [&] {
        total.assign_add(Tensor::scalar(static_cast<float>(replica)));
        count.assign_add(Tensor::scalar<std::int64_t>(2));
      });
    }
    return std::vector<double>{total.value().item(), count.value().item()};
  });
  for (const std::vector<double>& total : totals) EXPECT_EQ(total, (std::vector<double>{106, 19}));
}

TEST(AddOverReplicas, WhatAReplicaAddsIsNotRoundedByWhatWasThere) {
  // 2^24 + 1 is not a float: added one by one, both ones would be lost.
  const auto totals = as_replicas<double>(2, {}, [](int) {
    const Variable total(Tensor::scalar(16'777'216.0F));
    add_over_replicas({total}, [&] { total.assign_add(Tensor::scalar(1.0F)); });
    return total.value().item();
  });
  EXPECT_EQ(totals, (std::vector<double>{16'777'218.0, 16'777'218.0}));
}

TEST(AddOverReplicas, AReplicaWithoutSamplesAddsNothing) {
  const std::vector<ReplicaBatch> batches{{.global_samples = 1, .first_sample = 0, .samples = 1},
                                          {.global_samples = 1, .first_sample = 1, .samples = 0}};
  const auto totals = as_replicas<std::vector<double>>(2, batches, [](int) {
    const Variable total(Tensor::scalar(5.0F));
    const Variable count(Tensor::scalar<std::int32_t>(0));
    add_over_replicas({total, count}, [&] {
      total.assign_add(Tensor::scalar(3.0F));
      count.assign_add(Tensor::scalar<std::int32_t>(1));
    });
    return std::vector<double>{total.value().item(), count.value().item()};
  });
  for (const std::vector<double>& total : totals) EXPECT_EQ(total, (std::vector<double>{8, 1}));
}

}  // namespace
}  // namespace rhyton

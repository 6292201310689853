#include <rhyton/models/cluster/served_variables.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/server.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/adam_w.h>
#include <rhyton/optimizers/lamb.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/cluster/free_address.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using experimental::partitioners::FixedShardsPartitioner;
using testing::ElementsAre;
using testing::HasSubstr;

Tensor rows_counted_from(float first, std::int64_t rows) {
  Tensor tensor = Tensor::uninitialized({rows, 2}, float32);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<float>()[i] = first + static_cast<float>(i);
  return tensor;
}

/// The variables of a program: a table of 101 rows, a bias and a counter.
JobVariables make_variables(const optimizers::Optimizer& optimizer) {
  JobVariables variables{.trained = {Variable(rows_counted_from(0, 101), {.name = "table", .path = "embedding/table"}),
                                     Variable(Tensor::zeros({2}), {.name = "bias", .path = "dense/bias"})},
                         .others = {Variable(Tensor::scalar<std::int64_t>(5), {.trainable = false, .name = "counter"})},
                         .optimizer = optimizer};
  optimizer.build(variables.trained);
  return variables;
}

/// Two servers, a chief and a worker on addresses of this process.
class ServedVariablesTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      for (int i = 0; i < 2; ++i) servers_.emplace_back(cluster_, ServerOptions{.job_name = "ps", .task_index = i});
    } catch (const RuntimeError&) {
      GTEST_SKIP() << "this build has no gRPC";
    }
  }

  ServedVariables connect(const JobVariables& variables, const VariablePartitioner& partitioner = {}) const {
    std::vector<RemoteTask> servers;
    for (int i = 0; i < 2; ++i) servers.emplace_back(cluster_, TaskSpec{.type = "ps", .index = i});
    return ServedVariables(std::move(servers), variables, partitioner);
  }

  ClusterSpec cluster_{{"ps", {test::free_address(), test::free_address()}}, {"worker", {test::free_address()}}};
  std::vector<Server> servers_;
};

// Adam's moments of the rows on each server, put together, are those of the whole table.
TEST_F(ServedVariablesTest, TakeTheStepsOfOneProcess) {
  const JobVariables own = make_variables(optimizers::Adam({.learning_rate = 0.5}));
  const JobVariables workers = make_variables(optimizers::Adam({.learning_rate = 0.5}));
  const JobVariables alone = make_variables(optimizers::Adam({.learning_rate = 0.5}));
  ServedVariables chief = connect(own, FixedShardsPartitioner(2));
  ServedVariables worker = connect(workers, FixedShardsPartitioner(2));
  chief.begin("job", 1);
  worker.join("job", {});
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::vector<Tensor> gradients = {rows_counted_from(static_cast<float>(step) - 50, 101), Tensor::full({2}, 1)};
    worker.pull();
    workers.others.front().assign_add(Tensor::scalar<std::int64_t>(2));
    worker.push({.step = step}, gradients);
    alone.optimizer.apply(gradients, alone.trained);
  }
  chief.take_all();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(own.trained[i].value().to_vector(), alone.trained[i].value().to_vector()) << i;
  }
  EXPECT_EQ(own.others.front().value().item(), 11);
  const std::vector<Variable> slots = own.optimizer.variables();
  const std::vector<Variable> expected = alone.optimizer.variables();
  ASSERT_EQ(slots.size(), expected.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(slots[i].value().to_vector(), expected[i].value().to_vector()) << expected[i].path();
  }
}

TEST_F(ServedVariablesTest, SendChangesOfTheChief) {
  const JobVariables own = make_variables(optimizers::SGD({.learning_rate = 1.0}));
  const JobVariables workers = make_variables(optimizers::SGD({.learning_rate = 1.0}));
  ServedVariables chief = connect(own);
  ServedVariables worker = connect(workers);
  chief.begin("job", 1);
  worker.join("job", {});
  own.optimizer.set_learning_rate(0.25);
  own.trained[1].assign(Tensor::full({2}, 7.0));
  chief.send_changes();
  worker.pull();
  worker.push({.step = 0}, {Tensor(), Tensor::full({2}, 4.0)});
  worker.pull();
  EXPECT_THAT(workers.trained[1].value().to_vector(), ElementsAre(6, 6));
}

TEST_F(ServedVariablesTest, SendOnlyTheRowsInUse) {
  const JobVariables workers = make_variables(optimizers::SGD({.learning_rate = 1.0}));
  ServedVariables worker = connect(workers);
  worker.begin("job", 1);
  Tensor gradient = Tensor::zeros({101, 2});
  gradient.mutable_data<float>()[2 * 100] = 3;
  worker.pull();
  worker.push({.step = 0}, {gradient, Tensor()});
  // All but one row of eight bytes and its index.
  EXPECT_EQ(worker.saved_bytes(), 101 * 8 - 8 - 8);
  worker.pull();
  const std::vector<double> table = workers.trained[0].value().to_vector();
  EXPECT_EQ(table[200], 200 - 3);
  EXPECT_EQ(table[199], 199);
}

TEST_F(ServedVariablesTest, KeepVariablesThatAreExcludedFromDecay) {
  const optimizers::Optimizer optimizer = optimizers::AdamW({.learning_rate = 0.5, .weight_decay = 0.5});
  optimizer.exclude_from_weight_decay({}, {"table"});
  const JobVariables workers = make_variables(optimizer);
  ServedVariables worker = connect(workers);
  worker.begin("job", 1);
  worker.pull();
  worker.push({.step = 0}, {Tensor::zeros({101, 2}), Tensor::zeros({2})});
  worker.pull();
  EXPECT_EQ(workers.trained[0].value().to_vector(), rows_counted_from(0, 101).to_vector());
}

TEST(ServableTest, RefusesWhatServersCannotDo) {
  const auto complaint = [](const optimizers::Optimizer& optimizer, const VariablePartitioner& partitioner = {}) {
    const JobVariables variables = make_variables(optimizer);
    return test::message_of<NotImplementedError>([&] { require_servable(variables, 2, partitioner); });
  };
  const FixedShardsPartitioner two_parts(2);
  EXPECT_THAT(complaint(optimizers::LossScaleOptimizer(optimizers::SGD())), HasSubstr("LossScaleOptimizer"));
  EXPECT_THAT(complaint(optimizers::SGD({.global_clipnorm = 1.0})), HasSubstr("global_clipnorm"));
  EXPECT_THAT(complaint(optimizers::SGD({.clipnorm = 1.0}), two_parts), HasSubstr("'embedding/table'"));
  EXPECT_THAT(complaint(optimizers::Lamb(), two_parts), HasSubstr("Lamb"));
  EXPECT_NO_THROW(require_servable(make_variables(optimizers::SGD({.clipnorm = 1.0})), 2, {}));
  EXPECT_NO_THROW(require_servable(make_variables(optimizers::SGD({.global_clipnorm = 1.0})), 1, {}));
  EXPECT_NO_THROW(require_servable(make_variables(optimizers::Lamb()), 2, {}));
}

}  // namespace
}  // namespace rhyton::distribute

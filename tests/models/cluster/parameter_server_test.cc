#include <rhyton/models/cluster/parameter_server.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/greeting.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ClusterSpec two_jobs() { return ClusterSpec({{"ps", {"localhost:2222"}}, {"worker", {"localhost:2223"}}}); }

Tensor column(const std::vector<float>& elements) {
  return Tensor::from_data({static_cast<std::int64_t>(elements.size()), 1}, elements);
}

/// A server with the variable "w" = [[1], [2], [3]] and plain gradient descent.
class ParameterServerTest : public testing::Test {
 protected:
  ParameterServerTest() {
    server_.create({{.name = "w", .value = column({1, 2, 3})}});
    server_.set_optimizer(optimizers::serialize(optimizers::SGD({.learning_rate = 0.5})));
  }

  std::vector<double> w() { return server_.read({"w"}).front().value.to_vector(); }
  template <class E, class Call>
  std::string complaint(const Call& call) {
    return test::message_of<E>(call);
  }

  ParameterServer server_{two_jobs(), {.type = "ps", .index = 0}};
};

TEST_F(ParameterServerTest, AppliesGradientsByItsOptimizer) {
  EXPECT_EQ(server_.iterations(), 0);
  EXPECT_EQ(server_.apply_gradients({{.name = "w", .value = column({2, 2, 2})}}), 1);
  EXPECT_THAT(w(), ElementsAre(0, 1, 2));
  EXPECT_EQ(server_.iterations(), 1);
}

TEST_F(ParameterServerTest, AddsUpTheRowsOfSparseGradients) {
  const Tensor indices = Tensor::from_data<std::int64_t>({3}, {2, 0, 2});
  server_.apply_gradients({{.name = "w", .value = column({2, 4, 6}), .indices = indices}});
  EXPECT_THAT(w(), ElementsAre(1 - 0.5 * 4, 2, 3 - 0.5 * (2 + 6)));
}

TEST_F(ParameterServerTest, KeepsWhatWasReadWhenGradientsAreApplied) {
  const std::vector<NamedTensor> before = server_.read({});
  server_.apply_gradients({{.name = "w", .value = column({2, 2, 2})}});
  EXPECT_THAT(before.front().value.to_vector(), ElementsAre(1, 2, 3));
}

TEST_F(ParameterServerTest, AssignsValues) {
  server_.assign({{.name = "w", .value = column({7, 8, 9})}});
  EXPECT_THAT(w(), ElementsAre(7, 8, 9));
}

TEST_F(ParameterServerTest, LeavesVariablesThatAreThereAsTheyAre) {
  server_.create({{.name = "w", .value = column({0, 0, 0})}, {.name = "v", .value = column({5})}});
  EXPECT_THAT(w(), ElementsAre(1, 2, 3));
  EXPECT_EQ(server_.read({}).size(), 2U);
  server_.set_optimizer(optimizers::serialize(optimizers::SGD({.learning_rate = 0.5})));
}

TEST_F(ParameterServerTest, NamesBothShapes) {
  EXPECT_EQ(
      complaint<ValueError>([&] { server_.create({{.name = "w", .value = column({1})}}); }),
      "The new variable 'w' has shape (1, 1) and dtype float32, but the variable of the task has shape (3, 1) and "
      "dtype float32.");
  EXPECT_THAT(complaint<ValueError>([&] { server_.assign({{.name = "w", .value = column({1})}}); }),
              AllOf(HasSubstr("(1, 1)"), HasSubstr("(3, 1)")));
  EXPECT_THAT(complaint<ValueError>([&] {
                server_.apply_gradients({{.name = "w", .value = column({1, 2, 3}).cast(float64)}});
              }),
              AllOf(HasSubstr("float64"), HasSubstr("float32")));
  const Tensor two = Tensor::from_data<std::int64_t>({2}, {0, 1});
  EXPECT_THAT(complaint<ValueError>([&] {
                server_.apply_gradients({{.name = "w", .value = column({1, 2, 3}), .indices = two}});
              }),
              AllOf(HasSubstr("(2,)"), HasSubstr("(3, 1)")));
  EXPECT_EQ(server_.iterations(), 0);
}

TEST_F(ParameterServerTest, RefusesWhatItCannotApply) {
  const Tensor outside = Tensor::from_data<std::int64_t>({1}, {3});
  EXPECT_THROW(server_.apply_gradients({{.name = "w", .value = column({1}), .indices = outside}}),
               InvalidArgumentError);
  EXPECT_THROW(server_.apply_gradients({}), ValueError);
  EXPECT_EQ(complaint<NotFoundError>([&] { server_.read({"u"}); }), "The task has no variable 'u'.");
  const NamedTensor gradient{.name = "w", .value = column({1, 1, 1})};
  EXPECT_EQ(complaint<ValueError>([&] { server_.apply_gradients({gradient, gradient}); }), "'w' is given twice.");
  EXPECT_THAT(w(), ElementsAre(1, 2, 3));

  ParameterServer without_optimizer(two_jobs(), {.type = "ps", .index = 0});
  without_optimizer.create({{.name = "w", .value = column({1, 2, 3})}});
  EXPECT_EQ(complaint<RuntimeError>([&] { without_optimizer.apply_gradients({gradient}); }),
            "Gradients came before an optimizer was set.");
}

TEST_F(ParameterServerTest, HasOneOptimizer) {
  EXPECT_THAT(complaint<ValueError>([&] { server_.set_optimizer(optimizers::serialize(optimizers::Adam())); }),
              AllOf(HasSubstr("SGD"), HasSubstr("Adam")));
}

TEST_F(ParameterServerTest, TakesNoVariablesAfterTheFirstGradients) {
  server_.apply_gradients({{.name = "w", .value = column({2, 2, 2})}});
  EXPECT_THAT(complaint<RuntimeError>([&] { server_.create({{.name = "v", .value = column({1})}}); }),
              HasSubstr("The variable 'v' is new, but gradients were applied already"));
}

TEST_F(ParameterServerTest, AnswersGreetings) {
  const TaskGreeting answer = server_.greet({.library_version = library_version(), .cluster = two_jobs()});
  EXPECT_EQ(name_of(answer.task), "ps 0");
  EXPECT_EQ(answer.cluster, two_jobs());
  EXPECT_THROW(server_.greet({.library_version = "0.0.1", .cluster = two_jobs()}), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute

#include <rhyton/models/cluster/served_job.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// The job "a" with the trained variable "0" = [1, 2], by plain gradient descent, and the counter "1" = 5.
class ServedJobTest : public testing::Test {
 protected:
  ServedJobTest() { begin("a"); }

  void begin(const std::string& job) {
    const io::Json variables = io::Json::array(
        {io::Json::object({{"key", "0"}, {"name", "w"}, {"path", "w"}, {"trained", true}, {"decays", true}}),
         io::Json::object({{"key", "1"}, {"name", "c"}, {"path", "c"}, {"trained", false}, {"decays", false}})});
    call("begin",
         {{"job", job},
          {"number", 1},
          {"optimizer", optimizers::serialize(optimizers::SGD({.learning_rate = 1.0}))},
          {"variables", variables}},
         {{.name = "0", .value = pair(1, 2)}, {.name = "1", .value = Tensor::scalar(5.0F)}});
  }
  static Tensor pair(float a, float b) { return Tensor::from_data<float>({2}, {a, b}); }
  TaskReply call(const std::string& function, std::vector<io::Json::Member> arguments,
                 std::vector<NamedTensor> tensors = {}) {
    return job_.call({.function = function,
                      .arguments = io::Json::object_from(std::move(arguments)),
                      .tensors = std::move(tensors)});
  }
  TaskReply push(std::int64_t step, std::int64_t version, const std::string& job = "a", std::int64_t below = 0) {
    return call("push", {{"job", job}, {"step", step}, {"all_done_below", below}, {"version", version}},
                {{.name = "0", .value = pair(1, 1)}, {.name = "1", .value = Tensor::scalar(1.0F)}});
  }
  TaskReply stage(std::int64_t step, std::int64_t part, float gradient, std::int64_t samples = 2) {
    return call("stage", {{"job", "a"}, {"step", step}, {"part", part}, {"samples", samples}},
                {{.name = "0", .value = pair(gradient, 0)}});
  }
  TaskReply commit(std::int64_t step, const std::vector<std::int64_t>& parts, std::int64_t samples = 4) {
    return call("commit", {{"job", "a"}, {"step", step}, {"parts", io::Json::array_from(parts)}, {"samples", samples}});
  }
  std::vector<double> value(std::size_t index) {
    return call("pull", {{"job", "a"}}).tensors.at(index).value.to_vector();
  }

  ServedJob job_;
};

TEST_F(ServedJobTest, AppliesGradientsAndAddsIncrements) {
  EXPECT_TRUE(push(0, 0).values["applied"].as_bool());
  EXPECT_THAT(value(0), ElementsAre(0, 1));
  EXPECT_THAT(value(1), ElementsAre(6));
  EXPECT_EQ(call("pull", {{"job", "a"}}).values["version"].as_int(), 1);
}

TEST_F(ServedJobTest, AppliesNoStepTwice) {
  push(0, 0);
  EXPECT_FALSE(push(0, 0).values["applied"].as_bool());
  push(1, 1, "a", 1);  // step 0 is done, and forgotten
  EXPECT_FALSE(push(0, 0).values["applied"].as_bool());
  EXPECT_THAT(value(0), ElementsAre(-1, 0));
  EXPECT_THAT(value(1), ElementsAre(7));
}

TEST_F(ServedJobTest, CountsTheUpdatesSinceThePull) {
  push(0, 0);
  push(1, 0);
  EXPECT_EQ(push(2, 0).values["staleness"].as_int(), 2);
}

TEST_F(ServedJobTest, AppliesTheSumOfTheParts) {
  stage(0, 1, 2);
  stage(0, 0, 1);
  stage(0, 0, 100);  // again, by another worker
  EXPECT_THAT(value(0), ElementsAre(1, 2));
  commit(0, {0, 1});
  commit(0, {0, 1});  // again: the answer was lost
  EXPECT_THAT(value(0), ElementsAre(1 - 3, 2));
}

TEST_F(ServedJobTest, ScalesTheSumOfSomeParts) {
  stage(0, 0, 1);
  commit(0, {0});
  EXPECT_THAT(value(0), ElementsAre(1 - 2, 2));
}

TEST_F(ServedJobTest, DropsPartsThatComeTooLate) {
  stage(0, 0, 1);
  commit(0, {0});
  EXPECT_TRUE(stage(0, 1, 1).values["stale"].as_bool());
  EXPECT_FALSE(stage(1, 1, 1).values["stale"].as_bool());
  EXPECT_THAT(test::message_of<RuntimeError>([&] { commit(1, {0, 1}); }), HasSubstr("Part 0 of step 1 is missing"));
}

TEST_F(ServedJobTest, RefusesCallsOfAnotherJob) {
  begin("b");
  EXPECT_THAT(test::message_of<RuntimeError>([&] { push(0, 0, "a"); }), AllOf(HasSubstr("'a'"), HasSubstr("'b'")));
  EXPECT_TRUE(push(0, 0, "b").values["applied"].as_bool());
}

TEST_F(ServedJobTest, NamesBothShapes) {
  EXPECT_THAT(test::message_of<ValueError>([&] {
                call("push", {{"job", "a"}, {"step", 0}, {"all_done_below", 0}, {"version", 0}},
                     {{.name = "0", .value = Tensor::zeros({3})}});
              }),
              AllOf(HasSubstr("'w'"), HasSubstr("(3,)"), HasSubstr("(2,)")));
  // It counts as not applied.
  EXPECT_TRUE(push(0, 0).values["applied"].as_bool());
}

TEST_F(ServedJobTest, EndsWithTheChiefsError) {
  EXPECT_FALSE(job_.watch().is_over(1));
  call("end", {{"job", "a"}, {"error", "no memory"}});
  EXPECT_THAT(test::message_of<RuntimeError>([&] { static_cast<void>(job_.watch().is_over(1)); }),
              HasSubstr("no memory"));
  EXPECT_THROW(push(0, 0), RuntimeError);
}

}  // namespace
}  // namespace rhyton::distribute

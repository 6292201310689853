#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/metrics/metric.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/tests/options/all_tables.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Case {
  std::string class_name;
  /// A configuration with all arguments that are required.
  io::Json config;
  /// A number, integer or bool among the arguments.
  std::string argument;
  std::function<void(const io::Json& object)> read;
};

std::vector<Case> one_of_each_kind() {
  const io::Json none = io::Json::object();
  return {
      {"Dense", io::Json::object({{"units", 2}}), "units", [](const io::Json& object) { layers::deserialize(object); }},
      {"RandomNormal", none, "stddev", [](const io::Json& object) { layers::Initializer::from_config(object); }},
      {"L2", none, "l2", [](const io::Json& object) { layers::Regularizer::from_config(object); }},
      {"Huber", none, "delta", [](const io::Json& object) { losses::deserialize(object); }},
      {"BinaryAccuracy", none, "threshold", [](const io::Json& object) { metrics::deserialize(object); }},
      {"SGD", none, "momentum", [](const io::Json& object) { optimizers::deserialize(object); }},
      {"ExponentialDecay", io::Json::object({{"initial_learning_rate", 0.1}, {"decay_steps", 10}, {"decay_rate", 0.5}}),
       "decay_rate", [](const io::Json& object) { optimizers::schedules::deserialize(object); }},
      {"MaxNorm", none, "max_value", [](const io::Json& object) { layers::Constraint::from_config(object); }}};
}

io::Json object_of(const Case& of, const std::string& key, const io::Json& value) {
  io::Json config = of.config;
  if (!key.empty()) config[key] = value;
  return io::Json::object({{"class_name", of.class_name}, {"config", config}});
}

template <class E>
std::string error_of(const Case& of, const std::string& key, const io::Json& value) {
  return test::message_of<E>([&] { of.read(object_of(of, key, value)); });
}

TEST(ReadingOptions, TakesWhatTheListingHas) {
  for (const Case& of : one_of_each_kind()) {
    EXPECT_NO_THROW(of.read(object_of(of, "", nullptr))) << of.class_name;
    EXPECT_NO_THROW(of.read(object_of(of, of.argument, 0.0 + 1))) << of.class_name;
  }
}

TEST(ReadingOptions, RefusesUnknownArguments) {
  for (const Case& of : one_of_each_kind()) {
    EXPECT_THAT(error_of<ValueError>(of, "nonsense", 1), HasSubstr("{'nonsense': 1}")) << of.class_name;
  }
}

TEST(ReadingOptions, NamesClassAndArgumentOfAWrongType) {
  for (const Case& of : one_of_each_kind()) {
    EXPECT_THAT(error_of<TypeError>(of, of.argument, "wide"),
                AllOf(HasSubstr("The argument `" + of.argument + "` of "), HasSubstr(of.class_name + " must be a"),
                      HasSubstr("Received: " + of.argument + "=\"wide\"")))
        << of.class_name;
  }
}

TEST(ReadingOptions, RequiresArgumentsWithoutADefault) {
  EXPECT_THAT(error_of<ValueError>({"Dense", io::Json::object(), "", one_of_each_kind()[0].read}, "", nullptr),
              HasSubstr("lacks its argument `units`"));
  EXPECT_THAT(
      error_of<ValueError>({"ExponentialDecay", io::Json::object(), "", one_of_each_kind()[6].read}, "", nullptr),
      HasSubstr("lacks its argument `initial_learning_rate`"));
}

TEST(ReadingOptions, ReadsADtypePolicyEverywhere) {
  const io::Json policy =
      io::Json::object({{"class_name", "DTypePolicy"}, {"config", io::Json::object({{"name", "float64"}})}});
  for (const Case& of : one_of_each_kind()) {
    if (of.class_name != "Dense" && of.class_name != "Huber" && of.class_name != "BinaryAccuracy") continue;
    EXPECT_NO_THROW(of.read(object_of(of, "dtype", policy))) << of.class_name;
  }
}

TEST(ReadingOptions, NullEmptiesAnOptionalArgument) {
  // AdamW has a weight decay by default, and none is an error.
  const io::Json none = io::Json::object({{"weight_decay", nullptr}});
  EXPECT_THROW(optimizers::deserialize(io::Json::object({{"class_name", "AdamW"}, {"config", none}})), ValueError);
}

}  // namespace
}  // namespace rhyton

#include <rhyton/layers/constraints.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/keras_object.h>
#include <rhyton/layers/layer.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::layers {
namespace {

using io::Json;

Json serialized_constraint(const Json& golden) {
  return keras_object("keras.constraints", golden["class_name"].as_string(), golden["config"]);
}

TEST(Constraints, ProjectLikeKeras) {
  const test::GoldenArea area("constraints");
  int count = 0;
  for (const Json& golden : area.cases()) {
    if (golden["kind"].as_string() != "value") continue;
    SCOPED_TRACE(golden["name"].as_string());
    ++count;
    const DType dtype = dtype_from_name(golden["dtype"].as_string());
    const Constraint constraint = Constraint::from_config(serialized_constraint(golden));
    const Tensor projected = constraint(cast(area.array(golden, "weights"), dtype));
    EXPECT_EQ(projected.dtype(), dtype);
    // A few units of the half types, in which each intermediate result is rounded.
    const double unit = dtype == DType::float16 ? 0x1p-10 : dtype == DType::bfloat16 ? 0x1p-7 : 0x1p-22;
    test::expect_close(cast(projected, DType::float32), area.array(golden, "projected"), 3 * unit, unit / 64);
  }
  EXPECT_GT(count, 40);
}

TEST(Constraints, ConfigurationsAreThoseOfKeras) {
  const test::GoldenArea area("constraints");
  for (const Json& golden : area.cases()) {
    if (golden["kind"].as_string() != "value") continue;
    SCOPED_TRACE(golden["name"].as_string());
    const Json expected = serialized_constraint(golden);
    EXPECT_EQ(Constraint::from_config(expected).to_config(), expected);
  }
  EXPECT_TRUE(Constraint().to_config().is_null());
  EXPECT_TRUE(Constraint::from_config(nullptr).is_empty());
}

TEST(Constraints, AreGivenByNameOrAsObjects) {
  for (const auto& [constraint, name] :
       std::vector<std::pair<Constraint, std::string>>{{constraints::MaxNorm(), "max_norm"},
                                                       {constraints::MinMaxNorm(), "min_max_norm"},
                                                       {constraints::NonNeg(), "non_neg"},
                                                       {constraints::UnitNorm(), "unit_norm"}}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(Constraint(name).to_config(), constraint.to_config());
    EXPECT_EQ(Constraint(constraint.impl()->class_name()).to_config(), constraint.to_config());
  }
  EXPECT_EQ(constraints::MaxNorm(3).to_config()["config"].dump(), R"({"max_value": 3, "axis": 0})");
  EXPECT_EQ(constraints::MaxNorm({.max_value = 0.5, .axis = {0, 1, 2}}).to_config()["config"].dump(),
            R"({"max_value": 0.5, "axis": [0, 1, 2]})");
  EXPECT_EQ(constraints::UnitNorm({.axis = std::nullopt}).to_config()["config"].dump(), R"({"axis": null})");
  EXPECT_EQ(constraints::MinMaxNorm({.rate = 0.5, .axis = -1}).to_config()["config"].dump(),
            R"({"min_value": 0.0, "max_value": 1.0, "rate": 0.5, "axis": -1})");
}

TEST(Constraints, KerasOlderFormsAreRead) {
  EXPECT_EQ(Constraint::from_config("non_neg").impl()->class_name(), "NonNeg");
  const Constraint keras2 =
      Constraint::from_config(Json::parse(R"({"class_name": "MaxNorm", "config": {"max_value": 2, "axis": 1}})"));
  EXPECT_EQ(keras2.to_config(), constraints::MaxNorm({.axis = 1}).to_config());
}

TEST(Constraints, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(test::message_of<ValueError>([] { Constraint("nonsense"); }),
            "Could not interpret constraint identifier: nonsense");
  EXPECT_EQ(test::message_of<ValueError>(
                [] { Constraint::from_config(Json::parse(R"({"class_name": "Mine", "config": {}})")); }),
            "Could not interpret constraint identifier: Mine");
  EXPECT_THROW(Constraint::from_config(Json::parse(R"({"class_name": "MaxNorm", "config": {"max_value": "much"}})")),
               TypeError);
  EXPECT_THROW(Constraint::from_config(Json::parse(R"({"class_name": "NonNeg", "config": {"axis": 0}})")), ValueError);
  EXPECT_THROW(Constraint()(Tensor::zeros({2})), ValueError);
  EXPECT_THROW(constraints::UnitNorm({.axis = 2})(Tensor::zeros({2, 2})), ValueError);
}

/// Weights of at most 1, like any user's.
class AtMostOne final : public ConstraintImpl {
 public:
  Tensor call(const Tensor& weight) const override { return minimum(weight, 1.0); }
  std::string class_name() const override { return "AtMostOne"; }
};

TEST(Constraints, CustomOnesAreRegistered) {
  const Constraint own(std::make_shared<AtMostOne>());
  EXPECT_EQ(own.to_config()["registered_name"], Json("AtMostOne"));
  EXPECT_THROW(Constraint::from_config(own.to_config()), ValueError);
  constraints::register_constraint("AtMostOne", [](const Json&) { return Constraint(std::make_shared<AtMostOne>()); });
  EXPECT_EQ(own.to_config()["registered_name"], Json("Custom>AtMostOne"));
  const Constraint read = Constraint::from_config(own.to_config());
  EXPECT_EQ(read(Tensor::full({2}, 3.0)).to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ(Constraint("AtMostOne").to_config(), own.to_config());
}

/// A custom layer with one weight.
class BoundedImpl final : public LayerImpl {
 public:
  BoundedImpl() : LayerImpl({}) {}
  std::string class_name() const override { return "Bounded"; }
  void build(const std::vector<Shape>& inputs) override {
    weight_ = add_weight({.shape = {inputs[0].at(-1)}, .initializer = "ones", .constraint = "unit_norm", .name = "w"});
    free_ = add_weight({.shape = {1}, .name = "free"});
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inputs[0] * weight_ + free_}; }

 private:
  Variable weight_;
  Variable free_;
};

TEST(Constraints, OfAddWeightAreOnTheVariable) {
  const Layer layer = make_layer<BoundedImpl>();
  layer.build({-1, 4});
  const std::vector<Variable> weights = layer.weights();
  ASSERT_TRUE(weights[0].constraint());
  test::expect_close(weights[0].constraint()(weights[0]), Tensor::full({4}, 0.5));
  EXPECT_FALSE(weights[1].constraint());
  // Initial values are not projected, as in Keras.
  EXPECT_EQ(weights[0].value().to_vector(), (std::vector<double>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace rhyton::layers

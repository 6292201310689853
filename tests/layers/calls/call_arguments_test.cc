// Calls with arguments besides the inputs, as custom layers take them: on values, in models and in files.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/item.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

/// x * scale + the sum of `others` - shift, of `steps`.
class Combine final : public LayerImpl {
 public:
  explicit Combine(const std::string& name = {}) : LayerImpl({.name = name}) {}
  std::string class_name() const override { return "Combine"; }
  std::vector<std::string> call_parameters() const override {
    return {"x", "shift", "scale", "others", "mode", "steps"};
  }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override {
    Tensor result = multiply(arguments.tensor("x"), arguments.number("scale", 1.0));
    for (const Tensor& other : arguments.tensors("others")) result = add(result, other);
    if (const Tensor shift = arguments.tensor("shift"); !shift.is_empty()) result = subtract(result, shift);
    if (arguments["mode"].is_string() && arguments["mode"].string() == "negative") result = negative(result);
    if (arguments["steps"].is_slice()) result = get_item(result, {Slice(), arguments["steps"].slice()});
    if (training) result = add(result, 1000);
    return {result};
  }
};

class CallArgumentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    clear_session();
    register_keras_serializable("test", "Combine",
                                [](const io::Json& config) { return make_layer<Combine>(config["name"].as_string()); });
  }

  const Tensor x = Tensor::from_data<float>({1, 3}, {1, 2, 3});
  const Tensor y = Tensor::from_data<float>({1, 3}, {10, 20, 30});
};

TEST_F(CallArgumentsTest, ComeByPositionAndKeyword) {
  const Layer combine = make_layer<Combine>();
  EXPECT_EQ(combine(x).to_vector(), (Values{1, 2, 3}));
  EXPECT_EQ(combine(x, {.args = {y}}).to_vector(), (Values{-9, -18, -27}));
  EXPECT_EQ(combine(x, {.kwargs = {{"shift", y}}}).to_vector(), (Values{-9, -18, -27}));
  EXPECT_EQ(combine(x, {.kwargs = {{"scale", 2}, {"mode", "negative"}}}).to_vector(), (Values{-2, -4, -6}));
  EXPECT_EQ(combine(x, {.kwargs = {{"others", {x, y}}}}).to_vector(), (Values{12, 24, 36}));
  const std::map<std::string, Tensor> others = {{"a", x}, {"b", y}};
  EXPECT_EQ(combine(x, {.kwargs = {{"others", others}}}).to_vector(), (Values{12, 24, 36}));
  EXPECT_EQ(combine(x, {.kwargs = {{"steps", Slice({}, {}, -2)}}}).to_vector(), (Values{3, 1}));
  EXPECT_EQ(combine(x, {.training = true}).to_vector(), (Values{1001, 1002, 1003}));
  EXPECT_EQ(combine(x, {.kwargs = {{"mode", {}}}}).to_vector(), (Values{1, 2, 3}));
}

TEST_F(CallArgumentsTest, ByKeywordAreNoneIfTheyAreEmptyTensors) {
  const Layer combine = make_layer<Combine>();
  // What `BoundArguments::tensor` gives for None can be passed on.
  EXPECT_EQ(combine(x, {.kwargs = {{"shift", Tensor()}}}).to_vector(), (Values{1, 2, 3}));
  const Input a({.shape = {3}});
  const SymbolicTensor y = combine(a, {.kwargs = {{"shift", SymbolicTensor()}}});
  EXPECT_EQ(models::Model({.inputs = a, .outputs = y})(x).to_vector(), (Values{1, 2, 3}));
  const Tensor steps = Tensor::from_data<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6});
  const GlobalAveragePooling1D mean;
  EXPECT_EQ(mean(steps, {.mask = Tensor()}).to_vector(), (Values{3, 4}));
  // Neither the inputs nor a list of them can be.
  EXPECT_THROW(combine(Tensor()), ValueError);
  EXPECT_THROW(combine(x, {.args = {Tensor()}}), ValueError);
  EXPECT_THROW(combine(x, {.kwargs = {{"others", {x, Tensor()}}}}), ValueError);
}

TEST_F(CallArgumentsTest, BelongToAModelAndItsFile) {
  const SymbolicTensor a = Input({.shape = {3}, .name = "a"});
  const SymbolicTensor b = Input({.shape = {3}, .name = "b"});
  const Layer combine = make_layer<Combine>("combine");
  const SymbolicTensor first = combine(a, {.args = {b}, .kwargs = {{"scale", 0.5}}});
  const std::map<std::string, SymbolicTensor> others = {{"p", b}, {"o", a}};
  const SymbolicTensor second = combine(first, {.kwargs = {{"others", others}, {"mode", "negative"}}});
  const SymbolicTensor third = combine(second, {.kwargs = {{"shift", y}, {"steps", Slice(1, {})}}});
  EXPECT_EQ(third.shape(), (Shape{-1, 2}));
  const models::Model model({.inputs = {a, b}, .outputs = third});
  // -(x / 2 - y + x + y) - y, without the first step.
  const Values expected = {-3 - 20, -4.5 - 30};
  const auto predicted = [&](const models::Model& any) { return any.predict({x, y}, {.verbose = 0}).to_vector(); };
  EXPECT_EQ(predicted(model), expected);
  const models::Model again = models::model_from_json(model.to_json());
  EXPECT_EQ(predicted(again), expected);
  EXPECT_EQ(again.to_json(), model.to_json());
}

TEST_F(CallArgumentsTest, ThatDoNotFitAreRefusedInPythonsWords) {
  const Layer dense = Dense(2, {.name = "dense"});
  const auto type_error = [&](const CallOptions& options) {
    return test::message_of<TypeError>([&] { dense(x, options); });
  };
  EXPECT_THAT(type_error({.kwargs = {{"foo", 1}}}), HasSubstr("got an unexpected keyword argument 'foo'"));
  EXPECT_THAT(type_error({.mask = x}), HasSubstr("got an unexpected keyword argument 'mask'"));
  EXPECT_THAT(type_error({.args = {y}}), HasSubstr("too many positional arguments"));
  EXPECT_THAT(type_error({.kwargs = {{"inputs", y}}}), HasSubstr("multiple values for argument 'inputs'"));
  EXPECT_THAT(type_error({.kwargs = {{"foo", 1}}}), HasSubstr("layer \"dense\""));
  const Layer combine = make_layer<Combine>();
  EXPECT_THAT(test::message_of<ValueError>([&] { combine(x, {.args = {2.0}}); }),
              HasSubstr("Only input tensors may be passed as positional arguments. The following argument value should "
                        "be passed as a keyword argument: 2 (of type <class 'float'>)"));
  EXPECT_THAT(test::message_of<ValueError>([&] {
                combine(x, {.kwargs = {{"others", {x, 2}}}});
              }),
              HasSubstr("In a nested call() argument, you cannot mix tensors and non-tensors. Received invalid mixed "
                        "argument: others=[Tensor(shape=(1, 3), dtype=float32), 2]"));
  EXPECT_THAT(test::message_of<TypeError>([&] {
                combine(x, {.kwargs = {{"scale", "big"}}});
              }),
              HasSubstr("Expected a number. Received: 'big'"));
  const SymbolicTensor symbol = Input({.shape = {3}});
  EXPECT_THROW(combine(x, {.args = {symbol}}), TypeError);
  EXPECT_THROW(combine(symbol, {.kwargs = {{"foo", 1}}}), TypeError);
  EXPECT_THROW(combine(symbol, {.args = {SymbolicTensor()}}), ValueError);
  EXPECT_THROW(combine(x, {.args = {Tensor()}}), ValueError);
}

TEST_F(CallArgumentsTest, AreCastToTheDtypeOfTheLayer) {
  const Layer combine = make_layer<Combine>();
  const Tensor wide = Tensor::from_data<double>({1, 3}, {1, 2, 3});
  EXPECT_EQ(combine(wide, {.args = {wide}}).dtype(), float32);
  EXPECT_EQ(combine(Input({.shape = {3}, .dtype = "float64"}), {.args = {wide}}).dtype(), float32);
}

/// A layer that implements nothing.
class Empty final : public LayerImpl {
 public:
  Empty() : LayerImpl(LayerOptions{}) {}
  std::string class_name() const override { return "Empty"; }
};

TEST_F(CallArgumentsTest, NeedACall) {
  EXPECT_THAT(test::message_of<NotImplementedError>([&] { make_layer<Empty>()(x); }),
              HasSubstr("does not have a `call()` method implemented"));
}

}  // namespace
}  // namespace rhyton::layers

// Operators on symbolic tensors give the dtypes of keras.ops, also after saving and loading.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>

namespace rhyton::models {
namespace {

using layers::Input;
using layers::SymbolicTensor;
using Values = std::vector<double>;

struct Case {
  const char* name;
  DType input;
  SymbolicTensor (*call)(const SymbolicTensor& x);
  DType output;
  Values values;  // of {3, 100}
};

// Keras's results.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"x + 1", int32, [](const SymbolicTensor& x) { return x + 1; }, int32, {4, 101}},
      {"3 - x", int32, [](const SymbolicTensor& x) { return 3 - x; }, int32, {0, -97}},
      {"x - 3", int64, [](const SymbolicTensor& x) { return x - 3; }, int64, {0, 97}},
      {"x * 3", uint8, [](const SymbolicTensor& x) { return x * 3; }, uint8, {9, 44}},
      {"-x", int32, [](const SymbolicTensor& x) { return -x; }, int32, {-3, -100}},
      {"x * 0.5", int32, [](const SymbolicTensor& x) { return x * 0.5; }, float32, {1.5, 50}},
      {"x / 2", int64, [](const SymbolicTensor& x) { return x / 2; }, float32, {1.5, 50}},
      {"600 / x", int64, [](const SymbolicTensor& x) { return 600 / x; }, float32, {200, 6}},
      {"x / 4.0", uint8, [](const SymbolicTensor& x) { return x / 4.0; }, float32, {0.75, 25}},
      {"x + 2.5", float16, [](const SymbolicTensor& x) { return x + 2.5; }, float16, {5.5, 102.5}},
      {"x + x", uint8, [](const SymbolicTensor& x) { return x + x; }, uint8, {6, 200}},
      {"x * x", int32, [](const SymbolicTensor& x) { return x * x; }, int32, {9, 10000}},
      {"x % 7", int32, [](const SymbolicTensor& x) { return x % 7; }, int32, {3, 2}},
      {"x > 3", int32, [](const SymbolicTensor& x) { return x > 3; }, bool_, {0, 1}},
      {"3 >= x", float32, [](const SymbolicTensor& x) { return 3 >= x; }, bool_, {1, 0}},
      {"(x > 3) | (x < 4)", int32, [](const SymbolicTensor& x) { return (x > 3) | (x < 4); }, bool_, {1, 1}},
      {"~(x > 3)", int32, [](const SymbolicTensor& x) { return ~(x > 3); }, bool_, {1, 0}},
      {"x[:, ::-1]",
       int32,
       [](const SymbolicTensor& x) {
         return x[{Slice(), Slice({}, {}, -1)}];
       },
       int32,
       {100, 3}},
  };
  return all;
}

Model model_of(const Case& wanted) {
  const SymbolicTensor x = Input({.shape = {2}, .dtype = std::string(name_of(wanted.input))});
  return Model({.inputs = x, .outputs = wanted.call(x)});
}

void expect_result(const Model& model, const Case& wanted) {
  const Tensor result = model(Tensor::from_data<float>({1, 2}, {3, 100}).cast(wanted.input));
  EXPECT_EQ(result.dtype(), wanted.output);
  EXPECT_EQ(result.to_vector(), wanted.values);
}

TEST(SymbolicArithmetic, GivesTheDtypesOfKeras) {
  for (const Case& wanted : cases()) {
    SCOPED_TRACE(wanted.name);
    const Model model = model_of(wanted);
    EXPECT_EQ(model.outputs()[0].dtype(), wanted.output);
    expect_result(model, wanted);
    expect_result(model_from_json(model.to_json()), wanted);
  }
}

TEST(SymbolicArithmetic, BringsTwoDtypesToOne) {
  const SymbolicTensor whole = Input({.shape = {1}, .dtype = "int32"});
  const SymbolicTensor wide = Input({.shape = {1}, .dtype = "int64"});
  const SymbolicTensor real = Input({.shape = {1}});
  EXPECT_EQ((whole + wide).dtype(), int64);
  EXPECT_EQ((whole * real).dtype(), float32);
  const SymbolicTensor twofold = Input({.shape = {1}, .dtype = "float64"});
  EXPECT_EQ((real - twofold).dtype(), float64);
}

TEST(SymbolicArithmetic, KeepsIntegersOfAnySizeExact) {
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  const SymbolicTensor x = Input({.shape = {1}, .dtype = "int64"});
  const Model model({.inputs = x, .outputs = x + large});
  const Tensor one = Tensor::from_data<std::int64_t>({1, 1}, {1});
  EXPECT_EQ(model(one).elements<std::int64_t>()[0], large + 1);
  EXPECT_EQ(model_from_json(model.to_json())(one).elements<std::int64_t>()[0], large + 1);
}

TEST(SymbolicArithmetic, TakesTensorsAsConstants) {
  const SymbolicTensor x = Input({.shape = {2}});
  const Tensor constant = Tensor::from_data<float>({2}, {10, 20});
  const Model model({.inputs = x, .outputs = constant - x * constant});
  const Tensor input = Tensor::from_data<float>({1, 2}, {1, 2});
  EXPECT_EQ(model(input).to_vector(), (Values{0, -20}));
  EXPECT_EQ(model_from_json(model.to_json())(input).to_vector(), (Values{0, -20}));
}

}  // namespace
}  // namespace rhyton::models

// Numbers as operands of operations that convert them to tensors first: the dtypes of Keras 3.15 on TensorFlow.

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/number_operands.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/models/model.h>

namespace rhyton::layers::number_operands {
namespace {

/// The results of op(x, number) and op(number, x) for [7, 3, 1] of that dtype.
std::vector<Tensor> results(const std::string& class_name, DType dtype, const Scalar& number) {
  const Input x({.shape = {3}, .dtype = std::string(name_of(dtype))});
  const models::Model model(
      {.inputs = {x},
       .outputs = {operation_output(class_name, {x, number}), operation_output(class_name, {number, x})}});
  return model.call_many({cast(Tensor::from_data<float>({1, 3}, {7, 3, 1}), dtype)});
}

void expect_dtype(const std::string& class_name, DType dtype, const Scalar& number, DType expected) {
  for (const Tensor& result : results(class_name, dtype, number)) {
    EXPECT_EQ(result.dtype(), expected) << class_name << " of " << name_of(dtype) << ", " << number.as_double();
  }
}

TEST(NumberOperands, BesideHalfTypesAreFloat32) {
  for (const char* const class_name : {"Mod", "Fmod", "Arctan2", "Hypot", "Heaviside", "Logaddexp", "Logaddexp2"}) {
    for (const DType dtype : {DType::float16, DType::bfloat16}) {
      expect_dtype(class_name, dtype, 2.5, DType::float32);
      expect_dtype(class_name, dtype, 2, dtype);
    }
    expect_dtype(class_name, DType::float32, 2.5, DType::float32);
    expect_dtype(class_name, DType::float64, 2.5, DType::float64);
  }
  const std::vector<Tensor> angles = results("Arctan2", DType::float16, 2.5);
  EXPECT_NEAR(angles[0].to_vector()[0], 1.2277723550796509, 1e-6);
  EXPECT_NEAR(angles[1].to_vector()[0], 0.34302395582199097, 1e-6);
  EXPECT_EQ(results("Mod", DType::float16, 2.5)[0].to_vector(), (std::vector<double>{2.0, 0.5, 1.0}));
}

TEST(NumberOperands, BesideShortIntegersAreInt32) {
  for (const char* const class_name : {"Mod", "Fmod"}) {
    expect_dtype(class_name, DType::uint8, 2, DType::int32);
    expect_dtype(class_name, DType::uint8, 2.5, DType::float32);
    expect_dtype(class_name, DType::int32, 2, DType::int32);
  }
  for (const char* const class_name : {"Arctan2", "Logaddexp", "Logaddexp2"}) {
    expect_dtype(class_name, DType::uint8, 2, DType::float32);
  }
  EXPECT_EQ(results("Mod", DType::uint8, 2)[1].to_vector(), (std::vector<double>{2, 2, 0}));
}

// --- The functions of tensors

/// The function of that name of a tensor and a number, in either order.
template <class A, class B>
Tensor call(const std::string& name, const A& x1, const B& x2) {
  if (name == "arctan2") return arctan2(x1, x2);
  if (name == "hypot") return hypot(x1, x2);
  if (name == "heaviside") return heaviside(x1, x2);
  if (name == "logaddexp") return logaddexp(x1, x2);
  if (name == "logaddexp2") return logaddexp2(x1, x2);
  if (name == "fmax") return fmax(x1, x2);
  if (name == "fmin") return fmin(x1, x2);
  if (name == "divide_no_nan") return divide_no_nan(x1, x2);
  if (name == "gcd") return gcd(x1, x2);
  if (name == "lcm") return lcm(x1, x2);
  if (name == "isclose") return isclose(x1, x2);
  if (name == "floor_divide") return floor_divide(x1, x2);
  if (name == "mod") return mod(x1, x2);
  if (name == "fmod") return ops::fmod(x1, x2);
  if (name == "bitwise_and") return bitwise_and(x1, x2);
  if (name == "bitwise_or") return bitwise_or(x1, x2);
  if (name == "bitwise_xor") return bitwise_xor(x1, x2);
  if (name == "left_shift") return left_shift(x1, x2);
  if (name == "right_shift") return right_shift(x1, x2);
  throw NotFoundError(name);
}

Tensor call_in_order(const std::string& name, const Tensor& x, const Scalar& number, bool is_first) {
  return is_first ? call(name, number, x) : call(name, x, number);
}

double float_value(const io::Json& value) {
  return value.is_string() ? std::stod(value.as_string()) : value.as_double();
}

double tolerance_of(DType dtype) { return is_half(dtype) ? 1e-2 : 1e-6; }

TEST(NumberOperands, OfFunctionsOfTensorsAreThoseOfKeras) {
  std::ifstream file(std::string(RHYTON_GOLDEN_DIR) + "/number_operands.json");
  std::stringstream text;
  text << file.rdbuf();
  const std::map<std::string, Scalar> numbers = {{"3", 3}, {"0", 0}, {"2.5", 2.5}, {"True", true}};
  int compared = 0;
  const io::Json golden = io::Json::parse(text.str());
  for (const auto& [name, cases] : golden.items()) {
    for (const auto& [key, expected] : cases.items()) {
      if (expected.contains("error")) continue;
      SCOPED_TRACE(name + " of " + key);
      std::string dtype;
      std::string number;
      std::string place;
      std::istringstream(key) >> dtype >> number >> place;
      const Tensor x = cast(Tensor::from_data<float>({3}, {1, 0, 7}), dtype);
      const Tensor result = call_in_order(name, x, numbers.at(number), place == "first");
      ASSERT_EQ(name_of(result.dtype()), expected["dtype"].as_string());
      const std::vector<double> values = result.to_vector();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double wanted = float_value(expected["values"][i]);
        if (!std::isfinite(wanted)) {
          EXPECT_TRUE(std::isnan(wanted) ? std::isnan(values[i]) : values[i] == wanted) << "element " << i;
          continue;
        }
        EXPECT_NEAR(values[i], wanted, tolerance_of(result.dtype()) * std::abs(wanted)) << "element " << i;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 1300);
}

TEST(NumberOperands, OutOfRangeAreRefused) {
  const Tensor x = cast(Tensor::from_data<float>({3}, {1, 0, 7}), "uint8");
  EXPECT_THROW(fmax(x, 300), ValueError);
  EXPECT_THROW(isclose(-1, x), ValueError);
}

TEST(NumberOperands, OfLogicalFunctionsAreTruthValues) {
  const Tensor x = Tensor::from_data<float>({3}, {1, 0, 7});
  EXPECT_EQ(logical_and(x, 2).to_vector(), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(logical_or(0, x).to_vector(), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(logical_xor(x, true).to_vector(), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(ops::ldexp(x, 2).to_vector(), (std::vector<double>{4, 0, 28}));
  EXPECT_GT(ops::nextafter(x, 8)[0].item(), 1);
}

TEST(NumberOperands, OfTakeAreOnePosition) {
  const Tensor x = Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(take(x, 1, 0).to_vector(), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(take(x, -1, 1).to_vector(), (std::vector<double>{3, 6}));
  EXPECT_EQ(take(x, 4).item(), 5);
  const Input input({.shape = {3}});
  EXPECT_EQ(models::Model(input, take(input, -1, 1))(x).to_vector(), (std::vector<double>{3, 6}));
}

TEST(EmptyListsOfAxes, ChangeNoAxis) {
  const Input x({.shape = {1, 3}});
  std::vector<SymbolicTensor> outputs;
  for (const char* const class_name : {"Flip", "Squeeze", "ExpandDims"}) {
    outputs.push_back(operation_output(class_name, {x}, {Argument::List{}}));
  }
  const models::Model model({.inputs = {x}, .outputs = outputs});
  const Tensor given = Tensor::from_data<float>({1, 1, 3}, {7, 0, -1});
  for (const Tensor& output : model.call_many({given})) {
    EXPECT_EQ(output.shape(), given.shape());
    EXPECT_EQ(output.to_vector(), given.to_vector());
  }
}

TEST(EmptyListsOfAxes, ReduceNoAxis) {
  const Input x({.shape = {3}});
  const Argument none = Argument::List{};
  const models::Model model(
      {.inputs = {x},
       .outputs = {operation_output("CountNonzero", {x}, {none}), operation_output("Logsumexp", {x}, {none}),
                   operation_output("Logsumexp", {x}, {none, true})}});
  const std::vector<Tensor> outputs = model.call_many({Tensor::from_data<float>({1, 3}, {7, 0, -1})});
  EXPECT_EQ(outputs[0].to_vector(), (std::vector<double>{1, 0, 1}));
  for (const Tensor& output : {outputs[1], outputs[2]}) {
    EXPECT_EQ(output.shape(), Shape({1, 3}));
    EXPECT_EQ(output.to_vector(), (std::vector<double>{7, 0, -1}));
  }
}

}  // namespace
}  // namespace rhyton::layers::number_operands

// Result dtypes and values of operations on dtypes and C++ numbers: those of real Keras for every pair of dtypes and
// each kind of number (tests/golden/make_arithmetic.py).

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
namespace {

using io::Json;

const Json& golden() {
  static const Json table = [] {
    std::ifstream file(std::string(RHYTON_GOLDEN_DIR) + "/arithmetic.json");
    std::stringstream text;
    text << file.rdbuf();
    return Json::parse(text.str());
  }();
  return table;
}

Tensor operand(const char* which, const std::string& dtype) {
  const Json& values = golden()[0][which][dtype];
  if (values[0].is_int()) {
    std::vector<std::int64_t> integers;
    for (const Json& value : values) integers.push_back(value.as_int());
    return cast(Tensor::from_data({4}, integers), dtype_from_name(dtype));
  }
  std::vector<double> numbers;
  for (const Json& value : values) numbers.push_back(value.as_double());
  return cast(Tensor::from_data({4}, numbers), dtype_from_name(dtype));
}

Scalar number_of(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  if (text.find('.') != std::string::npos) return std::stod(text);
  return std::int64_t{std::stoll(text)};
}

std::vector<std::string> words_of(const std::string& key) {
  std::istringstream stream(key);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double float_value(const Json& json) {
  if (!json.is_string()) return json.as_double();
  if (json.as_string() == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return json.as_string() == "inf" ? infinity : -infinity;
}

/// The allowed difference between libraries in functions that are not correctly rounded.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-13;
    case DType::float16:
      return 1e-3;
    case DType::bfloat16:
      return 8e-3;
    default:
      return 5e-7;
  }
}

void expect_as_keras(const Json& expected, const Tensor& result, bool is_rounded_correctly) {
  ASSERT_EQ(name_of(result.dtype()), expected["dtype"].as_string());
  const Json& values = expected["values"];
  ASSERT_EQ(result.size(), static_cast<std::int64_t>(values.size()));
  if (!is_floating(result.dtype())) {
    const Tensor integers = cast(result, DType::int64);
    for (std::int64_t i = 0; i < result.size(); ++i) {
      EXPECT_EQ(integers.elements<std::int64_t>()[static_cast<std::size_t>(i)], values[i].as_int()) << "element " << i;
    }
    return;
  }
  const std::vector<double> actual = result.to_vector();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double value = float_value(values[i]);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i;
    } else if (is_rounded_correctly || std::isinf(value)) {
      EXPECT_EQ(actual[i], value) << "element " << i;
    } else {
      EXPECT_NEAR(actual[i], value, std::abs(value) * tolerance_of(result.dtype())) << "element " << i;
    }
  }
}

/// Runs `call` for each case of that kind and compares; if Keras on TensorFlow rejects a case, `refuses` says whether
/// Rhyton must reject it too.
void compare(std::string_view kind,
             const std::function<Tensor(const std::string& op, const std::vector<std::string>& words)>& call,
             const std::function<bool(const std::string& op, const std::vector<std::string>& words)>& refuses) {
  std::size_t compared = 0;
  for (std::int64_t i = 1; i < static_cast<std::int64_t>(golden().size()); ++i) {
    const Json& entry = golden()[i];
    if (entry["kind"].as_string() != kind) continue;
    const std::string op = entry["op"].as_string();
    const bool is_exact = op != "power" && op != "mean" && op != "var" && op != "logsumexp" && kind != "one";
    for (const auto& [key, expected] : entry["results"].items()) {
      SCOPED_TRACE(op + "(" + key + ")");
      const std::vector<std::string> words = words_of(key);
      if (refuses(op, words)) {
        EXPECT_THROW(static_cast<void>(call(op, words)), Error);
      } else if (!expected.contains("error")) {
        expect_as_keras(expected, call(op, words), is_exact);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0U);
}

bool refuses_nothing(const std::string&, const std::vector<std::string>&) { return false; }

const Tensor& choice() {
  static const Tensor mask = Tensor::from_data<bool>({4}, {true, false, false, true});
  return mask;
}

/// The functions of two operands, of which one may be a number.
template <class A, class B>
Tensor binary(const std::string& op, const A& a, const B& b) {
  if (op == "add") return a + b;
  if (op == "subtract") return a - b;
  if (op == "multiply") return a * b;
  if (op == "divide") return a / b;
  if (op == "power") return power(a, b);
  if (op == "maximum") return maximum(a, b);
  if (op == "minimum") return minimum(a, b);
  if (op == "equal") return a == b;
  if (op == "not_equal") return a != b;
  if (op == "less") return a < b;
  if (op == "less_equal") return a <= b;
  if (op == "greater") return a > b;
  if (op == "greater_equal") return a >= b;
  if (op == "where") return where(choice(), a, b);
  throw NotFoundError(op);
}

bool has_no_number_for_bool(const std::string& op) {
  return op == "add" || op == "subtract" || op == "multiply" || op == "power" || op == "maximum" || op == "minimum";
}

TEST(Arithmetic, OfAllPairsOfDtypes) {
  compare(
      "tensors",
      [](const std::string& op, const std::vector<std::string>& dtypes) {
        const Tensor a = operand("first", dtypes[0]);
        const Tensor b = operand("second", dtypes[1]);
        if (op == "logical_and") return logical_and(a, b);
        if (op == "logical_or") return logical_or(a, b);
        return binary(op, a, b);
      },
      [](const std::string& op, const std::vector<std::string>& dtypes) {
        return has_no_number_for_bool(op) && dtypes[0] == "bool" && dtypes[1] == "bool";
      });
}

/// Whether TensorFlow takes an integer modulo the range of the tensor's dtype, so that 300 becomes 44, while Rhyton
/// throws.
bool is_out_of_range(const std::string& op, const std::string& dtype, const std::string& number) {
  if (op != "power" && op != "maximum" && op != "minimum" && op != "where") return false;
  const Scalar value = number_of(number);
  if (!value.is_integer()) return false;
  if (op == "power" && dtype == "uint8") return !value.fits(DType::int32);
  return !value.fits(dtype == "bool" ? DType::int32 : dtype_from_name(dtype));
}

bool refuses_number(const std::string& op, const std::vector<std::string>& words) {
  if (is_out_of_range(op, words[0], words[1])) return true;
  return words[0] == "bool" && number_of(words[1]).is_bool() && has_no_number_for_bool(op);
}

TEST(Arithmetic, OfTensorsAndNumbers) {
  compare(
      "tensor_number",
      [](const std::string& op, const std::vector<std::string>& words) {
        return binary(op, operand("first", words[0]), number_of(words[1]));
      },
      [](const std::string& op, const std::vector<std::string>& words) {
        const bool is_integer = !is_floating(dtype_from_name(words[0])) && words[0] != "bool";
        return refuses_number(op, words) || (op == "power" && words[1] == "-1" && is_integer);
      });
}

TEST(Arithmetic, OfNumbersAndTensors) {
  compare(
      "number_tensor",
      [](const std::string& op, const std::vector<std::string>& words) {
        return binary(op, number_of(words[1]), operand("second", words[0]));
      },
      refuses_number);
}

TEST(Arithmetic, OfOneTensor) {
  const std::map<std::string, Tensor (*)(const Tensor&)> functions = {
      {"negative", &negative},
      {"exp", &ops::exp},
      {"log", &ops::log},
      {"log1p", &ops::log1p},
      {"expm1", &ops::expm1},
      {"sqrt", &ops::sqrt},
      {"rsqrt", &rsqrt},
      {"square", &square},
      {"abs", &ops::abs},
      {"sign", &sign},
      {"floor", &ops::floor},
      {"ceil", &ops::ceil},
      {"round", &ops::round},
      {"reciprocal", &reciprocal},
      {"sin", &ops::sin},
      {"cos", &ops::cos},
      {"erf", &ops::erf},
      {"isnan", &isnan},
      {"isfinite", &isfinite},
      {"logical_not", &logical_not},
      {"tanh", &ops::tanh},
      {"sigmoid", &sigmoid},
      {"relu", &relu},
      {"silu", &silu},
      {"softplus", &softplus},
      {"zeros_like", &zeros_like},
      {"ones_like", &ones_like},
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.25); }},
      {"elu", [](const Tensor& x) { return elu(x); }},
      {"softmax", [](const Tensor& x) { return softmax(x); }},
      {"log_softmax", [](const Tensor& x) { return log_softmax(x); }},
  };
  compare(
      "one",
      [&](const std::string& op, const std::vector<std::string>& words) {
        return functions.at(op)(operand("second", words[0]));
      },
      [](const std::string& op, const std::vector<std::string>& words) {
        if (op == "negative") return is_unsigned(dtype_from_name(words[0])) || words[0] == "bool";
        return words[0] == "bool" && (op == "sign" || op == "relu");
      });
}

TEST(Arithmetic, ResultTypesOfAllPairsOfDtypesAndOfNumbers) {
  const std::map<std::string, Scalar> numbers = {{"bool", true}, {"int", 1}, {"float", 1.0}};
  std::size_t compared = 0;
  for (std::int64_t i = 1; i < static_cast<std::int64_t>(golden().size()); ++i) {
    if (golden()[i]["kind"].as_string() != "promotion") continue;
    for (const auto& [key, expected] : golden()[i]["results"].items()) {
      const std::vector<std::string> words = words_of(key);
      const DType first = dtype_from_name(words[0]);
      const bool is_number = words.size() == 3;  // "int8 Python's float"
      const DType result =
          is_number ? result_type(first, numbers.at(words[2])) : result_type(first, dtype_from_name(words[1]));
      EXPECT_EQ(name_of(result), expected.as_string()) << key;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 12U * (12U + 3U));
}

// TensorFlow has no integer kernels for these and throws; the mathematical result is unambiguous.
TEST(Arithmetic, FunctionsOfRealNumbersTakeIntegersThatTensorFlowRefuses) {
  const Tensor x = Tensor::from_data<std::int32_t>({2}, {1, 4});
  const Tensor real = cast(x, float32);
  EXPECT_EQ(rsqrt(x).to_vector(), rsqrt(real).to_vector());
  EXPECT_EQ(sigmoid(x).to_vector(), sigmoid(real).to_vector());
  EXPECT_EQ(softmax(x).to_vector(), softmax(real).to_vector());
  EXPECT_EQ(softmax(x).dtype(), float32);
  EXPECT_EQ(clip_by_value(x, 1, 2.5).to_vector(), (std::vector<double>{1, 2.5}));
}

TEST(Arithmetic, Reductions) {
  const std::map<std::string, std::function<Tensor(const Tensor&)>> functions = {
      {"sum", [](const Tensor& x) { return sum(x); }},
      {"prod", [](const Tensor& x) { return prod(x); }},
      {"max", [](const Tensor& x) { return ops::max(x); }},
      {"min", [](const Tensor& x) { return ops::min(x); }},
      {"mean", [](const Tensor& x) { return mean(x); }},
      {"var", [](const Tensor& x) { return variance(x); }},
      {"all", [](const Tensor& x) { return ops::all(x); }},
      {"any", [](const Tensor& x) { return ops::any(x); }},
      {"argmax", [](const Tensor& x) { return argmax(x); }},
      {"argmin", [](const Tensor& x) { return argmin(x); }},
      {"logsumexp", [](const Tensor& x) { return logsumexp(x); }},
  };
  compare(
      "reduction",
      [&](const std::string& op, const std::vector<std::string>& words) {
        return functions.at(op)(operand("second", words[0]));
      },
      refuses_nothing);
}

TEST(Arithmetic, Bounds) {
  compare(
      "bounds",
      [](const std::string&, const std::vector<std::string>& words) {
        return clip_by_value(operand("second", words[0]), number_of(words[1]), number_of(words[2]));
      },
      refuses_nothing);
}

TEST(Arithmetic, JoinedTensors) {
  compare(
      "joining",
      [](const std::string& op, const std::vector<std::string>& words) {
        const Tensor a = operand("second", words[0]);
        const Tensor b = operand("second", words[1]);
        if (op == "matmul") return matmul(a.reshape({2, 2}), b.reshape({2, 2}));
        return op == "stack" ? stack({a, b}) : concatenate({a, b}, 0);
      },
      refuses_nothing);
}

TEST(Arithmetic, SumsOfUint8AreUint32) {
  const Tensor bytes = Tensor::full({3}, 200, uint8);
  EXPECT_EQ(sum(bytes).dtype(), uint32);
  EXPECT_EQ(sum(bytes).item(), 600);
  EXPECT_EQ(sum(bytes, {}, false, uint8).dtype(), uint8);
}

TEST(Arithmetic, TheLineThatEverybodyWritesFirst) {
  const Tensor images = Tensor::from_data<std::uint8_t>({3}, {0, 51, 255});
  EXPECT_EQ((images / 255.0F).dtype(), float32);
  EXPECT_EQ((images / 255.0F).to_vector(), (std::vector<double>{0, 0.2F, 1}));
  EXPECT_EQ((images / 255).to_vector(), (std::vector<double>{0, 0.2F, 1}));
  EXPECT_EQ((images * (1.0 / 255)).dtype(), float32);
  EXPECT_NEAR((images * (1.0 / 255))[1].item(), 0.2, 1e-7);
}

TEST(Arithmetic, CompoundAssignmentIsThatOfTheResult) {
  const Tensor before = Tensor::from_data<float>({2}, {1, 2});
  Tensor x = before;
  x += before;
  x -= 0.5F;
  x *= Tensor::from_data<float>({2, 1}, {1, 2});
  x /= 2;
  EXPECT_EQ(x.shape(), (Shape{2, 2}));
  EXPECT_EQ(x.to_vector(), (std::vector<double>{0.75, 1.75, 1.5, 3.5}));
  EXPECT_EQ(before.to_vector(), (std::vector<double>{1, 2}));

  Tensor count = Tensor::scalar<std::int32_t>(7);
  count /= 2;
  EXPECT_EQ(count.dtype(), float32);
  EXPECT_EQ(count.item(), 3.5);

  Tensor bits = Tensor::scalar<std::int32_t>(29);
  bits %= 16;
  bits &= 9;
  bits |= Tensor::scalar<std::int32_t>(2);
  bits ^= 1;
  EXPECT_EQ(bits.item(), 10);
}

TEST(Arithmetic, AFailedCompoundAssignmentKeepsTheTensor) {
  Tensor x = Tensor::from_data<float>({2}, {1, 2});
  EXPECT_THROW(x += Tensor::zeros({3}), InvalidArgumentError);
  EXPECT_EQ(x.to_vector(), (std::vector<double>{1, 2}));
}

TEST(Arithmetic, CompoundAssignmentIsDifferentiated) {
  const Variable w(Tensor::scalar(3.0F), {.name = "w"});
  GradientTape tape;
  Tensor loss = w * 2.0F;
  loss += w * w;
  loss *= loss;
  EXPECT_EQ(tape.gradient(loss, w).item(), 2 * 15 * (2 + 6));
}

TEST(Arithmetic, NumbersDoNotTakeTheirFractionsFromIntegers) {
  const Tensor three = Tensor::scalar<std::int32_t>(3);
  EXPECT_EQ((three * 0.5).item(), 1.5);
  EXPECT_EQ((0.5 * three).item(), 1.5);
  EXPECT_FALSE(static_cast<bool>(Tensor::scalar<std::int32_t>(2) >= 2.5));
  EXPECT_TRUE(static_cast<bool>(2.5 > Tensor::scalar<std::int32_t>(2)));
  EXPECT_EQ(mean(Tensor::from_data<std::int32_t>({4}, {1, 2, 2, 2})).item(), 1.75);
}

TEST(Arithmetic, IntegersOf64BitsAreExact) {
  constexpr std::int64_t beyond_double = (std::int64_t{1} << 53) + 1;
  const Tensor x = Tensor::from_data<std::int64_t>({1}, {beyond_double});
  const auto value_of = [](const Tensor& y) { return y.elements<std::int64_t>()[0]; };
  EXPECT_EQ(value_of(x + 1), beyond_double + 1);
  EXPECT_EQ(value_of(beyond_double + x), 2 * beyond_double);
  EXPECT_EQ(value_of(maximum(x, beyond_double + 2)), beyond_double + 2);
  EXPECT_EQ(value_of(where(x > beyond_double - 1, beyond_double, x)), beyond_double);
  EXPECT_FALSE(static_cast<bool>(equal(x, beyond_double - 1)));
  EXPECT_TRUE(static_cast<bool>(equal(x, beyond_double)));
  EXPECT_EQ(value_of(clip_by_value(x, 0, beyond_double)), beyond_double);
  EXPECT_EQ(value_of(full_like(x, beyond_double)), beyond_double);
}

TEST(Arithmetic, ANumberThatTheDtypeDoesNotHoldIsComparedByItsValue) {
  const Tensor bytes = Tensor::from_data<std::uint8_t>({2}, {0, 255});
  EXPECT_EQ((bytes < 256).to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ((bytes > -1).to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ(equal(Tensor::scalar<std::int32_t>(0), std::int64_t{1} << 32).item(), 0);
}

TEST(Arithmetic, GradientsHaveTheDtypeOfWhatTheyBelongTo) {
  const Tensor single = Tensor::from_data<float>({2}, {1, 2});
  const Tensor half = Tensor::full({2}, 3, float16);
  const Tensor whole = Tensor::from_data<std::int32_t>({2}, {5, 7});
  GradientTape tape;
  tape.watch(single);
  tape.watch(half);
  const Tensor y = sum(single * half * whole);
  const std::vector<Tensor> gradients = tape.gradient(y, std::vector<Tensor>{single, half});
  EXPECT_EQ(gradients[0].dtype(), float32);
  EXPECT_EQ(gradients[0].to_vector(), (std::vector<double>{15, 21}));
  EXPECT_EQ(gradients[1].dtype(), float16);
  EXPECT_EQ(gradients[1].to_vector(), (std::vector<double>{5, 14}));
}

TEST(Arithmetic, PowersOfIntegersRefuseNegativeExponents) {
  const Tensor x = Tensor::from_data<std::int32_t>({2}, {2, 3});
  EXPECT_THROW(power(x, -1), InvalidArgumentError);
  EXPECT_EQ(power(x, 3).to_vector(), (std::vector<double>{8, 27}));
  EXPECT_EQ(power(x, 0.5).dtype(), float32);
}

TEST(Arithmetic, PaddingKeepsToTheDtype) {
  const Tensor x = Tensor::from_data<std::int32_t>({1}, {2});
  EXPECT_EQ(pad(x, {{1, 0}}, 3).to_vector(), (std::vector<double>{3, 2}));
  EXPECT_THROW(pad(x, {{1, 0}}, 0.5), ValueError);
}

TEST(Arithmetic, ResultTypeOfNumbersAlone) {
  EXPECT_EQ(result_type(Scalar(1), Scalar(2)), int32);
  EXPECT_EQ(result_type(Scalar(true), Scalar(0.5)), float32);
  EXPECT_EQ(result_type(Scalar(true), Scalar(false)), bool_);
  EXPECT_EQ(where(choice(), 1, 0).dtype(), int32);
}

}  // namespace
}  // namespace rhyton

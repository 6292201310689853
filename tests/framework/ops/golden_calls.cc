#include <rhyton/tests/framework/ops/golden_calls.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::golden {
namespace {

using io::Json;

Json cases_of(const std::string& family) {
  std::ifstream file(std::string(RHYTON_GOLDEN_DIR) + "/ops_" + family + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return Json::parse(text.str());
}

/// "a, {b, c}" -> "a", "{b, c}".
std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

double value_of(const Json& json) {
  if (!json.is_string()) return json.as_double();
  if (json.as_string() == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return json.as_string() == "inf" ? infinity : -infinity;
}

Shape shape_of(const Json& described) {
  Shape shape;
  for (const Json& length : described["shape"]) shape.push_back(length.as_int());
  return shape;
}

Tensor tensor_of(const Json& described) {
  const DType dtype = dtype_from_name(described["dtype"].as_string());
  if (!is_floating(dtype)) {
    std::vector<std::int64_t> integers;
    for (const Json& value : described["values"]) integers.push_back(value.as_int());
    return cast(Tensor::from_data(shape_of(described), integers), dtype);
  }
  std::vector<double> numbers;
  for (const Json& value : described["values"]) numbers.push_back(value_of(value));
  return cast(Tensor::from_data(shape_of(described), numbers), dtype);
}

/// The allowed difference, relative to the largest element: sums in another order, and in half types TensorFlow's own
/// rounding of each step.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-13;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 1.6e-2;
    default:
      return 1e-6;
  }
}

void expect_equal(const Json& expected, const Tensor& actual) {
  const std::string dtype = expected["dtype"].as_string();
  ASSERT_EQ(name_of(actual.dtype()), dtype);
  ASSERT_EQ(actual.shape(), shape_of(expected));
  const Json& values = expected["values"];
  if (!is_floating(actual.dtype())) {
    const Tensor integers = cast(actual, DType::int64);
    for (std::int64_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(integers.elements<std::int64_t>()[static_cast<std::size_t>(i)], values[i].as_int()) << "element " << i;
    }
    return;
  }
  const std::vector<double> elements = actual.to_vector();
  double largest = 0.0;
  for (std::int64_t i = 0; i < actual.size(); ++i) {
    const double value = value_of(values[i]);
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double value = value_of(values[i]);
    if (elements[i] == value || (std::isnan(elements[i]) && std::isnan(value))) continue;
    ASSERT_NEAR(elements[i], value, largest * tolerance_of(actual.dtype())) << "element " << i;
  }
}

/// The sum of all floating outputs, their elements weighted by 1, 1.5, 2 …
Tensor weighted(const std::vector<Tensor>& outputs) {
  Tensor total;
  for (const Tensor& output : outputs) {
    if (!is_floating(output.dtype())) continue;
    const Tensor weights = cast(arange(output.size()) * 0.5 + 1.0, output.dtype());
    const Tensor part = sum(reshape(output, {-1}) * weights);
    total = total.is_empty() ? part : total + part;
  }
  return total;
}

void expect_gradients(const Json& expected, const std::vector<Tensor>& inputs,
                      const std::function<std::vector<Tensor>()>& call) {
  std::vector<Tensor> sources;
  GradientTape tape;
  for (const Tensor& input : inputs) {
    if (!is_floating(input.dtype())) continue;
    sources.push_back(input);
    tape.watch(input);
  }
  const std::vector<Tensor> gradients = tape.gradient(weighted(call()), sources);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    SCOPED_TRACE("gradient " + std::to_string(i));
    expect_equal(expected[static_cast<std::int64_t>(i)],
                 gradients[i].is_empty() ? zeros_like(sources[i]) : gradients[i]);
  }
}

void expect_as_keras(const Json& test, const Functions& functions) {
  std::vector<Tensor> inputs;
  for (const Json& input : test["inputs"]) inputs.push_back(tensor_of(input));
  const Call call(test["call"].as_string(), inputs);
  const auto function = functions.find(call.name());
  ASSERT_NE(function, functions.end()) << "the test has no function " << call.name();
  if (test.contains("error")) {
    EXPECT_THROW(static_cast<void>(function->second(call)), Error) << test["message"].as_string();
    return;
  }
  const std::vector<Tensor> outputs = function->second(call);
  const Json& expected = test["outputs"];
  ASSERT_EQ(outputs.size(), expected.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    expect_equal(expected[static_cast<std::int64_t>(i)], outputs[i]);
  }
  if (test.contains("gradients")) {
    expect_gradients(test["gradients"], inputs, [&] { return function->second(call); });
  }
}

}  // namespace

Call::Call(const std::string& text, std::vector<Tensor> inputs) : inputs_(std::move(inputs)) {
  const std::size_t open = text.find('(');
  name_ = text.substr(0, open);
  text_ = text.substr(open + 1, text.size() - open - 2);
  arguments_ = split_arguments(text_);
}

Tensor Call::tensor(std::size_t i) const {
  const std::string& word = arguments_.at(i);
  return inputs_.at(word == "x" ? 0 : word == "y" ? 1 : 2);
}

std::vector<Tensor> Call::tensors(std::size_t i) const {
  std::vector<Tensor> result;
  const std::string& list = arguments_.at(i);
  for (const std::string& word : split_arguments(list.substr(1, list.size() - 2))) {
    result.push_back(inputs_.at(static_cast<std::size_t>(word.front() - 'x')));
  }
  return result;
}

std::int64_t Call::integer(std::size_t i) const { return std::stoll(arguments_.at(i)); }

std::optional<int> Call::optional_axis(std::size_t i) const {
  return i >= size() || has(i, "none") ? std::nullopt : std::optional<int>(axis(i));
}

std::optional<double> Call::optional_real(std::size_t i) const {
  return i >= size() || has(i, "none") ? std::nullopt : std::optional<double>(std::stod(arguments_[i]));
}

Scalar Call::scalar(std::size_t i) const {
  const std::string& word = arguments_.at(i);
  return word.find('.') == std::string::npos ? Scalar(std::stoll(word)) : Scalar(std::stod(word));
}

std::vector<std::int64_t> Call::integers(std::size_t i) const {
  std::vector<std::int64_t> result;
  const std::string& list = arguments_.at(i);
  for (const std::string& word : split_arguments(list.substr(1, list.size() - 2))) result.push_back(std::stoll(word));
  return result;
}

std::vector<int> Call::axes(std::size_t i) const {
  const std::vector<std::int64_t> numbers = integers(i);
  return {numbers.begin(), numbers.end()};
}

void compare(const std::string& family, const Functions& functions) {
  const Json cases = cases_of(family);
  ASSERT_GT(cases.size(), 0U);
  for (const Json& test : cases) {
    std::string trace = test["call"].as_string() + " of";
    for (const Json& input : test["inputs"]) {
      trace += " " + input["dtype"].as_string() + " " + shape_of(input).to_string();
    }
    SCOPED_TRACE(trace);
    try {
      expect_as_keras(test, functions);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace rhyton::golden

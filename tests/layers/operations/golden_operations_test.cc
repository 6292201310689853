// Operations on symbolic tensors as Keras writes them, against real Keras (tests/golden/make_operations.py): each case
// is read, run and written again.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers::golden_operations {
namespace {

using io::Json;
using test::GoldenCases;

/// Cases in which the elements have another order, which Keras leaves open.
const std::set<std::string>& cases_in_other_order() {
  static const std::set<std::string> expressions = {
      "ops.top_k(x, 2, False)[1]",
      "ops.argpartition(x, 1)",
      "ops.argpartition(x, kth=1, axis=0)",
  };
  return expressions;
}

/// Cases whose symbolic outputs are not those of Keras.
const std::set<std::string>& cases_inferred_otherwise() {
  static const std::set<std::string> expressions = {
      // Keras infers a shape or dtype that it does not compute.
      "ops.multi_hot(x, 3)",
      "ops.multi_hot(x, num_classes=3, axis=1)",
      "ops.multi_hot(x, 3, axis=1, dtype='bool')",
      "ops.multi_hot(x, 3, -1, 'float16')",
      "ops.prod(x, axis=1, dtype='float64')",
      "ops.prod(x, dtype='int64')",
      "ops.corrcoef(x)",
      "ops.gcd(x, 6)",
      "ops.gcd(6, x)",
      "ops.lcm(x, 6)",
      "ops.lcm(6, x)",
      "ops.ndim(x)",
      std::string(
          "ops.image.scale_and_translate(x, (3, 6, 3), np.array([1.3], 'float32'), np.array([0.2], 'float32'), ") +
          "[1], 'cubic', antialias=False)",
      "ops.lu_factor(x)",
      "ops.istft((x, y), 4, 2, 4, length=30, center=False)",
      "ops.slogdet(x)",
      "ops.slogdet(ops.add(ops.matmul(x, ops.swapaxes(x, 1, 2)), np.eye(3, dtype='float32')))",
      // The length of the constant is that of the batch.
      "ops.concatenate([x, np.zeros((3, 1), 'float32')], axis=1)",
      "ops.concatenate([x, ops.ones((3, 1))], axis=1)",
  };
  return expressions;
}

double value_of(const Json& json) {
  if (!json.is_string()) return json.as_double();
  if (json.as_string() == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return json.as_string() == "inf" ? infinity : -infinity;
}

/// With -1 for unknown lengths.
Shape shape_of(const Json& lengths) {
  Shape shape;
  for (const Json& length : lengths) shape.push_back(length.is_null() ? -1 : length.as_int());
  return shape;
}

Tensor tensor_of(const Json& described) {
  const DType dtype = dtype_from_name(described["dtype"].as_string());
  const Shape shape = shape_of(described["shape"]);
  if (!is_floating(dtype)) {
    std::vector<std::int64_t> integers;
    for (const Json& value : described["values"]) integers.push_back(value.as_int());
    return cast(Tensor::from_data(shape, integers), dtype);
  }
  std::vector<double> numbers;
  for (const Json& value : described["values"]) numbers.push_back(value_of(value));
  return cast(Tensor::from_data(shape, numbers), dtype);
}

double tolerance_of(DType dtype) {
  if (dtype == DType::float16) return 2e-3;
  return dtype == DType::bfloat16 ? 1.6e-2 : 1e-5;
}

/// `is_sorted`: the elements are compared in ascending order.
void expect_output(const Tensor& actual, const Json& expected, bool is_sorted) {
  const std::string dtype = expected["dtype"].as_string();
  ASSERT_EQ(name_of(actual.dtype()), dtype);
  ASSERT_EQ(actual.shape(), shape_of(expected["shape"]));
  std::vector<double> values;
  for (const Json& value : expected["values"]) values.push_back(value_of(value));
  std::vector<double> elements = actual.to_vector();
  ASSERT_EQ(elements.size(), values.size());
  if (is_sorted) {
    std::sort(values.begin(), values.end());
    std::sort(elements.begin(), elements.end());
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double value = values[i];
    if (elements[i] == value || (std::isnan(elements[i]) && std::isnan(value))) continue;
    ASSERT_NEAR(elements[i], value, tolerance_of(actual.dtype()) * std::max(1.0, std::abs(value))) << "element " << i;
  }
}

void expect_outputs(const models::Model& model, const Json& golden) {
  std::vector<Tensor> inputs;
  for (const Json& input : golden["inputs"]) inputs.push_back(tensor_of(input));
  const std::vector<Tensor> outputs = model.call_many(inputs);
  const bool is_sorted = cases_in_other_order().contains(golden["expression"].as_string());
  ASSERT_EQ(outputs.size(), golden["outputs"].size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    expect_output(outputs[i], golden["outputs"][i], is_sorted);
    if (!cases_inferred_otherwise().contains(golden["expression"].as_string())) {
      const Json& symbolic = golden["symbolic_outputs"][i];
      EXPECT_EQ(model.outputs()[i].shape(), shape_of(symbolic["shape"]));
      EXPECT_EQ(name_of(model.outputs()[i].dtype()), symbolic["dtype"].as_string());
    }
    // What is inferred is what is computed; the lengths that are unknown fit any.
    const TensorSpec inferred = model.outputs()[i].spec();
    ASSERT_EQ(inferred.dtype, outputs[i].dtype());
    ASSERT_EQ(inferred.shape.rank(), outputs[i].rank());
    for (int axis = 0; axis < outputs[i].rank(); ++axis) {
      if (inferred.shape[axis] < 0) continue;
      ASSERT_EQ(inferred.shape[axis], outputs[i].shape()[axis]);
    }
  }
}

/// The argument without what Rhyton writes in another way: arrays of NumPy are tensors.
Json comparable(const Json& argument) {
  if (argument.is_array()) {
    Json list = Json::array();
    for (const Json& entry : argument) list.push_back(comparable(entry));
    return list;
  }
  if (!argument.is_object()) return argument;
  const Json* const class_name = argument.find("class_name");
  Json result = Json::object();
  for (const auto& [key, value] : argument.items()) result[key] = comparable(value);
  if (class_name != nullptr && *class_name == Json("__numpy__")) result["class_name"] = "__tensor__";
  return result;
}

void expect_entry(const Json& written, const Json& expected) {
  for (const char* const key : {"module", "class_name", "config", "registered_name", "name"}) {
    // The text tells the order of the keys, and 1 from 1.0.
    EXPECT_EQ(written[key].dump(), expected[key].dump()) << key;
  }
  EXPECT_EQ(comparable(written["inbound_nodes"]).dump(), comparable(expected["inbound_nodes"]).dump());
}

Json config_of(const Json& golden) {
  return golden.contains("config") ? golden["config"] : Json::parse(golden["config_text"].as_string());
}

/// The entries of operations, also those in inner models.
void collect_operations(const Json& config, std::vector<Json>& entries) {
  for (const Json& entry : config["layers"]) {
    if (is_operation(entry)) entries.push_back(entry);
    if (entry["config"].is_object() && entry["config"].contains("layers")) collect_operations(entry["config"], entries);
  }
}

std::vector<Json> operations_of(const Json& model) {
  std::vector<Json> entries;
  collect_operations(model["config"], entries);
  return entries;
}

/// Cases in which Keras on TensorFlow computes something else than it promises, so that Rhyton differs: floating
/// numbers are compared as int32, and the axes that singular values leave are put back in another place.
const std::set<std::string>& cases_with_other_results() {
  static const std::set<std::string> expressions = {"ops.argpartition(x, 1)", "ops.argpartition(x, kth=1, axis=0)",
                                                    "ops.norm(x, ord=2, axis=(-2, -1), keepdims=True)"};
  return expressions;
}

/// The case is read, run, written and read again as Keras does.
void expect_as_keras(const Json& golden) {
  const Json config = config_of(golden);
  const models::Model model = models::model_from_json(config.dump());
  expect_outputs(model, golden);
  const std::string text = model.to_json();
  const std::vector<Json> written = operations_of(Json::parse(text));
  const std::vector<Json> expected = operations_of(config);
  ASSERT_EQ(written.size(), expected.size());
  for (std::size_t i = 0; i < written.size(); ++i) expect_entry(written[i], expected[i]);
  expect_outputs(models::model_from_json(text), golden);
}

/// What Keras itself cannot run: no more than an error of this library.
void expect_result_or_error(const Json& golden) {
  try {
    const models::Model model = models::model_from_json(config_of(golden).dump());
    std::vector<Tensor> inputs;
    for (const Json& input : golden["inputs"]) inputs.push_back(tensor_of(input));
    static_cast<void>(model.call_many(inputs));
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
  }
}

void expect_case(const Json& golden) {
  if (!golden.contains("config") && !golden.contains("config_text")) return;  // Keras writes no file.
  if (golden.contains("error") || cases_with_other_results().contains(golden["expression"].as_string())) {
    expect_result_or_error(golden);
  } else {
    ASSERT_NO_THROW(expect_as_keras(golden));
  }
}

class GoldenOperations : public testing::TestWithParam<const char*> {};

TEST_P(GoldenOperations, AreReadRunAndWrittenAsInKeras) {
  const GoldenCases golden(std::string("operations_") + GetParam());
  for (const Json& test : golden.cases()) {
    SCOPED_TRACE(test["expression"].as_string());
    expect_case(test);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenOperations,
                         testing::Values("activations", "blocks", "constants", "core", "fourier", "graphs", "image",
                                         "linalg", "math", "nn", "numpy", "numpy_numbers", "numpy_products",
                                         "numpy_reductions", "numpy_shapes", "operators", "windows"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace rhyton::layers::golden_operations

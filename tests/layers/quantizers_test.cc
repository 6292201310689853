// Functions and classes of keras.quantizers, against real Keras (tests/golden/make_quantizers.py).

#include <rhyton/layers/quantizers.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::quantizers {
namespace {

using io::Json;
using ::testing::ThrowsMessage;

const Json& golden(const char* key) {
  static const Json content = [] {
    std::ifstream file(std::string(RHYTON_GOLDEN_DIR) + "/quantizers.json");
    std::stringstream text;
    text << file.rdbuf();
    return Json::parse(text.str());
  }();
  return content[key];
}

void collect(const Json& json, std::vector<double>& numbers) {
  if (json.is_array()) {
    for (const Json& element : json) collect(element, numbers);
  } else {
    numbers.push_back(json.as_double());
  }
}

Tensor tensor_of(const Json& nested, DType dtype = float32) {
  Shape shape;
  for (const Json* level = &nested; level->is_array(); level = &(*level)[0]) {
    shape.push_back(static_cast<std::int64_t>(level->size()));
  }
  std::vector<double> numbers;
  collect(nested, numbers);
  return cast(Tensor::from_data(shape, numbers), dtype);
}

std::vector<double> values_of(const Json& nested) { return tensor_of(nested, float64).to_vector(); }

void expect_near(const Tensor& actual, const Json& expected, double tolerance) {
  const std::vector<double> values = values_of(expected);
  const std::vector<double> numbers = actual.to_vector();
  ASSERT_EQ(numbers.size(), values.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], values[i], tolerance) << "element " << i;
}

TEST(AbsMaxQuantize, IsThatOfKeras) {
  for (const Json& entry : golden("abs_max")) {
    const DType dtype = dtype_from_name(entry["dtype"].as_string());
    std::vector<int> axis;
    for (const Json& number : entry["axis"]) axis.push_back(static_cast<int>(number.as_int()));
    const ValueRange range(entry["range"][0].as_double(), entry["range"][1].as_double());
    const auto [outputs, scale] = abs_max_quantize(tensor_of(entry["x"], dtype), axis, {.value_range = range});
    EXPECT_EQ(outputs.dtype(), int8);
    EXPECT_EQ(scale.dtype(), dtype);
    EXPECT_EQ(scale.shape(), tensor_of(entry["scale"]).shape());
    EXPECT_EQ(outputs.to_vector(), values_of(entry["outputs"]));
    EXPECT_EQ(scale.to_vector(), values_of(entry["scale"]));
  }
}

TEST(AbsMaxQuantize, OfZerosAreZeros) {
  const auto [outputs, scale] = abs_max_quantize(Tensor::zeros({2, 3}), {-1});
  EXPECT_EQ(outputs.to_vector(), std::vector<double>(6, 0.0));
  EXPECT_FLOAT_EQ(static_cast<float>(scale.to_vector()[0]), 127.0F / 1e-7F);
  EXPECT_THROW(static_cast<void>(abs_max_quantize(Tensor::zeros({2}), {})), ValueError);
}

TEST(FakeQuant, HasTheValuesAndGradientsOfTensorFlow) {
  for (const Json& entry : golden("fake_quant")) {
    FakeQuantOptions options;
    const Json& given = entry["options"];
    if (given.contains("num_bits")) options.num_bits = static_cast<int>(given["num_bits"].as_int());
    if (given.contains("narrow_range")) options.narrow_range = given["narrow_range"].as_bool();
    if (!entry["axis"].is_null()) options.axis = static_cast<int>(entry["axis"].as_int());
    const std::vector<Tensor> arguments = {tensor_of(entry["x"]), tensor_of(entry["min"]), tensor_of(entry["max"])};
    GradientTape tape;
    for (const Tensor& argument : arguments) tape.watch(argument);
    const Tensor y = fake_quant_with_min_max_vars(arguments[0], arguments[1], arguments[2], options);
    const Tensor loss = sum(y * tensor_of(entry["upstream"]));
    expect_near(y, entry["y"], 1e-6);
    const std::vector<Tensor> gradients = tape.gradient(loss, arguments);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      SCOPED_TRACE("gradient " + std::to_string(i));
      expect_near(gradients[i], entry["gradients"][static_cast<std::int64_t>(i)], 2e-6);
    }
  }
}

TEST(FakeQuant, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::zeros({2, 3});
  const Tensor zero = Tensor::scalar(0.0F);
  EXPECT_THROW(static_cast<void>(fake_quant_with_min_max_vars(x, zero, zero, {.num_bits = 1})), ValueError);
  EXPECT_THROW(static_cast<void>(fake_quant_with_min_max_vars(x, zero, zero, {.num_bits = 17})), ValueError);
  EXPECT_THROW(static_cast<void>(fake_quant_with_min_max_vars(x, zero, zero, {.axis = 1})), ValueError);
  EXPECT_THROW(static_cast<void>(fake_quant_with_min_max_vars(x, Tensor::zeros({3}), zero)), ValueError);
  EXPECT_THROW(static_cast<void>(fake_quant_with_min_max_vars(x, zero, zero, {.axis = 2})), Error);
}

TEST(Float8, RoundsAsKeras) {
  for (const Json& entry : golden("float8")) {
    const std::string name = entry["name"].as_string();
    SCOPED_TRACE(name + " " + entry["dtype"].as_string());
    const DType dtype = dtype_from_name(entry["dtype"].as_string());
    const Tensor scale = Tensor::scalar(static_cast<float>(entry["scale"].as_double()));
    const Tensor y = quantize_and_dequantize(tensor_of(entry["x"], dtype), scale, name, dtype);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.to_vector(), values_of(entry["y"]));
  }
  EXPECT_THROW(static_cast<void>(quantize_and_dequantize(Tensor::zeros({1}), Tensor::scalar(1.0F), "float8", float32)),
               ValueError);
}

TEST(Float8, ScalesAndHistoriesAreThoseOfKeras) {
  const Tensor amax = Tensor::from_data<float>({4}, {0, 3, std::numeric_limits<float>::infinity(), 10});
  expect_near(compute_float8_scale(amax, Tensor::scalar(2.0F), Tensor::scalar(448.0F)), golden("float8_scale"), 1e-8);
  const Tensor x = Tensor::from_data<float>({1, 2}, {-7, 3});
  const Tensor history = Tensor::from_data<float>({4}, {1, 5, 2, 4});
  EXPECT_EQ(compute_float8_amax_history(x, history).to_vector(), values_of(golden("float8_history")));
}

TEST(Int4, IsPackedAsByKeras) {
  for (const Json& entry : golden("int4")) {
    const DType dtype = dtype_from_name(entry["dtype"].as_string());
    const auto axis = static_cast<int>(entry["axis"].as_int());
    const Tensor x = tensor_of(entry["x"], dtype);
    const PackedInt4 packed = pack_int4(x, axis, dtype);
    EXPECT_EQ(packed.packed.dtype(), dtype);
    EXPECT_EQ(packed.packed.to_vector(), values_of(entry["packed"]));
    EXPECT_EQ(packed.packed_shape, tensor_of(entry["packed"]).shape());
    EXPECT_EQ(packed.orig_len, x.shape().at(axis));
    const Tensor unpacked = unpack_int4(packed.packed, packed.orig_len, axis, dtype);
    EXPECT_EQ(unpacked.spec(), x.spec());
    EXPECT_EQ(unpacked.to_vector(), x.to_vector());
  }
}

TEST(Int4, RefusesOtherDtypesInKerasWords) {
  const Tensor x = Tensor::zeros({2}, int8);
  EXPECT_THAT([&] { pack_int4(x, 0, int32); },
              ThrowsMessage<ValueError>("Expected dtype to be 'int8' or 'uint8', but got 'int32'."));
  EXPECT_THAT([&] { pack_int4(x, 0, uint8); },
              ThrowsMessage<TypeError>("Expected uint8 tensor for packing, got int8."));
  EXPECT_THROW(static_cast<void>(unpack_int4(cast(x, int32), 2)), TypeError);
}

TEST(AbsMaxQuantizer, HasTheConfigOfKeras) {
  EXPECT_EQ(serialize(AbsMaxQuantizer()), golden("configs")[0]);
  const AbsMaxQuantizer other({.axis = 0, .value_range = {-8, 7}, .epsilon = 0.5});
  EXPECT_EQ(serialize(other), golden("configs")[1]);
  for (const Json& config : golden("configs")) EXPECT_EQ(serialize(deserialize(config)), config);
  EXPECT_EQ(serialize(get("AbsMaxQuantizer")), golden("configs")[0]);
  EXPECT_EQ(serialize(get("abs_max_quantizer")), golden("configs")[0]);
  EXPECT_TRUE(get(nullptr).is_empty());
  EXPECT_TRUE(serialize(Quantizer()).is_null());
  EXPECT_THAT([] { static_cast<void>(get("nonsense")); },
              ThrowsMessage<ValueError>("Could not interpret quantizer identifier: nonsense"));
}

TEST(AbsMaxQuantizer, QuantizesAlongItsAxesOrThoseOfTheCall) {
  const Tensor x = Tensor::from_data<float>({2, 2}, {1, -2, 4, 8});
  EXPECT_EQ(AbsMaxQuantizer()(x).scale.shape(), (Shape{2, 1}));
  EXPECT_EQ(AbsMaxQuantizer({.axis = 0})(x).scale.shape(), (Shape{1, 2}));
  EXPECT_EQ(AbsMaxQuantizer({.axis = 0})(x, std::vector{0, 1}).scale.shape(), (Shape{1, 1}));
  EXPECT_EQ(AbsMaxQuantizer({.value_range = {-8, 7}})(x).outputs.to_vector(), (std::vector<double>{4, -7, 4, 7}));
  EXPECT_THAT(
      [] {
        AbsMaxQuantizer({.value_range = {-129, 127}});
      },
      ThrowsMessage<ValueError>("Quantizer with output_dtype='int8' requires value_range to be within the "
                                "interval [-128, 127]. Received: value_range=(-129, 127)"));
}

TEST(Int8QuantizationConfig, HasTheConfigOfKeras) {
  EXPECT_EQ(Int8QuantizationConfig().to_config(), golden("int8_configs")[0]);
  const Int8QuantizationConfig weights_only(
      {.weight_quantizer = AbsMaxQuantizer({.axis = 0}), .activation_quantizer = Quantizer()});
  EXPECT_EQ(weights_only.to_config(), golden("int8_configs")[1]);
  for (const Json& config : golden("int8_configs")) {
    EXPECT_EQ(QuantizationConfig::from_config(config).to_config(), config);
  }
  EXPECT_TRUE(QuantizationConfig::from_config(nullptr).is_empty());
  EXPECT_THROW(Int8QuantizationConfig({.weight_quantizer = AbsMaxQuantizer({.output_dtype = "int16"})}), ValueError);
}

}  // namespace
}  // namespace rhyton::quantizers

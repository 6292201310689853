#include <rhyton/layers/quantizers.h>

#include <cmath>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/config_form.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/layers/keras_object.h>

namespace rhyton {

/// [-127, 127].
template <>
struct ConfigForm<quantizers::ValueRange> {
  static constexpr const char* type = "a list of two numbers";
  static constexpr bool is_object = false;
  static constexpr bool refuses_null = false;

  static io::Json write(const quantizers::ValueRange& range) {
    io::Json json = io::Json::array();
    for (const double number : {range.lowest, range.highest}) {
      json.push_back(number == std::trunc(number) ? io::Json(static_cast<std::int64_t>(number)) : io::Json(number));
    }
    return json;
  }
  static quantizers::ValueRange read(const char* /*key*/, const io::Json& json) {
    if (json.size() != 2) throw TypeError("Expected two numbers");
    return {json[0].as_double(), json[1].as_double()};
  }
};

}  // namespace rhyton

namespace rhyton::quantizers {
namespace {

constexpr const char* module_name = "keras.quantizers";
constexpr const char* abs_max_name = "AbsMaxQuantizer";
constexpr const char* int8_name = "Int8QuantizationConfig";

class AbsMaxQuantizerImpl final : public QuantizerImpl {
 public:
  explicit AbsMaxQuantizerImpl(AbsMaxQuantizerOptions options)
      : options_(std::move(options)), dtype_(dtype_from_name(options_.output_dtype)) {
    const ValueRange& range = options_.value_range;
    if (dtype_ == DType::int8 && (range.lowest < -128 || range.highest > 127)) {
      const io::Json numbers = ConfigForm<ValueRange>::write(range);
      throw ValueError(
          "Quantizer with output_dtype='int8' requires value_range to be within the interval [-128, 127]. Received: "
          "value_range=(" +
          numbers[0].dump() + ", " + numbers[1].dump() + ")");
    }
  }

  AbsMaxQuantized call(const Tensor& x, const std::optional<std::vector<int>>& axis) const override {
    const std::vector<int> own = options_.axis ? options_.axis->values() : std::vector<int>{-1};
    return abs_max_quantize(x, axis.value_or(own),
                            {.value_range = options_.value_range, .dtype = dtype_, .epsilon = options_.epsilon});
  }

  std::string class_name() const override { return abs_max_name; }
  io::Json get_config() const override { return written(options_); }
  DType output_dtype() const override { return dtype_; }

 private:
  AbsMaxQuantizerOptions options_;
  DType dtype_;
};

Quantizer quantizer_named(const std::string& name, const io::Json& config) {
  if (name != abs_max_name && name != "abs_max_quantizer") {
    throw ValueError("Could not interpret quantizer identifier: " + name);
  }
  ConfigReader reader("quantizer", abs_max_name, config);
  AbsMaxQuantizerOptions options;
  AbsMaxQuantizerOptions::visit(options, reader);
  reader.finish();
  return AbsMaxQuantizer(options);
}

/// Keras keeps one axis as a list of one.
AbsMaxQuantizerOptions with_list_of_axes(AbsMaxQuantizerOptions options) {
  if (options.axis) options.axis = layers::Axes(options.axis->values());
  return options;
}

}  // namespace

const QuantizerImpl& Quantizer::require_impl() const {
  if (is_empty()) throw ValueError("This quantizer is none and cannot be used.");
  return *impl_;
}

AbsMaxQuantized Quantizer::operator()(const Tensor& x, const std::optional<std::vector<int>>& axis) const {
  return require_impl().call(x, axis);
}

DType Quantizer::output_dtype() const { return require_impl().output_dtype(); }
io::Json Quantizer::get_config() const { return require_impl().get_config(); }

io::Json Quantizer::to_config() const {
  if (is_empty()) return nullptr;
  return layers::keras_object(module_name, impl_->class_name(), impl_->get_config());
}

Quantizer Quantizer::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  const layers::KerasObject object = layers::read_keras_object(config, "quantizer");
  return quantizer_named(object.class_name, object.config);
}

AbsMaxQuantizer::AbsMaxQuantizer(const AbsMaxQuantizerOptions& options)
    : Quantizer(std::make_shared<const AbsMaxQuantizerImpl>(with_list_of_axes(options))) {}

Quantizer get(const io::Json& identifier) { return Quantizer::from_config(identifier); }
io::Json serialize(const Quantizer& quantizer) { return quantizer.to_config(); }
Quantizer deserialize(const io::Json& config) { return Quantizer::from_config(config); }

io::Json QuantizationConfig::to_config() const {
  if (is_empty()) return nullptr;
  return layers::keras_object(module_name, int8_name,
                              io::Json::object({{"weight_quantizer", weights_.to_config()},
                                                {"activation_quantizer", activations_.to_config()}}));
}

QuantizationConfig QuantizationConfig::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  const layers::KerasObject object = layers::read_keras_object(config, "quantization config");
  if (object.class_name != int8_name) {
    throw NotImplementedError("Only the quantization mode 'int8' is supported. Received: " + object.class_name);
  }
  const auto read = [&](const char* key) {
    return object.config.contains(key) ? Quantizer::from_config(object.config[key]) : Quantizer();
  };
  return Int8QuantizationConfig(
      {.weight_quantizer = read("weight_quantizer"), .activation_quantizer = read("activation_quantizer")});
}

Int8QuantizationConfig::Int8QuantizationConfig(const Int8QuantizationOptions& options)
    : QuantizationConfig("int8", options.weight_quantizer, options.activation_quantizer) {
  if (options.weight_quantizer.is_empty() || options.weight_quantizer.output_dtype() == DType::int8) return;
  throw ValueError(
      "Int8QuantizationConfig requires a weight_quantizer with output_dtype='int8'. Received: output_dtype=" +
      std::string(name_of(options.weight_quantizer.output_dtype())));
}

}  // namespace rhyton::quantizers

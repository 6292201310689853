#include <rhyton/datasets/parse_example.h>

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/example.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::datasets {
namespace {

/// TensorFlow's names of the dtypes.
const char* type_name(DType dtype) {
  if (dtype == string_dtype) return "string";
  return dtype == DType::float32 ? "float" : "int64";
}

void require_feature_dtype(const std::string& key, DType dtype) {
  if (dtype == string_dtype || dtype == DType::float32 || dtype == DType::int64) return;
  throw InvalidArgumentError(fmt::format(
      "Key: {}.  The dtype {} is not in the list of allowed values: float32, int64, string", key, name_of(dtype)));
}

/// The dtype of the values; `if_none` if there are none.
DType dtype_in(const Feature& feature, DType if_none) {
  if (std::holds_alternative<BytesList>(feature)) return string_dtype;
  if (std::holds_alternative<FloatList>(feature)) return DType::float32;
  return std::holds_alternative<Int64List>(feature) ? DType::int64 : if_none;
}

std::int64_t count_in(const Feature& feature) {
  if (const auto* const bytes = std::get_if<BytesList>(&feature)) return static_cast<std::int64_t>(bytes->value.size());
  if (const auto* const floats = std::get_if<FloatList>(&feature)) {
    return static_cast<std::int64_t>(floats->value.size());
  }
  const auto* const integers = std::get_if<Int64List>(&feature);
  return integers == nullptr ? 0 : static_cast<std::int64_t>(integers->value.size());
}

/// The values, as many as the shape has.
Tensor tensor_in(const Feature& feature, const Shape& shape, DType dtype) {
  if (const auto* const bytes = std::get_if<BytesList>(&feature)) return StringTensor(shape, bytes->value);
  if (const auto* const floats = std::get_if<FloatList>(&feature)) return Tensor::from_data(shape, floats->value);
  if (const auto* const integers = std::get_if<Int64List>(&feature)) return Tensor::from_data(shape, integers->value);
  if (dtype == string_dtype) return StringTensor(shape, {});
  return Tensor::uninitialized(shape, dtype);
}

/// A feature of an example and what it is expected to be.
class ParsedFeature {
 public:
  ParsedFeature(const std::string& key, const Feature& feature) : key_(key), feature_(feature) {}

  Tensor operator()(const FixedLenFeature& expected) const {
    if (std::holds_alternative<std::monostate>(feature_)) return default_of(expected);
    require_dtype(expected.dtype);
    if (count_in(feature_) != expected.shape.size()) {
      throw InvalidArgumentError(
          fmt::format("Key: {}.  Number of {} values != expected.  Values size: {} but output shape: {}", key_,
                      type_name(expected.dtype), count_in(feature_), expected.shape.to_string()));
    }
    return tensor_in(feature_, expected.shape, expected.dtype);
  }

  Tensor operator()(const VarLenFeature& expected) const {
    require_dtype(expected.dtype);
    return tensor_in(feature_, {count_in(feature_)}, expected.dtype);
  }

  Tensor operator()(const FixedLenSequenceFeature& expected) const {
    require_dtype(expected.dtype);
    const std::int64_t size = expected.shape.size();
    if (size < 1) {
      throw InvalidArgumentError(fmt::format("Key: {}.  A sequence needs elements with at least one value, not {}",
                                             key_, expected.shape.to_string()));
    }
    if (count_in(feature_) % size != 0) {
      throw InvalidArgumentError(fmt::format(
          "Error while parsing feature with key {}: number of elements should be divisible by {}, found {} instead",
          key_, size, count_in(feature_)));
    }
    return tensor_in(feature_, Shape({count_in(feature_) / size}).concatenate(expected.shape), expected.dtype);
  }

 private:
  void require_dtype(DType dtype) const {
    require_feature_dtype(key_, dtype);
    const DType found = dtype_in(feature_, dtype);
    if (found == dtype) return;
    throw InvalidArgumentError(fmt::format("Key: {}.  Data types don't match. Data type: {} but expected type: {}",
                                           key_, type_name(found), type_name(dtype)));
  }

  Tensor default_of(const FixedLenFeature& expected) const {
    require_feature_dtype(key_, expected.dtype);
    const Tensor& value = expected.default_value;
    if (value.is_empty()) {
      throw InvalidArgumentError(fmt::format("Feature: {} (data type: {}) is required but could not be found.", key_,
                                             type_name(expected.dtype)));
    }
    const bool is_text = expected.dtype == string_dtype;
    if (value.size() != expected.shape.size() || (value.dtype() == string_dtype) != is_text) {
      throw ValueError(fmt::format("Key: {}.  The default value has {} values of dtype {}, expected {} of {}", key_,
                                   value.size(), name_of(value.dtype()), expected.shape.size(),
                                   name_of(expected.dtype)));
    }
    if (is_text) return StringTensor::of(value).reshape(expected.shape);
    return value.reshape(expected.shape).cast(expected.dtype);
  }

  const std::string& key_;
  const Feature& feature_;
};

}  // namespace

std::map<std::string, Tensor> parse_single_example(const Tensor& serialized,
                                                   const std::map<std::string, FeatureDescription>& features) {
  return parse_single_example(std::string_view(StringTensor::of(serialized).item()), features);
}

std::map<std::string, Tensor> parse_single_example(std::string_view serialized,
                                                   const std::map<std::string, FeatureDescription>& features) {
  if (features.empty()) throw ValueError("Invalid argument: features cannot be empty.");
  const Example example = Example::from_string(serialized);
  std::map<std::string, Tensor> tensors;
  for (const auto& [key, expected] : features) {
    const auto found = example.features.find(key);
    const Feature feature = found == example.features.end() ? Feature() : found->second;
    tensors[key] = std::visit(ParsedFeature(key, feature), expected);
  }
  return tensors;
}

}  // namespace rhyton::datasets

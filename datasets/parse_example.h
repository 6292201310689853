#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// A feature with as many values in each example (`tf.io.FixedLenFeature`).
struct FixedLenFeature {
  Shape shape;
  /// float32, int64 or `string_dtype`.
  DType dtype = DType::float32;
  /// For examples without the feature, with as many values; if empty, each must have it.
  Tensor default_value = {};
};

/// A feature with any number of values, which become a tensor [values] (`tf.io.VarLenFeature`, whose sparse tensor has
/// them as `values`; `tf.io.RaggedFeature` gives the same). An example without the feature has none.
struct VarLenFeature {
  DType dtype = DType::float32;
};

/// A feature with values of that shape, any number of times: [times] + shape (`tf.io.FixedLenSequenceFeature` with
/// `allow_missing`).
struct FixedLenSequenceFeature {
  Shape shape;
  DType dtype = DType::float32;
};

/// What a feature is expected to be.
using FeatureDescription = std::variant<FixedLenFeature, VarLenFeature, FixedLenSequenceFeature>;

/// The features of a `tf.train.Example`, as a function of `map` takes them from the records of a TFRecordDataset
/// (`tf.io.parse_single_example`). `serialized`: one record.
///
/// ```
/// const auto parse = [](const Tensor& record) {
///   auto features = datasets::parse_single_example(record, {{"image", datasets::FixedLenFeature{{28, 28}, float32}},
///                                                           {"label", datasets::FixedLenFeature{{}, int64}}});
///   return std::pair(features["image"], features["label"]);
/// };
/// auto data = datasets::TFRecordDataset("digits.tfrecord").map(parse).batch(32);
/// ```
///
/// Throws InvalidArgumentError in TensorFlow's words for bytes that are no such message, a missing feature, and one of
/// another dtype or number of values; ValueError for no features and a default value that does not fit; TypeError if
/// `serialized` is no string.
std::map<std::string, Tensor> parse_single_example(const Tensor& serialized,
                                                   const std::map<std::string, FeatureDescription>& features);
/// The same for the bytes of a record.
std::map<std::string, Tensor> parse_single_example(std::string_view serialized,
                                                   const std::map<std::string, FeatureDescription>& features);

}  // namespace rhyton::datasets

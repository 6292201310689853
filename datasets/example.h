#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// The messages in the records of TFRecord files: https://www.tensorflow.org/tutorials/load_data/tfrecord
namespace rhyton::datasets {

/// The values of a feature, in row-major order (`tf.train.BytesList`, …).
struct BytesList {
  std::vector<std::string> value;
  friend bool operator==(const BytesList&, const BytesList&) = default;
};
struct FloatList {
  std::vector<float> value;
  friend bool operator==(const FloatList&, const FloatList&) = default;
};
struct Int64List {
  std::vector<std::int64_t> value;
  friend bool operator==(const Int64List&, const Int64List&) = default;
};

/// A list of values, or none (`tf.train.Feature`).
using Feature = std::variant<std::monostate, BytesList, FloatList, Int64List>;

/// The values of a tensor as a feature: strings, real numbers as float32, integers and truth values as int64.
Feature feature_of(const Tensor& tensor);

/// Features by name (`tf.train.Example`).
///
/// ```
/// datasets::TFRecordWriter writer("digits.tfrecord");
/// writer.write(datasets::Example{{{"image", datasets::feature_of(image)},
///                                 {"label", datasets::Int64List{{7}}}}}.serialize_to_string());
/// writer.close();
/// ```
struct Example {
  std::map<std::string, Feature> features;

  /// The message as bytes, its features sorted by name: `SerializeToString(deterministic=True)`.
  std::string serialize_to_string() const;
  /// The message of these bytes. Throws InvalidArgumentError for other bytes.
  static Example from_string(std::string_view bytes);

  friend bool operator==(const Example&, const Example&) = default;
};

}  // namespace rhyton::datasets

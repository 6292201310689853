// Messages tf.train.Example, compared with TensorFlow (golden/make_examples.py).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/example.h>
#include <rhyton/datasets/file_sources.h>
#include <rhyton/datasets/parse_example.h>
#include <rhyton/datasets/tf_record.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/golden_bytes.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::bytes_of;
using test::message_of;
using ::testing::HasSubstr;

Feature feature_of_json(const std::string& kind, const io::Json& values) {
  if (kind == "bytes") {
    BytesList list;
    for (const io::Json& value : values) list.value.push_back(bytes_of(value.as_string()));
    return list;
  }
  if (kind == "float") {
    FloatList list;
    for (const io::Json& value : values) list.value.push_back(static_cast<float>(value.as_double()));
    return list;
  }
  if (kind == "none") return {};
  Int64List list;
  for (const io::Json& value : values) list.value.push_back(value.as_int());
  return list;
}

Shape shape_of(const io::Json& lengths) {
  Shape shape;
  for (const io::Json& length : lengths) shape.push_back(length.as_int());
  return shape;
}

DType dtype_of_kind(const std::string& kind) {
  if (kind == "bytes" || kind == "string") return string_dtype;
  return kind.starts_with("float") ? float32 : int64;
}

Tensor tensor_of(const io::Json& values, const Shape& shape, DType dtype) {
  if (dtype == string_dtype) return StringTensor(shape, std::get<BytesList>(feature_of_json("bytes", values)).value);
  if (dtype == float32) return Tensor::from_data(shape, std::get<FloatList>(feature_of_json("float", values)).value);
  return Tensor::from_data(shape, std::get<Int64List>(feature_of_json("int64", values)).value);
}

/// [class, shape, kind, default value?]
FeatureDescription description_of(const io::Json& expected) {
  const Shape shape = shape_of(expected[1]);
  const DType dtype = dtype_of_kind(expected[2].as_string());
  const std::string& name = expected[0].as_string();
  if (name == "VarLenFeature") return VarLenFeature{dtype};
  if (name == "FixedLenSequenceFeature") return FixedLenSequenceFeature{shape, dtype};
  FixedLenFeature feature = {shape, dtype};
  if (expected.size() > 3) feature.default_value = tensor_of(expected[3], shape, dtype);
  return feature;
}

void expect_equal(const Tensor& actual, const Tensor& expected) {
  EXPECT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(actual.shape(), expected.shape());
  // To the bit: 64-bit integers are no doubles.
  EXPECT_EQ(feature_of(actual), feature_of(expected));
}

TEST(Example, IsReadAndWrittenAsByTensorFlow) {
  const test::GoldenArea area("examples");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden.dump());
    Example example;
    for (const auto& [name, feature] : golden["features"].items()) {
      example.features[name] = feature_of_json(feature["kind"].as_string(), feature["value"]);
    }
    const std::string serialized = bytes_of(golden["serialized"].as_string());
    EXPECT_EQ(Example::from_string(serialized), example);
    EXPECT_EQ(example.serialize_to_string(), serialized);
  }
}

TEST(ParseExample, GivesTheTensorsOfTensorFlow) {
  const test::GoldenArea area("examples");
  int compared = 0;
  int refused = 0;
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden.dump());
    std::map<std::string, FeatureDescription> features;
    for (const auto& [name, expected] : golden["expected"].items()) features[name] = description_of(expected);
    const Tensor serialized = StringTensor(bytes_of(golden["serialized"].as_string()));
    if (golden.find("error") != nullptr) {
      EXPECT_THROW(parse_single_example(serialized, features), InvalidArgumentError);
      ++refused;
      continue;
    }
    const std::map<std::string, Tensor> tensors = parse_single_example(serialized, features);
    EXPECT_EQ(tensors.size(), golden["tensors"].size());
    for (const auto& [name, expected] : golden["tensors"].items()) {
      const DType dtype = dtype_of_kind(expected["dtype"].as_string());
      expect_equal(tensors.at(name), tensor_of(expected["values"], shape_of(expected["shape"]), dtype));
    }
    ++compared;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(refused, 10);
}

TEST(ParseExample, RefusesInTensorFlowsWords) {
  const std::string record = Example{{{"a", Int64List{{1, 2, 3}}}}}.serialize_to_string();
  const auto message = [&](const FeatureDescription& expected, const char* key = "a") {
    return message_of<InvalidArgumentError>([&] { parse_single_example(record, {{key, expected}}); });
  };
  EXPECT_EQ(message(FixedLenFeature{{3}, float32}),
            "Key: a.  Data types don't match. Data type: int64 but expected type: float");
  EXPECT_EQ(message(FixedLenFeature{{2}, int64}),
            "Key: a.  Number of int64 values != expected.  Values size: 3 but output shape: (2,)");
  EXPECT_EQ(message(FixedLenFeature{{}, string_dtype}, "z"),
            "Feature: z (data type: string) is required but could not be found.");
  EXPECT_EQ(message(FixedLenSequenceFeature{{2}, int64}),
            "Error while parsing feature with key a: number of elements should be divisible by 2, found 3 instead");
  EXPECT_THAT(message(FixedLenFeature{{3}, int32}), HasSubstr("int32 is not in the list of allowed values"));
  EXPECT_THAT(message(FixedLenSequenceFeature{{0}, int64}), HasSubstr("at least one value"));
  EXPECT_EQ(message_of<ValueError>([&] { parse_single_example(record, {}); }),
            "Invalid argument: features cannot be empty.");
  EXPECT_THAT(message_of<ValueError>([&] {
                parse_single_example(record, {{"z", FixedLenFeature{{2}, int64, Tensor::scalar(std::int64_t{1})}}});
              }),
              HasSubstr("expected 2 of int64"));
  EXPECT_THROW(parse_single_example(Tensor::scalar(1), {{"a", VarLenFeature{int64}}}), TypeError);
}

TEST(Example, ReadsWhatOtherWritersMayWrite) {
  using namespace std::string_literals;
  // Numbers one by one, the value before its key, two messages one behind the other, fields of later versions.
  const std::string value = "\x1a\x04\x08\x01\x08\x02"s;
  const std::string entry = "\x12\x06"s + value + "\x0a\x01k"s;
  const auto message = [](const std::string& entries) { return "\x0a"s + static_cast<char>(entries.size()) + entries; };
  const std::string whole = message("\x0a\x0b"s + entry);
  const Example expected = {{{"k", Int64List{{1, 2}}}}};
  EXPECT_EQ(Example::from_string(whole), expected);
  EXPECT_EQ(Example::from_string("\x2a\x02zz\x30\x07"s + whole), expected);
  EXPECT_EQ(Example::from_string(whole + Example{{{"q", FloatList{{0.5F}}}}}.serialize_to_string()),
            (Example{{{"k", Int64List{{1, 2}}}, {"q", FloatList{{0.5F}}}}}));
  EXPECT_EQ(Example::from_string(""), Example());
}

TEST(Example, RefusesDamagedMessages) {
  const Example example = {{{"name", BytesList{{"abc", ""}}},
                            {"numbers", Int64List{{-1, 300, std::numeric_limits<std::int64_t>::min()}}},
                            {"x", FloatList{{1.5F, -2.0F}}}}};
  const std::string whole = example.serialize_to_string();
  EXPECT_EQ(Example::from_string(whole), example);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THROW(Example::from_string(std::string_view(whole).substr(0, size)), InvalidArgumentError) << size;
  }
  int accepted = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[place] = static_cast<char>(value);
      try {
        const Example read = Example::from_string(changed);
        // What is read can be written.
        EXPECT_EQ(Example::from_string(read.serialize_to_string()).features.size(), read.features.size());
        ++accepted;
      } catch (const InvalidArgumentError&) {
      }
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_THAT(message_of<InvalidArgumentError>([] { Example::from_string("abc"); }),
              HasSubstr("Could not parse example input: "));
}

TEST(ParseExample, IsAFunctionOfMap) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "digits.tfrecord").string();
  TFRecordWriter writer(path, {.compression_type = "GZIP"});
  for (int i = 0; i < 5; ++i) {
    const Tensor image = Tensor::full({2, 3}, i + 0.5, float32);
    writer.write(Example{{{"image", feature_of(image)}, {"label", Int64List{{i}}}}}.serialize_to_string());
  }
  writer.close();
  const auto parse = [](const Tensor& record) {
    auto features = parse_single_example(
        record, {{"image", FixedLenFeature{{2, 3}, float32}}, {"label", FixedLenFeature{{}, int64}}});
    return std::pair(features["image"], features["label"]);
  };
  const Pipeline data = TFRecordDataset(path, {.compression_type = "GZIP"}).map(parse).batch(4);
  EXPECT_EQ(data.element_spec().x.at(0), (TensorSpec{{-1, 2, 3}, float32}));
  const auto batches = data.iterator(0);
  const Batch first = batches->next().value();
  EXPECT_EQ(first.x.at(0).shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(first.y.at(0).to_vector(), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(batches->next()->x.at(0).to_vector(), std::vector<double>(6, 4.5));
  EXPECT_EQ(feature_of(StringTensor({"a", "b"})), Feature(BytesList{{"a", "b"}}));
  EXPECT_EQ(feature_of(Tensor::full({2}, 3, uint8)), Feature(Int64List{{3, 3}}));
}

}  // namespace
}  // namespace rhyton::datasets

// keras.utils.bounding_boxes, compared with Keras.

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/deltas.h>
#include <rhyton/layers/bounding_boxes/overlap.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::utils::bounding_boxes {
namespace {

using test::GoldenCases;
using test::role;

const GoldenCases& golden() {
  static const GoldenCases cases("bounding_boxes");
  return cases;
}

/// The arguments of a case by name.
class Arguments {
 public:
  explicit Arguments(const io::Json& json) : json_(json) {}

  std::string text(const char* key, const std::string& fallback = {}) const {
    return has(key) ? json_[key].as_string() : fallback;
  }
  std::optional<std::int64_t> length(const char* key) const {
    return has(key) ? std::optional(json_[key].as_int()) : std::nullopt;
  }
  std::optional<double> number(const char* key) const {
    return has(key) ? std::optional(json_[key].as_double()) : std::nullopt;
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> result;
    if (has(key)) {
      for (const io::Json& number : json_[key]) result.push_back(number.as_double());
    }
    return result;
  }
  std::vector<std::int64_t> image_shape() const {
    std::vector<std::int64_t> result;
    for (const double number : numbers("image_shape")) result.push_back(static_cast<std::int64_t>(number));
    return result;
  }
  std::string format() const { return text("bounding_box_format", "xyxy"); }
  bool has(const char* key) const { return json_.find(key) != nullptr; }

 private:
  const io::Json& json_;
};

std::vector<Tensor> inputs_of(const io::Json& entry) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; golden().has_array(entry, role("input", i)); ++i) {
    inputs.push_back(golden().array(entry, role("input", i)));
  }
  return inputs;
}

/// The boxes, and the labels where the function has some.
LabelledBoxes result_of(const io::Json& entry) {
  const std::vector<Tensor> x = inputs_of(entry);
  const Arguments given(entry["arguments"]);
  const std::string function = entry["function"].as_string();
  if (function == "convert_format") {
    return {convert_format(x[0], given.text("source"), given.text("target"),
                           {.height = given.length("height"), .width = given.length("width")})};
  }
  if (function == "clip_to_image_size") {
    return clip_to_image_size(
        {x[0], x[1]},
        {.height = given.length("height"), .width = given.length("width"), .bounding_box_format = given.format()});
  }
  if (function == "affine_transform") {
    return {affine_transform(x[0], x[1], x[2], x[3], x[4], x[5], x[6], *given.length("height"), *given.length("width"),
                             {.center_x = given.number("center_x"),
                              .center_y = given.number("center_y"),
                              .bounding_box_format = given.format()})};
  }
  if (function == "crop") {
    return {crop(x[0], *given.length("top"), *given.length("left"), *given.length("height"), *given.length("width"),
                 {.bounding_box_format = given.format()})};
  }
  if (function == "pad") {
    return {
        pad(x[0], *given.length("top"), *given.length("left"),
            {.height = given.length("height"), .width = given.length("width"), .bounding_box_format = given.format()})};
  }
  if (function == "compute_iou") {
    return {compute_iou(x[0], x[1], given.format(),
                        {.use_masking = given.has("use_masking"),
                         .mask_val = given.number("mask_val").value_or(-1),
                         .image_shape = given.image_shape()})};
  }
  if (function == "compute_ciou") {
    return {compute_ciou(x[0], x[1], given.format(), {.image_shape = given.image_shape()})};
  }
  if (function == "encode_box_to_deltas") {
    return {encode_box_to_deltas(x[0], x[1], given.text("anchor_format"), given.text("box_format"),
                                 {.encoding_format = given.text("encoding_format", "center_yxhw"),
                                  .variance = given.numbers("variance"),
                                  .image_shape = given.image_shape()})};
  }
  return {decode_deltas_to_boxes(x[0], x[1], given.text("anchor_format"), given.text("box_format"),
                                 {.encoded_format = given.text("encoded_format", "center_yxhw"),
                                  .variance = given.numbers("variance"),
                                  .image_shape = given.image_shape()})};
}

/// Keras prints tuples of shapes and the image's shape as Python does; lists of these are compared up to their values.
std::string beginning_of(const std::string& message) { return message.substr(0, message.find("Received")); }

class BoundingBoxes : public ::testing::TestWithParam<std::string> {};

TEST_P(BoundingBoxes, EqualKeras) {
  const io::Json& entry = golden().find(GetParam());
  const io::Json* const error = entry.find("error");
  if (error != nullptr && (*error)["class"].as_string() == "NotImplementedError") {
    EXPECT_THROW(result_of(entry), NotImplementedError);
    return;
  }
  if (error != nullptr) {
    const std::string message = test::message_of<ValueError>([&] { result_of(entry); });
    EXPECT_EQ(beginning_of(message), beginning_of((*error)["message"].as_string()));
    return;
  }
  const LabelledBoxes result = result_of(entry);
  const Tensor expected = golden().array(entry, "output");
  EXPECT_EQ(result.boxes.dtype(), expected.dtype());
  test::expect_close(result.boxes, expected, 2e-6, "boxes");
  if (!golden().has_array(entry, "labels")) return;
  EXPECT_EQ(result.labels.to_vector(), golden().array(entry, "labels").to_vector());
  EXPECT_EQ(result.labels.dtype(), golden().array(entry, "labels").dtype());
}

INSTANTIATE_TEST_SUITE_P(All, BoundingBoxes, ::testing::ValuesIn(golden().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::utils::bounding_boxes

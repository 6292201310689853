// What the golden cases of bounding boxes do not show.

#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/deltas.h>
#include <rhyton/layers/bounding_boxes/overlap.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::utils::bounding_boxes {
namespace {

using test::message_of;

Tensor two_boxes() { return Tensor::from_data<float>({2, 4}, {1, 2, 5, 8, 0, 3, 4, 4}); }

TEST(ConvertFormat, KeepsLabels) {
  const Tensor labels = Tensor::from_data<std::int32_t>({2}, {7, 8});
  const LabelledBoxes converted = convert_format(LabelledBoxes{two_boxes(), labels}, "xyxy", "xywh");
  EXPECT_EQ(converted.boxes.to_vector(), (std::vector<double>{1, 2, 4, 6, 0, 3, 4, 1}));
  EXPECT_EQ(converted.labels.to_vector(), labels.to_vector());
}

TEST(ConvertFormat, HasTheDtypeThatIsGiven) {
  EXPECT_EQ(convert_format(two_boxes(), "xyxy", "yxyx", {.dtype = DType::float64}).dtype(), DType::float64);
  EXPECT_EQ(convert_format(two_boxes(), "xyxy", "xyxy", {.dtype = DType::int32}).dtype(), DType::int32);
}

TEST(ConvertFormat, TakesASizeForEachImage) {
  const Tensor boxes = Tensor::from_data<float>({2, 1, 4}, {10, 20, 30, 40, 10, 20, 30, 40});
  const Tensor heights = Tensor::from_data<float>({2, 1, 1}, {40, 80});
  const Tensor widths = Tensor::from_data<float>({2, 1, 1}, {10, 20});
  EXPECT_EQ(convert_format(boxes, "xyxy", "rel_yxyx", heights, widths).to_vector(),
            (std::vector<double>{0.5, 1, 1, 3, 0.25, 0.5, 0.5, 1.5}));
}

TEST(ClipToImageSize, WithoutLabelsHasNone) {
  const LabelledBoxes clipped = clip_to_image_size({two_boxes()}, {.height = 4, .width = 3});
  EXPECT_EQ(clipped.boxes.to_vector(), (std::vector<double>{1, 2, 3, 4, 0, 3, 3, 4}));
  EXPECT_TRUE(clipped.labels.is_empty());
}

TEST(Deltas, OfLevelsAreDecodedByLevel) {
  const std::map<std::string, Tensor> anchors = {{"p3", two_boxes()}, {"p4", two_boxes() * 2.0}};
  const std::map<std::string, Tensor> zeros = {{"p3", Tensor::zeros({2, 4})}, {"p4", Tensor::zeros({2, 4})}};
  const auto boxes = decode_deltas_to_boxes(anchors, zeros, "xyxy", "xyxy");
  ASSERT_EQ(boxes.size(), 2);
  EXPECT_EQ(boxes.at("p4").to_vector(), anchors.at("p4").to_vector());
  const std::string message = message_of<ValueError>([&] {
    decode_deltas_to_boxes(anchors, {{"p3", Tensor::zeros({2, 4})}}, "xyxy", "xyxy");
  });
  EXPECT_NE(message.find("the level 'p4'"), std::string::npos) << message;
}

TEST(Deltas, OfAnotherVarianceOrImageAreRefused) {
  EXPECT_EQ(message_of<ValueError>([] {
              encode_box_to_deltas(two_boxes(), two_boxes(), "xyxy", "xyxy", {.variance = {1, 2}});
            }),
            "`variance` must be length 4, got [1.0, 2.0]");
  EXPECT_THROW(encode_box_to_deltas(two_boxes(), two_boxes(), "xyxy", "xyxy", {.image_shape = {4, 4}}), ValueError);
}

TEST(AffineTransform, RefusesBoxesThatAreNoBatch) {
  const Tensor zero = Tensor::zeros({2});
  EXPECT_THROW(affine_transform(two_boxes(), zero, zero, zero, zero, zero, zero, 4, 4), ValueError);
}

}  // namespace
}  // namespace rhyton::utils::bounding_boxes

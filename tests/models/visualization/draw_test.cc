// Boxes and masks drawn into images. Rectangles are those of OpenCV, with which Keras draws.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/models/visualization/draw.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::visualization {
namespace {

using test::message_of;
using utils::bounding_boxes::LabelledBoxes;

LabelledBoxes one_box(std::initializer_list<float> numbers, std::int32_t label = 0) {
  return {Tensor::from_data<float>({1, 1, 4}, numbers), Tensor::from_data<std::int32_t>({1, 1}, {label})};
}

/// The rows of an image with one channel, '#' where it is not 0.
std::vector<std::string> rows_of(const Tensor& image) {
  const std::vector<double> values = image.to_vector();
  const auto width = static_cast<std::size_t>(image.shape()[2]);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % width == 0) rows.emplace_back();
    rows.back() += values[i] == 0 ? '.' : '#';
  }
  return rows;
}

std::vector<std::string> drawn(int thickness) {
  const Tensor image = Tensor::zeros({1, 13, 15, 1}, DType::uint8);
  return rows_of(draw_bounding_boxes(image, one_box({4, 4, 10, 8}), "xyxy", {.line_thickness = thickness}));
}

TEST(DrawBoundingBoxes, DrawsTheLinesOfOpenCV) {
  EXPECT_EQ(drawn(1), (std::vector<std::string>{
                          "...............", "...............", "...............", "...............", "....#######....",
                          "....#.....#....", "....#.....#....", "....#.....#....", "....#######....", "...............",
                          "...............", "...............", "..............."}));
  EXPECT_EQ(drawn(2), (std::vector<std::string>{
                          "...............", "...............", "...............", "....#######....", "...#########...",
                          "...#########...", "...###...###...", "...#########...", "...#########...", "....#######....",
                          "...............", "...............", "..............."}));
  EXPECT_EQ(drawn(3), drawn(4));
  EXPECT_EQ(drawn(5), (std::vector<std::string>{
                          "...............", "....#######....", "..###########..", "..###########..", ".#############.",
                          ".#############.", ".#############.", ".#############.", ".#############.", "..###########..",
                          "..###########..", "....#######....", "..............."}));
}

TEST(DrawBoundingBoxes, LeavesOutWhatIsBeyondTheImage) {
  const Tensor image = Tensor::zeros({1, 3, 4, 1}, DType::uint8);
  const auto draw = [&](std::initializer_list<float> box) {
    return rows_of(draw_bounding_boxes(image, one_box(box), "xyxy", {.line_thickness = 1}));
  };
  EXPECT_EQ(draw({-2, 1, 2, 9}), (std::vector<std::string>{"....", "###.", "..#."}));
  EXPECT_EQ(draw({-1e30F, -1e30F, 1e30F, 1e30F}), (std::vector<std::string>{"....", "....", "...."}));
}

TEST(DrawBoundingBoxes, HasTheColourAndTheFormat) {
  const Tensor image = Tensor::zeros({1, 2, 2, 3});
  const Tensor result =
      draw_bounding_boxes(image, one_box({0.5, 0.5, 0, 0}), "rel_xywh", {.color = {1, 2, 3}, .line_thickness = 1});
  EXPECT_EQ(result.dtype(), DType::uint8);
  EXPECT_EQ(result.to_vector(), (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}));
  const Tensor first = draw_bounding_boxes(transpose(image, {0, 3, 1, 2}), one_box({0.5, 0.5, 0, 0}), "rel_xywh",
                                           {.color = {1, 2, 3}, .line_thickness = 1, .data_format = "channels_first"});
  EXPECT_EQ(transpose(first, {0, 2, 3, 1}).to_vector(), result.to_vector());
}

TEST(DrawBoundingBoxes, TakesFractionsForTheirRange) {
  const LabelledBoxes padding = one_box({0, 0, 1, 1}, -1);
  const auto bytes = [&](const std::vector<float>& values) {
    return draw_bounding_boxes(Tensor::from_data({1, 1, 2, 1}, values), padding, "xyxy").to_vector();
  };
  EXPECT_EQ(bytes({0.5, -0.5}), (std::vector<double>{127, 0}));
  EXPECT_EQ(bytes({300, 1.9F}), (std::vector<double>{255, 1}));
}

TEST(DrawBoundingBoxes, RefusesWhatIsNoBatch) {
  EXPECT_EQ(message_of<ValueError>([] {
              draw_bounding_boxes(Tensor::zeros({2, 2, 3}), {}, "xyxy");
            }),
            "`images` must be batched 4D tensor. Received: images.shape=(2, 2, 3)");
  const Tensor images = Tensor::zeros({2, 4, 4, 3});
  EXPECT_THROW(draw_bounding_boxes(images, {}, "xyxy"), ValueError);
  EXPECT_THROW(draw_bounding_boxes(images, one_box({0, 0, 1, 1}), "xyxy"), ValueError);
  EXPECT_THROW(draw_bounding_boxes(Tensor::zeros({1, 4, 4, 3}), one_box({0, 0, 1, 1}), "xyxy", {.line_thickness = 0}),
               ValueError);
}

TEST(DrawSegmentationMasks, BlendsTheColoursOfKeras) {
  const Tensor images = Tensor::full({1, 1, 4, 3}, 100);
  const Tensor masks = Tensor::from_data<std::int32_t>({1, 1, 4, 1}, {0, 1, 2, -1});
  // Only classes below the largest number are drawn, as in Keras.
  EXPECT_EQ(draw_segmentation_masks(images, masks).to_vector(),
            (std::vector<double>{20, 20, 20, 20, 121, 44, 100, 100, 100, 100, 100, 100}));
}

TEST(DrawSegmentationMasks, WithoutBlendingIsTheColours) {
  const Tensor images = Tensor::full({1, 1, 2, 3}, 100);
  const Tensor masks = Tensor::from_data<std::int32_t>({1, 1, 2, 1}, {0, 1});
  const DrawSegmentationMasksOptions options = {.color_mapping = {{0, {1, 2, 3}}, {1, {4, 5, 6}}}, .blend = false};
  const Tensor result = draw_segmentation_masks(
      images, masks, {.num_classes = 2, .color_mapping = options.color_mapping, .blend = false});
  EXPECT_EQ(result.dtype(), DType::float32);
  EXPECT_EQ(result.to_vector(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(DrawSegmentationMasks, RefusesOtherMasks) {
  const Tensor images = Tensor::zeros({1, 2, 2, 3});
  EXPECT_EQ(message_of<TypeError>([&] {
              draw_segmentation_masks(images, Tensor::zeros({1, 2, 2, 1}));
            }),
            "`segmentation_masks` must be in integer dtype. Received: segmentation_masks.dtype=float32");
  EXPECT_THROW(draw_segmentation_masks(images, Tensor::zeros({1, 2, 1, 1}, DType::int32)), ValueError);
  EXPECT_THROW(draw_segmentation_masks(images, Tensor::zeros({1, 2, 2, 1}, DType::int32),
                                       {.num_classes = 2, .color_mapping = {{0, {0, 0, 0}}}}),
               ValueError);
}

}  // namespace
}  // namespace rhyton::visualization

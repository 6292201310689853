#include <rhyton/layers/preprocessing/max_num_bounding_boxes.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/preprocessing/labelled_images.h>

namespace rhyton::layers {
namespace {

TEST(MaxNumBoundingBoxes, FillsUpWithTheNumber) {
  const MaxNumBoundingBoxes layer(2, {.fill_value = -7, .bounding_box_format = "xyxy"});
  const LabelledImages data = {
      .images = Tensor::zeros({4, 4, 1}),
      .bounding_boxes = {Tensor::from_data<float>({1, 4}, {1, 2, 3, 4}), Tensor::from_data<std::int32_t>({1}, {5})}};
  const LabelledImages result = apply(layer, data);
  EXPECT_EQ(result.bounding_boxes.boxes.to_vector(), (std::vector<double>{1, 2, 3, 4, -7, -7, -7, -7}));
  EXPECT_EQ(result.bounding_boxes.labels.to_vector(), (std::vector<double>{5, -7}));
  EXPECT_EQ(layer(data.images).to_vector(), data.images.to_vector());
  EXPECT_EQ(MaxNumBoundingBoxes::from_config(layer.get_config()).get_config().dump(), layer.get_config().dump());
}

TEST(MaxNumBoundingBoxes, RefusesNegativeNumbers) { EXPECT_THROW(MaxNumBoundingBoxes(-1), ValueError); }

}  // namespace
}  // namespace rhyton::layers

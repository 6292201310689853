#include <cstdint>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/image.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/models/visualization/galleries.h>

namespace rhyton::visualization {
namespace {

/// Images of one pixel: 0, 1, 2, …
Tensor numbered(std::int64_t count) { return reshape(cast(range(count), DType::uint8), {count, 1, 1, 1}); }

TEST(PlotImageGallery, HasTheRowsAndColumnsOfKeras) {
  const Tensor gallery = plot_image_gallery(numbered(7));
  // Three rows of two: the seventh image is left out.
  EXPECT_EQ(gallery.shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(gallery.to_vector(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(plot_image_gallery(numbered(3), {.rows = 2, .cols = 2}).to_vector(), (std::vector<double>{0, 1, 2, 255}));
}

TEST(PlotImageGallery, ScalesTheRangeOfValues) {
  const Tensor images = Tensor::from_data<float>({2, 1, 1, 1}, {-1, 0.5});
  EXPECT_EQ(plot_image_gallery(images, {.rows = 1, .cols = 2, .value_range = {-1, 1}}).to_vector(),
            (std::vector<double>{0, 191}));
  EXPECT_THROW(plot_image_gallery(images, {.value_range = {1, 1}}), ValueError);
  EXPECT_THROW(plot_image_gallery(images, {.rows = 0}), ValueError);
  EXPECT_THROW(plot_image_gallery(Tensor::zeros({2, 1, 1})), ValueError);
}

TEST(PlotImageGallery, WritesAFile) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "gallery.png";
  const Tensor gallery = plot_image_gallery(numbered(4), {.path = path});
  const Tensor written = datasets::load_img(path, {.color_mode = "grayscale"});
  EXPECT_EQ(written.shape(), gallery.shape());
  EXPECT_EQ(written.to_vector(), gallery.to_vector());
  std::filesystem::remove(path);
}

TEST(PlotBoundingBoxGallery, DrawsPredictionsOverTruths) {
  const Tensor images = Tensor::zeros({1, 1, 4, 3});
  const auto box = [](float x) {
    return utils::bounding_boxes::LabelledBoxes{Tensor::from_data<float>({1, 1, 4}, {x, 0, x + 1, 0}),
                                                Tensor::zeros({1, 1}, DType::int32)};
  };
  EXPECT_EQ(
      plot_bounding_box_gallery(
          images, "xyxy",
          {.y_true = box(0), .y_pred = box(1), .true_color = {1, 1, 1}, .pred_color = {2, 2, 2}, .line_thickness = 1})
          .to_vector(),
      (std::vector<double>{1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 0, 0}));
}

TEST(PlotSegmentationMaskGallery, HasAColumnForEachKindOfMasks) {
  const Tensor images = Tensor::full({2, 1, 1, 3}, 9);
  const Tensor masks = Tensor::from_data<std::int32_t>({2, 1, 1, 1}, {0, 1});
  const Tensor gallery = plot_segmentation_mask_gallery(
      images, 2, {.y_true = masks, .color_mapping = {{0, {1, 1, 1}}, {1, {2, 2, 2}}}, .blend = false});
  EXPECT_EQ(gallery.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(gallery.to_vector(), (std::vector<double>{9, 9, 9, 1, 1, 1, 9, 9, 9, 2, 2, 2}));
  EXPECT_EQ(plot_segmentation_mask_gallery(images, 2).shape(), (Shape{2, 1, 3}));
}

}  // namespace
}  // namespace rhyton::visualization

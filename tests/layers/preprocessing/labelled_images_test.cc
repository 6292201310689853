// Images and what belongs to them: what the golden cases do not show, as random numbers differ from Keras's.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/layers.h>
#include <rhyton/layers/preprocessing/labelled_images.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::message_of;

constexpr std::int64_t batch = 40;

/// Images of one channel of different numbers, and the same numbers as masks.
LabelledImages numbered_pixels(std::int64_t height, std::int64_t width) {
  const Tensor numbers = reshape(cast(range(batch * height * width), DType::float32), {batch, height, width, 1});
  return {.images = numbers, .segmentation_masks = numbers};
}

/// Images that are 1 inside of one box each and else 0.
LabelledImages marked_boxes(std::int64_t size) {
  const Tensor places = cast(range(size), DType::float32);
  const Tensor x = reshape(places, {1, 1, size, 1});
  const Tensor y = reshape(places, {1, size, 1, 1});
  std::vector<float> edges;
  for (std::int64_t i = 0; i < batch; ++i) {
    const auto left = static_cast<float>(8 + i % 5);
    const auto top = static_cast<float>(9 + i % 3);
    edges.insert(edges.end(), {left, top, left + 9, top + 6});
  }
  const Tensor boxes = Tensor::from_data({batch, 1, 4}, edges);
  const auto edge = [&](std::int64_t i) { return reshape(slice_axis(boxes, 2, i, i + 1), {batch, 1, 1, 1}); };
  const Tensor inside = logical_and(logical_and(x >= edge(0), x <= edge(2)), logical_and(y >= edge(1), y <= edge(3)));
  return {.images = cast(inside, DType::float32), .bounding_boxes = {boxes, Tensor::zeros({batch, 1}, DType::int32)}};
}

/// The first and last columns and rows of an image whose values are not 0, as left, top, right, bottom.
std::vector<double> bounds_of(const Tensor& image) {
  const auto ends = [&](const std::vector<int>& axes) {
    const std::vector<double> values = max(image, axes).to_vector();
    double first = -1;
    double last = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      if (first < 0) first = static_cast<double>(i);
      last = static_cast<double>(i);
    }
    return std::vector<double>{first, last};
  };
  const std::vector<double> x = ends({0, 1, 3});
  const std::vector<double> y = ends({0, 2, 3});
  return {x[0], y[0], x[1], y[1]};
}

TEST(LabelledImages, MasksAreChangedByTheNumbersOfTheImages) {
  const std::vector<Layer> layers = {
      RandomFlip({.seed = 3}),
      RandomRotation(0.2, {.interpolation = "nearest", .seed = 3}),
      RandomZoom(0.3, {.interpolation = "nearest", .seed = 3}),
      RandomTranslation(0.3, 0.2, {.interpolation = "nearest", .seed = 3}),
      RandomShear({.x_factor = 0.3, .y_factor = 0.1, .interpolation = "nearest", .seed = 3}),
      RandomPerspective({.factor = 0.7, .scale = 0.4, .interpolation = "nearest", .seed = 3}),
      RandomElasticTransform({.factor = 0.7, .interpolation = "nearest", .value_range = {0, 1e6}, .seed = 3}),
      RandomCrop(5, 6, {.seed = 3}),
      RandomCrop(70, 6, {.seed = 3}),
      CutMix({.seed = 3}),
      MixUp({.seed = 3}),
  };
  const LabelledImages data = numbered_pixels(60, 50);
  for (const Layer& layer : layers) {
    const LabelledImages changed = apply(layer, data);
    EXPECT_EQ(changed.segmentation_masks.to_vector(), changed.images.to_vector()) << layer.class_name();
    EXPECT_NE(changed.images.to_vector(), data.images.to_vector()) << layer.class_name();
  }
}

TEST(LabelledImages, ImagesAreThoseOfACallWithoutTheRest) {
  const LabelledImages data = numbered_pixels(9, 8);
  EXPECT_EQ(apply(RandomZoom(0.3, {.seed = 3}), data).images.to_vector(),
            RandomZoom(0.3, {.seed = 3})(data.images).to_vector());
  EXPECT_EQ(apply(RandAugment({.seed = 3}), data).images.to_vector(),
            RandAugment({.seed = 3})(data.images).to_vector());
  EXPECT_EQ(apply(AugMix({.seed = 3}), data).images.to_vector(), AugMix({.seed = 3})(data.images).to_vector());
  EXPECT_EQ(apply(MixUp({.seed = 3}), data).images.to_vector(), MixUp({.seed = 3})(data.images).to_vector());
}

TEST(LabelledImages, BoxesStayAroundTheirPixels) {
  const std::string format = "xyxy";
  const std::vector<std::pair<Layer, double>> layers = {
      // A flip exchanges x and 40 - x, pixels 39 - x.
      {RandomFlip({.seed = 5, .bounding_box_format = format}), 1.01},
      {RandomTranslation(0.2, 0.2, {.fill_mode = "constant", .seed = 5, .bounding_box_format = format}), 1.01},
      {RandomPerspective({.factor = 0.8, .scale = 0.3, .seed = 5, .bounding_box_format = format}), 2.01},
  };
  for (const auto& [layer, tolerance] : layers) {
    const LabelledImages changed = apply(layer, marked_boxes(40));
    const std::vector<double> boxes = changed.bounding_boxes.boxes.to_vector();
    for (std::int64_t i = 0; i < batch; ++i) {
      const std::vector<double> bounds = bounds_of(changed.images.slice(i, i + 1));
      if (bounds[0] <= 0 || bounds[1] <= 0 || bounds[2] >= 39 || bounds[3] >= 39) continue;
      for (std::size_t edge = 0; edge < 4; ++edge) {
        EXPECT_NEAR(boxes[static_cast<std::size_t>(i) * 4 + edge], bounds[edge], tolerance)
            << layer.class_name() << " image " << i << " edge " << edge;
      }
    }
  }
}

TEST(LabelledImages, OtherEntriesOfADictionaryStay) {
  const Tensor images = Tensor::zeros({2, 4, 4, 3});
  const Tensor names = Tensor::from_data<std::int32_t>({2}, {7, 8});
  const std::vector<Tensor> outputs = RandomFlip().call_many({{"images", images}, {"zz", names}});
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[1].to_vector(), names.to_vector());
}

TEST(LabelledImages, PassThroughAPipeline) {
  const LabelledImages data = marked_boxes(40);
  const Pipeline pipeline({RandomFlip({.seed = 5, .bounding_box_format = "xyxy"}),
                           Resizing(20, 20, {.bounding_box_format = "xyxy"}),
                           MaxNumBoundingBoxes(3, {.bounding_box_format = "xyxy"})});
  const LabelledImages changed = apply(pipeline, data, {.training = true});
  EXPECT_EQ(changed.images.shape(), (Shape{batch, 20, 20, 1}));
  EXPECT_EQ(changed.bounding_boxes.boxes.shape(), (Shape{batch, 3, 4}));
  EXPECT_EQ(changed.bounding_boxes.labels.shape(), (Shape{batch, 3}));
  const LabelledImages flipped = apply(RandomFlip({.seed = 5, .bounding_box_format = "xyxy"}), data);
  EXPECT_EQ(slice_axis(changed.bounding_boxes.boxes, 1, 0, 1).to_vector(),
            (flipped.bounding_boxes.boxes / 2.0).to_vector());
}

TEST(LabelledImages, AreElementsOfADataset) {
  const LabelledImages data = marked_boxes(40);
  const RandomFlip flip({.seed = 5, .bounding_box_format = "xyxy"});
  const auto pipeline =
      datasets::from_tensor_slices({.x = {data.images}, .y = {data.bounding_boxes.boxes, data.bounding_boxes.labels}})
          .batch(batch)
          .map([&](const datasets::Batch& element) {
            const LabelledImages flipped =
                apply(flip, {.images = element.x[0], .bounding_boxes = {element.y[0], element.y[1]}});
            return datasets::Batch{.x = {flipped.images},
                                   .y = {flipped.bounding_boxes.boxes, flipped.bounding_boxes.labels}};
          });
  std::int64_t batches = 0;
  for (const datasets::Batch& element : pipeline) {
    ++batches;
    EXPECT_EQ(element.x[0].shape(), data.images.shape());
    EXPECT_EQ(element.y[0].shape(), data.bounding_boxes.boxes.shape());
    EXPECT_NE(element.y[0].to_vector(), data.bounding_boxes.boxes.to_vector());
  }
  EXPECT_EQ(batches, 1);
}

TEST(LabelledImages, OfSymbolicTensorsHaveTheirShapes) {
  const SymbolicTensor images = Input({.shape = {12, 10, 3}});
  const Argument boxes = Argument::dictionary({{"boxes", Input({.shape = {4, 4}})}, {"labels", Input({.shape = {4}})}});
  const Argument data = Argument::dictionary(
      {{"images", images}, {"bounding_boxes", boxes}, {"segmentation_masks", Input({.shape = {12, 10, 1}})}});
  const auto shapes_of = [&](const Layer& layer) {
    std::vector<Shape> shapes;
    for (const SymbolicTensor& output : layer.impl()->call_symbolic({.args = {data}})) shapes.push_back(output.shape());
    return shapes;
  };
  const std::string format = "xyxy";
  EXPECT_EQ(shapes_of(Resizing(5, 6, {.bounding_box_format = format})),
            (std::vector<Shape>{{-1, 4, 4}, {-1, 4}, {-1, 5, 6, 3}, {-1, 5, 6, 1}}));
  EXPECT_EQ(shapes_of(MixUp({.bounding_box_format = format})),
            (std::vector<Shape>{{-1, 8, 4}, {-1, 8}, {-1, 12, 10, 3}, {-1, 12, 10, 1}}));
  EXPECT_EQ(shapes_of(MaxNumBoundingBoxes(7, {.bounding_box_format = format})),
            (std::vector<Shape>{{-1, 7, 4}, {-1, 7}, {-1, 12, 10, 3}, {-1, 12, 10, 1}}));
  for (const Layer& layer : std::vector<Layer>{
           RandomFlip({.bounding_box_format = format}), RandomRotation(0.1, {.bounding_box_format = format}),
           RandomZoom(0.1, {.bounding_box_format = format}),
           RandomShear({.x_factor = 0.1, .bounding_box_format = format}),
           RandomPerspective({.bounding_box_format = format}), RandAugment({.bounding_box_format = format}),
           AugMix({.bounding_box_format = format}), RandomContrast(0.1, {.bounding_box_format = format})}) {
    EXPECT_EQ(shapes_of(layer), (std::vector<Shape>{{-1, 4, 4}, {-1, 4}, {-1, 12, 10, 3}, {-1, 12, 10, 1}}))
        << layer.class_name();
  }
  EXPECT_EQ(shapes_of(RandomCrop(5, 6, {.bounding_box_format = format})),
            (std::vector<Shape>{{-1, 4, 4}, {-1, 4}, {-1, 5, 6, 3}, {-1, 5, 6, 1}}));
}

TEST(MixUp, GivesEachImageTheBoxesOfBoth) {
  const LabelledImages data = marked_boxes(40);
  const LabelledImages mixed = apply(MixUp({.alpha = 2, .seed = 2, .bounding_box_format = "xyxy"}), data);
  EXPECT_EQ(mixed.bounding_boxes.boxes.shape(), (Shape{batch, 2, 4}));
  EXPECT_EQ(mixed.bounding_boxes.labels.shape(), (Shape{batch, 2}));
  EXPECT_EQ(slice_axis(mixed.bounding_boxes.boxes, 1, 0, 1).to_vector(), data.bounding_boxes.boxes.to_vector());
  for (std::int64_t i = 0; i < batch; ++i) {
    // Both boxes are in the mixture.
    const std::vector<double> second = mixed.bounding_boxes.boxes.slice(i, i + 1).to_vector();
    const auto x = static_cast<std::int64_t>(second[4]);
    const auto y = static_cast<std::int64_t>(second[5]);
    EXPECT_GT(slice(mixed.images, {i, y, x, 0}, {1, 1, 1, 1}).item(), 0);
  }
}

TEST(RandAugment, ChangesBoxesOnlyWithTheImages) {
  const LabelledImages data = marked_boxes(40);
  const RandAugment layer({.value_range = {0, 1}, .num_ops = 1, .seed = 8, .bounding_box_format = "xyxy"});
  int moved = 0;
  for (int call = 0; call < 30; ++call) {
    const LabelledImages changed = apply(layer, data);
    const bool boxes_moved = changed.bounding_boxes.boxes.to_vector() != data.bounding_boxes.boxes.to_vector();
    if (boxes_moved) {
      EXPECT_NE(changed.images.to_vector(), data.images.to_vector());
    }
    moved += boxes_moved ? 1 : 0;
  }
  // Three of the eleven layers move boxes.
  EXPECT_GE(moved, 1);
  EXPECT_LE(moved, 20);
}

TEST(LabelledImages, RefusesBoxesThatDoNotBelongToTheImages) {
  const RandomFlip layer({.bounding_box_format = "xyxy", .name = "flip"});
  const Tensor images = Tensor::zeros({2, 4, 4, 3});
  const std::string message = message_of<ValueError>([&] {
    apply(layer, {.images = images, .bounding_boxes = {Tensor::zeros({3, 4}), Tensor::zeros({3})}});
  });
  EXPECT_EQ(message,
            "Layer 'flip' of class RandomFlip was called with images of the shape (2, 4, 4, 3) and boxes of the shape "
            "(3, 4): either both or none must have an axis of the batch.");
  EXPECT_THROW(apply(layer, {.images = images, .bounding_boxes = {Tensor::zeros({2, 3, 4})}}), ValueError);
  EXPECT_THROW(apply(layer, {.images = images, .bounding_boxes = {Tensor::zeros({2, 3, 5}), Tensor::zeros({2, 3})}}),
               ValueError);
  EXPECT_THROW(apply(layer, {.labels = images}), ValueError);
  EXPECT_THROW(apply(Layer(), {.images = images}), ValueError);
  EXPECT_THROW(layer.call_many({images, images}), ValueError);
}

}  // namespace
}  // namespace rhyton::layers

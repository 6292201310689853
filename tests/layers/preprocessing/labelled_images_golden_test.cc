// Image layers called with images and what belongs to them, compared with Keras.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/preprocessing/labelled_images.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::GoldenCases;

constexpr double tolerance = 1e-5;

const GoldenCases& labelled_cases() {
  static const GoldenCases cases("labelled_images");
  return cases;
}

std::map<std::string, Tensor> by_name(const LabelledImages& data) {
  std::map<std::string, Tensor> parts = {{"images", data.images},
                                         {"labels", data.labels},
                                         {"segmentation_masks", data.segmentation_masks},
                                         {"boxes", data.bounding_boxes.boxes},
                                         {"classes", data.bounding_boxes.labels}};
  std::erase_if(parts, [](const auto& part) { return part.second.is_empty(); });
  return parts;
}

LabelledImages given_in(const io::Json& entry) {
  const auto part = [&](const std::string& name) {
    return labelled_cases().has_array(entry, "given_" + name) ? labelled_cases().array(entry, "given_" + name)
                                                              : Tensor();
  };
  return {.images = part("images"),
          .labels = part("labels"),
          .bounding_boxes = {part("boxes"), part("classes")},
          .segmentation_masks = part("segmentation_masks")};
}

Tensor expected_part(const io::Json& entry, const std::string& part, std::int64_t alternative) {
  return labelled_cases().array(entry, part + std::to_string(alternative));
}

/// The alternative that Keras's image is closest to; the first one if they are alike.
std::int64_t alternative_of(const io::Json& entry, const Tensor& images, std::int64_t image) {
  std::int64_t closest = 0;
  double least = 2;
  for (std::int64_t i = 0; i < entry["alternatives"].as_int(); ++i) {
    const Tensor expected = expected_part(entry, "images", i);
    const double difference = images.rank() == 3 ? test::relative_difference(images, expected)
                                                 : test::relative_difference(slice_axis(images, 0, image, image + 1),
                                                                             slice_axis(expected, 0, image, image + 1));
    if (difference >= least) continue;
    least = difference;
    closest = i;
  }
  return closest;
}

class ImagesWithLabels : public ::testing::TestWithParam<std::string> {};

TEST_P(ImagesWithLabels, EqualKeras) {
  const io::Json& entry = labelled_cases().find(GetParam());
  const Layer layer = deserialize(entry["layer"]);
  const LabelledImages given = given_in(entry);
  const CallOptions options = {.training = entry["training"].as_bool()};
  if (const io::Json* const error = entry.find("error"); error != nullptr) {
    if ((*error)["class"].as_string() == "NotImplementedError") {
      EXPECT_THROW(apply(layer, given, options), NotImplementedError);
      return;
    }
    const std::string expected = (*error)["message"].as_string();
    const std::string message = test::message_of<ValueError>([&] { apply(layer, given, options); });
    EXPECT_EQ(message.substr(0, message.find("Received")), expected.substr(0, expected.find("Received")));
    return;
  }
  const LabelledImages result = apply(layer, given, options);
  ASSERT_EQ(by_name(result).size(), by_name(given).size());
  for (const auto& [name, part] : by_name(result)) {
    const Tensor expected = expected_part(entry, name, 0);
    EXPECT_EQ(part.shape(), expected.shape()) << name;
    EXPECT_EQ(name_of(part.dtype()), name_of(expected.dtype())) << name;
    if (part.shape() != expected.shape()) continue;
    const std::int64_t batch = given.images.rank() == 3 ? 1 : given.images.shape()[0];
    for (std::int64_t image = 0; image < batch; ++image) {
      const std::int64_t alternative = alternative_of(entry, result.images, image);
      const auto of_image = [&](const Tensor& x) {
        return given.images.rank() == 3 ? x : slice_axis(x, 0, image, image + 1);
      };
      test::expect_close(of_image(part), of_image(expected_part(entry, name, alternative)), tolerance,
                         name + " of image " + std::to_string(image));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImagesWithLabels, ::testing::ValuesIn(labelled_cases().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers

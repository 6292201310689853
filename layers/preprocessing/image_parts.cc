#include <rhyton/layers/preprocessing/image_parts.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

Tensor tensor_of(const Argument& dictionary, const char* key) {
  const Argument* const entry = entry_of(dictionary, key);
  return entry == nullptr || entry->is_none() ? Tensor() : entry->tensor();
}

void require_boxes(const Argument& data) {
  if (!data.is_dictionary() || entry_of(data, "boxes") == nullptr || entry_of(data, "labels") == nullptr) {
    throw ValueError(
        "Expected `bounding_boxes` agurment to be a dict with keys 'boxes' and 'labels'. Received: bounding_boxes=" +
        data.to_string());
  }
  const Shape boxes = shape_of(*entry_of(data, "boxes"));
  const Shape labels = shape_of(*entry_of(data, "labels"));
  if (boxes.rank() != 2 && boxes.rank() != 3) {
    throw ValueError(
        "Expected `bounding_boxes['boxes']` to have rank 2 or 3, with shape (num_boxes, 4) or (batch_size, num_boxes, "
        "4). Received: bounding_boxes['boxes'].shape=" +
        boxes.to_string());
  }
  if (labels.rank() == boxes.rank() - 1 || labels.rank() == boxes.rank()) return;
  throw ValueError("Found bounding_boxes['boxes'].shape=" + boxes.to_string() +
                   " and expected bounding_boxes['labels'] to have rank " + (boxes.rank() == 2 ? "1 or 2" : "2 or 3") +
                   ", but received: bounding_boxes['labels'].shape=" + labels.to_string() + " ");
}

void replace(Argument::Dictionary& entries, const std::string& key, Argument value) {
  const auto place =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  if (place != entries.end()) place->second = std::move(value);
}

/// The result of `change` for each part that is there.
template <class Change>
LabelledImages map_parts(const LabelledImages& data, const Change& change) {
  const auto changed = [&](const Tensor& part) { return part.is_empty() ? part : change(part); };
  return {.images = changed(data.images),
          .labels = changed(data.labels),
          .bounding_boxes = {changed(data.bounding_boxes.boxes), changed(data.bounding_boxes.labels)},
          .segmentation_masks = changed(data.segmentation_masks)};
}

}  // namespace

const Argument* entry_of(const Argument& dictionary, const std::string& key) {
  for (const auto& [name, value] : dictionary.dictionary()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Argument& images_of(const Argument& data) {
  const Argument* const images = data.is_dictionary() ? entry_of(data, "images") : nullptr;
  return images == nullptr ? data : *images;
}

Shape shape_of(const Argument& tensor) {
  if (tensor.is_symbolic()) return tensor.symbolic().shape();
  if (tensor.tensor().is_empty())
    throw ValueError("A layer of images was called with an empty tensor in a dictionary.");
  return tensor.tensor().shape();
}

void require_image_parts(const Argument& dictionary, const std::string& layer) {
  if (entry_of(dictionary, "images") == nullptr) {
    throw ValueError(layer + " was called with a dictionary without the key \"images\".");
  }
  const Argument* const boxes = entry_of(dictionary, "bounding_boxes");
  if (boxes == nullptr) return;
  require_boxes(*boxes);
  const Shape images = shape_of(images_of(dictionary));
  const Shape given = shape_of(*entry_of(*boxes, "boxes"));
  if (given.rank() == images.rank() - 1) return;
  throw ValueError(layer + " was called with images of the shape " + images.to_string() + " and boxes of the shape " +
                   given.to_string() + ": either both or none must have an axis of the batch.");
}

LabelledImages parts_of(const Argument& dictionary) {
  LabelledImages parts = {.images = tensor_of(dictionary, "images"),
                          .labels = tensor_of(dictionary, "labels"),
                          .segmentation_masks = tensor_of(dictionary, "segmentation_masks")};
  if (const Argument* const boxes = entry_of(dictionary, "bounding_boxes"); boxes != nullptr) {
    parts.bounding_boxes = {cast(tensor_of(*boxes, "boxes"), DType::float32), tensor_of(*boxes, "labels")};
  }
  return parts;
}

Argument with_parts(const Argument& dictionary, const LabelledImages& parts) {
  Argument::Dictionary entries = dictionary.dictionary();
  replace(entries, "images", parts.images);
  if (!parts.labels.is_empty()) replace(entries, "labels", parts.labels);
  if (!parts.segmentation_masks.is_empty()) replace(entries, "segmentation_masks", parts.segmentation_masks);
  if (const Argument* const boxes = entry_of(dictionary, "bounding_boxes"); boxes != nullptr) {
    Argument::Dictionary of_boxes = boxes->dictionary();
    replace(of_boxes, "boxes", parts.bounding_boxes.boxes);
    replace(of_boxes, "labels", parts.bounding_boxes.labels);
    replace(entries, "bounding_boxes", Argument::dictionary(std::move(of_boxes)));
  }
  return Argument::dictionary(std::move(entries));
}

LabelledImages as_batch_of_one(const LabelledImages& data) {
  return map_parts(data, [](const Tensor& part) { return expand_dims(part, 0); });
}

LabelledImages first_of_batch(const LabelledImages& data) {
  return map_parts(data, [](const Tensor& part) { return squeeze(part, {0}); });
}

}  // namespace rhyton::layers

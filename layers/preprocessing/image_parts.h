#pragma once

#include <string>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/preprocessing/labelled_images.h>

// The dictionaries that image layers are called with.

namespace rhyton::layers {

/// The entry of that key; nullptr for none.
const Argument* entry_of(const Argument& dictionary, const std::string& key);

/// The images: the argument itself, or the entry of a dictionary.
const Argument& images_of(const Argument& data);

/// The shape of a tensor or symbolic tensor.
Shape shape_of(const Argument& tensor);

/// Throws ValueError in Keras's words, or beginning with `layer`, unless a dictionary has images, and boxes of the right
/// form if it has any.
void require_image_parts(const Argument& dictionary, const std::string& layer);

/// The parts of a dictionary of tensors, boxes in float32.
LabelledImages parts_of(const Argument& dictionary);

/// The dictionary with these parts in place of its own. Entries with other keys stay.
Argument with_parts(const Argument& dictionary, const LabelledImages& parts);

/// Single images and what belongs to them as a batch of one, and back.
LabelledImages as_batch_of_one(const LabelledImages& data);
LabelledImages first_of_batch(const LabelledImages& data);

}  // namespace rhyton::layers

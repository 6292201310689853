#pragma once

#include <string>
#include <vector>

#include <rhyton/apps/rhyton/arrays.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Whether the path ends in the extension of an image: .png, .jpg, .jpeg, .bmp or .gif.
bool is_image(const std::string& path);

/// Reads images as one batch for that input, float32 (images, height, width, channels), 0 to 255: in the size of the
/// input (bilinear, as in `image_dataset_from_directory`), else in their own, as grayscale for one channel, RGB for
/// three, RGBA for four. For an input (height, width) they are grayscale. Warns about resized images. Throws Error
/// naming the file or the input, also if an image is blank without its alpha channel.
Tensor read_images(const std::vector<std::string>& paths, const Port& port);

}  // namespace rhyton::tool

#pragma once

#include <string>
#include <vector>

#include <rhyton/apps/rhyton/arrays.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Whether the path ends as those of images do: .png, .jpg, .jpeg, .bmp or .gif.
bool is_image(const std::string& path);

/// Images as one batch for that input, float32 (images, height, width, channels), 0 to 255: in the size that the input
/// has (bilinear, as `image_dataset_from_directory` does), else in their own, in grey for one channel, in colours for
/// three, with alpha for four. An input (height, width) takes them in grey. Warns of what is resized. Throws Error
/// naming the file or the input, also where an image without its alpha shows nothing.
Tensor read_images(const std::vector<std::string>& paths, const Port& port);

}  // namespace rhyton::tool

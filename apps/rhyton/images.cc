#include <rhyton/apps/rhyton/images.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <rhyton/apps/rhyton/messages.h>

namespace rhyton::tool {
namespace {

/// How an input wants its images.
struct Form {
  datasets::LoadImgOptions options;
  bool has_channels = true;
};

Form form_of(const Port& port) {
  Form form;
  form.options.interpolation = "bilinear";
  if (!port.shape) return form;
  const Shape& shape = *port.shape;
  form.has_channels = shape.rank() == 4;
  const std::int64_t channels = form.has_channels ? shape[3] : 1;
  if (shape.rank() < 3 || shape.rank() > 4 || (channels != -1 && channels != 1 && channels != 3 && channels != 4)) {
    throw ValueError("the input '" + port.name + "' has the shape " + shape.to_string() + " and takes no images");
  }
  form.options.color_mode = channels == 1 ? "grayscale" : channels == 4 ? "rgba" : "rgb";
  if (shape[1] > 0 && shape[2] > 0) form.options.target_size = {shape[1], shape[2]};
  return form;
}

}  // namespace

bool is_image(const std::string& path) {
  static constexpr std::array<std::string_view, 5> endings = {".png", ".jpg", ".jpeg", ".bmp", ".gif"};
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return lower.ends_with(ending); });
}

Tensor read_images(const std::vector<std::string>& paths, const Port& port) {
  const Form form = form_of(port);
  Tensor batch;
  std::size_t next = 0;
  for (const std::string& path : paths) {
    const Tensor image =
        naming_file(path, [&] { return datasets::img_to_array(datasets::load_img(path, form.options)); });
    if (batch.is_empty()) {
      const Shape one = form.has_channels ? image.shape() : image.shape().slice(0, 2);
      batch = Tensor::uninitialized(Shape{static_cast<std::int64_t>(paths.size())}.concatenate(one), float32);
    }
    const std::size_t bytes = image.spec().bytes();
    if (batch.spec().bytes() != bytes * paths.size()) {
      throw ValueError(path + " is of the size " + image.shape().to_string() + ", unlike " + paths.front() +
                       ", and the model says of no size that it takes");
    }
    std::memcpy(static_cast<std::byte*>(batch.mutable_raw_data()) + next, image.raw_data(), bytes);
    next += bytes;
  }
  return batch;
}

}  // namespace rhyton::tool

#include <rhyton/apps/rhyton/images.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/datasets/image_channels.h>
#include <rhyton/datasets/image_resampling.h>
#include <rhyton/framework/io/image/image.h>

namespace rhyton::tool {
namespace {

/// The image format of an input.
struct Form {
  std::int64_t channels = 3;
  /// Empty for the size of the image.
  datasets::ImageSize size;
  bool has_channels = true;
};

Form form_of(const Port& port) {
  Form form;
  if (!port.shape) return form;
  const Shape& shape = *port.shape;
  form.has_channels = shape.rank() == 4;
  const std::int64_t channels = form.has_channels ? shape[3] : 1;
  if (shape.rank() < 3 || shape.rank() > 4 || (channels != -1 && channels != 1 && channels != 3 && channels != 4)) {
    throw ValueError("the input '" + port.name + "' has the shape " + shape.to_string() +
                     " and does not accept images");
  }
  if (channels != -1) form.channels = channels;
  if (shape[1] > 0 && shape[2] > 0) form.size = {shape[1], shape[2]};
  return form;
}

std::string text_of(const datasets::ImageSize& size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

/// A warning about resized images, which names the first ones.
class Resizings {
 public:
  void add(const std::string& path, const datasets::ImageSize& from, const datasets::ImageSize& to) {
    constexpr int named = 3;
    if (++count_ > named) return;
    text_ += (text_.empty() ? "" : ", ") + path + " from " + text_of(from) + " to " + text_of(to);
    if (from.height * to.width != from.width * to.height) text_ += ", which changes its proportions";
  }
  void tell() const {
    if (count_ == 0) return;
    constexpr int named = 3;
    const std::string more = count_ > named ? ", and " + std::to_string(count_ - named) + " more images" : "";
    warn("Resized " + text_ + more + " (height x width)");
  }

 private:
  std::string text_;
  int count_ = 0;
};

bool is_uniform(const Tensor& image, std::int64_t channel) {
  const std::int64_t channels = image.shape()[2];
  const std::uint8_t* const levels = image.data<std::uint8_t>();
  for (std::int64_t i = channel; i < image.size(); i += channels) {
    if (levels[i] != levels[channel]) return false;
  }
  return true;
}

/// Some drawings are black on transparent black: without alpha they are empty.
void require_something_to_see(const std::string& path, const Tensor& image, const Tensor& converted) {
  const std::int64_t channels = image.shape()[2];
  const bool has_alpha = channels == 2 || channels == 4;
  if (!has_alpha || converted.shape()[2] == 4 || is_uniform(image, channels - 1)) return;
  for (std::int64_t channel = 0; channel < converted.shape()[2]; ++channel) {
    if (!is_uniform(converted, channel)) return;
  }
  throw ValueError(path +
                   ": its content is only in its transparency, which the model does not use: without it, all "
                   "pixels are equal. Put it on a background first");
}

Tensor read_one(const std::string& path, const Form& form, Resizings& resizings) {
  const Tensor image = io::read_image(path);
  const Tensor converted = datasets::with_channels(image, form.channels);
  require_something_to_see(path, image, converted);
  const datasets::ImageSize size(converted.shape()[0], converted.shape()[1]);
  if (form.size.is_empty() || form.size == size) return datasets::img_to_array(converted);
  resizings.add(path, size, form.size);
  return datasets::img_to_array(
      datasets::resample_image(converted, {.size = size}, form.size, datasets::ResamplingFilter::bilinear));
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
  Resizings resizings;
  Tensor batch;
  std::size_t next = 0;
  for (const std::string& path : paths) {
    const Tensor image = naming_file(path, [&] { return read_one(path, form, resizings); });
    if (batch.is_empty()) {
      const Shape one = form.has_channels ? image.shape() : image.shape().slice(0, 2);
      batch = Tensor::uninitialized(Shape{static_cast<std::int64_t>(paths.size())}.concatenate(one), float32);
    }
    const std::size_t bytes = image.spec().bytes();
    if (batch.spec().bytes() != bytes * paths.size()) {
      throw ValueError(path + " has the size " + image.shape().to_string() + ", unlike " + paths.front() +
                       ", and the model's input has no fixed size");
    }
    std::memcpy(static_cast<std::byte*>(batch.mutable_raw_data()) + next, image.raw_data(), bytes);
    next += bytes;
  }
  resizings.tell();
  return batch;
}

}  // namespace rhyton::tool

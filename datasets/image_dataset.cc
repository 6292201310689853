#include <rhyton/datasets/image_dataset.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <rhyton/datasets/image_channels.h>
#include <rhyton/datasets/image_resize.h>
#include <rhyton/datasets/labelled_files.h>
#include <rhyton/datasets/lower_case.h>
#include <rhyton/datasets/parallel_batches.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/image/image.h>

namespace rhyton::datasets {
namespace {

/// The settings for loading a file into a batch.
struct ImageLoading {
  std::int64_t channels = 3;
  ImageSize size = {};
  ResizeMethod method = ResizeMethod::bilinear;
  bool crops = false;
  bool pads = false;

  DType dtype() const { return method == ResizeMethod::nearest ? DType::uint8 : DType::float32; }
};

/// The length that keeps the proportions, rounded as in TensorFlow.
std::int64_t in_proportion(std::int64_t length, std::int64_t target, std::int64_t other_target) {
  return static_cast<std::int64_t>(static_cast<float>(length * target) / static_cast<float>(other_target));
}

using Source = PixelView<const std::uint8_t>;

/// The largest centred part with the proportions of `target`.
Source cropped(const Source& image, const ImageSize& target) {
  const ImageSize& size = image.size;
  const std::int64_t height =
      std::max<std::int64_t>(std::min(size.height, in_proportion(size.width, target.height, target.width)), 1);
  const std::int64_t width =
      std::max<std::int64_t>(std::min(size.width, in_proportion(size.height, target.width, target.height)), 1);
  const std::int64_t top = (size.height - height) / 2;
  const std::int64_t left = (size.width - width) / 2;
  return {.pixels = image.pixels + top * image.row_stride + left * image.channels,
          .size = {height, width},
          .channels = image.channels,
          .row_stride = image.row_stride};
}

/// The part of `target` that an image of that size fills while keeping its proportions.
template <class T>
PixelView<T> fitted(const PixelView<T>& target, const ImageSize& size) {
  const auto height = static_cast<float>(size.height);
  const auto width = static_cast<float>(size.width);
  const auto target_height = static_cast<float>(target.size.height);
  const auto target_width = static_cast<float>(target.size.width);
  const float ratio = std::max(width / target_width, height / target_height);
  const auto part = [&](float length, std::int64_t maximum) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(length / ratio), 1, maximum);
  };
  const auto margin = [&](float whole, float length, std::int64_t maximum) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((whole - length / ratio) / 2)), 0, maximum);
  };
  const ImageSize filled = {part(height, target.size.height), part(width, target.size.width)};
  const std::int64_t top = margin(target_height, height, target.size.height - filled.height);
  const std::int64_t left = margin(target_width, width, target.size.width - filled.width);
  return {.pixels = target.pixels + top * target.row_stride + left * target.channels,
          .size = filled,
          .channels = target.channels,
          .row_stride = target.row_stride};
}

void resize(const Source& from, const PixelView<float>& to, ResizeMethod method) { resize_image(from, to, method); }
void resize(const Source& from, const PixelView<std::uint8_t>& to, ResizeMethod /*method*/) {
  resize_image_nearest(from, to);
}

template <class T>
void write_image(const Tensor& image, T* to, const ImageLoading& loading) {
  Source from = {.pixels = image.data<std::uint8_t>(),
                 .size = {image.shape()[0], image.shape()[1]},
                 .channels = loading.channels,
                 .row_stride = image.shape()[1] * loading.channels};
  PixelView<T> target = {.pixels = to,
                         .size = loading.size,
                         .channels = loading.channels,
                         .row_stride = loading.size.width * loading.channels};
  if (loading.crops) from = cropped(from, loading.size);
  if (loading.pads) {
    std::fill_n(to, loading.size.height * target.row_stride, T{0});
    target = fitted(target, from.size);
  }
  resize(from, target, loading.method);
}

/// Reads an image with that many channels, converted as in TensorFlow.
Tensor read_image(const std::string& path, std::int64_t channels) {
  const io::ImageLimits limits;
  const std::vector<std::byte> bytes = io::read_file(path, limits.bytes);
  const Tensor image =
      channels == 1 ? io::decode_luminance(bytes, path, limits) : io::decode_image(bytes, path, limits);
  return with_channels(image, channels, libpng_grey);
}

/// Reads a file into row `row` of a batch.
void load_image(const std::string& path, Tensor& images, std::int64_t row, const ImageLoading& loading) {
  try {
    const Tensor image = read_image(path, loading.channels);
    const std::int64_t elements = loading.size.height * loading.size.width * loading.channels;
    if (images.dtype() == DType::uint8) {
      write_image(image, images.mutable_data<std::uint8_t>() + row * elements, loading);
    } else {
      write_image(image, images.mutable_data<float>() + row * elements, loading);
    }
  } catch (const std::bad_alloc&) {
    throw ResourceExhaustedError(fmt::format("no memory to load \"{}\"", path));
  }
}

}  // namespace

/// The files, and the settings for loading them.
class ImageDatasetImpl final : public DatasetImpl, public std::enable_shared_from_this<ImageDatasetImpl> {
 public:
  ImageDatasetImpl(LabelledFiles labelled, const ImageLoading& settings)
      : files(std::move(labelled)), loading(settings) {}

  const LabelledFiles files;
  const ImageLoading loading;

  BatchSpec element_spec() const override {
    return {.x = {{{-1, loading.size.height, loading.size.width, loading.channels}, loading.dtype()}},
            .y = files.label_specs()};
  }

  std::optional<std::int64_t> cardinality() const override { return files.batches(); }

  std::unique_ptr<BatchIterator> iterator(std::uint64_t pass) const override {
    // The data set stays alive while the threads read from it.
    auto fill = [self = shared_from_this(), order = files.order_of(pass)](std::int64_t sample, Batch& batch,
                                                                          std::int64_t row) {
      const std::size_t file = order[static_cast<std::size_t>(sample)];
      self->files.write_label(file, batch, row);
      load_image(self->files.folder().file_paths[file], batch.x.front(), row, self->loading);
    };
    constexpr std::int64_t batches_ahead = 3;
    return std::make_unique<ParallelBatches>(element_spec(), std::move(fill),
                                             ParallelBatches::Options{.samples = files.samples(),
                                                                      .batch_size = files.batch_size(),
                                                                      .threads = context().num_threads(),
                                                                      .ahead = batches_ahead});
  }
};

namespace {

ImageLoading loading_of(const ImageDatasetOptions& options) {
  constexpr std::int64_t longest_side = 65535;
  ImageLoading loading;
  loading.channels = channels_of(options.color_mode);
  if (loading.channels == 0) {
    throw ValueError("`color_mode` must be one of {\"rgb\", \"rgba\", \"grayscale\"}. Received: color_mode=" +
                     options.color_mode);
  }
  loading.size = options.image_size;
  if (std::min(loading.size.height, loading.size.width) < 1 ||
      std::max(loading.size.height, loading.size.width) > longest_side) {
    throw ValueError(
        fmt::format("Invalid `image_size` value. Expected a tuple of 2 integers. Received: image_size=({}, {})",
                    loading.size.height, loading.size.width));
  }
  const std::string interpolation = lower_case(options.interpolation);
  const std::optional<ResizeMethod> method = resize_method(interpolation);
  if (!method) {
    throw ValueError(
        "Argument `interpolation` should be one of ('bilinear', 'nearest', 'bicubic', 'area', 'lanczos3', 'lanczos5', "
        "'gaussian', 'mitchellcubic'). Received: interpolation=" +
        interpolation);
  }
  loading.method = *method;
  if (options.crop_to_aspect_ratio && options.pad_to_aspect_ratio) {
    throw ValueError("Only one of `pad_to_aspect_ratio`, `crop_to_aspect_ratio` can be set to `True`.");
  }
  loading.crops = options.crop_to_aspect_ratio;
  loading.pads = options.pad_to_aspect_ratio;
  return loading;
}

/// All files, without a split and without a check that there are any.
LabelledFiles all_files(const std::filesystem::path& directory, const ImageDatasetOptions& options) {
  static const FileKind images = {.extensions = {".bmp", ".gif", ".jpeg", ".jpg", ".png"},
                                  .files = "image files",
                                  .samples = "images",
                                  .plural = "images",
                                  .allowed = "Allowed formats: ('.bmp', '.gif', '.jpeg', '.jpg', '.png')"};
  return {directory, images, labelled_files_options(options, options.batch_size), options.subset};
}

const ImageDatasetImpl& as_image_dataset(const DatasetImpl& impl) { return static_cast<const ImageDatasetImpl&>(impl); }

}  // namespace

ImageDataset::ImageDataset(const std::shared_ptr<const ImageDatasetImpl>& impl) : Dataset(impl) {}

const std::vector<std::string>& ImageDataset::class_names() const {
  return as_image_dataset(impl()).files.folder().class_names;
}

const std::vector<std::string>& ImageDataset::file_paths() const {
  return as_image_dataset(impl()).files.folder().file_paths;
}

ImageDataset image_dataset_from_directory(const std::filesystem::path& directory, const ImageDatasetOptions& options) {
  require_one_subset(options.subset, "image_datasets_from_directory");
  const ImageLoading loading = loading_of(options);
  const LabelledFiles files = all_files(directory, options).subset(options.subset);
  return ImageDataset(std::make_shared<ImageDatasetImpl>(files, loading));
}

ImageDatasetSplits image_datasets_from_directory(const std::filesystem::path& directory, ImageDatasetOptions options) {
  options.subset = "both";
  const ImageLoading loading = loading_of(options);
  const LabelledFiles::Splits files = all_files(directory, options).splits();
  return {.train = ImageDataset(std::make_shared<ImageDatasetImpl>(files.train, loading)),
          .validation = ImageDataset(std::make_shared<ImageDatasetImpl>(files.validation, loading))};
}

}  // namespace rhyton::datasets

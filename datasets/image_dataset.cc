#include <rhyton/datasets/image_dataset.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <rhyton/datasets/image_channels.h>
#include <rhyton/datasets/image_resize.h>
#include <rhyton/datasets/lower_case.h>
#include <rhyton/datasets/numpy_shuffle.h>
#include <rhyton/datasets/parallel_batches.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/image/image.h>
#include <rhyton/framework/random/philox.h>

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

/// The files with their labels, and the settings for their batches.
class ImageDatasetImpl final : public DatasetImpl, public std::enable_shared_from_this<ImageDatasetImpl> {
 public:
  ImageFolder files;
  std::optional<std::string> label_mode;
  std::int64_t batch_size = 32;
  bool shuffles = true;
  std::uint64_t seed = 0;
  ImageLoading loading;

  BatchSpec element_spec() const override {
    BatchSpec spec = {.x = {{{-1, loading.size.height, loading.size.width, loading.channels}, loading.dtype()}}};
    if (label_mode == "int") spec.y = {{{-1}, DType::int32}};
    if (label_mode == "binary") spec.y = {{{-1, 1}, DType::float32}};
    if (label_mode == "categorical") spec.y = {{{-1, classes()}, DType::float32}};
    return spec;
  }

  std::optional<std::int64_t> cardinality() const override { return (samples() + batch_size - 1) / batch_size; }

  std::unique_ptr<BatchIterator> iterator(std::uint64_t pass) const override {
    // The data set stays alive while the threads read from it.
    auto fill = [self = shared_from_this(), order = order_of(pass)](std::int64_t sample, Batch& batch,
                                                                    std::int64_t row) {
      const std::size_t file = order[static_cast<std::size_t>(sample)];
      self->write_label(file, batch, row);
      load_image(self->files.file_paths[file], batch.x.front(), row, self->loading);
    };
    constexpr std::int64_t batches_ahead = 3;
    return std::make_unique<ParallelBatches>(element_spec(), std::move(fill),
                                             ParallelBatches::Options{.samples = samples(),
                                                                      .batch_size = batch_size,
                                                                      .threads = context().num_threads(),
                                                                      .ahead = batches_ahead});
  }

 private:
  std::int64_t samples() const { return static_cast<std::int64_t>(files.file_paths.size()); }
  std::int64_t classes() const { return static_cast<std::int64_t>(files.class_names.size()); }

  std::vector<std::size_t> order_of(std::uint64_t pass) const {
    std::vector<std::size_t> order(files.file_paths.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (!shuffles) return order;
    random::PhiloxSequence random(random::mix_key(seed, pass));
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.next_below(i + 1)]);
    return order;
  }

  void write_label(std::size_t file, Batch& batch, std::int64_t row) const {
    if (!label_mode) return;
    const std::int32_t label = files.labels[file];
    Tensor& y = batch.y.front();
    if (label_mode == "int") {
      y.mutable_data<std::int32_t>()[row] = label;
    } else if (label_mode == "binary") {
      y.mutable_data<float>()[row] = static_cast<float>(label);
    } else {
      float* const one_hot = y.mutable_data<float>() + row * classes();
      for (std::int64_t i = 0; i < classes(); ++i) one_hot[i] = i == label ? 1.0F : 0.0F;
    }
  }
};

namespace {

using Impl = std::shared_ptr<ImageDatasetImpl>;

std::string python_text(const std::optional<std::string>& text) { return text.value_or("None"); }

void check_split(const ImageDatasetOptions& options) {
  const std::optional<double>& split = options.validation_split;
  const bool has_split = split && *split != 0;
  if (has_split && !(*split > 0 && *split < 1)) {
    throw ValueError(fmt::format("`validation_split` must be between 0 and 1, received: {}", *split));
  }
  if (has_split != options.subset.has_value()) {
    throw ValueError("If `subset` is set, `validation_split` must be set, and inversely.");
  }
  if (options.subset && options.subset != "training" && options.subset != "validation" && options.subset != "both") {
    throw ValueError("`subset` must be either \"training\", \"validation\" or \"both\", received: " + *options.subset);
  }
  if (has_split && options.shuffle && !options.seed) {
    throw ValueError(
        "If using `validation_split` and shuffling the data, you must provide a `seed` argument, to make sure that "
        "there is no overlap between the training and validation subset.");
  }
}

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

void check_options(const ImageDatasetOptions& options) {
  if (options.label_mode && options.label_mode != "int" && options.label_mode != "categorical" &&
      options.label_mode != "binary") {
    throw ValueError(
        "`label_mode` argument must be one of \"int\", \"categorical\", \"binary\", or None. Received: label_mode=" +
        python_text(options.label_mode));
  }
  check_split(options);
  constexpr std::int64_t largest_seed = 0xFFFFFFFF;
  if (options.seed && (*options.seed < 0 || *options.seed > largest_seed)) {
    throw ValueError("Seed must be between 0 and 2**32 - 1");
  }
  if (options.batch_size < 1) {
    throw ValueError(
        fmt::format("`batch_size` must be a positive integer. Received: batch_size={}", options.batch_size));
  }
}

void shuffle(ImageFolder& files, std::uint32_t seed) {
  const std::vector<std::size_t> order = numpy_shuffle(files.file_paths.size(), seed);
  ImageFolder shuffled = {.file_paths = {}, .labels = {}, .class_names = std::move(files.class_names)};
  for (const std::size_t file : order) {
    shuffled.file_paths.push_back(std::move(files.file_paths[file]));
    if (!files.labels.empty()) shuffled.labels.push_back(files.labels[file]);
  }
  files = std::move(shuffled);
}

ImageFolder part_of(const ImageFolder& files, std::size_t first, std::size_t last) {
  const auto part = [&](const auto& list) {
    if (list.empty()) return list;
    return std::remove_cvref_t<decltype(list)>(list.begin() + static_cast<std::ptrdiff_t>(first),
                                               list.begin() + static_cast<std::ptrdiff_t>(last));
  };
  return {.file_paths = part(files.file_paths), .labels = part(files.labels), .class_names = files.class_names};
}

/// The subset of a data set; the whole data set if there is no split.
Impl subset_of(const Impl& whole, const std::optional<std::string>& subset, const ImageDatasetOptions& options) {
  const std::size_t count = whole->files.file_paths.size();
  const auto kept = static_cast<std::size_t>(options.validation_split.value_or(0) * static_cast<double>(count));
  auto part = std::make_shared<ImageDatasetImpl>();
  part->label_mode = whole->label_mode;
  part->batch_size = whole->batch_size;
  part->shuffles = whole->shuffles;
  part->seed = whole->seed;
  part->loading = whole->loading;
  if (subset == "training") {
    if (options.verbose) std::cout << fmt::format("Using {} files for training.\n", count - kept) << std::flush;
    part->files = part_of(whole->files, 0, count - kept);
  } else if (subset == "validation") {
    if (options.verbose) std::cout << fmt::format("Using {} files for validation.\n", kept) << std::flush;
    part->files = part_of(whole->files, count - kept, count);
  } else {
    part->files = whole->files;
  }
  return part;
}

void require_files(const Impl& part, const std::string& what, const std::filesystem::path& directory) {
  if (!part->files.file_paths.empty()) return;
  throw ValueError(
      fmt::format("No {} found in directory {}. Allowed formats: ('.bmp', '.gif', '.jpeg', '.jpg', '.png')", what,
                  directory.string()));
}

/// All files, without a split and without a check that there are any.
Impl whole_dataset(const std::filesystem::path& directory, const ImageDatasetOptions& options) {
  auto whole = std::make_shared<ImageDatasetImpl>();
  whole->loading = loading_of(options);
  check_options(options);
  const bool has_labels = !options.labels.are_none() && options.label_mode;
  whole->files = image_folder(directory, has_labels ? options.labels : FolderLabels(std::nullopt), options.class_names,
                              options.follow_links);
  const std::size_t count = whole->files.file_paths.size();
  if (options.verbose) {
    std::cout << fmt::format("Found {} files", count)
              << (has_labels ? fmt::format(" belonging to {} classes.\n", whole->files.class_names.size()) : ".\n")
              << std::flush;
  }
  if (has_labels) whole->label_mode = options.label_mode;
  whole->batch_size = options.batch_size;
  whole->shuffles = options.shuffle;
  if (options.shuffle) {
    constexpr std::uint64_t drawn_seeds = 1000000;
    whole->seed = options.seed ? static_cast<std::uint64_t>(*options.seed) : context().next_seed() % drawn_seeds;
    shuffle(whole->files, static_cast<std::uint32_t>(whole->seed));
  }
  if (whole->label_mode == "binary" && whole->files.class_names.size() != 2) {
    std::string names;
    for (const std::string& name : whole->files.class_names) names += (names.empty() ? "'" : ", '") + name + "'";
    throw ValueError(
        "When passing `label_mode=\"binary\"`, there must be exactly 2 class_names. Received: class_names=[" + names +
        "]");
  }
  return whole;
}

const ImageDatasetImpl& as_image_dataset(const DatasetImpl& impl) { return static_cast<const ImageDatasetImpl&>(impl); }

}  // namespace

ImageDataset::ImageDataset(const std::shared_ptr<const ImageDatasetImpl>& impl) : Dataset(impl) {}

const std::vector<std::string>& ImageDataset::class_names() const { return as_image_dataset(impl()).files.class_names; }

const std::vector<std::string>& ImageDataset::file_paths() const { return as_image_dataset(impl()).files.file_paths; }

ImageDataset image_dataset_from_directory(const std::filesystem::path& directory, const ImageDatasetOptions& options) {
  if (options.subset == "both") {
    throw ValueError("`subset=\"both\"` gives two data sets: call `image_datasets_from_directory`.");
  }
  const Impl part = subset_of(whole_dataset(directory, options), options.subset, options);
  require_files(part, "images", directory);
  return ImageDataset(part);
}

ImageDatasetSplits image_datasets_from_directory(const std::filesystem::path& directory, ImageDatasetOptions options) {
  options.subset = "both";
  const Impl whole = whole_dataset(directory, options);
  const Impl train = subset_of(whole, "training", options);
  const Impl validation = subset_of(whole, "validation", options);
  require_files(train, "training images", directory);
  require_files(validation, "validation images", directory);
  validation->shuffles = false;
  return {.train = ImageDataset(train), .validation = ImageDataset(validation)};
}

}  // namespace rhyton::datasets

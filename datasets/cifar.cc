#include <rhyton/datasets/cifar.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/get_file.h>
#include <rhyton/datasets/location.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/pickle.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t side = 32;
constexpr std::int64_t channels = 3;
constexpr std::int64_t plane = side * side;
constexpr std::uint64_t file_limit = std::uint64_t{1} << 30;

Tensor images_of(const Tensor& rows) {
  const std::int64_t count = rows.shape()[0];
  if (context().image_data_format() == "channels_first") return rows.reshape({count, channels, side, side});
  Tensor images = Tensor::uninitialized({count, side, side, channels}, uint8);
  const auto* from = static_cast<const std::uint8_t*>(rows.raw_data());
  auto* to = static_cast<std::uint8_t*>(images.mutable_raw_data());
  for (std::int64_t image = 0; image < count; ++image, from += channels * plane) {
    for (std::int64_t pixel = 0; pixel < plane; ++pixel) {
      for (std::int64_t channel = 0; channel < channels; ++channel) *to++ = from[channel * plane + pixel];
    }
  }
  return images;
}

Tensor labels_of(const io::PickleValue::List& list) {
  Tensor labels = Tensor::uninitialized({static_cast<std::int64_t>(list.size()), 1}, uint8);
  auto* to = static_cast<std::uint8_t*>(labels.mutable_raw_data());
  for (const io::PickleValue& label : list) *to++ = static_cast<std::uint8_t>(label.as_int());
  return labels;
}

Tensor joined(const std::vector<Tensor>& parts) {
  std::int64_t count = 0;
  for (const Tensor& part : parts) count += part.shape()[0];
  Tensor whole = Tensor::uninitialized(parts.front().shape().with(0, count), uint8);
  auto* to = static_cast<std::uint8_t*>(whole.mutable_raw_data());
  for (const Tensor& part : parts) {
    std::memcpy(to, part.raw_data(), part.spec().bytes());
    to += part.spec().bytes();
  }
  return whole;
}

/// A data set in the form in which its authors publish it.
struct Archive {
  /// The folder in it.
  const char* folder;
  /// Keras's name of the folder to which it is extracted.
  const char* target;
  const char* origin;
  const char* sha256;
};

fs::path folder_of(const Archive& archive) {
  std::error_code ignored;
  for (const fs::path& folder : dataset_folders(archive.folder)) {
    if (fs::exists(folder, ignored)) return folder;
  }
  fs::path extracted = cache_folder() / archive.target / archive.folder;
  if (fs::exists(extracted, ignored)) return extracted;
  return fs::path(get_file(archive.origin, {.fname = archive.target, .file_hash = archive.sha256, .extract = true})) /
         archive.folder;
}

}  // namespace

ImageData load_cifar_batch(const fs::path& path, const std::string& label_key) {
  const std::vector<std::byte> bytes = io::read_file(path, file_limit);
  const auto refuse = [&](const std::string& what) {
    throw IOError(fmt::format("\"{}\" is no batch of CIFAR: {}", path.string(), what));
  };
  try {
    const io::PickleValue batch = io::parse_pickle(bytes, path.string());
    const Tensor& rows = batch.at("data").as_array();
    const io::PickleValue::List& labels = batch.at(label_key).as_list();
    if (rows.dtype() != uint8 || rows.rank() != 2 || rows.shape()[1] != channels * plane) {
      refuse(fmt::format("expected data uint8 (N, {}), found {} {}", channels * plane, name_of(rows.dtype()),
                         rows.shape().to_string()));
    }
    if (static_cast<std::int64_t>(labels.size()) != rows.shape()[0]) {
      refuse(fmt::format("it has {} images and {} labels", rows.shape()[0], labels.size()));
    }
    return {images_of(rows), labels_of(labels)};
  } catch (const TypeError& error) {
    refuse(error.what());
  } catch (const NotFoundError& error) {
    refuse(error.what());
  }
  return {};
}

Splits cifar10::load_data() {
  const fs::path folder = folder_of({.folder = "cifar-10-batches-py",
                                     .target = "cifar-10-batches-py-target",
                                     .origin = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
                                     .sha256 = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"});
  std::vector<Tensor> images;
  std::vector<Tensor> labels;
  for (int number = 1; number <= 5; ++number) {
    const ImageData batch = load_cifar_batch(folder / ("data_batch_" + std::to_string(number)));
    images.push_back(batch.images);
    labels.push_back(batch.labels);
  }
  return {{joined(images), joined(labels)}, load_cifar_batch(folder / "test_batch")};
}

Splits cifar100::load_data(const std::string& label_mode) {
  if (label_mode != "fine" && label_mode != "coarse") {
    throw ValueError("`label_mode` must be one of `\"fine\"`, `\"coarse\"`. Received: label_mode=" + label_mode + ".");
  }
  const fs::path folder = folder_of({.folder = "cifar-100-python",
                                     .target = "cifar-100-python-target",
                                     .origin = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
                                     .sha256 = "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7"});
  const std::string key = label_mode + "_labels";
  return {load_cifar_batch(folder / "train", key), load_cifar_batch(folder / "test", key)};
}

}  // namespace rhyton::datasets

#include <rhyton/datasets/idx_dataset.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <rhyton/datasets/idx.h>
#include <rhyton/datasets/location.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/io/download.h>
#include <rhyton/framework/io/npy.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t image_side = 28;
constexpr std::string_view packed_ending = ".gz";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// The path of that file in the folder, compressed or not.
std::optional<fs::path> file_in(const fs::path& folder, const std::string& name) {
  for (const fs::path& path : {folder / (name + std::string(packed_ending)), folder / name}) {
    if (is_there(path)) {
      return path;
    }
  }
  return std::nullopt;
}

ImageData checked(Tensor images, Tensor labels, const std::string& images_name, const std::string& labels_name) {
  const Shape& shape = images.shape();
  if (images.dtype() != uint8 || shape.rank() != 3 || shape[1] != image_side || shape[2] != image_side) {
    throw IOError(fmt::format("\"{}\" has the wrong content: expected uint8 images of shape (N, {}, {}), found {} {}",
                              images_name, image_side, image_side, name_of(images.dtype()), shape.to_string()));
  }
  if (labels.dtype() != uint8 || labels.shape() != Shape{shape[0]}) {
    throw IOError(fmt::format("\"{}\" has the wrong content: expected uint8 labels of shape ({},), found {} {}",
                              labels_name, shape[0], name_of(labels.dtype()), labels.shape().to_string()));
  }
  return {std::move(images), std::move(labels)};
}

Splits read_files(const std::array<fs::path, 4>& paths) {
  const auto read = [](const fs::path& images, const fs::path& labels) {
    return checked(read_idx(images, idx_images_magic), read_idx(labels, idx_labels_magic), images.string(),
                   labels.string());
  };
  return {read(paths[0], paths[1]), read(paths[2], paths[3])};
}

/// Empty if the folder has none of the files, or only some of them and `may_be_incomplete`.
std::optional<Splits> read_folder(const IdxDataset& dataset, const fs::path& folder, bool may_be_incomplete) {
  std::array<fs::path, 4> paths;
  std::size_t present = 0;
  std::string missing;
  for (std::size_t index = 0; index < paths.size(); ++index) {
    if (const auto path = file_in(folder, dataset.files[index].name)) {
      paths[index] = *path;
      ++present;
    } else {
      missing += (missing.empty() ? "\"" : ", \"") + dataset.files[index].name + std::string(packed_ending) + "\"";
    }
  }
  if (present == paths.size()) {
    return read_files(paths);
  }
  if (present > 0 && !may_be_incomplete) {
    throw NotFoundError(fmt::format("the folder \"{}\" has {} of the {} files of {}: {} missing", folder.string(),
                                    present, paths.size(), dataset.title, missing));
  }
  return std::nullopt;
}

Splits read_npz_file(const DatasetFile& file, const fs::path& path) {
  const std::string found = io::checksum_of_file(io::ChecksumKind::sha256, path);
  if (found != file.sha256) {
    throw IOError(fmt::format("\"{}\" is damaged: expected the SHA-256 checksum {}, found {}", path.string(),
                              file.sha256, found));
  }
  const auto read = [&](const std::string& split) {
    return checked(io::read_npz(path, "x_" + split), io::read_npz(path, "y_" + split), path.string() + "/x_" + split,
                   path.string() + "/y_" + split);
  };
  return {read("train"), read("test")};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw IOError(fmt::format("cannot make the folder \"{}\" for downloads: {}", folder.string(), error.message()));
  }
}

void download_missing_files(const IdxDataset& dataset, const fs::path& folder, std::ostream* progress) {
  for (const DatasetFile& file : dataset.files) {
    if (file_in(folder, file.name)) {
      continue;
    }
    const std::string packed = file.name + std::string(packed_ending);
    std::vector<std::string> urls;
    for (const std::string& mirror : dataset.mirrors) {
      urls.push_back(mirror + packed);
    }
    io::download(urls, folder / packed, {.sha256 = file.sha256, .progress = progress});
  }
}

}  // namespace

Splits load_idx_dataset(const IdxDataset& dataset, std::ostream* progress) {
  for (const fs::path& folder : dataset_folders(dataset.folder)) {
    if (auto splits = read_folder(dataset, folder, false)) {
      return *std::move(splits);
    }
  }
  const fs::path cache = cache_folder();
  const fs::path folder = cache / dataset.folder;
  // An earlier download may have fetched only some of the files: the others are fetched below.
  if (auto splits = read_folder(dataset, folder, true)) {
    return *std::move(splits);
  }
  if (dataset.npz && is_there(cache / dataset.npz->name)) {
    return read_npz_file(*dataset.npz, cache / dataset.npz->name);
  }

  make_folder(folder);
  try {
    download_missing_files(dataset, folder, progress);
  } catch (const IOError& error) {
    const std::string advice = fmt::format(
        "{} is not on this machine and cannot be downloaded. Put its files into a folder \"{}\" and name the folder "
        "above it in RHYTON_DATASETS.",
        dataset.title, dataset.folder);
    if (!dataset.npz || dataset.npz_url.empty()) {
      throw IOError(fmt::format("{}\n{}", advice, error.what()));
    }
    try {
      io::download({dataset.npz_url}, cache / dataset.npz->name, {.sha256 = dataset.npz->sha256, .progress = progress});
    } catch (const IOError& second) {
      throw IOError(fmt::format("{}\n{}\n{}", advice, error.what(), second.what()));
    }
    return read_npz_file(*dataset.npz, cache / dataset.npz->name);
  }
  return *read_folder(dataset, folder, false);
}

}  // namespace rhyton::datasets

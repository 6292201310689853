#include <rhyton/datasets/labelled_files.h>

#include <iostream>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <rhyton/datasets/numpy_shuffle.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton::datasets {
namespace {

void check_split(const LabelledFilesOptions& options, const std::optional<std::string>& subset) {
  const std::optional<double>& split = options.validation_split;
  const bool has_split = split && *split != 0;
  if (has_split && !(*split > 0 && *split < 1)) {
    throw ValueError(fmt::format("`validation_split` must be between 0 and 1, received: {}", *split));
  }
  if (has_split != subset.has_value()) {
    throw ValueError("If `subset` is set, `validation_split` must be set, and inversely.");
  }
  if (subset && subset != "training" && subset != "validation" && subset != "both") {
    throw ValueError("`subset` must be either \"training\", \"validation\" or \"both\", received: " + *subset);
  }
  if (has_split && options.shuffle && !options.seed) {
    throw ValueError(
        "If using `validation_split` and shuffling the data, you must provide a `seed` argument, to make sure that "
        "there is no overlap between the training and validation subset.");
  }
}

void check_options(const LabelledFilesOptions& options, const std::optional<std::string>& subset) {
  if (options.label_mode && options.label_mode != "int" && options.label_mode != "categorical" &&
      options.label_mode != "binary") {
    throw ValueError(
        "`label_mode` argument must be one of \"int\", \"categorical\", \"binary\", or None. Received: label_mode=" +
        *options.label_mode);
  }
  check_split(options, subset);
  constexpr std::int64_t largest_seed = 0xFFFFFFFF;
  if (options.seed && (*options.seed < 0 || *options.seed > largest_seed)) {
    throw ValueError("Seed must be between 0 and 2**32 - 1");
  }
  if (options.batch_size < 1) {
    throw ValueError(
        fmt::format("`batch_size` must be a positive integer. Received: batch_size={}", options.batch_size));
  }
}

LabelledFolder part_of(const LabelledFolder& files, std::size_t first, std::size_t last) {
  const auto part = [&](const auto& list) {
    if (list.empty()) return list;
    return std::remove_cvref_t<decltype(list)>(list.begin() + static_cast<std::ptrdiff_t>(first),
                                               list.begin() + static_cast<std::ptrdiff_t>(last));
  };
  return {.file_paths = part(files.file_paths), .labels = part(files.labels), .class_names = files.class_names};
}

}  // namespace

void require_one_subset(const std::optional<std::string>& subset, const char* function_for_both) {
  if (subset != "both") return;
  throw ValueError(fmt::format("`subset=\"both\"` gives two data sets: call `{}`.", function_for_both));
}

LabelledFiles::LabelledFiles(const std::filesystem::path& directory, const FileKind& kind,
                             const LabelledFilesOptions& options, const std::optional<std::string>& subset)
    : directory_(directory), kind_(kind), options_(options) {
  require_labels(options_.labels, kind_);
  check_options(options_, subset);
  const bool has_labels = !options_.labels.are_none() && options_.label_mode;
  folder_ = labelled_folder(directory_, kind_, has_labels ? options_.labels : FolderLabels(std::nullopt),
                            options_.class_names, options_.follow_links);
  if (options_.verbose) {
    std::cout << fmt::format("Found {} files", samples())
              << (has_labels ? fmt::format(" belonging to {} classes.\n", classes()) : ".\n") << std::flush;
  }
  if (!has_labels) options_.label_mode.reset();
  if (options_.shuffle) shuffle();
  if (options_.label_mode == "binary" && classes() != 2) {
    throw ValueError(
        "When passing `label_mode=\"binary\"`, there must be exactly 2 class_names. Received: class_names=" +
        python_list(folder_.class_names));
  }
}

void LabelledFiles::shuffle() {
  constexpr std::uint64_t drawn_seeds = 1000000;
  seed_ = options_.seed ? static_cast<std::uint64_t>(*options_.seed) : context().next_seed() % drawn_seeds;
  LabelledFolder shuffled = {.file_paths = {}, .labels = {}, .class_names = std::move(folder_.class_names)};
  for (const std::size_t file : numpy_shuffle(folder_.file_paths.size(), static_cast<std::uint32_t>(seed_))) {
    shuffled.file_paths.push_back(std::move(folder_.file_paths[file]));
    if (!folder_.labels.empty()) shuffled.labels.push_back(folder_.labels[file]);
  }
  folder_ = std::move(shuffled);
}

LabelledFiles LabelledFiles::part_named(const std::string& subset) const {
  const std::size_t count = folder_.file_paths.size();
  const auto kept = static_cast<std::size_t>(options_.validation_split.value_or(0) * static_cast<double>(count));
  const bool is_training = subset == "training";
  LabelledFiles part = *this;
  part.folder_ = is_training ? part_of(folder_, 0, count - kept) : part_of(folder_, count - kept, count);
  if (options_.verbose) {
    std::cout << fmt::format("Using {} files for {}.\n", part.samples(), subset) << std::flush;
  }
  return part;
}

LabelledFiles LabelledFiles::subset(const std::optional<std::string>& subset) const {
  LabelledFiles part = subset ? part_named(*subset) : *this;
  part.require_some("");
  return part;
}

LabelledFiles::Splits LabelledFiles::splits() const {
  Splits splits = {.train = part_named("training"), .validation = part_named("validation")};
  splits.train.require_some("training ");
  splits.validation.require_some("validation ");
  splits.validation.options_.shuffle = false;
  return splits;
}

void LabelledFiles::require_some(const std::string& part) const {
  if (!folder_.file_paths.empty()) return;
  throw ValueError(
      fmt::format("No {}{} found in directory {}. {}", part, kind_.plural, directory_.string(), kind_.allowed));
}

std::vector<TensorSpec> LabelledFiles::label_specs() const {
  if (options_.label_mode == "int") return {{{-1}, DType::int32}};
  if (options_.label_mode == "binary") return {{{-1, 1}, DType::float32}};
  if (options_.label_mode == "categorical") return {{{-1, classes()}, DType::float32}};
  return {};
}

void LabelledFiles::write_label(std::size_t file, Batch& batch, std::int64_t row) const {
  if (!options_.label_mode) return;
  const std::int32_t label = folder_.labels[file];
  Tensor& y = batch.y.front();
  if (options_.label_mode == "int") {
    y.mutable_data<std::int32_t>()[row] = label;
  } else if (options_.label_mode == "binary") {
    y.mutable_data<float>()[row] = static_cast<float>(label);
  } else {
    float* const one_hot = y.mutable_data<float>() + row * classes();
    for (std::int64_t i = 0; i < classes(); ++i) one_hot[i] = i == label ? 1.0F : 0.0F;
  }
}

std::vector<std::size_t> LabelledFiles::order_of(std::uint64_t pass) const {
  std::vector<std::size_t> order(folder_.file_paths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!options_.shuffle) return order;
  random::PhiloxSequence random(random::mix_key(seed_, pass));
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.next_below(i + 1)]);
  return order;
}

}  // namespace rhyton::datasets

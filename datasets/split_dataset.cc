#include <rhyton/datasets/split_dataset.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/python_shuffle.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {
namespace {

/// As Python prints it.
std::string text_of(const Scalar& size) {
  if (!size.is_floating()) return std::to_string(size.as_integer());
  const std::string text = fmt::format("{}", size.as_double());
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

void require_size(const char* name, const std::optional<Scalar>& size, std::int64_t total, const char* conjunction) {
  if (!size) return;
  const double value = size->as_double();
  if (value > 0 && value < (size->is_integer() ? static_cast<double>(total) : 1.0)) return;
  throw ValueError(
      fmt::format("`{}` should be either a positive integer {}smaller than {}{} or a float within the range `[0, 1]`. "
                  "Received: {}={}",
                  name, conjunction, total, *conjunction == '\0' ? "," : "", name, text_of(*size)));
}

/// A size in samples. Keras turns fractions into integers and integers into floating numbers, which messages show.
Scalar in_samples(const Scalar& size, std::int64_t total) {
  if (!size.is_floating()) return size.as_double();
  return static_cast<std::int64_t>(std::nearbyint(size.as_double() * static_cast<double>(total)));
}

Scalar difference(std::int64_t total, const Scalar& size) {
  if (size.is_floating()) return static_cast<double>(total) - size.as_double();
  return total - size.as_integer();
}

struct Sizes {
  std::int64_t left = 0;
  std::int64_t right = 0;
};

Sizes sizes_of(const SplitDatasetOptions& options, std::int64_t total) {
  std::optional<Scalar> left = options.left_size;
  std::optional<Scalar> right = options.right_size;
  for (const auto& [name, size] : {std::pair("left_size", &left), std::pair("right_size", &right)}) {
    if (*size && (*size)->is_bool()) {
      throw TypeError(fmt::format(
          "Invalid `{}` Type. Expected: int or float or None, Received: type({})=<class 'bool'>.  ", name, name));
    }
  }
  if (left && right && left->as_double() == 0 && right->as_double() == 0) {
    throw ValueError("Both `left_size` and `right_size` are zero. At least one of the split sizes must be non-zero.");
  }
  require_size("left_size", left, total, "");
  require_size("right_size", right, total, "and ");
  if (left && right && left->is_floating() && right->is_floating() && left->as_double() + right->as_double() > 1) {
    throw ValueError("The sum of `left_size` and `right_size` is greater than 1. It must be less than or equal to 1.");
  }
  if (left) left = in_samples(*left, total);
  if (right) right = in_samples(*right, total);
  if (!left) left = difference(total, *right);
  if (!right) right = difference(total, *left);
  const double sum = left->as_double() + right->as_double();
  if (sum > static_cast<double>(total)) {
    const Scalar shown =
        left->is_floating() || right->is_floating() ? Scalar(sum) : Scalar(static_cast<std::int64_t>(sum));
    throw ValueError(
        fmt::format("The sum of `left_size` and `right_size` should be smaller than the {}. Received: left_size + "
                    "right_size = {}and total_length = {}",
                    total, text_of(shown), total));
  }
  for (const auto& [side, size] : {std::pair("left", left->as_double()), std::pair("right", right->as_double())}) {
    if (size != 0) continue;
    throw ValueError(
        fmt::format("With `dataset` of length={}, `left_size`={} and `right_size`={}.Resulting {} side dataset split "
                    "will be empty. Adjust any of the aforementioned parameters",
                    total, text_of(*left), text_of(*right), side));
  }
  return {.left = static_cast<std::int64_t>(left->as_double()), .right = static_cast<std::int64_t>(right->as_double())};
}

std::vector<Batch> all_of(const Dataset& dataset) {
  std::vector<Batch> all;
  const Elements from = dataset.iterator();
  while (std::optional<Batch> element = from->next()) all.push_back(*std::move(element));
  if (all.empty()) {
    throw ValueError(
        "Received an empty dataset. Argument `dataset` must be a non-empty data set or arrays with samples.");
  }
  const auto shapes = [](const Batch& element) {
    std::string text;
    for (const Tensor& tensor : flat_tensors(element)) text += tensor.shape().to_string();
    return text;
  };
  const std::string expected = shapes(all.front());
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (shapes(all[i]) == expected) continue;
    throw ValueError(
        fmt::format("All `dataset` samples must have same shape, Expected shape: {} Received shape: {} at index {}.",
                    expected, shapes(all[i]), i - 1));
  }
  return all;
}

}  // namespace

DatasetSplits split_dataset(const Dataset& dataset, const SplitDatasetOptions& options) {
  if (!options.left_size && !options.right_size) {
    throw ValueError(
        "At least one of the `left_size` or `right_size` must be specified. Received: left_size=None and "
        "right_size=None");
  }
  if (dataset.cardinality() == infinite_cardinality) {
    throw ValueError("A data set without an end cannot be split.");
  }
  const Pipeline given(dataset);
  const std::optional<std::int64_t> batch_size = given.batch_size();
  std::vector<Batch> all = all_of(batch_size ? given.unbatch() : given);
  if (options.shuffle) {
    constexpr std::uint64_t seeds = 1000001;
    const std::int64_t seed = options.seed.value_or(static_cast<std::int64_t>(context().next_seed() % seeds));
    std::vector<Batch> shuffled;
    for (const std::size_t i : python_shuffle(all.size(), seed)) shuffled.push_back(all[i]);
    all = std::move(shuffled);
  }
  const Sizes sizes = sizes_of(options, static_cast<std::int64_t>(all.size()));
  const auto part = [&](auto begin, auto end) {
    const Pipeline slices = from_tensor_slices(stacked({begin, end}));
    return (batch_size ? slices.batch(*batch_size) : slices).prefetch(autotune);
  };
  return {.left = part(all.begin(), all.begin() + sizes.left), .right = part(all.end() - sizes.right, all.end())};
}

}  // namespace rhyton::datasets

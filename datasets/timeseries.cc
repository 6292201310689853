#include <rhyton/datasets/timeseries.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/numpy_shuffle.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {
namespace {

/// Python's truth of an optional number.
bool is_given(const std::optional<std::int64_t>& index) { return index && *index != 0; }

void require_indices(std::int64_t length, const TimeseriesDatasetOptions& options) {
  const auto& start = options.start_index;
  const auto& end = options.end_index;
  if (is_given(start)) {
    if (*start < 0)
      throw ValueError(fmt::format("`start_index` must be 0 or greater. Received: start_index={}", *start));
    if (*start >= length) {
      throw ValueError(
          fmt::format("`start_index` must be lower than the length of the data. Received: start_index={}, for data of "
                      "length {}",
                      *start, length));
    }
  }
  if (!is_given(end)) return;
  if (is_given(start) && *end <= *start) {
    throw ValueError(fmt::format(
        "`end_index` must be higher than `start_index`. Received: start_index={}, and end_index={} ", *start, *end));
  }
  if (*end >= length) {
    throw ValueError(fmt::format(
        "`end_index` must be lower than the length of the data. Received: end_index={}, for data of length {}", *end,
        length));
  }
  if (*end <= 0) throw ValueError(fmt::format("`end_index` must be higher than 0. Received: end_index={}", *end));
}

void require_step(const char* name, std::int64_t step, std::int64_t length) {
  if (step <= 0) throw ValueError(fmt::format("`{}` must be higher than 0. Received: {}={}", name, name, step));
  if (step >= length) {
    throw ValueError(
        fmt::format("`{}` must be lower than the length of the data. Received: {}={}, for data of length {}", name,
                    name, step, length));
  }
}

/// Sequences at given positions of an array, and the targets there.
class Sequences final : public DatasetImpl {
 public:
  struct Arguments {
    /// The part of the arrays that is used.
    Tensor data;
    Tensor targets;
    std::vector<std::int64_t> positions;
    std::int64_t length = 1;
    std::int64_t rate = 1;
  };

  explicit Sequences(Arguments arguments) : arguments_(std::make_shared<const Arguments>(std::move(arguments))) {}

  BatchSpec element_spec() const override {
    const auto row = [](const Tensor& array) { return array.shape().slice(1, array.rank()); };
    const Tensor& data = arguments_->data;
    BatchSpec spec = {.x = {{.shape = Shape{arguments_->length}.concatenate(row(data)), .dtype = data.dtype()}}};
    if (!arguments_->targets.is_empty()) {
      spec.y = {{.shape = row(arguments_->targets), .dtype = arguments_->targets.dtype()}};
    }
    return spec;
  }

  Cardinality cardinality() const override { return static_cast<std::int64_t>(arguments_->positions.size()); }

  Elements iterator(std::uint64_t /*pass*/) const override {
    return elements([all = arguments_, spec = element_spec(), next = std::size_t{0}]() mutable -> std::optional<Batch> {
      if (next == all->positions.size()) return std::nullopt;
      const std::int64_t position = all->positions[next++];
      Batch element = {.x = {rows(all->data, spec.x.front(), position, all->length, all->rate)}};
      if (!spec.y.empty()) element.y = {rows(all->targets, spec.y.front(), position, 1, 1)};
      return element;
    });
  }

 private:
  /// Rows position, position + rate, … of the array, as one tensor of that spec.
  static Tensor rows(const Tensor& array, const TensorSpec& spec, std::int64_t position, std::int64_t count,
                     std::int64_t rate) {
    Tensor result = Tensor::uninitialized(spec.shape, spec.dtype);
    const std::size_t bytes = spec.bytes() / static_cast<std::size_t>(count);
    const auto* const from = static_cast<const std::byte*>(array.raw_data());
    auto* const to = static_cast<std::byte*>(result.mutable_raw_data());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = position + i * rate;
      if (row >= array.shape()[0]) {
        throw InvalidArgumentError(
            fmt::format("A sequence has no data or target: index {} is not in [0, {}).", row, array.shape()[0]));
      }
      if (bytes > 0) {
        std::memcpy(to + static_cast<std::size_t>(i) * bytes, from + static_cast<std::size_t>(row) * bytes, bytes);
      }
    }
    return result;
  }

  std::shared_ptr<const Arguments> arguments_;
};

std::vector<std::int64_t> start_positions(std::int64_t count, std::int64_t stride) {
  std::vector<std::int64_t> positions;
  for (std::int64_t position = 0; position < count; position += stride) positions.push_back(position);
  return positions;
}

}  // namespace

Pipeline timeseries_dataset_from_array(const Tensor& data, const Tensor& targets, std::int64_t sequence_length,
                                       const TimeseriesDatasetOptions& options) {
  if (!data.is_concrete() || data.rank() == 0) {
    throw ValueError("`data` of `timeseries_dataset_from_array` must be an array with an axis of time.");
  }
  if (!targets.is_empty() && targets.rank() == 0) {
    throw ValueError("`targets` of `timeseries_dataset_from_array` must be an array with an axis of time.");
  }
  const std::int64_t steps = data.shape()[0];
  require_indices(steps, options);
  require_step("sampling_rate", options.sampling_rate, steps);
  require_step("sequence_stride", options.sequence_stride, steps);
  if (sequence_length < 1) {
    throw ValueError(
        fmt::format("`sequence_length` must be higher than 0. Received: sequence_length={}", sequence_length));
  }
  if (options.batch_size) require_positive("batch_size", *options.batch_size);

  const std::int64_t start = options.start_index.value_or(0);
  const std::int64_t end = options.end_index.value_or(steps);
  const std::int64_t used = std::max<std::int64_t>(end - start, 0);
  // Sequences that are longer than the data, without overflow.
  std::int64_t count =
      sequence_length - 1 > used / options.sampling_rate ? 0 : used - (sequence_length - 1) * options.sampling_rate;
  if (!targets.is_empty()) count = std::min(count, targets.shape()[0]);
  std::vector<std::int64_t> positions = start_positions(count, options.sequence_stride);

  std::optional<std::int64_t> seed = options.seed;
  if (options.shuffle) {
    constexpr std::uint64_t seeds = 1000000;
    if (!seed) seed = static_cast<std::int64_t>(context().next_seed() % seeds);
    if (*seed < 0 || *seed > std::numeric_limits<std::uint32_t>::max()) {
      throw ValueError("Seed must be between 0 and 2**32 - 1");
    }
    std::vector<std::int64_t> shuffled;
    for (const std::size_t i : numpy_shuffle(positions.size(), static_cast<std::uint32_t>(*seed))) {
      shuffled.push_back(positions[i]);
    }
    positions = std::move(shuffled);
  }

  const auto part = [&](const Tensor& array) {
    const std::int64_t rows = array.shape()[0];
    return array.slice(std::min(start, rows), std::clamp(end, std::min(start, rows), rows));
  };
  auto sequences = pipeline<Sequences>(Sequences::Arguments{.data = part(data),
                                                            .targets = targets.is_empty() ? Tensor() : part(targets),
                                                            .positions = std::move(positions),
                                                            .length = sequence_length,
                                                            .rate = options.sampling_rate});
  if (options.shuffle) {
    constexpr std::int64_t buffered_batches = 8;
    constexpr std::int64_t buffer_without_batches = 1024;
    sequences = sequences.shuffle(options.batch_size ? *options.batch_size * buffered_batches : buffer_without_batches,
                                  {.seed = seed});
  }
  if (options.batch_size) sequences = sequences.batch(*options.batch_size);
  return sequences.prefetch(autotune);
}

}  // namespace rhyton::datasets

#include <rhyton/datasets/sequences.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::datasets {
namespace {

std::int64_t length_of(const Tensor& sequence) {
  if (sequence.rank() == 0) {
    throw ValueError(fmt::format("`sequences` must be a list of iterables. Found non-iterable: {}", sequence.item()));
  }
  return sequence.shape()[0];
}

Shape sample_shape_of(const Tensor& sequence) { return sequence.shape().slice(1, sequence.rank()); }

/// The sample shape of the first sequence that is not empty.
Shape common_sample_shape(const std::vector<Tensor>& sequences) {
  const auto first =
      std::find_if(sequences.begin(), sequences.end(), [](const Tensor& sequence) { return sequence.shape()[0] > 0; });
  return first == sequences.end() ? Shape{} : sample_shape_of(*first);
}

std::int64_t longest(const std::vector<Tensor>& sequences) {
  if (sequences.empty()) throw ValueError("zero-size array to reduction operation maximum which has no identity");
  std::int64_t length = 0;
  for (const Tensor& sequence : sequences) length = std::max(length, sequence.shape()[0]);
  return length;
}

/// Whether the word is "pre", the other being "post". `what`: "Padding".
bool is_pre(const std::string& word, const char* what) {
  if (word != "pre" && word != "post") throw ValueError(fmt::format("{} type \"{}\" not understood", what, word));
  return word == "pre";
}

}  // namespace

Tensor pad_sequences(const std::vector<Tensor>& sequences, const PadSequencesOptions& options) {
  for (const Tensor& sequence : sequences) length_of(sequence);
  const Shape sample_shape = common_sample_shape(sequences);
  const std::int64_t maxlen = options.maxlen ? *options.maxlen : longest(sequences);
  if (maxlen < 0) throw ValueError("negative dimensions are not allowed");
  const Shape row_shape = Shape({maxlen}).concatenate(sample_shape);
  const DType dtype = dtype_from_name(options.dtype);
  Tensor padded =
      Tensor::full(Shape({static_cast<std::int64_t>(sequences.size())}).concatenate(row_shape), options.value, dtype);
  const std::size_t sample_bytes = static_cast<std::size_t>(sample_shape.size()) * size_of(dtype);
  auto* row = static_cast<std::byte*>(padded.mutable_raw_data());
  for (std::size_t i = 0; i < sequences.size(); ++i, row += static_cast<std::size_t>(maxlen) * sample_bytes) {
    const Tensor& sequence = sequences[i];
    const std::int64_t length = length_of(sequence);
    if (length == 0) continue;
    const bool drops_first = is_pre(options.truncating, "Truncating");
    if (sample_shape_of(sequence) != sample_shape) {
      throw ValueError(fmt::format("Shape of sample {} of sequence at position {} is different from expected shape {}",
                                   sample_shape_of(sequence).to_string(), i, sample_shape.to_string()));
    }
    const bool pads_front = is_pre(options.padding, "Padding");
    const std::int64_t kept = std::min(length, maxlen);
    if (kept == 0) continue;
    const Tensor converted = sequence.cast(dtype);
    const std::int64_t first = drops_first ? length - kept : 0;
    const std::int64_t place = pads_front ? maxlen - kept : 0;
    std::memcpy(row + static_cast<std::size_t>(place) * sample_bytes,
                static_cast<const std::byte*>(converted.raw_data()) + static_cast<std::size_t>(first) * sample_bytes,
                static_cast<std::size_t>(kept) * sample_bytes);
  }
  return padded;
}

Tensor pad_sequences(const std::vector<std::vector<std::int64_t>>& sequences, const PadSequencesOptions& options) {
  std::vector<Tensor> tensors;
  for (const std::vector<std::int64_t>& sequence : sequences) {
    tensors.push_back(Tensor::from_data({static_cast<std::int64_t>(sequence.size())}, sequence));
  }
  return pad_sequences(tensors, options);
}

}  // namespace rhyton::datasets

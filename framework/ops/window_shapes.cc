#include <rhyton/framework/ops/window_shapes.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/transposed_convolution.h>
#include <rhyton/framework/ops/window.h>

namespace rhyton {
inline namespace ops {
namespace {

using Lengths = std::vector<std::int64_t>;

/// As Python prints a tuple.
std::string tuple_text(const Lengths& numbers) { return Shape(numbers).to_string(); }

/// The spatial lengths of inputs.
Lengths spatial_lengths(const Shape& inputs, const std::string& data_format) {
  const int first = image::has_channels_first(data_format) ? 2 : 1;
  const Shape spatial = inputs.slice(first, first + inputs.rank() - 2);
  return {spatial.begin(), spatial.end()};
}

/// A batch of that shape, in the format.
Shape batch_shape(std::int64_t batch, const Lengths& spatial, std::int64_t channels, const std::string& data_format) {
  if (image::has_channels_first(data_format)) return Shape{batch, channels}.concatenate(Shape(spatial));
  return Shape{batch}.concatenate(Shape(spatial)).concatenate({channels});
}

std::int64_t channels_of(const Shape& inputs, const std::string& data_format) {
  return inputs[image::has_channels_first(data_format) ? 1 : -1];
}

/// "valid" or "same" in any case; `message` is Keras's for another name, which it ends with.
Padding padding_of(const std::string& name, const std::string& message) {
  try {
    return padding_from_name(name);
  } catch (const ValueError&) {
    throw ValueError(message + name);
  }
}

/// The number of positions along an axis; -1 where it is unknown. Throws as WindowAxis.
std::int64_t positions(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                       Padding padding) {
  const WindowAxis axis(std::max<std::int64_t>(input, 0), window < 0 ? 1 : window, stride, dilation, padding);
  const bool is_known = input >= 0 && (window >= 0 || padding == Padding::same);
  return is_known ? axis.output : -1;
}

/// The numbers as NumPy prints them in an array, where those of the batch and the channels may be None.
std::string array_text(const Shape& shape, const std::string& data_format) {
  if (shape.at(0) >= 0 && channels_of(shape, data_format) >= 0) return ops::array_text({shape.begin(), shape.end()});
  const int first = image::has_channels_first(data_format) ? 2 : 1;
  std::string listed;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool is_spatial = axis >= first && axis < first + shape.rank() - 2;
    listed += (axis == 0 ? "" : " ") + (is_spatial ? std::to_string(shape[axis]) : length_to_string(shape[axis]));
  }
  return "[" + listed + "]";
}

void require_kernel_rank(const Shape& inputs, const Shape& kernel, std::int64_t filters,
                         const std::string& data_format) {
  if (kernel.rank() == inputs.rank()) return;
  const Shape shape =
      kernel.slice(0, std::max(kernel.rank() - 2, 0)).concatenate({channels_of(inputs, data_format), filters});
  throw ValueError("Kernel shape must have the same length as input, but received kernel of shape " +
                   shape.to_string() + " and input of shape " + inputs.to_string() + ".");
}

}  // namespace

std::string array_text(std::span<const std::int64_t> numbers) {
  std::size_t width = 0;
  for (const std::int64_t number : numbers) width = std::max(width, std::to_string(number).size());
  std::string listed;
  for (const std::int64_t number : numbers) {
    const std::string text = std::to_string(number);
    listed += (listed.empty() ? "" : " ") + std::string(width - text.size(), ' ') + text;
  }
  return "[" + listed + "]";
}

void require_spatial_rank(int rank) {
  if (rank >= 3 && rank <= 5) return;
  throw ValueError("Input rank not supported: " + std::to_string(rank) + ". Expected values are [3, 4, 5]");
}

void require_kernel_channels(const Shape& inputs, std::int64_t kernel_channels, const std::string& data_format) {
  const std::int64_t channels = channels_of(inputs, data_format);
  if (channels < 0 || kernel_channels < 0 || channels == kernel_channels) return;
  throw ValueError("The number of input channels must match the kernel's input channels. Received: input channels=" +
                   std::to_string(channels) + ", kernel input channels=" + std::to_string(kernel_channels) +
                   ", data_format='" + (image::has_channels_first(data_format) ? "channels_first" : "channels_last") +
                   "'.");
}

Shape conv_output_shape(const Shape& inputs, const Shape& kernel, std::int64_t filters, const ConvOptions& options) {
  require_spatial_rank(inputs.rank());
  require_kernel_rank(inputs, kernel, filters, options.data_format);
  const Lengths lengths = spatial_lengths(inputs, options.data_format);
  const std::size_t axes = lengths.size();
  const std::size_t rates = options.dilation_rate.numbers().size();
  if (rates != 1 && rates != axes) {
    throw ValueError(
        "Dilation must be None, scalar or tuple/list of length of inputs' spatial shape, but received "
        "`dilation_rate=" +
        options.dilation_rate.to_string() + "` and input of shape " + inputs.to_string() + ".");
  }
  const Lengths dilation = options.dilation_rate.for_axes(axes, "dilation_rate");
  const Lengths strides = options.strides.for_axes(axes, "strides");
  const Padding padding = padding_of(options.padding, "`padding` must be either `'valid'` or `'same'`. Received ");
  Lengths outputs;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t window = kernel[static_cast<int>(i)];
    outputs.push_back(positions(lengths[i], window, strides[i], dilation[i], padding));
    if (padding == Padding::same || lengths[i] < 0 || window < 0 || outputs.back() > 0) continue;
    const Shape shape =
        kernel.slice(0, kernel.rank() - 2).concatenate({channels_of(inputs, options.data_format), filters});
    throw ValueError("Computed output size would be zero or negative. Received `inputs shape=" + inputs.to_string() +
                     "`, `kernel shape=" + shape.to_string() + "`, `dilation_rate=" + array_text(dilation) +
                     "`, `strides=" + tuple_text(strides) + "`, `padding=" + std::string(name_of(padding)) + "`.");
  }
  return batch_shape(inputs[0], outputs, filters, options.data_format);
}

Shape conv_transpose_output_shape(const Shape& inputs, const Shape& kernel, const ConvTransposeOptions& options) {
  require_spatial_rank(inputs.rank());
  if (kernel.rank() != inputs.rank()) {
    throw ValueError("Kernel shape must have the same length as input, but received kernel of shape " +
                     kernel.to_string() + " and input of shape " + inputs.to_string() + ".");
  }
  const Lengths lengths = spatial_lengths(inputs, options.data_format);
  const std::size_t axes = lengths.size();
  const Lengths dilation = options.dilation_rate.for_axes(axes, "dilation_rate");
  const Lengths strides = options.strides.for_axes(axes, "strides");
  const Lengths padded =
      options.output_padding.is_given() ? options.output_padding.for_axes(axes, "output_padding") : Lengths();
  const Padding padding =
      padding_of(options.padding, "The `padding` argument must be one of 'valid', 'same'. Received: padding=");
  Lengths outputs;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t window = kernel[static_cast<int>(i)];
    // Throws for numbers that no window can have.
    static_cast<void>(positions(lengths[i], window, strides[i], dilation[i], padding));
    if (lengths[i] < 0 || window < 0) {
      outputs.push_back(-1);
      continue;
    }
    outputs.push_back(transposed_length(lengths[i], window, strides[i], dilation[i], padding,
                                        padded.empty() ? std::nullopt : std::optional(padded[i])));
    if (outputs.back() < 0) {
      throw ValueError("Computed output size would be negative. Received inputs of shape " + inputs.to_string() + ".");
    }
  }
  return batch_shape(inputs[0], outputs, kernel[-2], options.data_format);
}

Shape pooling_output_shape(const Shape& inputs, const PerAxis& pool_size, const PoolOptions& options) {
  require_spatial_rank(inputs.rank());
  const Lengths lengths = spatial_lengths(inputs, options.data_format);
  const PerAxis& moved_by = options.strides.is_given() ? options.strides : pool_size;
  const Lengths sizes = pool_size.for_axes(lengths.size(), "pool_size");
  const Lengths strides = moved_by.for_axes(lengths.size(), "strides");
  const Padding padding =
      padding_of(options.padding, "Argument `padding` must be either 'valid' or 'same'. Received: padding=");
  Lengths outputs;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    outputs.push_back(positions(lengths[i], sizes[i], strides[i], 1, padding));
    if (padding == Padding::same || lengths[i] < 0 || outputs.back() > 0) continue;
    throw ValueError("Computed output size would be zero or negative. Received: `inputs.shape=" +
                     array_text(inputs, options.data_format) + "`, `pool_size=" +
                     (pool_size.numbers().size() == 1 ? pool_size.to_string() : array_text(pool_size.numbers())) +
                     "`, `strides=" + moved_by.to_string() + "`, `padding=" + std::string(name_of(padding)) + "`.");
  }
  return batch_shape(inputs[0], outputs, channels_of(inputs, options.data_format), options.data_format);
}

}  // namespace ops
}  // namespace rhyton

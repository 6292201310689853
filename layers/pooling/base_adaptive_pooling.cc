#include <rhyton/layers/pooling/base_adaptive_pooling.h>

#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// Where `count` windows begin and end that cover `length` elements as evenly as possible.
struct EvenWindows {
  std::int64_t length;
  std::int64_t count;

  std::int64_t begin(std::int64_t i) const { return i * length / count; }
  std::int64_t end(std::int64_t i) const { return ((i + 1) * length + count - 1) / count; }
  /// The smaller of the at most two sizes of windows, which differ by 1.
  std::int64_t size() const { return (length + count - 1) / count; }
};

/// Pools one axis of x to this length. As in Keras, windows of either size are pooled at every position, and the
/// results at those positions taken that are needed.
Tensor pool_axis_to(PoolFunction pool, const Tensor& x, int axis, std::int64_t length) {
  const EvenWindows windows{x.shape()[axis], length};
  if (windows.length == 0 || windows.length > longest_window) {
    throw ValueError("Adaptive pooling takes axes of 1 to " + std::to_string(longest_window) +
                     " elements. Received: shape=" + x.shape().to_string());
  }
  if (windows.length % length == 0) return pool_axis(pool, x, axis, windows.size(), windows.size());
  // The number of positions may come from a file, and shape inference does not need them.
  if (is_inferring()) return broadcast_to(slice_axis(x, axis, 0, 1), x.shape().with(axis, length));
  const std::int64_t smaller_positions = windows.length - windows.size() + 1;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(length));
  bool has_larger = false;
  for (std::int64_t i = 0; i < length; ++i) {
    const bool is_larger = windows.end(i) - windows.begin(i) > windows.size();
    has_larger = has_larger || is_larger;
    positions[static_cast<std::size_t>(i)] = windows.begin(i) + (is_larger ? smaller_positions : 0);
  }
  Tensor pooled = pool_axis(pool, x, axis, windows.size(), 1);
  if (has_larger) pooled = concatenate({pooled, pool_axis(pool, x, axis, windows.size() + 1, 1)}, axis);
  return take(pooled, Tensor::from_data({length}, positions), axis);
}

template <class Size>
class AdaptivePoolingImpl final : public LayerImpl {
 public:
  AdaptivePoolingImpl(std::string class_name, PoolFunction pool, const AdaptivePoolingArguments<Size>& options)
      : LayerImpl(base_options(options)),
        class_name_(std::move(class_name)),
        pool_(pool),
        options_(options),
        layout_(checked_format(options.data_format)) {
    options_.output_size = options_.output_size.given();
    options_.data_format = layout_.to_string();
    options_.output_size.require_positive("output_size");
    for (const std::int64_t length : options_.output_size.values()) {
      if (length <= longest_window) continue;
      throw ShapeOverflowError("`output_size` is at most " + std::to_string(longest_window) +
                               ". Received: output_size=" + options_.output_size.to_string());
    }
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = static_cast<int>(options_.output_size.values().size()) + 2});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    Tensor y = layout_.to_channels_last(inputs[0]);
    int axis = 1;
    for (const std::int64_t length : options_.output_size.values()) y = pool_axis_to(pool_, y, axis++, length);
    return {layout_.from_channels_last(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  static const std::string& checked_format(const std::string& data_format) {
    if (data_format.empty() || data_format == "channels_first" || data_format == "channels_last") return data_format;
    throw ValueError("Invalid data_format: " + data_format + ". Expected 'channels_first' or 'channels_last'.");
  }

  std::string class_name_;
  PoolFunction pool_;
  /// With the format that holds.
  AdaptivePoolingArguments<Size> options_;
  ImageLayout layout_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                 const AdaptivePoolingArguments<Size>& arguments) {
  return std::make_shared<AdaptivePoolingImpl<Size>>(class_name, pool, arguments);
}

template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                          const AdaptivePoolingArguments<Size1>& arguments);
template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                          const AdaptivePoolingArguments<Size2>& arguments);
template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                          const AdaptivePoolingArguments<Size3>& arguments);

}  // namespace rhyton::layers

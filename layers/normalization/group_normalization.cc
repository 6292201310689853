#include <rhyton/layers/normalization/group_normalization.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

class GroupNormalizationImpl final : public LayerImpl {
 public:
  explicit GroupNormalizationImpl(const GroupNormalizationOptions& options)
      : LayerImpl(base_options(options)), options_(options) {
    if (options.groups <= 0 && options.groups != -1) {
      throw ValueError(
          "Received an invalid value for argument `groups`, expected a positive integer (or `-1` for instance "
          "normalization). Received: groups=" +
          std::to_string(options.groups));
    }
  }

  std::string class_name() const override { return GroupNormalization::keras_name; }
  bool supports_masking() const override { return true; }
  bool autocasts() const override { return false; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec;
    if (rank_ > 0) {
      spec.ndim = rank_;
      spec.axes = {{options_.axis, channels_}};
    }
    check_input(*this, inputs, spec);
    Axes(options_.axis).of(inputs[0]);
  }

  void build(const std::vector<Shape>& inputs) override {
    const Shape& shape = inputs[0];
    const std::int64_t channels = shape.at(options_.axis);
    if (channels < 0 || normalize_axis(options_.axis, shape.rank()) == 0) {
      throw ValueError("Axis " + std::to_string(options_.axis) +
                       " of input tensor should have a defined dimension but the layer received an input with shape " +
                       shape.to_string() + ".");
    }
    const std::int64_t groups = options_.groups == -1 ? channels : options_.groups;
    if (channels < groups) {
      throw ValueError("Number of groups (" + std::to_string(groups) +
                       ") cannot be more than the number of channels (" + std::to_string(channels) + ").");
    }
    if (groups == 0 || channels % groups != 0) {
      throw ValueError("Number of groups (" + std::to_string(groups) +
                       ") must be a multiple of the number of channels (" + std::to_string(channels) + ").");
    }
    options_.groups = groups;
    channels_ = channels;
    rank_ = shape.rank();
    if (options_.scale) {
      gamma_ = add_weight(gamma_weight(options_, {channels}));
    }
    if (options_.center) {
      beta_ = add_weight(beta_weight(options_, {channels}));
    }
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    // In half precision the sums overflow.
    const DType given = inputs[0].dtype();
    const DType dtype = given == DType::float64 ? given : DType::float32;
    const Shape& shape = inputs[0].shape();
    const int axis = normalize_axis(options_.axis, shape.rank());
    const Shape groups = {options_.groups, shape[axis] / options_.groups};
    const Shape behind = shape.slice(axis + 1, shape.rank());
    const Tensor x = reshape(cast(inputs[0], dtype), shape.slice(0, axis).concatenate(groups).concatenate(behind));

    std::vector<int> axes;
    for (int i = 1; i < x.rank(); ++i) {
      if (i != axis) axes.push_back(i);
    }
    Shape along_groups = groups;
    for (int i = 0; i < behind.rank(); ++i) along_groups.push_back(1);
    const auto spread = [&](const Tensor& values) { return reshape(cast(values, dtype), along_groups); };

    const Moments sample = moments(x, axes, true);
    Tensor factor = rsqrt(add(sample.variance, options_.epsilon));
    if (!gamma_.is_empty()) factor = multiply(factor, spread(gamma_));
    Tensor y = multiply(subtract(x, sample.mean), factor);
    if (!beta_.is_empty()) y = add(y, spread(beta_));
    // As in Keras, the result first has the dtype of the input.
    return {to_compute_dtype(cast(reshape(y, shape), given))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  GroupNormalizationOptions options_;
  /// Of the input that it was built for.
  int rank_ = 0;
  std::int64_t channels_ = 0;
  Variable gamma_;
  Variable beta_;
};

}  // namespace

GroupNormalization::GroupNormalization(const GroupNormalizationOptions& options)
    : Layer(std::make_shared<GroupNormalizationImpl>(options)) {}

GroupNormalization GroupNormalization::from_config(const io::Json& config) {
  return GroupNormalization(read_layer<GroupNormalization>(config));
}

}  // namespace rhyton::layers

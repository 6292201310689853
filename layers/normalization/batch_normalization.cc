#include <rhyton/layers/normalization/batch_normalization.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

class BatchNormalizationImpl final : public LayerImpl {
 public:
  explicit BatchNormalizationImpl(const BatchNormalizationOptions& options)
      : LayerImpl(base_options(options)), options_(options) {}

  std::string class_name() const override { return BatchNormalization::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec;
    if (!moving_mean_.is_empty()) {
      spec.ndim = rank_;
      spec.axes = {{options_.axis, moving_mean_.shape()[0]}};
    }
    check_input(*this, inputs, spec);
    Axes(options_.axis).of(inputs[0]);
  }

  void build(const std::vector<Shape>& inputs) override {
    rank_ = inputs[0].rank();
    const Shape shape = {inputs[0].at(options_.axis)};
    if (options_.scale) {
      gamma_ = add_weight(gamma_weight(options_, shape));
    }
    if (options_.center) {
      beta_ = add_weight(beta_weight(options_, shape));
    }
    moving_mean_ = add_weight(
        {.shape = shape, .initializer = options_.moving_mean_initializer, .trainable = false, .name = "moving_mean"});
    moving_variance_ = add_weight({.shape = shape,
                                   .initializer = options_.moving_variance_initializer,
                                   .trainable = false,
                                   .name = "moving_variance"});
  }

  bool supports_masking() const override { return true; }
  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override {
    const std::vector<Tensor> inputs = arguments.tensors("inputs");
    const Tensor mask = arguments.tensor("mask");
    if (!mask.is_empty() && mask.rank() != inputs[0].rank() - 1) {
      throw ValueError("The mask provided should be one dimension less than the inputs. Received: mask.shape=" +
                       mask.shape().to_string() + ", inputs.shape=" + inputs[0].shape().to_string());
    }
    // In half precision the sums overflow.
    const DType dtype = inputs[0].dtype() == DType::float64 ? DType::float64 : DType::float32;
    const int channels = normalize_axis(options_.axis, inputs[0].rank());
    if (training && trainable() && mask.is_empty() && channels == inputs[0].rank() - 1 && !is_synchronized()) {
      // The op computes in float32 internally, and reads and writes half as much.
      const bool is_direct = inputs[0].dtype() == compute_dtype();
      return {to_compute_dtype(normalized_by_batch(is_direct ? inputs[0] : cast(inputs[0], dtype), dtype))};
    }

    const Tensor x = cast(inputs[0], dtype);
    Tensor mean = cast(moving_mean_, dtype);
    Tensor variance = cast(moving_variance_, dtype);
    if (training && trainable()) {
      std::vector<int> others;
      for (int axis = 0; axis < x.rank(); ++axis) {
        if (axis != channels) others.push_back(axis);
      }
      const Moments batch = !mask.is_empty()    ? masked_moments(x, mask, others)
                            : is_synchronized() ? synchronized_moments(x, others)
                                                : moments(x, others);
      update_moving(batch.mean, batch.variance);
      mean = batch.mean;
      variance = batch.variance;
    }

    const auto weight = [&](const Variable& values) { return values.is_empty() ? Tensor() : cast(values, dtype); };
    const Tensor y = batch_normalization(x, mean, variance, channels == x.rank() - 1 ? -1 : channels, weight(beta_),
                                         weight(gamma_), options_.epsilon);
    return {to_compute_dtype(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  // Channels last: one op, whose derivative reads x as seldom as possible.
  Tensor normalized_by_batch(const Tensor& x, DType dtype) {
    const Shape shape = {x.shape().at(-1)};
    const Tensor gamma = gamma_.is_empty() ? Tensor::full(shape, 1.0, dtype) : cast(gamma_, dtype);
    const Tensor beta = beta_.is_empty() ? Tensor::zeros(shape, dtype) : cast(beta_, dtype);
    const BatchNormalized result = normalize_batch(x, gamma, beta, options_.epsilon);
    update_moving(result.mean, result.variance);
    return result.y;
  }

  bool is_synchronized() const { return options_.synchronized && replica_context() != nullptr; }

  // Moments over the samples of all replicas, from the means of x and of its squares, as in Keras.
  static Moments synchronized_moments(const Tensor& x, const std::vector<int>& axes) {
    const double share = replica_share();
    const std::vector<Tensor> means = all_reduce({mean(x, axes) * share, mean(square(x), axes) * share});
    return {means[0], maximum(means[1] - square(means[0]), 0.0)};
  }

  // The moments of the steps that count; if synchronized, of all replicas.
  Moments masked_moments(const Tensor& x, const Tensor& mask, const std::vector<int>& axes) const {
    const auto sum_of_all = [&](const Tensor& own) {
      if (!is_synchronized()) return sum(own, axes, true);
      const Tensor total = sum(own, axes, true);
      const ReplicaBatch* const part = part_of_batch();
      return all_reduce(part != nullptr && part->is_empty() ? total * 0.0 : total);
    };
    const Tensor counts = broadcast_like(cast(expand_dims(mask, -1), DType::bool_), x);
    const Tensor total = add(sum_of_all(cast(counts, x.dtype())), context().epsilon());
    const Tensor mean = divide(sum_of_all(where(counts, x, 0.0)), total);
    const Tensor variance = divide(sum_of_all(square(where(counts, subtract(x, mean), 0.0))), total);
    const Shape channels = {x.shape()[normalize_axis(options_.axis, x.rank())]};
    return {reshape(mean, channels), reshape(variance, channels)};
  }

  void update_moving(const Tensor& own_mean, const Tensor& own_variance) {
    Tensor mean = own_mean;
    Tensor variance = own_variance;
    // Alone with its part of a batch, a replica has no others to average with.
    const bool has_others = replica_context() != nullptr && replica_context()->num_replicas_in_sync > 1;
    if (has_others && !is_synchronized()) {
      const double share = replica_share();
      const std::vector<Tensor> means = all_reduce({own_mean * share, own_variance * share});
      mean = means[0];
      variance = means[1];
    }
    const auto moved = [&](const Variable& moving, const Tensor& batch) {
      moving.assign(
          add(multiply(cast(moving, batch.dtype()), options_.momentum), multiply(batch, 1.0 - options_.momentum)));
    };
    moved(moving_mean_, mean);
    moved(moving_variance_, variance);
  }

  BatchNormalizationOptions options_;
  int rank_ = 0;
  Variable gamma_;
  Variable beta_;
  Variable moving_mean_;
  Variable moving_variance_;
};

}  // namespace

BatchNormalization::BatchNormalization(const BatchNormalizationOptions& options)
    : Layer(std::make_shared<BatchNormalizationImpl>(options)) {}

BatchNormalization BatchNormalization::from_config(const io::Json& config) {
  // Keras 2 writes a list of one axis.
  Axes axis = -1;
  ConfigReader("layer", "BatchNormalization", config)("axis", axis);
  if (axis.values().size() != 1) {
    throw ValueError("The `axis` argument of a BatchNormalization layer must be one integer. Received: axis=" +
                     axis.to_config().dump());
  }
  io::Json plain = config;
  plain["axis"] = axis.values().front();
  return BatchNormalization(read_layer<BatchNormalization>(plain));
}

}  // namespace rhyton::layers

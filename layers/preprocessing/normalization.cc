#include <rhyton/layers/preprocessing/normalization.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// Nested lists of numbers are read to this depth.
constexpr int max_axes = 32;

io::Json nested_lists(const std::vector<double>& values, const Shape& shape, int axis, std::size_t& position) {
  if (axis == shape.rank()) return values.at(position++);
  io::Json list = io::Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested_lists(values, shape, axis + 1, position));
  return list;
}

void read_nested_lists(const io::Json& json, const Shape& shape, int axis, std::vector<double>& values) {
  if (axis == shape.rank()) {
    values.push_back(json.as_double());
    return;
  }
  if (!json.is_array() || static_cast<std::int64_t>(json.size()) != shape[axis]) {
    throw ValueError("The lists of a mean or variance must have equal lengths. Received: " + json.dump());
  }
  for (const io::Json& member : json) read_nested_lists(member, shape, axis + 1, values);
}

/// The mean and variance of the samples so far.
class RunningMoments {
 public:
  RunningMoments(std::vector<int> reduced_axes, DType dtype) : reduced_axes_(std::move(reduced_axes)), dtype_(dtype) {}

  void add_batch(const Tensor& batch) {
    if (batch.size() == 0) return;
    const Tensor x = cast(batch, dtype_);
    const Moments moments = moments_of(x);
    double count = 1;
    for (const int axis : reduced_axes_) count *= static_cast<double>(x.shape()[axis]);
    count_ += count;
    if (mean_.is_empty()) {
      mean_ = moments.mean;
      variance_ = moments.variance;
      return;
    }
    // The sum of squares divides into those within the batches and those between them: see
    // https://en.wikipedia.org/wiki/Lack-of-fit_sum_of_squares.
    const double share = count / count_;
    const Tensor mean = mean_ * (1.0 - share) + moments.mean * share;
    variance_ =
        (variance_ + square(mean_ - mean)) * (1.0 - share) + (moments.variance + square(moments.mean - mean)) * share;
    mean_ = mean;
  }

  /// Empty if there were no samples.
  const Tensor& mean() const { return mean_; }
  const Tensor& variance() const { return variance_; }

 private:
  Moments moments_of(const Tensor& x) const {
    if (reduced_axes_.empty()) return {x, zeros_like(x)};
    return moments(x, reduced_axes_);
  }

  std::vector<int> reduced_axes_;
  DType dtype_;
  double count_ = 0;
  Tensor mean_;
  Tensor variance_;
};

class NormalizationImpl final : public LayerImpl {
 public:
  explicit NormalizationImpl(const NormalizationOptions& options)
      : LayerImpl(base_options(options)), options_(options) {
    // In Keras's form, a list.
    options_.axis = std::vector<int>(options.axis.values());
    check_moments();
  }

  std::string class_name() const override { return Normalization::keras_name; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    if (is_built()) require_built_lengths(inputs.front());
  }

  void build(const std::vector<Shape>& inputs) override {
    built_shape_ = inputs.at(0);
    kept_axes_ = kept_axes_of(built_shape_);
    Shape kept;
    for (const int axis : kept_axes_) kept.push_back(built_shape_[axis]);
    for (int axis = 0; axis < built_shape_.rank(); ++axis) {
      const bool is_kept = std::binary_search(kept_axes_.begin(), kept_axes_.end(), axis);
      broadcast_shape_.push_back(is_kept ? built_shape_[axis] : 1);
      if (!is_kept) reduced_axes_.push_back(axis);
    }
    if (has_given_moments()) {
      given_mean_ = spread(options_.mean);
      given_variance_ = spread(options_.variance);
      return;
    }
    mean_ = add_weight({.shape = kept, .initializer = "zeros", .trainable = false, .name = "mean"});
    variance_ = add_weight({.shape = kept, .initializer = "ones", .trainable = false, .name = "variance"});
    // Unused; files of Keras have it.
    add_weight({.shape = {}, .initializer = "zeros", .dtype = DType::int64, .trainable = false, .name = "count"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = cast(inputs[0], compute_dtype());
    const Tensor deviation = maximum(sqrt(variance()), context().epsilon());
    if (options_.invert) return {add(mean(), multiply(x, deviation))};
    return {divide(subtract(x, mean()), deviation)};
  }

  Tensor mean() const { return has_given_moments() ? given_mean_ : of_weight(mean_); }
  Tensor variance() const { return has_given_moments() ? given_variance_ : of_weight(variance_); }

  // A Sequential of tf.keras that begins with an adapted layer has an Input whose lengths are all unknown.
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    const Argument& inputs = arguments.first();
    if (!inputs.is_symbolic() || inputs.symbolic().shape().rank() != built_shape_.rank()) {
      return LayerImpl::infer_outputs(arguments);
    }
    Shape shape = inputs.symbolic().shape();
    for (const int axis : kept_axes_) {
      if (shape[axis] < 0 || shape[axis] == 1) shape[axis] = built_shape_[axis];
    }
    return {TensorSpec{shape, compute_dtype()}};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  /// With the batches that the function returns; in a dtype of their own or the compute dtype.
  void adapt(const NextBatch& next_batch, const std::optional<DType>& dtype) {
    if (has_given_moments()) {
      throw ValueError("`adapt` computes the mean and variance, but layer '" + name() +
                       "' was created with `mean` and `variance`.");
    }
    const InitScope init;
    std::optional<RunningMoments> total;
    while (const std::optional<Tensor> batch = next_batch()) {
      prepare_for(batch->shape(), !total.has_value());
      if (!total) total.emplace(reduced_axes_, dtype.value_or(compute_dtype()));
      total->add_batch(*batch);
    }
    if (!total) {
      throw ValueError(
          "adapt() received an empty iterable (no batches). Expected at least one batch. Pass a non-empty iterable of "
          "arrays or tensors, e.g. layer.adapt([x]) or layer.adapt(list_of_batches).");
    }
    if (total->mean().is_empty()) {
      throw ValueError("adapt() of layer '" + name() + "' received no samples: all arrays are empty.");
    }
    mean_.assign(cast(total->mean(), mean_.dtype()));
    variance_.assign(cast(total->variance(), variance_.dtype()));
  }

 private:
  bool has_given_moments() const { return !options_.mean.is_none(); }

  void check_moments() const {
    const Tensor& mean = options_.mean.values();
    const Tensor& variance = options_.variance.values();
    if (options_.mean.is_none() != options_.variance.is_none()) {
      const auto text = [](const GivenMoment& moment) { return moment.is_none() ? "None" : moment.to_config().dump(); };
      throw ValueError("When setting values directly, both `mean` and `variance` must be set. Received: mean=" +
                       text(options_.mean) + " and variance=" + text(options_.variance));
    }
    if (options_.mean.is_none()) return;
    if (!(mean.shape() == variance.shape())) {
      throw ValueError(
          "When setting values directly, `mean` and `variance` must have the same shape. Received: mean shape " +
          mean.shape().to_string() + " and variance shape " + variance.shape().to_string());
    }
    const std::vector<int>& axes = options_.axis.values();
    if (mean.rank() > static_cast<int>(axes.size())) {
      throw ValueError("The rank of `mean` must be less than or equal to the number of axes (" +
                       std::to_string(axes.size()) + "). Received: mean shape " + mean.shape().to_string() +
                       " for axis " + axes_text());
    }
  }

  /// As Python writes a tuple.
  std::string axes_text() const {
    std::string text;
    for (const int axis : options_.axis.values()) text += (text.empty() ? "" : ", ") + std::to_string(axis);
    return "(" + text + (options_.axis.values().size() == 1 ? ",)" : ")");
  }

  std::vector<int> kept_axes_of(const Shape& input) const {
    const int rank = input.rank();
    for (const int axis : options_.axis.values()) {
      if (axis >= -rank && axis < rank) continue;
      throw ValueError("All `axis` values must be in the range [-ndim, ndim). Received inputs with ndim=" +
                       std::to_string(rank) + ", while axis=" + axes_text());
    }
    std::vector<int> axes = options_.axis.of(input);
    for (const int axis : axes) {
      if (input[axis] >= 0) continue;
      throw ValueError("All `axis` values to be kept must have a known shape. Received axis=" + axes_text() +
                       ", inputs.shape=" + input.to_string() + ", with unknown axis at index " + std::to_string(axis));
    }
    return axes;
  }

  /// Inputs are combined with mean and variance from their last axis on.
  void require_built_lengths(const Shape& input) const {
    for (int i = 1; i <= std::min(input.rank(), broadcast_shape_.rank()); ++i) {
      const std::int64_t length = input.at(-i);
      const std::int64_t expected = broadcast_shape_.at(-i);
      if (expected == 1 || length == 1 || length < 0 || length == expected) continue;
      throw ValueError("The mean and variance of layer '" + name() +
                       "' (of type Normalization) are those of inputs of shape " + built_shape_.to_string() +
                       ". Received: an input of shape " + input.to_string() + ", whose axis " + std::to_string(-i) +
                       " should have length " + std::to_string(expected) + ".");
    }
  }

  /// Given values in the shape that inputs are combined with; their axes are the last of the kept ones.
  Tensor spread(const GivenMoment& given) const {
    const Tensor& values = given.values();
    const InitScope init;
    Shape shape;
    for (int axis = 0; axis < built_shape_.rank(); ++axis) shape.push_back(1);
    for (int i = 1; i <= values.rank(); ++i) {
      const int axis = kept_axes_.at(kept_axes_.size() - static_cast<std::size_t>(i));
      const std::int64_t length = values.shape().at(-i);
      if (length != 1 && length != built_shape_[axis]) {
        throw ValueError("The `mean` and `variance` of layer '" + name() + "', of shape " + values.shape().to_string() +
                         ", cannot be broadcast to axis " + std::to_string(axis) + " of inputs of shape " +
                         built_shape_.to_string() + ".");
      }
      shape = shape.with(axis, length);
    }
    return cast(reshape(values, shape), compute_dtype());
  }

  Tensor of_weight(const Variable& weight) const { return cast(reshape(weight, broadcast_shape_), compute_dtype()); }

  /// Builds the layer for the first batch if it is not built; checks the lengths of all others.
  void prepare_for(const Shape& shape, bool is_first) {
    if (!is_built()) ensure_built({shape});
    const bool fits = shape.rank() == built_shape_.rank() &&
                      std::ranges::all_of(kept_axes_, [&](int axis) { return shape[axis] == built_shape_[axis]; });
    if (fits) return;
    if (!is_first) {
      throw ValueError("adapt() yielded a batch with incompatible shape. Expected " + built_shape_.to_string() +
                       ", got " + shape.to_string() + ".");
    }
    throw ValueError(
        "The layer was built with input_shape=" + built_shape_.to_string() +
        ", but adapt() is being called with data with an incompatible shape, data.shape=" + shape.to_string());
  }

  NormalizationOptions options_;
  Shape built_shape_;
  /// In ascending order, from the front.
  std::vector<int> kept_axes_;
  std::vector<int> reduced_axes_;
  /// The input's lengths along the kept axes, 1 along others.
  Shape broadcast_shape_;
  /// Of adapted layers.
  Variable mean_;
  Variable variance_;
  /// Of those with given values, in the compute dtype.
  Tensor given_mean_;
  Tensor given_variance_;
};

void require_built(const Normalization& layer) {
  if (layer.is_built()) return;
  throw ValueError("Layer '" + layer.name() + "' has no mean and variance before it is built, or adapted to data.");
}

NormalizationImpl& implementation(const std::shared_ptr<LayerImpl>& impl) {
  return dynamic_cast<NormalizationImpl&>(*impl);
}

}  // namespace

GivenMoment::GivenMoment(double value) : GivenMoment(Tensor::from_data<double>(Shape{}, {value})) {}

GivenMoment::GivenMoment(const std::vector<double>& values)
    : GivenMoment(Tensor::from_data<double>({static_cast<std::int64_t>(values.size())}, values)) {}

GivenMoment::GivenMoment(const Tensor& values) : values_(values.is_empty() ? values : cast(values, DType::float64)) {}

io::Json GivenMoment::to_config() const {
  if (is_none()) return nullptr;
  std::size_t position = 0;
  return nested_lists(values_.to_vector(), values_.shape(), 0, position);
}

GivenMoment GivenMoment::from_config(const io::Json& config) {
  Shape shape;
  const io::Json* first = &config;
  while (first->is_array()) {
    if (shape.rank() == max_axes) throw ValueError("A mean or variance has more than 32 axes.");
    shape.push_back(static_cast<std::int64_t>(first->size()));
    if (first->size() == 0) break;
    first = &(*first)[0];
  }
  std::vector<double> values;
  read_nested_lists(config, shape, 0, values);
  return Tensor::from_data<double>(shape, values);
}

Normalization::Normalization(const NormalizationOptions& options)
    : Layer(std::make_shared<NormalizationImpl>(options)) {}

Normalization Normalization::from_config(const io::Json& config) {
  const io::Json* const axis = config.is_object() ? config.find("axis") : nullptr;
  if (axis == nullptr || !axis->is_null()) return Normalization(read_layer<Normalization>(config));
  // Keras's None, which Keras itself writes as no axes.
  io::Json without_axes = config;
  without_axes["axis"] = io::Json::array();
  return Normalization(read_layer<Normalization>(without_axes));
}

Tensor Normalization::mean() const {
  require_built(*this);
  return implementation(impl()).mean();
}

Tensor Normalization::variance() const {
  require_built(*this);
  return implementation(impl()).variance();
}

void Normalization::adapt(const Tensor& data) const {
  bool is_given = false;
  // Sums of integers are exact in float64.
  const DType dtype = is_floating(data.dtype()) ? data.dtype() : DType::float64;
  implementation(impl()).adapt(
      [&] { return std::exchange(is_given, true) ? std::nullopt : std::optional<Tensor>(data); }, dtype);
}

void Normalization::adapt_to(const NextBatch& next_batch) const {
  implementation(impl()).adapt(next_batch, std::nullopt);
}

}  // namespace rhyton::layers

#include <rhyton/layers/preprocessing/discretization.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/category_output.h>
#include <rhyton/layers/preprocessing/quantile_summary.h>

namespace rhyton::layers {
namespace {

Tensor boundaries_tensor(const std::vector<double>& boundaries) {
  std::vector<float> values;
  for (const double boundary : boundaries) values.push_back(static_cast<float>(boundary));
  if (!std::is_sorted(values.begin(), values.end())) {
    throw InvalidArgumentError("Expected sorted boundaries [Op:Bucketize]");
  }
  return Tensor::from_data<float>({static_cast<std::int64_t>(values.size())}, values);
}

class DiscretizationImpl final : public LayerImpl {
 public:
  explicit DiscretizationImpl(const DiscretizationOptions& options)
      : LayerImpl(base_options(options)), options_(options), boundaries_(options.bin_boundaries) {
    check_options();
    if (boundaries_) given_ = boundaries_tensor(*boundaries_);
    mark_built();
  }

  std::string class_name() const override { return Discretization::keras_name; }
  // Inputs are converted to `floatx()`, whatever the policy is.
  bool autocasts() const override { return false; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const DType dtype = options_.output_mode == "int" ? DType::int32 : compute_dtype();
    if (boundaries_) {
      if (!executing_eagerly() && !is_inferring()) is_traced_ = true;
      const auto bins = static_cast<std::int64_t>(boundaries_->size()) + 1;
      return {encode_categories(bins_of(inputs[0]), options_.output_mode, bins, dtype)};
    }
    // A model may be made of a layer that is adapted later.
    if (is_inferring()) {
      return {encode_categories(cast(inputs[0], DType::int32), options_.output_mode, *options_.num_bins, dtype)};
    }
    throw ValueError(
        "You need to either pass the `bin_boundaries` argument at construction time or call `adapt(dataset)` before "
        "you "
        "can start using the `Discretization` layer.");
  }

  /// In Keras's order, without `trainable`, which Keras's constructor does not take.
  io::Json get_config() const override {
    DiscretizationOptions options = options_;
    options.bin_boundaries = boundaries_;
    io::Json config = written(options);
    config["name"] = name();
    config["dtype"] = dtype_policy();
    return config;
  }

  void require_adaptable() const {
    if (options_.num_bins) return;
    throw ValueError(
        "Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use `num_bins` instead.");
  }

  void reset_state() {
    if (options_.num_bins) summary_ = {};
  }

  void update_state(const Tensor& data) {
    require_adaptable();
    const InitScope init;
    const Tensor values = cast(data, DType::float32);
    const auto elements = values.elements<float>();
    summary_.add({elements.begin(), elements.end()}, options_.epsilon);
  }

  void finalize_state() {
    if (!options_.num_bins) return;
    const std::vector<float> boundaries = summary_.boundaries(*options_.num_bins);
    set_boundaries({boundaries.begin(), boundaries.end()});
  }

  void set_boundaries(std::vector<double> boundaries) {
    const InitScope init;
    const Tensor values = boundaries_tensor(boundaries);
    if (boundaries_ && boundaries_->size() == boundaries.size()) {
      if (!boundaries.empty()) adapted_.assign(values);
    } else {
      if (is_traced_.exchange(false)) {
        warn("The number of bins of layer '" + name() + "' (of type Discretization) changes from " +
             std::to_string(boundaries_->size() + 1) + " to " + std::to_string(boundaries.size() + 1) +
             ". Models that have used it keep the earlier bins until they are compiled again.");
      }
      adapted_ =
          boundaries.empty()
              ? Variable()
              : Variable(values, {.trainable = false, .name = "bin_boundaries", .path = path() + "/bin_boundaries"});
    }
    boundaries_ = std::move(boundaries);
  }

  const std::optional<std::vector<double>>& boundaries() const { return boundaries_; }

 private:
  void check_options() const {
    constexpr std::array<const char*, 4> modes = {"int", "one_hot", "multi_hot", "count"};
    if (std::find(modes.begin(), modes.end(), options_.output_mode) == modes.end()) {
      throw ValueError(
          "Unknown value for `output_mode` argument of Discretization. Allowed values are: ('int', 'one_hot', "
          "'multi_hot', 'count'). Received: output_mode=" +
          options_.output_mode);
    }
    const std::optional<std::int64_t>& bins = options_.num_bins;
    if (bins && *bins < 0) {
      throw ValueError("`num_bins` must be greater than or equal to 0. Received: `num_bins=" + std::to_string(*bins) +
                       "`");
    }
    if (bins && options_.bin_boundaries) {
      throw ValueError(
          "Both `num_bins` and `bin_boundaries` should not be set. Received: `num_bins=" + std::to_string(*bins) +
          "` and `bin_boundaries=" + io::Json::array_from(*options_.bin_boundaries).dump() + "`");
    }
    if (!bins && !options_.bin_boundaries) {
      throw ValueError("You need to set either `num_bins` or `bin_boundaries`.");
    }
  }

  Tensor bins_of(const Tensor& input) const {
    if (boundaries_->empty()) return zeros_like(cast(input, DType::int32));
    const Tensor x = is_floating(input.dtype()) ? cast(input, dtype_from_name(config::floatx())) : input;
    const Tensor boundaries = options_.num_bins ? adapted_.value() : given_;
    return digitize(x.dtype() == DType::float64 ? x : cast(x, DType::float32), boundaries);
  }

  DiscretizationOptions options_;
  QuantileSummary summary_;
  /// The given ones, or those that were computed.
  std::optional<std::vector<double>> boundaries_;
  /// The same in float32: given ones, or computed ones, which compiled models read.
  Tensor given_;
  Variable adapted_;
  /// Whether a compiled model has these boundaries.
  std::atomic<bool> is_traced_{false};
};

DiscretizationImpl& discretization_of(const std::shared_ptr<LayerImpl>& impl) {
  return dynamic_cast<DiscretizationImpl&>(*impl);
}

}  // namespace

Discretization::Discretization(const DiscretizationOptions& options)
    : Layer(std::make_shared<DiscretizationImpl>(options)) {}

Discretization Discretization::from_config(const io::Json& config) {
  auto options = read_layer<Discretization>(config);
  if (!options.num_bins || !options.bin_boundaries) return Discretization(options);
  std::vector<double> boundaries = *std::exchange(options.bin_boundaries, std::nullopt);
  Discretization layer(options);
  discretization_of(layer.impl()).set_boundaries(std::move(boundaries));
  return layer;
}

void Discretization::adapt(const Tensor& data) const {
  bool is_given = false;
  adapt_to([&] { return std::exchange(is_given, true) ? std::nullopt : std::optional<Tensor>(data); });
}

void Discretization::adapt_to(const NextBatch& next_batch) const {
  DiscretizationImpl& layer = discretization_of(impl());
  layer.require_adaptable();
  layer.reset_state();
  while (const std::optional<Tensor> batch = next_batch()) layer.update_state(*batch);
  layer.finalize_state();
}

void Discretization::reset_state() const { discretization_of(impl()).reset_state(); }
void Discretization::update_state(const Tensor& data) const { discretization_of(impl()).update_state(data); }
void Discretization::finalize_state() const { discretization_of(impl()).finalize_state(); }

std::optional<std::vector<double>> Discretization::bin_boundaries() const {
  return discretization_of(impl()).boundaries();
}

}  // namespace rhyton::layers

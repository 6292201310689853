#include <rhyton/layers/attention/additive_attention.h>

#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/attention/base_attention.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class AdditiveAttentionImpl final : public BaseAttentionImpl {
 public:
  explicit AdditiveAttentionImpl(const AdditiveAttentionOptions& options)
      : BaseAttentionImpl(base_options(options), options.dropout), options_(options) {
    make_state(options.seed);
  }

  std::string class_name() const override { return AdditiveAttention::keras_name; }

  void build(const std::vector<Shape>& inputs) override {
    check_inputs(inputs);
    if (!options_.use_scale) return;
    scale_ = add_weight({.shape = {inputs[0].at(-1)}, .initializer = "glorot_uniform", .name = "scale"});
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  bool broadcasts() const override { return true; }
  Tensor scaled_query(const Tensor& /*query*/) const override { return {}; }

  Tensor scores_of(const Tensor& query, const Tensor& key) const override {
    const Tensor terms = tanh(add(expand_dims(query, -2), expand_dims(key, -3)));
    return sum(scale_.is_empty() ? terms : multiply(to_compute_dtype(scale_), terms), {-1});
  }

 private:
  AdditiveAttentionOptions options_;
  Variable scale_;
};

}  // namespace

AdditiveAttention::AdditiveAttention(const AdditiveAttentionOptions& options)
    : Layer(std::make_shared<AdditiveAttentionImpl>(options)) {}

AdditiveAttention AdditiveAttention::from_config(const io::Json& config) {
  return AdditiveAttention(read_layer<AdditiveAttention>(config));
}

}  // namespace rhyton::layers

#include <rhyton/layers/attention/attention.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/attention/base_attention.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class AttentionImpl final : public BaseAttentionImpl {
 public:
  explicit AttentionImpl(const AttentionOptions& options)
      : BaseAttentionImpl(base_options(options), options.dropout), options_(options) {
    make_state(options.seed);
    if (options.score_mode == "dot" || options.score_mode == "concat") return;
    throw ValueError("Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. Received: score_mode=" +
                     options.score_mode);
  }

  std::string class_name() const override { return Attention::keras_name; }

  void build(const std::vector<Shape>& inputs) override {
    check_inputs(inputs);
    if (options_.use_scale) scale_ = add_weight({.shape = {}, .initializer = "ones", .name = "scale"});
    if (is_dot()) return;
    concat_score_weight_ = add_weight({.shape = {}, .initializer = "ones", .name = "concat_score_weight"});
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  bool broadcasts() const override { return !is_dot(); }

  Tensor scaled_query(const Tensor& query) const override { return is_dot() ? scaled(query) : Tensor(); }

  Tensor scores_of(const Tensor& query, const Tensor& key) const override {
    if (is_dot()) return scaled(matmul(query, key, false, true));
    const Tensor sums = add(expand_dims(query, -2), expand_dims(key, -3));
    return multiply(to_compute_dtype(concat_score_weight_), sum(tanh(scaled(sums)), {-1}));
  }

 private:
  bool is_dot() const { return options_.score_mode == "dot"; }
  Tensor scaled(const Tensor& x) const { return scale_.is_empty() ? x : multiply(x, to_compute_dtype(scale_)); }

  AttentionOptions options_;
  Variable scale_;
  Variable concat_score_weight_;
};

}  // namespace

Attention::Attention(const AttentionOptions& options) : Layer(std::make_shared<AttentionImpl>(options)) {}

Attention Attention::from_config(const io::Json& config) { return Attention(read_layer<Attention>(config)); }

}  // namespace rhyton::layers

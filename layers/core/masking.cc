#include <rhyton/layers/core/masking.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/operations/operation.h>

namespace rhyton::layers {
namespace {

class MaskingImpl final : public LayerImpl {
 public:
  explicit MaskingImpl(const MaskingOptions& options) : LayerImpl(base_options(options)), options_(options) {
    mark_built();
  }

  std::string class_name() const override { return Masking::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.min_ndim = 1}); }

  bool supports_masking() const override { return true; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) const override {
    return {squeeze(kept_steps(inputs.front()), {-1})};
  }
  std::vector<SymbolicTensor> compute_symbolic_mask(const std::vector<SymbolicTensor>& inputs,
                                                    const std::vector<SymbolicTensor>&) const override {
    const SymbolicTensor differs = symbolic_operation("NotEqual", inputs.front(), options_.mask_value);
    return {operation_output("Any", {differs}, {-1})};
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor kept = kept_steps(inputs[0]);
    return {where(kept, inputs[0], 0).with_mask(squeeze(kept, {-1}))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  /// Whether each step is kept: [batch, steps, 1].
  Tensor kept_steps(const Tensor& x) const { return any(not_equal(x, options_.mask_value), {-1}, true); }

  MaskingOptions options_;
};

}  // namespace

Masking::Masking(const MaskingOptions& options) : Layer(std::make_shared<MaskingImpl>(options)) {}

Masking Masking::from_config(const io::Json& config) { return Masking(read_layer<Masking>(config)); }

}  // namespace rhyton::layers

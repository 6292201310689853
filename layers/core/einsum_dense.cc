#include <rhyton/layers/core/einsum_dense.h>

#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/einsum_equation.h>
#include <rhyton/layers/core/einsum_quantization.h>
#include <rhyton/layers/core/quantizable_product.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

class EinsumDenseImpl final : public QuantizableProductImpl {
 public:
  explicit EinsumDenseImpl(const EinsumDenseArguments& options)
      : QuantizableProductImpl(base_options(options), options.lora_rank, options.lora_alpha,
                               options.quantization_config),
        options_(options) {}

  std::string class_name() const override { return EinsumDense::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec{.min_ndim = 1};
    if (rank_ > 0) spec.ndim = rank_;
    check_input(*this, inputs, spec);
  }

  void build(const std::vector<Shape>& inputs) override {
    const EinsumShapes shapes = analyze_einsum(options_.equation, options_.bias_axes, inputs[0], options_.output_shape);
    rank_ = inputs[0].rank();
    quantization_ = analyze_einsum_quantization(options_.equation, rank_);
    add_kernel_of_policy(
        {.shape = shapes.kernel,
         .initializer = initializers::with_fan_axes(options_.kernel_initializer, shapes.input_axes, shapes.output_axes),
         .regularizer = options_.kernel_regularizer,
         .constraint = options_.kernel_constraint,
         .name = "kernel"});
    product_axes_ = shapes.product_axes;
    if (shapes.bias) bias_ = add_weight(bias_weight(options_, *shapes.bias));
    enable_requested_lora();
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = to_compute_dtype(inputs[0]);
    if (product_axes_ > 0 && !is_quantized()) return {options_.activation(product_of_matrices(x))};
    Tensor y = is_quantized() ? quantized_call(x) : product(x, kernel());
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {options_.activation(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), with_adaptations(options_)); }

 protected:
  std::vector<int> axes_of_scale() const override { return quantization_.kernel.reduced; }
  Tensor stored_scale(const Tensor& scale) const override { return quantization_.kernel.of_result(scale); }
  Tensor kernel_scale(const Tensor& stored) const override { return quantization_.kernel.of_operand(stored); }
  Tensor product(const Tensor& x, const Tensor& kernel) const override { return einsum(options_.equation, x, kernel); }
  Tensor input_gradient(const Tensor& upstream, const Tensor& kernel) const override {
    return einsum(quantization_.gradient_equation, upstream, kernel);
  }
  std::vector<int> reduced_axes() const override { return quantization_.input.reduced; }
  Tensor result_scale(const Tensor& inputs_scale) const override { return quantization_.input.of_result(inputs_scale); }

 private:
  /// The equation as one product of matrices, to which the bias is added as in Dense.
  Tensor product_of_matrices(const Tensor& x) const {
    const Shape& shape = kernel_variable().shape();
    const Shape rows = x.shape().slice(0, x.rank() - product_axes_);
    const std::int64_t depth = shape.slice(0, product_axes_).size();
    const Shape columns = shape.slice(product_axes_, shape.rank());
    if (x.shape().slice(rows.rank(), x.rank()) != shape.slice(0, product_axes_)) {
      // The op has the message.
      return einsum(options_.equation, x, kernel());
    }
    Tensor y = matmul(reshape(x, rows.concatenate({depth})), reshape(kernel(), {depth, columns.size()}));
    if (!bias_.is_empty()) y = add(y, reshape(to_compute_dtype(bias_), {columns.size()}));
    return reshape(y, rows.concatenate(columns));
  }

  EinsumDenseArguments options_;
  /// Of the input that it was built for.
  int rank_ = 0;
  EinsumQuantization quantization_;
  /// See `EinsumShapes`.
  int product_axes_ = 0;
  Variable bias_;
};

}  // namespace

EinsumDense::EinsumDense(const std::string& equation, const Shape& output_shape, const EinsumDenseOptions& options)
    : LoraLayer(std::make_shared<EinsumDenseImpl>(EinsumDenseArguments{options, output_shape, equation})) {}

EinsumDense EinsumDense::from_config(const io::Json& config) {
  const auto arguments = read_layer<EinsumDense>(config);
  return EinsumDense(arguments.equation, arguments.output_shape, arguments);
}

}  // namespace rhyton::layers

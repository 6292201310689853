#include <rhyton/layers/normalization/spectral_normalization.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/input_spec.h>

namespace rhyton::layers {
namespace {

/// A weight of the layer itself by its name; empty if there is none.
Variable find_weight(const Layer& layer, const std::string& name) {
  for (const Variable& weight : layer.impl()->own_weights()) {
    if (weight.name() == name) return weight;
  }
  return {};
}

/// x divided by its Euclidean norm.
Tensor unit_vector(const Tensor& x) {
  return multiply(x, minimum(rsqrt(sum(square(x), {}, true)), 1.0 / context().epsilon()));
}

class SpectralNormalizationImpl final : public WrapperImpl {
 public:
  explicit SpectralNormalizationImpl(const SpectralNormalizationArguments& arguments)
      : WrapperImpl(arguments.layer, base_options(arguments)), power_iterations_(arguments.power_iterations) {
    if (power_iterations_ <= 0) {
      throw ValueError("`power_iterations` should be greater than zero. Received: `power_iterations=" +
                       std::to_string(power_iterations_) + "`");
    }
  }

  std::string class_name() const override { return SpectralNormalization::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec;
    if (!kernel_.is_empty()) {
      spec.min_ndim = 1;
      if (last_length_ >= 0) spec.axes = {{-1, last_length_}};
    }
    check_input(*this, inputs, spec);
  }

  void build(const std::vector<Shape>& inputs) override {
    WrapperImpl::build(inputs);
    kernel_ = find_weight(layer(), "kernel");
    if (kernel_.is_empty()) kernel_ = find_weight(layer(), "embeddings");
    if (kernel_.is_empty()) {
      throw ValueError(layer().class_name() + " object has no attribute 'kernel' nor 'embeddings'");
    }
    share_weight(kernel_);
    last_length_ = inputs[0].at(-1);
    vector_u_ = add_weight({.shape = {1, kernel_.shape().at(-1)},
                            .initializer = initializers::TruncatedNormal({.stddev = 0.02}),
                            .dtype = kernel_.dtype(),
                            .trainable = false,
                            .name = "vector_u"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    if (training) normalize_kernel();
    return {cast(layer().impl()->invoke(inputs).front(), inputs[0].dtype())};
  }

  io::Json get_config() const override {
    io::Json config = WrapperImpl::get_config();
    config["power_iterations"] = power_iterations_;
    return config;
  }

 private:
  void normalize_kernel() {
    // The gradient is that of the normalized kernel.
    const PauseObservers without_derivatives;
    const Tensor kernel = to_compute_dtype(kernel_);
    const Shape& shape = kernel_.shape();
    const Tensor matrix = reshape(kernel, {shape.slice(0, shape.rank() - 1).size(), shape.at(-1)});
    const Tensor transposed = transpose(matrix);
    const Tensor before = to_compute_dtype(vector_u_);
    Tensor u = before;
    Tensor v;
    for (std::int64_t i = 0; i < power_iterations_; ++i) {
      v = unit_vector(matmul(u, transposed));
      u = unit_vector(matmul(v, matrix));
    }
    const Tensor sigma = matmul(matmul(v, matrix), transpose(u));
    const Tensor is_zero = all(equal(kernel, 0.0));
    vector_u_.assign(where(is_zero, before, u));
    kernel_.assign(where(is_zero, kernel, divide(kernel, reshape(sigma, {}))));
  }

  std::int64_t power_iterations_;
  /// Of the input that it was built for.
  std::int64_t last_length_ = -1;
  /// The weight of the wrapped layer.
  Variable kernel_;
  Variable vector_u_;
};

}  // namespace

SpectralNormalization::SpectralNormalization(const Layer& layer, const SpectralNormalizationOptions& options)
    : Layer(std::make_shared<SpectralNormalizationImpl>(SpectralNormalizationArguments{options, layer})) {}

SpectralNormalization SpectralNormalization::from_config(const io::Json& config) {
  const auto arguments = read_layer<SpectralNormalization>(config);
  return SpectralNormalization(arguments.layer, arguments);
}

}  // namespace rhyton::layers

#include <rhyton/framework/ops/matmul.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_matrix(const TensorSpec& spec, std::size_t position) {
  if (spec.shape.rank() < 2) {
    throw InvalidArgumentError("In[" + std::to_string(position) +
                               "] ndims must be >= 2: " + std::to_string(spec.shape.rank()));
  }
  if (!is_floating(spec.dtype)) {
    throw InvalidArgumentError("MatMul takes tensors of a floating dtype. Received: " +
                               std::string(message_name_of(spec.dtype)));
  }
}

/// The floating dtype in which sums of so many products of two int8 are exact.
DType exact_dtype(std::int64_t products) {
  constexpr std::int64_t exact_in_float32 = (std::int64_t{1} << 24) / (128 * 128);
  return products <= exact_in_float32 ? DType::float32 : DType::float64;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  if (a.is_empty() || b.is_empty()) return call<MatMulOp>({a, b}, transpose_a, transpose_b);
  const DType dtype = result_type(a.dtype(), b.dtype());
  if (a.rank() == 1 && !transpose_a)
    return cast(squeeze(matmul(expand_dims(a, 0), b, false, transpose_b), {b.rank() == 1 ? 0 : -2}), dtype);
  if (b.rank() == 1 && !transpose_b) return cast(squeeze(matmul(a, expand_dims(b, 1), transpose_a), {-1}), dtype);
  if (is_floating(dtype)) return call<MatMulOp>({cast(a, dtype), cast(b, dtype)}, transpose_a, transpose_b);
  if (a.dtype() == DType::int8 && b.dtype() == DType::int8) {
    const DType exact = exact_dtype(a.shape().at(transpose_a ? -2 : -1));
    return cast(matmul(cast(a, exact), cast(b, exact), transpose_a, transpose_b), DType::int32);
  }
  // Products of integers are exact up to 2^53, and overflow as integers do when they are cast to their dtype.
  const Tensor product = matmul(cast(a, DType::float64), cast(b, DType::float64), transpose_a, transpose_b);
  return cast(dtype == DType::bool_ ? product : cast(product, DType::int64), dtype);
}

Tensor matmul_kernel_gradient(const Tensor& a, const Tensor& gradient) {
  return call<MatMulKernelGradientOp>({a, gradient});
}

std::vector<TensorSpec> MatMulOp::infer(std::span<const TensorSpec> inputs) const {
  require_matrix(inputs[0], 0);
  require_matrix(inputs[1], 1);
  require_same_dtype(name(), inputs);
  const Shape& a = inputs[0].shape;
  const Shape& b = inputs[1].shape;
  const std::int64_t inner_a = transpose_a_ ? a.at(-2) : a.at(-1);
  const std::int64_t inner_b = transpose_b_ ? b.at(-1) : b.at(-2);
  if (inner_a != inner_b) {
    throw InvalidArgumentError("Matrix size-incompatible: In[0]: " + bracketed(a) + ", In[1]: " + bracketed(b));
  }
  Shape shape;
  try {
    shape = broadcast_shapes(a.slice(0, a.rank() - 2), b.slice(0, b.rank() - 2));
  } catch (const InvalidArgumentError&) {
    throw InvalidArgumentError("In[0] and In[1] must have compatible batch dimensions: " + bracketed(a) + " vs. " +
                               bracketed(b));
  }
  shape.push_back(transpose_a_ ? a.at(-1) : a.at(-2));
  shape.push_back(transpose_b_ ? b.at(-2) : b.at(-1));
  return {{shape, inputs[0].dtype}};
}

std::vector<Tensor> MatMulOp::gradient(const GradientArguments& arguments) const {
  const Tensor& a = arguments.inputs[0];
  const Tensor& b = arguments.inputs[1];
  const Tensor& g = arguments.output_gradients[0];
  std::vector<Tensor> gradients(2);
  if (b.rank() == 2 && !transpose_a_) {
    if (arguments.needed[0]) gradients[0] = matmul(g, b, false, !transpose_b_);
    if (arguments.needed[1]) gradients[1] = transpose_b_ ? matmul_kernel_gradient(g, a) : matmul_kernel_gradient(a, g);
    return gradients;
  }
  if (arguments.needed[0]) {
    const Tensor of_a = transpose_a_ ? matmul(b, g, transpose_b_, true) : matmul(g, b, false, !transpose_b_);
    gradients[0] = sum_to_shape(of_a, a.shape());
  }
  if (arguments.needed[1]) {
    const Tensor of_b = transpose_b_ ? matmul(g, a, true, transpose_a_) : matmul(a, g, !transpose_a_, false);
    gradients[1] = sum_to_shape(of_b, b.shape());
  }
  return gradients;
}

BatchRule MatMulOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const int rank_a = inputs[0].shape.rank();
  const int rank_b = inputs[1].shape.rank();
  const int rank = std::max(rank_a, rank_b);
  const auto leads = [](int axis, int input_rank, bool transposed) {
    return axis == 0 && (input_rank > 2 || !transposed);
  };
  const bool a_leads = leads(batch_axes[0], rank_a, transpose_a_);
  const bool b_leads = batch_axes[1] == 0 && rank_b > 2;
  if (a_leads && batch_axes[1] == -1 && rank_a == rank && (rank_b < rank_a || rank_b == 2 || inputs[1].shape[0] == 1)) {
    return BatchRule::maps(0);
  }
  if (b_leads && batch_axes[0] == -1 && rank_b == rank && (rank_a < rank_b || inputs[0].shape[0] == 1)) {
    return BatchRule::maps(0);
  }
  if (a_leads && b_leads && rank_a == rank_b) return BatchRule::maps(0);
  if (rank == 2 && batch_axes[0] == 0 && batch_axes[1] == 0 && transpose_a_ && !transpose_b_) return BatchRule::sums();

  // The axis on which the output carries the batch even if it cannot be sliced.
  const auto output_axis = [rank](int axis, int input_rank, bool transposed, bool is_a) {
    if (axis < 0) return -1;
    if (axis < input_rank - 2) return axis + rank - input_rank;
    const bool is_row = (axis == input_rank - 2) != transposed;
    if (is_a) return is_row ? rank - 2 : -1;
    return is_row ? -1 : rank - 1;
  };
  const int of_a = output_axis(batch_axes[0], rank_a, transpose_a_, true);
  const int of_b = output_axis(batch_axes[1], rank_b, transpose_b_, false);
  if (of_a >= 0 && of_b >= 0 && of_a != of_b) return BatchRule::mixes(-1);
  return BatchRule::mixes(std::max(of_a, of_b));
}

double MatMulOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  const std::int64_t depth = inputs[0].shape.at(transpose_a_ ? -2 : -1);
  return 2.0 * static_cast<double>(outputs[0].shape.size()) * static_cast<double>(depth);
}

std::string MatMulOp::attributes() const {
  return attribute("transpose_a", transpose_a_) + ", " + attribute("transpose_b", transpose_b_);
}

std::vector<TensorSpec> FusedMatMulOp::infer(std::span<const TensorSpec> inputs) const {
  std::vector<TensorSpec> outputs = product_.infer(inputs.first(2));
  if (inputs[1].shape.rank() != 2) {
    throw InvalidArgumentError("FusedMatMul takes a second matrix of rank 2. Received: " + bracketed(inputs[1].shape));
  }
  if (inputs.size() > 2) {
    require_same_dtype(name(), inputs);
    if (inputs[2].shape != Shape{outputs[0].shape.at(-1)}) {
      throw InvalidArgumentError("Must provide as many biases as the last dimension of the input tensor: " +
                                 bracketed(inputs[2].shape) + " vs. " + bracketed(outputs[0].shape));
    }
  }
  return outputs;
}

BatchRule FusedMatMulOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  if (batch_axes.size() > 2 && batch_axes[2] != -1) return BatchRule::mixes();
  return product_.batch_rule(inputs.first(2), batch_axes.first(2));
}

double FusedMatMulOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  return product_.flops(inputs, outputs);
}

std::string FusedMatMulOp::attributes() const {
  return "activation=" + std::string(name_of(activation_)) + ", " + attribute("transpose_b", transpose_b());
}

std::vector<TensorSpec> MatMulKernelGradientOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  const Shape& a = inputs[0].shape;
  const Shape& g = inputs[1].shape;
  if (a.rank() < 2 || a.rank() != g.rank() || a.slice(0, a.rank() - 1) != g.slice(0, g.rank() - 1)) {
    throw InvalidArgumentError("Matrix size-incompatible: In[0]: " + bracketed(a) + ", In[1]: " + bracketed(g));
  }
  return {{Shape{a.at(-1), g.at(-1)}, inputs[0].dtype}};
}

std::vector<Tensor> MatMulKernelGradientOp::gradient(const GradientArguments& arguments) const {
  const Tensor& a = arguments.inputs[0];
  const Tensor& g = arguments.inputs[1];
  const Tensor& of_output = arguments.output_gradients[0];
  std::vector<Tensor> gradients(2);
  if (arguments.needed[0]) gradients[0] = matmul(g, of_output, false, true);
  if (arguments.needed[1]) gradients[1] = matmul(a, of_output);
  return gradients;
}

BatchRule MatMulKernelGradientOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  if (batch_axes[0] == 0 && batch_axes[1] == 0) return BatchRule::sums();
  return BatchRule::mixes(-1);
}

double MatMulKernelGradientOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  const Shape& a = inputs[0].shape;
  return 2.0 * static_cast<double>(outputs[0].shape.size()) * static_cast<double>(a.slice(0, a.rank() - 1).size());
}

}  // namespace ops
}  // namespace rhyton

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// The effect of an op on the batch that some of its inputs carry.
enum class BatchEffect {
  /// Each sample of the output depends on the same sample of the inputs only.
  maps,
  /// The outputs carry no batch; the outputs for parts of the batch add up to that for the whole.
  sums,
  /// The op needs the whole batch at once.
  mixes,
};

/// The batch rule of an op, or of one of its outputs, for given inputs. It controls slicing inside one device, and
/// nothing else.
///
/// On its axis a batch has one or more rows per sample: a tensor [B, T, ...] that was reshaped to [B T, ...] has T. An
/// op applies its rule to rows; all inputs that carry the batch have equally many.
struct BatchRule {
  BatchEffect effect = BatchEffect::mixes;
  /// The axis on which the outputs carry the batch, -1 for none.
  int output_axis = -1;
  /// For a view that maps axis 0 to axis 0: the outputs can have another number of rows per sample than the input. The
  /// rule then holds if the number of samples divides the number of rows.
  bool regroups_rows = false;

  static BatchRule maps(int output_axis = 0) { return {BatchEffect::maps, output_axis}; }
  static BatchRule sums() { return {BatchEffect::sums, -1}; }
  static BatchRule mixes(int output_axis = -1) { return {BatchEffect::mixes, output_axis}; }
  static BatchRule maps_regrouped_rows() { return {BatchEffect::maps, 0, true}; }
};

/// The arguments of an op's derivative.
struct GradientArguments {
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  /// One per output; empty for an output without a gradient.
  std::span<const Tensor> output_gradients;
  /// One per input: whether its gradient is needed.
  const std::vector<bool>& needed;
};

/// WHAT an operation is: attributes (its members), shape rule, batch rule, derivative. HOW it is computed is defined in
/// `framework/backends/`. Ops are immutable and shared.
class Op {
 public:
  virtual ~Op() = default;

  /// The name under which kernels are registered, "MatMul".
  virtual std::string_view name() const = 0;

  /// The outputs' shapes and dtypes. All axes are known. Throws InvalidArgumentError or ValueError for bad inputs.
  virtual std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const = 0;

  /// The gradients of the inputs, composed of ops; an empty tensor where there is none (integers, or not needed). An op
  /// that does not override this has no derivative: the call throws NotImplementedError.
  virtual std::vector<Tensor> gradient(const GradientArguments& arguments) const;

  /// The rule of all outputs. `batch_axes` has one entry per input: the axis that carries the batch, -1 for none; at
  /// least one is not -1.
  virtual BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const;

  /// The rule of one output: to be overridden by an op some of whose outputs map while others sum. By default
  /// `batch_rule`.
  virtual BatchRule output_batch_rule(std::size_t output, std::span<const TensorSpec> inputs,
                                      std::span<const int> batch_axes) const;

  /// True when element i of the outputs depends on elements i of the inputs only.
  virtual bool is_elementwise() const { return false; }

  /// True when the kernels may write that output to the memory of that input, which has the same spec: they read each
  /// element of the input before they overwrite it. Holds for several pairs at once. By default output 0 of an
  /// elementwise op may overwrite any input.
  virtual bool may_overwrite(std::size_t input, std::size_t output) const;

  /// True when output 0 has the elements of input 0 in the same order (a reshape): a plan then needs no kernel call for
  /// it.
  virtual bool is_view() const { return false; }

  /// False for an op whose result differs from call to call with the same inputs.
  virtual bool is_deterministic() const { return true; }

  /// The attributes as text, for finding equal ops and for logs: "transpose_a=true". Two ops of the same name and
  /// attributes compute the same.
  virtual std::string attributes() const { return {}; }

  /// The floating point operations of one call, a multiplication and an addition counted as two: for plans and
  /// profiles. By default one per element of the largest input or output.
  virtual double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const;

  /// The dtype that selects the kernel.
  virtual DType kernel_dtype(std::span<const TensorSpec> inputs) const;
};

using OpPtr = std::shared_ptr<const Op>;

/// Calls an op: infers its shapes, lets the listeners (a trace, a tape) record it, and executes it unless it is being
/// traced.
std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs);

/// The same for an op with one output.
Tensor apply_single(const OpPtr& op, std::span<const Tensor> inputs);

/// Creates the op and calls it: `call<Relu>({x})`, `call<Softmax>({x}, axis)`.
template <class O, class... Arguments>
Tensor call(std::initializer_list<Tensor> inputs, Arguments&&... arguments) {
  return rhyton::apply_single(std::make_shared<const O>(std::forward<Arguments>(arguments)...),
                              std::span<const Tensor>(inputs.begin(), inputs.size()));
}

template <class O, class... Arguments>
std::vector<Tensor> call_many(std::initializer_list<Tensor> inputs, Arguments&&... arguments) {
  return rhyton::apply(std::make_shared<const O>(std::forward<Arguments>(arguments)...),
                       std::span<const Tensor>(inputs.begin(), inputs.size()));
}

}  // namespace rhyton

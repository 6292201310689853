#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton::test {

/// Numbers in [-1, 1), in steps so fine that ties do not occur.
inline Tensor random_tensor(const Shape& shape, DType dtype, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  if (dtype == float32) {
    std::vector<float> values(static_cast<std::size_t>(shape.size()));
    for (float& value : values) value = static_cast<float>(uniform(generator));
    return Tensor::from_data(shape, values);
  }
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  for (double& value : values) value = uniform(generator);
  return Tensor::from_data(shape, values);
}

inline Tensor to_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const std::vector<double> values = tensor.to_vector();
  if (dtype == float64) return Tensor::from_data(tensor.shape(), values);
  return Tensor::from_data(tensor.shape(), std::vector<float>(values.begin(), values.end()));
}

/// The allowed error of results of that dtype with exact values of size about 1, summed from `terms` products.
inline double tolerance(DType dtype, std::int64_t terms = 100) {
  const double epsilon =
      dtype == float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return epsilon * (20.0 + 0.5 * static_cast<double>(terms));
}

inline void expect_near(const Tensor& actual, const std::vector<double>& expected, double error) {
  const std::vector<double> values = actual.to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scale = std::max(1.0, std::abs(expected[i]));
    ASSERT_NEAR(values[i], expected[i], error * scale) << "at element " << i << " of " << actual.shape().to_string();
  }
}

/// Runs an op's kernel directly, in memory that shows whether it writes all its outputs and nothing else.
class KernelHarness {
 public:
  KernelHarness(const Op& op, const std::vector<Tensor>& inputs) : op_(op), inputs_(inputs) {
    for (const Tensor& input : inputs_) input_specs_.push_back(input.spec());
    output_specs_ = op.infer(input_specs_);
    kernel_ = &cpu_kernels().get(op, input_specs_);
    for (const TensorSpec& spec : output_specs_) {
      Tensor output = Tensor::zeros(spec.shape, spec.dtype);
      std::memset(output.mutable_raw_data(), 0xff, spec.bytes());
      outputs_.push_back(output);
    }
  }

  const std::vector<Tensor>& outputs() const { return outputs_; }

  /// The whole batch in one call.
  void run() { run_slice(0, -1, {}, false); }

  /// The batch in slices of this many samples; `batch_inputs` carry it on axis 0.
  void run_sliced(std::int64_t samples, const std::vector<bool>& batch_inputs) {
    std::vector<int> axes;
    std::int64_t batch = 0;
    for (std::size_t i = 0; i < batch_inputs.size(); ++i) {
      axes.push_back(batch_inputs[i] ? 0 : -1);
      if (batch_inputs[i]) batch = inputs_[i].shape()[0];
    }
    const BatchRule rule = op_.batch_rule(input_specs_, axes);
    ASSERT_NE(rule.effect, BatchEffect::mixes);
    sums_ = rule.effect == BatchEffect::sums;
    for (std::int64_t first = 0; first < batch; first += samples) {
      run_slice(first, std::min(batch, first + samples), batch_inputs, sums_ && first > 0);
    }
  }

 private:
  static TensorView view(const Tensor& tensor) { return {const_cast<void*>(tensor.raw_data()), tensor.spec()}; }
  static TensorView rows(TensorView view, std::int64_t first, std::int64_t last) {
    const std::size_t sample = view.spec.bytes() / static_cast<std::size_t>(view.spec.shape[0]);
    view.data = static_cast<std::byte*>(view.data) + sample * static_cast<std::size_t>(first);
    view.spec.shape[0] = last - first;
    return view;
  }

  void run_slice(std::int64_t first, std::int64_t last, const std::vector<bool>& batch_inputs, bool accumulate) {
    std::vector<TensorView> inputs;
    std::vector<TensorView> outputs;
    for (const Tensor& input : inputs_) inputs.push_back(view(input));
    for (const Tensor& output : outputs_) outputs.push_back(view(output));

    Guarded packed(kernel_->packed_bytes == nullptr ? 0 : kernel_->packed_bytes(op_, input_specs_, output_specs_));
    if (packed.size() > 0) {
      std::vector<TensorView> weights = inputs;
      for (std::size_t i = 0; i < batch_inputs.size(); ++i) {
        if (batch_inputs[i]) weights[i].data = nullptr;
      }
      kernel_->pack({.op = &op_, .inputs = weights, .outputs = outputs, .workspace = packed.data()});
    }
    if (last >= 0) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (batch_inputs[i]) inputs[i] = rows(inputs[i], first, last);
      }
      if (!sums_) {
        for (TensorView& output : outputs) output = rows(output, first, last);
      }
    }
    std::vector<TensorSpec> input_specs;
    std::vector<TensorSpec> output_specs;
    for (const TensorView& input : inputs) input_specs.push_back(input.spec);
    for (const TensorView& output : outputs) output_specs.push_back(output.spec);
    Guarded workspace(kernel_->workspace_bytes == nullptr ? 0
                                                          : kernel_->workspace_bytes(op_, input_specs, output_specs));
    kernel_->run({.op = &op_,
                  .inputs = inputs,
                  .outputs = outputs,
                  .workspace = workspace.data(),
                  .packed = packed.size() > 0 ? packed.data() : nullptr,
                  .first_sample = first,
                  .accumulate = accumulate});
    EXPECT_TRUE(packed.is_intact()) << op_.name() << " writes past its packed weights";
    EXPECT_TRUE(workspace.is_intact()) << op_.name() << " writes past its workspace";
  }

  /// Aligned memory full of NaN, followed by a pattern.
  class Guarded {
   public:
    explicit Guarded(std::size_t size) : size_(size), bytes_(size + 192, std::byte(0xff)) {
      std::fill_n(static_cast<std::byte*>(data()) + size_, 64, std::byte(0x5a));
    }
    std::size_t size() const { return size_; }
    void* data() { return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(bytes_.data()) + 63) / 64 * 64); }
    bool is_intact() {
      const auto* guard = static_cast<std::byte*>(data()) + size_;
      return std::all_of(guard, guard + 64, [](std::byte byte) { return byte == std::byte(0x5a); });
    }

   private:
    std::size_t size_;
    std::vector<std::byte> bytes_;
  };

  const Op& op_;
  const Kernel* kernel_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<TensorSpec> input_specs_;
  std::vector<TensorSpec> output_specs_;
  bool sums_ = false;
};

/// Output 0 of the op from one call of its kernel.
inline Tensor run_kernel(const Op& op, const std::vector<Tensor>& inputs) {
  KernelHarness harness(op, inputs);
  harness.run();
  return harness.outputs()[0];
}

/// The same from slices of the batch.
inline Tensor run_kernel_sliced(const Op& op, const std::vector<Tensor>& inputs, std::int64_t samples,
                                const std::vector<bool>& batch_inputs) {
  KernelHarness harness(op, inputs);
  harness.run_sliced(samples, batch_inputs);
  return harness.outputs()[0];
}

inline double weighted_sum(const Tensor& tensor, const std::vector<double>& weights) {
  const std::vector<double> values = tensor.to_vector();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  return sum;
}

/// Compares the gradients of output 0, in float64, with central differences, and those in float32 with those in
/// float64. The inputs are float64; only the gradients of the `differentiable` ones are compared.
inline void check_gradients(const OpPtr& op, const std::vector<Tensor>& inputs, std::vector<bool> differentiable = {}) {
  if (differentiable.empty()) differentiable.assign(inputs.size(), true);
  const std::vector<Tensor> outputs = rhyton::apply(op, inputs);
  std::vector<Tensor> output_gradients(outputs.size());
  output_gradients[0] = random_tensor(outputs[0].shape(), float64, 99);
  const std::vector<double> weights = output_gradients[0].to_vector();
  const std::vector<Tensor> gradients = op->gradient({inputs, outputs, output_gradients, differentiable});
  ASSERT_EQ(gradients.size(), inputs.size());

  std::vector<Tensor> short_inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    short_inputs.push_back(inputs[i].dtype() == float64 ? to_dtype(inputs[i], float32) : inputs[i]);
  }
  const std::vector<Tensor> short_outputs = rhyton::apply(op, short_inputs);
  std::vector<Tensor> short_output_gradients(outputs.size());
  short_output_gradients[0] = to_dtype(output_gradients[0], float32);
  const std::vector<Tensor> short_gradients =
      op->gradient({short_inputs, short_outputs, short_output_gradients, differentiable});

  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!differentiable[i]) continue;
    ASSERT_EQ(gradients[i].spec(), inputs[i].spec()) << op->name() << " input " << i;
    const std::vector<double> actual = gradients[i].to_vector();
    expect_near(short_gradients[i], actual, 1e-4);
    const std::size_t step = std::max<std::size_t>(1, actual.size() / 40);
    for (std::size_t element = 0; element < actual.size(); element += step) {
      const double h = 1e-5;
      double values[2];
      for (const int side : {0, 1}) {
        std::vector<Tensor> moved = inputs;
        moved[i] = inputs[i].clone();
        moved[i].mutable_data<double>()[element] += side == 0 ? -h : h;
        values[side] = weighted_sum(rhyton::apply(op, moved)[0], weights);
      }
      ASSERT_NEAR(actual[element], (values[1] - values[0]) / (2 * h), 1e-6)
          << op->name() << " " << op->attributes() << ", input " << i << ", element " << element;
    }
  }
}

}  // namespace rhyton::test

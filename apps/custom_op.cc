// A custom op: the cube root, with its kernel for the CPU and its derivative.

#include <cmath>
#include <iostream>

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/rhyton.h>

using namespace rhyton;

// WHAT it computes: shapes, the treatment of the batch, and its derivative written with ops.
class CubeRoot final : public Op {
 public:
  std::string_view name() const override { return "CubeRoot"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override { return {inputs[0]}; }
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    return {arguments.output_gradients[0] / (3.0 * square(arguments.outputs[0]))};
  }
  BatchRule batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const override {
    return BatchRule::maps(batch_axes[0]);
  }
  bool is_elementwise() const override { return true; }
};

// HOW it computes this on the CPU.
void cube_root_kernel(const KernelArguments& arguments) {
  const float* x = arguments.inputs[0].as<float>();
  float* y = arguments.outputs[0].as<float>();
  for (std::int64_t i = 0; i < arguments.outputs[0].size(); ++i) y[i] = std::cbrt(x[i]);
}

Tensor cube_root(const Tensor& x) { return call<CubeRoot>({x}); }

int main() {
  cpu_kernels().add("CubeRoot", float32, {.run = cube_root_kernel});

  const Variable x(Tensor::from_data<float>({3}, {1, 8, 27}), {.name = "x"});
  GradientTape tape;
  const Tensor y = cube_root(x);
  const Tensor dy_dx = tape.gradient(y, x);
  std::cout << "y      = " << y.to_string() << "\ndy/dx = " << dy_dx.to_string() << "\n";
}

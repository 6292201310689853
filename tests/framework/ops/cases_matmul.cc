#include <array>
#include <string>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/summed_kernel_gradients.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case product(const std::string& name, const Shape& a, const Shape& b, bool transpose_a = false,
             bool transpose_b = false) {
  return {.name = "matmul_" + name,
          .call = [=](const Inputs& x) { return one(matmul(x[0], x[1], transpose_a, transpose_b)); },
          .inputs = {{.shape = a}, {.shape = b}}};
}

Case fused_product(const std::string& name, Epilogue activation, bool has_bias) {
  Case result{
      .name = "fused_matmul_" + name,
      .call = [=](const Inputs& x) { return one(apply_single(std::make_shared<const FusedMatMulOp>(activation), x)); },
      .inputs = {{.shape = {5, 3}}, {.shape = {3, 7}}},
      .derivatives = 0};
  if (has_bias) result.inputs.push_back({.shape = {7}});
  return result;
}

}  // namespace

std::vector<Case> matmul_cases() {
  return {
      product("plain", {5, 3}, {3, 7}),
      product("transposed_left", {3, 5}, {3, 7}, true),
      product("transposed_right", {5, 3}, {7, 3}, false, true),
      product("transposed_both", {3, 5}, {7, 3}, true, true),
      product("dense_on_rank_3", {4, 2, 3}, {3, 5}),
      product("batches", {3, 4, 2}, {3, 2, 5}),
      product("broadcast_batches", {3, 1, 4, 2}, {2, 2, 5}),
      product("ones", {1, 1}, {1, 1}),
      product("row_times_matrix", {1, 9}, {9, 17}),
      {.name = "matmul_kernel_gradient",
       .call = [](const Inputs& x) { return one(matmul_kernel_gradient(x[0], x[1])); },
       .inputs = {{.shape = {4, 2, 3}}, {.shape = {4, 2, 5}}}},
      {.name = "summed_kernel_gradients",
       .call = [](const Inputs& x) { return one(apply_single(std::make_shared<const SummedKernelGradientsOp>(), x)); },
       .inputs = {{.shape = {4, 2, 3}}, {.shape = {4, 2, 5}}, {.shape = {4, 3}}, {.shape = {4, 5}}},
       .derivatives = 0},
      fused_product("bias_relu", Epilogue::relu, true),
      fused_product("bias", Epilogue::none, true),
      fused_product("relu", Epilogue::relu, false),
  };
}

}  // namespace rhyton::conformance

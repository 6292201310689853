#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& family :
       {elementwise_cases(), reduce_cases(),           normalization_cases(),  shaping_cases(), gather_cases(),
        indexing_cases(),    rearranging_cases(),      ordering_cases(),       product_cases(), special_cases(),
        softmax_cases(),     random_cases(),           matmul_cases(),         conv_cases(),    pooling_cases(),
        window_cases(),      optimizer_update_cases(), linear_algebra_cases(), fourier_cases(), collective_cases(),
        recurrent_cases(),   attention_cases(),        control_flow_cases()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rhyton::conformance

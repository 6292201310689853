#include <rhyton/framework/ops/psnr.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/special_functions.h>

namespace rhyton {
inline namespace ops {

Tensor psnr(const Tensor& x1, const Tensor& x2, double max_val) {
  if (x1.shape() != x2.shape()) {
    throw ValueError("Input shapes " + x1.shape().to_string() + " and " + x2.shape().to_string() +
                     " must match for PSNR calculation. ");
  }
  require_same_dtype("PSNR", std::vector<TensorSpec>{x1.spec(), x2.spec()});
  if (!is_floating(x1.dtype())) {
    throw InvalidArgumentError("psnr takes tensors of a floating dtype. Received: " + std::string(name_of(x1.dtype())));
  }
  const Tensor noise = mean(square(subtract(x1, x2)));
  return 20.0 * log10(Tensor::full({}, max_val, x1.dtype())) - 10.0 * log10(noise);
}

}  // namespace ops
}  // namespace rhyton

#include <rhyton/framework/ops/rms_normalization.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {

Tensor rms_normalization(const Tensor& x, const RmsNormOptions& options) {
  const DType dtype = result_type(x.dtype(), DType::float32);
  const Tensor values = cast(x.rank() == 0 ? expand_dims(x, 0) : x, dtype);
  const Tensor mean_square = mean(square(values), options.axis, true);
  const double epsilon = options.epsilon.value_or(context().epsilon());
  Tensor normalized = multiply(values, rsqrt(add(mean_square, epsilon)));
  if (!options.scale.is_empty()) normalized = multiply(normalized, cast(options.scale, dtype));
  return cast(normalized, x.dtype());
}

}  // namespace ops
}  // namespace rhyton

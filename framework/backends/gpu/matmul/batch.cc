#include <rhyton/framework/backends/gpu/matmul/batch.h>

namespace rhyton::gpu {
namespace {

using Axis = MatMulBatch::Axis;

/// The distance from one matrix of an operand to the next on one of c's leading axes; 0 where it is repeated.
std::int64_t matrix_stride(const Shape& operand, int axis, int leading_axes) {
  const int own = axis - (leading_axes - (operand.rank() - 2));
  if (own < 0 || operand[own] == 1) return 0;
  return operand.slice(own + 1, operand.rank()).size();
}

/// The leading axes, the innermost first, without those of length 1 and with those merged that all operands index
/// alike.
std::vector<Axis> joined_axes(const Shape& a, const Shape& b, const Shape& c) {
  std::vector<Axis> axes;
  const int leading_axes = c.rank() - 2;
  for (int i = leading_axes - 1; i >= 0; --i) {
    if (c[i] == 1) continue;
    const Axis axis = {.length = c[i],
                       .a_stride = matrix_stride(a, i, leading_axes),
                       .b_stride = matrix_stride(b, i, leading_axes),
                       .c_stride = matrix_stride(c, i, leading_axes)};
    if (!axes.empty() && axis.a_stride == axes.back().a_stride * axes.back().length &&
        axis.b_stride == axes.back().b_stride * axes.back().length) {
      axes.back().length *= axis.length;
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

}  // namespace

MatMulBatch::MatMulBatch(DType dtype, const Shape& a, const Shape& b, const Shape& c, bool transpose_a,
                         bool transpose_b)
    : product{.dtype = dtype,
              .transpose_a = transpose_a,
              .transpose_b = transpose_b,
              .rows = c.at(-2),
              .columns = c.at(-1),
              .depth = transpose_a ? a.at(-2) : a.at(-1)} {
  if (c.size() == 0) {
    product.count = 0;
    return;
  }
  outer = joined_axes(a, b, c);
  if (!outer.empty() && !transpose_a && outer.front().b_stride == 0 &&
      outer.front().a_stride == product.rows * product.depth) {
    product.rows *= outer.front().length;
    outer.erase(outer.begin());
  }
  const auto longest = std::max_element(outer.begin(), outer.end(),
                                        [](const Axis& one, const Axis& other) { return one.length < other.length; });
  if (longest == outer.end()) return;
  product.count = longest->length;
  product.a_stride = longest->a_stride;
  product.b_stride = longest->b_stride;
  product.c_stride = longest->c_stride;
  outer.erase(longest);
}

bool MatMulBatch::is_empty() const { return product.count == 0; }

}  // namespace rhyton::gpu

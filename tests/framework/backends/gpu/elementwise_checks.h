#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/backends/gpu/elementwise/chain_members.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>

namespace rhyton::gpu {

using Tensors = std::vector<Tensor>;

inline const std::vector<DType> all_dtypes{float32, float64, float16, bfloat16, int32, int64, uint8, bool_};

/// An elementwise op without attributes, by its name: the classes of many are not accessible.
class NamedOp final : public ElementwiseOp {
 public:
  explicit NamedOp(std::string_view name) : name_(name) {}
  NamedOp(std::string_view name, DType result) : name_(name), has_result_(true), result_(result) {}

  std::string_view name() const override { return name_; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    if (name_ != "SelectV2") return ElementwiseOp::infer(inputs);
    const Shape shape = ElementwiseOp::infer(inputs.subspan(1)).front().shape;
    const std::vector<TensorSpec> shapes{{inputs[0].shape, float32}, {shape, float32}};
    return {{ElementwiseOp::infer(shapes).front().shape, inputs[1].dtype}};
  }
  DType kernel_dtype(std::span<const TensorSpec> inputs) const override {
    return inputs[name_ == "SelectV2" ? 1 : 0].dtype;
  }

 protected:
  DType output_dtype(DType input) const override { return has_result_ ? result_ : input; }

 private:
  std::string name_;
  bool has_result_ = false;
  DType result_ = float32;
};

inline OpPtr named(std::string_view name) { return std::make_shared<const NamedOp>(name); }
inline OpPtr predicate(std::string_view name) { return std::make_shared<const NamedOp>(name, bool_); }
inline OpPtr cast_to(DType dtype) { return std::make_shared<const NamedOp>("Cast", dtype); }

/// Calls visit(op, dtype) for all functions of a list, without attributes, and the dtypes of their elements.
template <class... Function, class Visit>
void for_each_plain_function(elementwise::Functions<Function...>, const Visit& visit) {
  const auto visit_one = [&]<class F, class... T>(elementwise::Types<T...>) {
    if constexpr (!elementwise::HasConstants<F> && !elementwise::HasVariant<F>) {
      const OpPtr op = elementwise::returns_bool<F>() ? predicate(F::name) : named(F::name);
      (visit(op, dtype_of<T>), ...);
    }
  };
  (visit_one.template operator()<Function>(typename Function::Elements()), ...);
}

/// Numbers from -3 to 3; for unsigned dtypes from 0 to 255.
inline Tensor numbers(const Shape& shape, DType dtype, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(dtype == uint8 ? 0.0 : -3.0, dtype == uint8 ? 255.0 : 3.0);
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  for (double& value : values) value = distribution(generator);
  if (dtype == bool_) {
    for (double& value : values) value = value > 0 ? 1 : 0;
  }
  return cast(Tensor::from_data(shape, values), dtype);
}

inline double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return 2e-6;
    case DType::float64:
      return 1e-14;
    case DType::float16:
      return 1e-3;
    case DType::bfloat16:
      return 8e-3;
    default:
      return 0.0;
  }
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.spec() == b.spec() && std::memcmp(a.raw_data(), b.raw_data(), a.spec().bytes()) == 0;
}

/// NaN must be NaN, infinities equal, and the rest as close as the dtype allows, relative to the largest element.
inline void expect_close(const Tensor& actual, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  const std::vector<double> a = actual.to_vector();
  // Rounded to the dtype, in which large numbers may become infinite.
  const std::vector<double> rounded = cast(expected, actual.dtype()).to_vector();
  const std::vector<double> e = expected.to_vector();
  double largest = 0.0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (std::isfinite(rounded[i])) largest = std::max(largest, std::abs(e[i]));
  }
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (std::isnan(rounded[i])) {
      EXPECT_TRUE(std::isnan(a[i])) << what << " at " << i << ": " << a[i];
    } else if (std::isinf(rounded[i])) {
      EXPECT_EQ(a[i], rounded[i]) << what << " at " << i;
    } else {
      EXPECT_NEAR(a[i], e[i], tolerance_of(actual.dtype()) * largest) << what << " at " << i;
    }
  }
}

inline Tensor in_double(const Tensor& x) { return is_floating(x.dtype()) ? cast(x, float64) : x; }

inline std::string text_of(const Op& op, const Tensors& inputs) {
  std::string text{op.name()};
  for (const Tensor& input : inputs) text += " " + std::string(name_of(input.dtype())) + input.shape().to_string();
  return text;
}

/// Compares the GPU's results with the CPU's in double precision, and the bits of two runs.
inline void check_op(const OpPtr& op, const Tensors& inputs) {
  const std::string what = text_of(*op, inputs);
  const Tensor actual = run_kernel(*op, inputs, test_stream())[0];
  Tensors exact;
  for (const Tensor& input : inputs) exact.push_back(in_double(input));
  expect_close(actual, rhyton::apply(op, exact)[0], what);
  EXPECT_TRUE(same_bits(actual, run_kernel(*op, inputs, test_stream())[0])) << what;
}

}  // namespace rhyton::gpu

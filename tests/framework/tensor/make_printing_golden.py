"""Writes printing_golden.h: how TensorFlow prints tensors. Made with TensorFlow 2.21 and numpy 2.4.

Usage: python make_printing_golden.py > printing_golden.h
"""

import numpy as np
import tensorflow as tf

f32 = np.float32


def counting(*shape):
    return np.arange(np.prod(shape), dtype=f32).reshape(shape)


def thirds(*shape):
    return (np.arange(np.prod(shape), dtype=f32) / f32(3)).reshape(shape)


# The C++ expression, and the same tensor in Python.
CASES = [
    ("Tensor::from_data<float>(Shape{2, 2}, {22, 28, 49, 64})", np.array([[22,28],[49,64]],f32)),
    ("Tensor::scalar(3.0F)", f32(3)),
    ("Tensor::scalar(0.1)", np.float64(0.1)),
    ("Tensor::scalar(1.0F / 3.0F)", f32(1)/f32(3)),
    ("Tensor::scalar(1e20F)", f32(1e20)),
    ("Tensor::scalar(std::int32_t{-7})", np.int32(-7)),
    ("Tensor::scalar(true)", np.bool_(True)),
    ("Tensor::from_data<float>(Shape{3}, {1, 2.5F, -3.25F})", np.array([1,2.5,-3.25],f32)),
    ("Tensor::from_data<float>(Shape{3}, {0.1F, 0.2F, 1.0F / 3.0F})", np.array([.1,.2,f32(1)/f32(3)],f32)),
    ("Tensor::from_data<double>(Shape{3}, {0.1, 2.0 / 3.0, 123.456})", np.array([.1,2/3,123.456])),
    ("Tensor::from_data<float>(Shape{3}, {1e-5F, 1, 1000})", np.array([1e-5,1,1000],f32)),
    ("Tensor::from_data<float>(Shape{2}, {1e8F, 1})", np.array([1e8,1],f32)),
    ("Tensor::from_data<float>(Shape{2}, {123456, 1234567})", np.array([123456,1234567],f32)),
    ("Tensor::from_data<float>(Shape{3}, {1e-10F, -2.5e20F, 0})", np.array([1e-10,-2.5e20,0],f32)),
    ("Tensor::from_data<double>(Shape{2}, {1e-300, 1e300})", np.array([1e-300,1e300])),
    ("Tensor::from_data<float>(Shape{4}, {nan, infinity, -infinity, 1})", np.array([np.nan,np.inf,-np.inf,1],f32)),
    ("Tensor::from_data<float>(Shape{2}, {nan, infinity})", np.array([np.nan,np.inf],f32)),
    ("Tensor::from_data<float>(Shape{2}, {-0.0F, 0.0F})", np.array([-0.0,0.0],f32)),
    ("Tensor::scalar(-0.0F)", f32(-0.0)),
    ("Tensor::scalar(nan)", f32(np.nan)),
    ("Tensor::from_data<std::int32_t>(Shape{2, 3}, {1, -20, 300, 4, 5, 6})", np.array([[1,-20,300],[4,5,6]],np.int32)),
    ("Tensor::from_data<std::int64_t>(Shape{2}, {std::numeric_limits<std::int64_t>::min(), 9})", np.array([-2**63,9])),
    ("Tensor::from_data<std::uint8_t>(Shape{3}, {0, 255, 7})", np.array([0,255,7],np.uint8)),
    ("Tensor::from_data<bool>(Shape{2, 2}, {true, false, false, true})", np.array([[True,False],[False,True]])),
    ("Tensor::zeros({0})", np.zeros((0,),f32)),
    ("Tensor::zeros({2, 0, 3})", np.zeros((2,0,3),f32)),
    ("Tensor::zeros({0, 3}, int64)", np.zeros((0,3),np.int64)),
    ("Tensor::zeros({2, 2, 2})", np.zeros((2,2,2),f32)),
    ("Tensor::zeros({1, 2, 1, 2}, bool_)", np.zeros((1,2,1,2),bool)),
    ("counting(Shape{1001})", counting(1001)),
    ("counting(Shape{1000})", counting(1000)),
    ("counting(Shape{40, 30})", counting(40, 30)),
    ("counting(Shape{7, 6, 100})", counting(7, 6, 100)),
    ("counting(Shape{2000, 2})", counting(2000, 2)),
    ("thirds(Shape{20})", thirds(20)),
    ("thirds(Shape{3, 9})", thirds(3, 9)),
    ("Tensor::from_data<Half>(Shape{3}, {Half(1.0F), Half(0.1F), Half(-2.5F)})", np.array([1,.1,-2.5],np.float16)),
    ("Tensor::from_data<Half>(Shape{2}, {Half(6e-8F), Half(65504.0F)})", np.array([6e-8,65504],np.float16)),
    ("Tensor::from_data<Half>(Shape{2}, {Half(0.333F), Half(999.0F)})", np.array([.333,999],np.float16)),
    ("Tensor::scalar(Half(0.1F))", np.float16(.1)),
    ("Tensor::scalar(Half(2048.0F))", np.float16(2048)),
    ("Tensor::from_data<BFloat16>(Shape{4}, {BFloat16(1.0F), BFloat16(0.1F), BFloat16(-2.5F), BFloat16(1e10F)})", tf.constant([1,.1,-2.5,1e10],tf.bfloat16)),
    ("Tensor::from_data<BFloat16>(Shape{2, 2}, {BFloat16(1.0F), BFloat16(100.0F), BFloat16(nan), BFloat16(1e-6F)})", tf.constant([[1,100],[np.nan,1e-6]],tf.bfloat16)),
    ("Tensor::scalar(BFloat16(3.14F))", tf.constant(3.14,tf.bfloat16)),
    ("Tensor::scalar(123456.789F)", f32(123456.789)),
    ("Tensor::scalar(1e16)", np.float64(1e16)),
    ("Tensor::scalar(1e15)", np.float64(1e15)),
    ("Tensor::scalar(0.0001F)", f32(.0001)),
    ("Tensor::scalar(0.00001F)", f32(.00001)),
    ("Tensor::from_data<float>(Shape{4}, {0.5F, 999.5F, 12.125F, 7})", np.array([.5,999.5,12.125,7],f32)),
    ("Tensor::from_data<double>(Shape{2}, {1.0 / 3.0 * 1e-3, 2.0 / 3.0 * 1e-4})", np.array([1/3*1e-3,2/3*1e-4])),
    ("Tensor::from_data<double>(Shape{2}, {0.123456785, 0.5})", np.array([0.123456785,.5])),
    ("Tensor::from_data<double>(Shape{2}, {1e-9, 1e100})", np.array([1e-9,1e100])),
    ("Tensor::from_data<double>(Shape{1}, {99999999.5})", np.array([99999999.5])),
    ("Tensor::from_data<double>(Shape{2}, {0.999999999, 0.5})", np.array([0.999999999,.5])),
    ("Tensor::from_data<double>(Shape{2}, {9.9999999999e20, 5})", np.array([9.9999999999e20,5])),
    ("Tensor::full({1}, 1, bool_)", np.array([True])),
    ("Tensor::full({1, 3}, 0.0001)", np.full((1, 3), 0.0001, f32)),
    ("Tensor::from_data<float>(Shape{3}, {0.1F, 1.23456789e-10F, 3.3333333e5F})", np.array([0.1, 1.23456789e-10, 3.3333333e5], f32)),
    ("Tensor::scalar(1e6F)", f32(1e6)),
    ("Tensor::scalar(999999.0F)", f32(999999)),
    ("Tensor::scalar(-infinity)", f32(-np.inf)),
    ("Tensor::scalar(Half(999.5F))", np.float16(999.5)),
    ("Tensor::scalar(1.0 / 3.0)", np.float64(1 / 3)),
    ("Tensor::scalar(123456789.123456789)", np.float64(123456789.123456789)),
    ("Tensor::from_data<float>(Shape{3}, {-infinity, 0.5F, 1e-9F})", np.array([-np.inf, 0.5, 1e-9], f32)),
    ("Tensor::from_data<double>(Shape{2}, {-infinity, -infinity})", np.array([-np.inf, -np.inf])),
    ("Tensor::from_data<Half>(Shape{2}, {Half(0.0001F), Half(0.01F)})", np.array([0.0001, 0.01], np.float16)),
]

print("""#pragma once

// Written by make_printing_golden.py.

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

struct PrintingCase {
  std::string code;
  Tensor tensor;
  std::string text;
};

inline Tensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::from_data(shape, values);
}

inline Tensor thirds(const Shape& shape) {
  Tensor result = counting(shape);
  for (std::int64_t i = 0; i < result.size(); ++i) result.mutable_data<float>()[i] /= 3.0F;
  return result;
}

inline std::vector<PrintingCase> printing_cases() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {""")
for code, array in CASES:
    print(f'      {{R"({code})", {code}, R"({str(tf.constant(array))})"}},')
print("""  };
}

}  // namespace rhyton""")

#pragma once

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/ops/parametric_elementwise.h>

namespace rhyton::elementwise {

// Ops that copy, convert or select elements. Each backend has kernels of its own for them; the functions are those of
// the members of chains.

/// A copy, rounded to the dtype of the result when it is stored.
struct Cast {
  static constexpr const char* name = "Cast";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return x;
  }
};

struct Identity : Cast {
  static constexpr const char* name = "Identity";
};

struct StopGradient : Cast {
  static constexpr const char* name = "StopGradient";
};

struct FullLike {
  static constexpr const char* name = "FullLike";
  using Elements = AllTypes;
  static Constants<double> constants(const Op& op) { return {static_cast<const FullLikeOp&>(op).value, 0.0}; }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T, const Constants<T>& value) const {
    return value.first;
  }
};

struct Select {
  static constexpr const char* name = "SelectV2";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

/// All of them.
using ConversionFunctions = Functions<Cast, Identity, StopGradient, FullLike, Select>;

}  // namespace rhyton::elementwise

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/op_tables.h>

namespace rhyton {
inline namespace ops {
namespace {

class CastOp final : public UnaryOp {
 public:
  explicit CastOp(DType dtype) : dtype_(dtype) {}
  std::string_view name() const override { return "Cast"; }
  std::string attributes() const override { return attribute("dtype", dtype_); }

 protected:
  DType output_dtype(DType) const override { return dtype_; }
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return is_floating(dtype_) ? cast(dy, x.dtype()) : Tensor();
  }

 private:
  DType dtype_;
};

class IdentityOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Identity"; }
  bool is_view() const override { return true; }

 protected:
  Tensor derivative(const Tensor&, const Tensor&, const Tensor& dy) const override { return dy; }
};

class StopGradientOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "StopGradient"; }
  bool is_view() const override { return true; }
};

}  // namespace

Tensor cast(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : call<CastOp>({x}, dtype); }
Tensor identity(const Tensor& x) { return call<IdentityOp>({x}); }
Tensor stop_gradient(const Tensor& x) { return call<StopGradientOp>({x}); }

}  // namespace ops
OpTable elementwise_cast_table() {
  return {
      OpEntry{"Cast", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const CastOp>(op.attributes.dtype("dtype"));
              }},
      plain_op<IdentityOp>(1),
      plain_op<StopGradientOp>(1),
  };
}

}  // namespace rhyton

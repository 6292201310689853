#include <rhyton/layers/rnn/forget_bias.h>

#include <utility>

#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

class ForgetBias final : public InitializerImpl {
 public:
  explicit ForgetBias(Initializer others) : others_(std::move(others)) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    const std::int64_t gate = shape.size() / 4;
    const Tensor first = others_({gate}, dtype);
    return ops::concatenate({first, Tensor::full({gate}, 1.0, dtype), others_({2 * gate}, dtype)}, 0);
  }
  std::string class_name() const override { return others_.impl()->class_name(); }
  io::Json get_config() const override { return others_.impl()->get_config(); }

 private:
  Initializer others_;
};

}  // namespace

Initializer with_forget_bias(const Initializer& others) {
  return Initializer(std::make_shared<const ForgetBias>(others));
}

}  // namespace rhyton::layers

#include <rhyton/layers/constant_array.h>

#include <memory>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/argument_json.h>
#include <rhyton/layers/nested_numbers.h>

namespace rhyton::layers {
namespace {

class ConstantArray final : public InitializerImpl {
 public:
  explicit ConstantArray(const io::Json& value) : value_(value), array_(array_of(value)) {}

  Tensor call(const Shape& shape, DType dtype) const override {
    try {
      return broadcast_to(cast(array_, dtype), shape);
    } catch (const Error&) {
      throw ValueError("The argument `value` of initializer Constant is an array of shape " +
                       array_.shape().to_string() + ", which does not fit a weight of shape " + shape.to_string() +
                       ".");
    }
  }
  std::string class_name() const override { return "Constant"; }
  io::Json get_config() const override { return io::Json::object({{"value", value_}}); }

 private:
  static Tensor array_of(const io::Json& value) {
    const Argument argument = argument_from_json(value);
    if (argument.is_tensor()) return argument.tensor();
    const auto [shape, elements] = nested_numbers(argument);
    return Tensor::from_numbers(shape, elements, DType::float64);
  }

  io::Json value_;
  Tensor array_;
};

}  // namespace

Initializer constant_array(const io::Json& value) { return Initializer(std::make_shared<const ConstantArray>(value)); }

}  // namespace rhyton::layers

#include <rhyton/framework/ops/variables.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {

Tensor Variable::value() const {
  if (is_empty()) throw ValueError("The value of an empty Variable was requested.");
  return read_variable(*this);
}

void Variable::assign(const Tensor& value) const {
  if (is_empty()) throw ValueError("An empty Variable was assigned.");
  if (!(value.shape() == shape())) {
    throw ValueError(
        "The shape of the target variable and the shape of the target value in `variable.assign(value)` "
        "must match. variable.shape=" +
        shape().to_string() + ", Received: value.shape=" + value.shape().to_string() + ". Target variable: " + path());
  }
  assign_variable(*this, value.dtype() == dtype() ? value : value.cast(dtype()));
}

void Variable::assign_add(const Tensor& value) const { assign(add(this->value(), value)); }

void Variable::assign_sub(const Tensor& value) const { assign(subtract(this->value(), value)); }

}  // namespace rhyton

#include <rhyton/framework/tensor/keras_dtypes.h>

#include <optional>

#include <rhyton/framework/context.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/framework/tensor/scalar.h>

namespace rhyton::backend {
namespace {

bool is_number(const std::string& name) { return name == "int" || name == "float"; }

Scalar number_like(const std::string& name) { return name == "int" ? Scalar(1) : Scalar(1.0); }

}  // namespace

std::string standardize_dtype(const std::string& dtype) {
  if (dtype.empty()) return context().floatx();
  if (dtype == "int") return "int64";
  if (dtype == "float") return "float32";
  return standardize_dtype(dtype_from_name(dtype));
}

std::string standardize_dtype(DType dtype) { return std::string(name_of(dtype)); }

std::string result_type(const std::vector<std::string>& dtypes) {
  std::optional<DType> of_tensors;
  std::optional<Scalar> number;
  for (const std::string& name : dtypes) {
    if (is_number(name)) {
      const Scalar given = number_like(name);
      if (!number || number->kind() < given.kind()) number = given;
      continue;
    }
    const DType dtype = dtype_from_name(name.empty() ? context().floatx() : name);
    of_tensors = of_tensors ? rhyton::result_type(*of_tensors, dtype) : dtype;
  }
  if (!of_tensors && !number) return context().floatx();
  if (!of_tensors) return standardize_dtype(rhyton::result_type(*number, *number));
  return standardize_dtype(number ? rhyton::result_type(*of_tensors, *number) : *of_tensors);
}

bool is_float_dtype(std::string_view dtype) { return dtype.starts_with("float") || dtype.starts_with("bfloat"); }

bool is_int_dtype(std::string_view dtype) { return dtype.starts_with("int") || dtype.starts_with("uint"); }

}  // namespace rhyton::backend

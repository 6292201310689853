// Functions of single elements, arithmetic, comparisons and activations.

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/operations/argument_value.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/tensorflow/function_call.h>

namespace rhyton::layers::tensorflow {
namespace {

/// A function of one tensor.
Conversion unary(const char* class_name) {
  return [class_name](FunctionCall& call) { return Step{class_name, {call.x()}}; };
}

struct Operands {
  Argument first;
  Argument second;
  /// That of the tensor among them.
  DType dtype;
};

/// A constant has the dtype of the tensor beside it.
Operands operands_of(FunctionCall& call, const std::string& keyword) {
  if (call.first().is_symbolic()) {
    const DType dtype = call.first().symbolic().dtype();
    return {call.first(), call.operand(keyword, dtype), dtype};
  }
  const Argument second = call[keyword];
  if (!second.is_symbolic()) call.refuse("two constants");
  const DType dtype = second.symbolic().dtype();
  return {call.first().is_number() ? call.first() : call.x(dtype), second, dtype};
}

/// A number as a constant of that dtype.
Argument constant(const Argument& operand, DType dtype) {
  return operand.is_number() ? Argument(cast(constant_of(operand), dtype)) : operand;
}

/// For an operation that converts numbers to float32 or int32.
Conversion binary_of_tensors(const char* class_name, const char* keyword = "y") {
  return [class_name, keyword](FunctionCall& call) {
    const auto [first, second, dtype] = operands_of(call, keyword);
    if (dtype == DType::float32 || dtype == DType::int32) return Step{class_name, {first, second}};
    return Step{class_name, {constant(first, dtype), constant(second, dtype)}};
  };
}

Conversion binary(const char* class_name, const char* keyword = "y") {
  return [class_name, keyword](FunctionCall& call) {
    const Operands operands = operands_of(call, keyword);
    return Step{class_name, {operands.first, operands.second}};
  };
}

Step squared_difference(FunctionCall& call) {
  const Operands operands = operands_of(call, "y");
  return {"Square", {call.add({"Subtract", {operands.first, operands.second}})}};
}

Step silu(FunctionCall& call) {
  const Argument beta = call.get("beta", 1.0);
  if (beta.is_number() && beta.number().as_double() == 1.0) return {"Silu", {call.x()}};
  const SymbolicTensor scaled = call.add({"Multiply", {call.x(), beta}});
  return {"Multiply", {call.x(), call.add({"Sigmoid", {scaled}})}};
}

Step clipped(FunctionCall& call) {
  const Argument x = call.x();
  const DType dtype = dtype_of(x);
  const Argument low = call.operand("clip_value_min", dtype);
  const Argument high = call.operand("clip_value_max", dtype);
  if (low.is_number() && high.is_number()) return {"Clip", {x}, {{"x_min", low}, {"x_max", high}}};
  return {"Maximum", {call.add({"Minimum", {x, high}}), low}};
}

Step sum_of_list(FunctionCall& call) {
  if (!call.first().is_list() || call.first().list().empty()) call.refuse("anything but a list of tensors");
  const Argument::List& terms = call.first().list();
  if (terms.size() == 1) return {"Copy", {terms.front()}};
  Argument sum = terms.front();
  for (std::size_t i = 1; i + 1 < terms.size(); ++i) sum = call.add({"Add", {sum, terms[i]}});
  return {"Add", {sum, terms.back()}};
}

Conversion along_axis(const char* class_name) {
  return [class_name](FunctionCall& call) { return Step{class_name, {call.x()}, {{"axis", call.get("axis", -1)}}}; };
}

void add_activations(Table& table) {
  table["math.sigmoid"] = unary("Sigmoid");
  table["math.log_sigmoid"] = unary("LogSigmoid");
  table["math.softplus"] = unary("Softplus");
  table["math.tanh"] = unary("Tanh");
  table["nn.relu"] = unary("Relu");
  table["nn.relu6"] = unary("Relu6");
  table["nn.elu"] = unary("Elu");
  table["nn.selu"] = unary("Selu");
  table["nn.softsign"] = unary("Softsign");
  table["nn.silu"] = silu;
  table["nn.softmax"] = along_axis("Softmax");
  table["nn.log_softmax"] = along_axis("LogSoftmax");
  table["nn.leaky_relu"] = [](FunctionCall& call) {
    return Step{"LeakyRelu", {call.x()}, {{"negative_slope", call.get("alpha", 0.2)}}};
  };
  table["nn.gelu"] = [](FunctionCall& call) {
    return Step{"Gelu", {call.x()}, {{"approximate", call.is_true("approximate")}}};
  };
  table["nn.bias_add"] = [](FunctionCall& call) {
    const Argument format = call["data_format"];
    if (format.is_string() && format.string().starts_with("NC")) call.refuse("data_format=" + format.to_string());
    return Step{"Add", {call.x(), call.operand("bias", dtype_of(call.x()))}};
  };
}

void add_arithmetic(Table& table) {
  for (const char* const name : {"__operators__.add", "math.add"}) table[name] = binary("Add");
  table["math.subtract"] = binary("Subtract");
  table["math.multiply"] = binary("Multiply");
  // The quotient of integers is of float32, as in Keras 3; TensorFlow's is of float64.
  for (const char* const name : {"math.truediv", "math.divide"}) table[name] = binary("Divide");
  for (const char* const name : {"math.floordiv", "compat.v1.floor_div"}) table[name] = binary("FloorDivide");
  for (const char* const name : {"math.floormod", "math.mod"}) table[name] = binary_of_tensors("Mod");
  table["math.pow"] = binary("Power");
  table["math.maximum"] = binary("Maximum");
  table["math.minimum"] = binary("Minimum");
  table["math.divide_no_nan"] = binary("DivideNoNan");
  table["math.atan2"] = binary_of_tensors("Arctan2", "x");
  table["math.squared_difference"] = squared_difference;
  table["math.scalar_mul"] = table["compat.v1.math.scalar_mul"] = binary("Multiply", "x");
  table["math.add_n"] = sum_of_list;
  table["clip_by_value"] = clipped;
  table["math.equal"] = binary("Equal");
  table["math.not_equal"] = binary("NotEqual");
  // tf.keras does not write the second operand of these two operators.
  table["__operators__.eq"] = binary("Equal", "other");
  table["__operators__.ne"] = binary("NotEqual", "other");
  table["math.less"] = binary("Less");
  table["math.less_equal"] = binary("LessEqual");
  table["math.greater"] = binary("Greater");
  table["math.greater_equal"] = binary("GreaterEqual");
  table["math.logical_and"] = binary("LogicalAnd");
  table["math.logical_or"] = binary("LogicalOr");
  table["math.logical_xor"] = binary("LogicalXor");
  table["math.logical_not"] = unary("LogicalNot");
  table["bitwise.bitwise_and"] = binary("BitwiseAnd");
  table["bitwise.bitwise_or"] = binary("BitwiseOr");
  table["bitwise.bitwise_xor"] = binary("BitwiseXor");
  table["bitwise.left_shift"] = binary("BitwiseLeftShift");
  table["bitwise.right_shift"] = binary("BitwiseRightShift");
  table["bitwise.invert"] = unary("BitwiseInvert");
}

}  // namespace

void add_elementwise_functions(Table& table) {
  constexpr std::pair<const char*, const char*> functions[] = {
      {"abs", "Absolute"},
      {"acos", "Arccos"},
      {"acosh", "Arccosh"},
      {"asin", "Arcsin"},
      {"asinh", "Arcsinh"},
      {"atan", "Arctan"},
      {"atanh", "Arctanh"},
      {"ceil", "Ceil"},
      {"cos", "Cos"},
      {"cosh", "Cosh"},
      {"erf", "Erf"},
      {"erfc", "Erfc"},
      {"erfinv", "Erfinv"},
      {"exp", "Exp"},
      {"expm1", "Expm1"},
      {"floor", "Floor"},
      {"is_inf", "Isinf"},
      {"is_finite", "Isfinite"},
      {"is_nan", "Isnan"},
      {"log", "Log"},
      {"log1p", "Log1p"},
      {"negative", "Negative"},
      {"reciprocal", "Reciprocal"},
      {"rint", "Round"},
      {"round", "Round"},
      {"rsqrt", "Rsqrt"},
      {"sign", "Sign"},
      {"sin", "Sin"},
      {"sinh", "Sinh"},
      {"sqrt", "Sqrt"},
      {"square", "Square"},
      {"tan", "Tan"},
  };
  for (const auto& [name, class_name] : functions) table[std::string("math.") + name] = unary(class_name);
  add_activations(table);
  add_arithmetic(table);
}

}  // namespace rhyton::layers::tensorflow

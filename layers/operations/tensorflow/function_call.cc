#include <rhyton/layers/operations/tensorflow/function_call.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/layers/operations/argument_value.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/operation.h>

namespace rhyton::layers::tensorflow {
namespace {

bool is_tensor(const Argument& argument) { return argument.is_symbolic() || argument.is_tensor(); }

bool holds_symbols(const Argument& argument) {
  bool found = false;
  for_each_leaf(argument, [&](const Argument& leaf) { found = found || leaf.is_symbolic(); });
  return found;
}

bool is_equal(const Argument& a, const Argument& b) {
  if (a.is_number() && b.is_number()) return a.number().as_double() == b.number().as_double();
  return a.is_string() && b.is_string() && a.string() == b.string();
}

std::vector<SymbolicTensor> called(const Step& step, const std::string& name) {
  const Operation* const operation = find_operation(step.class_name);
  if (operation == nullptr) throw RuntimeError("There is no operation '" + step.class_name + "'.");
  CallArguments call{.args = step.arguments};
  for (std::size_t i = operation->by_position; i < call.args.size(); ++i) {
    call.kwargs.emplace_back(operation->parameters.at(i), std::move(call.args[i]));
  }
  call.args.resize(std::min(call.args.size(), operation->by_position));
  std::vector<SymbolicTensor> outputs = operation_layer(*operation, step.options, name).impl()->call_symbolic(call);
  if (outputs.empty()) throw ValueError("'" + name + "' is called for a result without tensors.");
  return outputs;
}

}  // namespace

FunctionCall::FunctionCall(std::string layer, std::string function, const CallArguments& arguments)
    : layer_(std::move(layer)), function_(std::move(function)), first_(arguments.args.at(0)) {
  for (const auto& [keyword, argument] : arguments.kwargs) keywords_.emplace(keyword, argument);
}

Argument FunctionCall::x() const {
  if (is_tensor(first_)) return first_;
  if (holds_symbols(first_)) refuse("a list of tensors as the first argument");
  return constant_of(first_);
}

Argument FunctionCall::x(DType dtype) const {
  const Argument given = x();
  return given.is_tensor() ? Argument(cast(given.tensor(), dtype)) : given;
}

Argument FunctionCall::operator[](const std::string& keyword) {
  used_.insert(keyword);
  const auto found = keywords_.find(keyword);
  return found == keywords_.end() ? Argument() : found->second;
}

Argument FunctionCall::get(const std::string& keyword, const Argument& fallback) {
  Argument argument = (*this)[keyword];
  return argument.is_none() ? fallback : argument;
}

Argument FunctionCall::operand(const std::string& keyword, DType dtype) {
  Argument argument = (*this)[keyword];
  if (argument.is_none()) refuse("a call without the argument `" + keyword + "`, which the file does not have");
  if (!argument.is_list()) return argument;
  if (holds_symbols(argument)) refuse("tensors in a list as the argument `" + keyword + "`");
  return cast(constant_of(argument), dtype);
}

std::vector<std::int64_t> FunctionCall::integers(const std::string& keyword) {
  const Argument argument = (*this)[keyword];
  if (argument.is_none() || holds_symbols(argument)) {
    refuse("the argument `" + keyword + "` unless it is made of integers");
  }
  if (argument.is_list() && argument.list().empty()) return {};
  return ArgumentValue<std::vector<std::int64_t>>::from(argument);
}

bool FunctionCall::is_true(const std::string& keyword) {
  const Argument argument = (*this)[keyword];
  return argument.is_number() && argument.number().as_double() != 0;
}

void FunctionCall::require(const std::string& keyword, const Argument& accepted) {
  const Argument argument = (*this)[keyword];
  if (!argument.is_none() && !is_equal(argument, accepted)) refuse(keyword + "=" + argument.to_string());
}

void FunctionCall::require_all_used() const {
  for (const auto& [keyword, argument] : keywords_) {
    if (!argument.is_none() && !used_.contains(keyword)) refuse("the argument `" + keyword + "`");
  }
}

void FunctionCall::refuse(const std::string& what) const {
  throw NotImplementedError("Layer '" + layer_ + "' calls the function 'tf." + function_ +
                            "' of TensorFlow, for which Rhyton does not support " + what + ".");
}

std::vector<SymbolicTensor> FunctionCall::add_all(const Step& step) {
  std::string name = layer_ + "_" + snake_case(step.class_name);
  const int number = names_[name]++;
  if (number > 0) name += "_" + std::to_string(number);
  return called(step, name);
}

SymbolicTensor FunctionCall::add(const Step& step) { return add_all(step).at(0); }

std::vector<SymbolicTensor> FunctionCall::finish(const Step& step) const { return called(step, layer_); }

DType dtype_of(const Argument& x) { return x.is_symbolic() ? x.symbolic().dtype() : x.tensor().dtype(); }

const Shape& shape_of(const Argument& x) { return x.is_symbolic() ? x.symbolic().shape() : x.tensor().shape(); }

}  // namespace rhyton::layers::tensorflow

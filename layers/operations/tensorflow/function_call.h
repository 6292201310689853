#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/layers/argument.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers::tensorflow {

/// An operation of Keras 3 with its arguments by position, and the options that differ from the defaults.
struct Step {
  std::string class_name;
  std::vector<Argument> arguments;
  Keywords options = {};
};

/// A call of a function of TensorFlow.
class FunctionCall {
 public:
  /// `layer`: the name of the layer that makes the call; `function`: its name in `tf`.
  FunctionCall(std::string layer, std::string function, const CallArguments& arguments);

  /// The argument by position as it was given.
  const Argument& first() const { return first_; }
  /// The argument by position as a tensor; numbers and lists become a constant of `dtype`, or of their own.
  Argument x() const;
  Argument x(DType dtype) const;
  /// The argument by keyword; None if it was not given.
  Argument operator[](const std::string& keyword);
  /// That argument, or `fallback` for None.
  Argument get(const std::string& keyword, const Argument& fallback);
  /// That argument as an operand beside a tensor of `dtype`: lists become constants.
  Argument operand(const std::string& keyword, DType dtype);
  /// That argument, which must be a list of integers, or a single one.
  std::vector<std::int64_t> integers(const std::string& keyword);
  bool is_true(const std::string& keyword);

  /// Throws NotImplementedError if the argument is neither None nor `accepted`.
  void require(const std::string& keyword, const Argument& accepted);
  /// Throws NotImplementedError for arguments that were not asked for.
  void require_all_used() const;
  /// Throws NotImplementedError: "… does not support `what`".
  [[noreturn]] void refuse(const std::string& what) const;

  /// An operation before the last one.
  SymbolicTensor add(const Step& step);
  std::vector<SymbolicTensor> add_all(const Step& step);
  /// The last one.
  std::vector<SymbolicTensor> finish(const Step& step) const;

 private:
  std::string layer_;
  std::string function_;
  Argument first_;
  std::map<std::string, Argument> keywords_;
  std::set<std::string> used_ = {"name"};
  std::map<std::string, int> names_;
};

/// The last operation of what a function becomes; those before it were added to the call.
using Conversion = std::function<Step(FunctionCall&)>;
using Table = std::map<std::string, Conversion, std::less<>>;

/// The dtype of a tensor or symbolic tensor.
DType dtype_of(const Argument& x);
/// The shape of a tensor or symbolic tensor.
const Shape& shape_of(const Argument& x);

// The tables, by the names of functions in `tf`.
void add_elementwise_functions(Table& table);
void add_reductions(Table& table);
void add_shape_functions(Table& table);
void add_selections(Table& table);

}  // namespace rhyton::layers::tensorflow

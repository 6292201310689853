#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// The calls of the golden files ops_*.json (tests/golden/make_ops.py), which hold the results of real Keras.

namespace rhyton::golden {

/// A call as it stands in a golden file, "take(x, y, 0)", with the tensors x, y and z.
class Call {
 public:
  Call(const std::string& text, std::vector<Tensor> inputs);

  /// "take".
  const std::string& name() const { return name_; }
  /// Everything between the parentheses.
  const std::string& text() const { return text_; }
  std::size_t size() const { return arguments_.size(); }
  const std::vector<Tensor>& inputs() const { return inputs_; }

  /// Argument `i`, in the form that the op needs. `x` to `z` are tensors, `{x, y}` a list.
  const std::string& word(std::size_t i) const { return arguments_.at(i); }
  bool has(std::size_t i, const std::string& word) const { return i < arguments_.size() && arguments_[i] == word; }
  Tensor tensor(std::size_t i) const;
  std::vector<Tensor> tensors(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  int axis(std::size_t i) const { return static_cast<int>(integer(i)); }
  /// Nothing where there is no such argument, or where it is "none".
  std::optional<int> optional_axis(std::size_t i) const;
  std::optional<double> optional_real(std::size_t i) const;
  Scalar scalar(std::size_t i) const;
  std::vector<std::int64_t> integers(std::size_t i) const;
  std::vector<int> axes(std::size_t i) const;
  bool is_list(std::size_t i) const { return arguments_.at(i).front() == '{'; }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::string> arguments_;
  std::vector<Tensor> inputs_;
};

using Functions = std::map<std::string, std::function<std::vector<Tensor>(const Call&)>>;

/// Compares all cases of `ops_<family>.json` with the functions of those names: shapes, dtypes, values, gradients, and
/// that what Keras refuses is refused.
void compare(const std::string& family, const Functions& functions);

}  // namespace rhyton::golden

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// The operands of an op with bodies: tensors that several bodies use are one operand.
class BodyOperands {
 public:
  explicit BodyOperands(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}

  /// To be called before the tensors of each body: a body uses each operand once.
  void begin_body() { is_used_.assign(tensors_.size(), false); }
  /// The position of that tensor.
  int position_of(const Tensor& tensor) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (is_used_[i] || !tensors_[i].is_same(tensor)) continue;
      is_used_[i] = true;
      return static_cast<int>(i);
    }
    tensors_.push_back(tensor.without_mask());
    is_used_.push_back(true);
    return static_cast<int>(tensors_.size()) - 1;
  }
  /// Takes the operand at that position for the body.
  int take(std::size_t position) {
    is_used_[position] = true;
    return static_cast<int>(position);
  }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  std::vector<TensorSpec> specs() const {
    std::vector<TensorSpec> specs;
    for (const Tensor& tensor : tensors_) specs.push_back(tensor.spec());
    return specs;
  }

 private:
  std::vector<Tensor> tensors_;
  std::vector<bool> is_used_;
};

}  // namespace rhyton

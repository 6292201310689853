#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// Sums of products of two tensors over labelled axes: what einsum and tensordot are made of.

namespace rhyton {

/// A tensor with a label for each axis; each label occurs once.
struct LabelledTensor {
  Tensor tensor;
  std::vector<int> labels;
};

/// The tensor with its axes in the order of `labels`, which are all of its labels.
Tensor in_order(const LabelledTensor& x, const std::vector<int>& labels);

/// x summed over all labels that are not in `kept`.
LabelledTensor summed_to(const LabelledTensor& x, const std::vector<int>& kept);

/// The products of the elements of a and b whose common labels agree, summed over all labels that are not in `kept`: a
/// product of matrices where labels are summed, else of elements. Axes of a common label have one length. The labels of
/// the result are those of both that are kept.
LabelledTensor contract(const LabelledTensor& a, const LabelledTensor& b, const std::vector<int>& kept);

}  // namespace rhyton

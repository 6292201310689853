#include <rhyton/framework/ops/contraction.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
namespace {

using Labels = std::vector<int>;

bool has_label(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels for which `condition` holds, in their order.
template <class Condition>
Labels filtered_labels(const Labels& labels, const Condition& condition) {
  Labels result;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(result), condition);
  return result;
}

Labels joined_labels(std::initializer_list<Labels> parts) {
  Labels result;
  for (const Labels& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

Shape shape_of_labels(const LabelledTensor& x, const Labels& labels) {
  Shape shape;
  for (const int label : labels) {
    const auto place = std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin();
    shape.push_back(x.tensor.shape()[static_cast<int>(place)]);
  }
  return shape;
}

Shape shape_of_ones(std::size_t count) {
  Shape shape;
  while (shape.rank() < static_cast<int>(count)) shape.push_back(1);
  return shape;
}

/// The labels of two tensors by their part in a product of matrices.
struct ProductParts {
  Labels batch;
  Labels of_a;
  Labels summed;
  Labels of_b;

  ProductParts(const Labels& a, const Labels& b, const Labels& kept)
      : batch(filtered_labels(a, [&](int label) { return has_label(b, label) && has_label(kept, label); })),
        of_a(filtered_labels(a, [&](int label) { return !has_label(b, label); })),
        summed(filtered_labels(a, [&](int label) { return has_label(b, label) && !has_label(kept, label); })),
        of_b(filtered_labels(b, [&](int label) { return !has_label(a, label); })) {}
};

/// Products of elements: no label is summed.
Tensor product_of_elements(const LabelledTensor& a, const LabelledTensor& b, const ProductParts& parts) {
  const Tensor left = in_order(a, joined_labels({parts.batch, parts.of_a}));
  const Tensor right = in_order(b, joined_labels({parts.batch, parts.of_b}));
  const Shape left_shape = left.shape().concatenate(shape_of_ones(parts.of_b.size()));
  const Shape right_shape = shape_of_labels(b, parts.batch)
                                .concatenate(shape_of_ones(parts.of_a.size()))
                                .concatenate(shape_of_labels(b, parts.of_b));
  return reshape(left, left_shape) * reshape(right, right_shape);
}

/// The axes of `rows` and of `columns` merged into one each, behind those of the batch.
Tensor as_matrices(const LabelledTensor& x, const Labels& batch, const Labels& rows, const Labels& columns) {
  const Shape merged({shape_of_labels(x, rows).size(), shape_of_labels(x, columns).size()});
  return reshape(in_order(x, joined_labels({batch, rows, columns})), shape_of_labels(x, batch).concatenate(merged));
}

Tensor product_of_matrices(const LabelledTensor& a, const LabelledTensor& b, const ProductParts& parts) {
  // Where the axes are in the other order already, the product transposes them.
  const bool transposes_a = a.labels == joined_labels({parts.batch, parts.summed, parts.of_a}) && !parts.of_a.empty();
  const bool transposes_b = b.labels == joined_labels({parts.batch, parts.of_b, parts.summed}) && !parts.of_b.empty();
  const Tensor right = transposes_b ? as_matrices(b, parts.batch, parts.of_b, parts.summed)
                                    : as_matrices(b, parts.batch, parts.summed, parts.of_b);
  if (parts.batch.empty() && !transposes_a && !parts.of_a.empty()) {
    // Axes of a tall matrix stay apart, so that one of them can carry the batch.
    const Shape tall = shape_of_labels(a, parts.of_a).concatenate({shape_of_labels(a, parts.summed).size()});
    return matmul(reshape(in_order(a, joined_labels({parts.of_a, parts.summed})), tall), right, false, transposes_b);
  }
  const Tensor left = transposes_a ? as_matrices(a, parts.batch, parts.summed, parts.of_a)
                                   : as_matrices(a, parts.batch, parts.of_a, parts.summed);
  return matmul(left, right, transposes_a, transposes_b);
}

}  // namespace

Tensor in_order(const LabelledTensor& x, const Labels& labels) {
  if (x.labels == labels) return x.tensor;
  std::vector<int> axes;
  for (const int label : labels) {
    axes.push_back(static_cast<int>(std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin()));
  }
  return transpose(x.tensor, axes);
}

LabelledTensor summed_to(const LabelledTensor& x, const Labels& kept) {
  std::vector<int> axes;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    if (!has_label(kept, x.labels[i])) axes.push_back(static_cast<int>(i));
  }
  if (axes.empty()) return x;
  return {sum(x.tensor, axes), filtered_labels(x.labels, [&](int label) { return has_label(kept, label); })};
}

LabelledTensor contract(const LabelledTensor& a, const LabelledTensor& b, const Labels& kept) {
  // What only one of them has is summed beforehand.
  const LabelledTensor left = summed_to(a, joined_labels({kept, b.labels}));
  const LabelledTensor right = summed_to(b, joined_labels({kept, a.labels}));
  const ProductParts parts(left.labels, right.labels, kept);
  const Tensor product =
      parts.summed.empty() ? product_of_elements(left, right, parts) : product_of_matrices(left, right, parts);
  const Shape shape =
      shape_of_labels(left, joined_labels({parts.batch, parts.of_a})).concatenate(shape_of_labels(right, parts.of_b));
  return {reshape(product, shape), joined_labels({parts.batch, parts.of_a, parts.of_b})};
}

}  // namespace rhyton

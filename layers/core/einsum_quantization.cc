#include <rhyton/layers/core/einsum_quantization.h>

#include <algorithm>
#include <cstddef>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/einsum_equation.h>

namespace rhyton::layers {
namespace {

/// The position of a letter, -1 without it.
int find(const std::string& letters, char letter) {
  const std::size_t place = letters.find(letter);
  return place == std::string::npos ? -1 : static_cast<int>(place);
}

/// Python's `list.insert`.
void insert(std::vector<int>& axes, int place, int axis) {
  const int size = static_cast<int>(axes.size());
  const int from_front = place < 0 ? std::max(0, size + place) : std::min(place, size);
  axes.insert(axes.begin() + from_front, axis);
}

/// `place` is where the axis before was inserted: Keras inserts an axis there for which the result has no place.
ScaleLayout layout_of(const std::string& operand, const std::string& output, int& place) {
  ScaleLayout layout;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (find(output, operand[i]) < 0) layout.reduced.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < output.size(); ++i) {
    const int axis = find(operand, output[i]);
    if (axis < 0) {
      layout.expanded.push_back(static_cast<int>(i));
    } else {
      layout.transposed.push_back(axis);
    }
  }
  for (const int axis : layout.reduced) {
    if (layout.expanded.empty()) {
      layout.squeezed.push_back(axis);
    } else {
      place = layout.expanded.front();
      layout.expanded.erase(layout.expanded.begin());
    }
    insert(layout.transposed, place, axis);
  }
  return layout;
}

Tensor expanded_at(Tensor x, std::vector<int> axes) {
  std::sort(axes.begin(), axes.end());
  for (const int axis : axes) x = expand_dims(x, axis);
  return x;
}

}  // namespace

Tensor ScaleLayout::of_result(const Tensor& scale) const {
  Tensor result = transpose(scale, transposed);
  result = expanded_at(result, expanded);
  return squeezed.empty() ? result : squeeze(result, squeezed);
}

Tensor ScaleLayout::of_operand(const Tensor& scale) const {
  Tensor result = expanded_at(scale, squeezed);
  if (!expanded.empty()) result = squeeze(result, expanded);
  std::vector<int> back(transposed.size());
  for (std::size_t i = 0; i < transposed.size(); ++i) {
    back[static_cast<std::size_t>(transposed[i])] = static_cast<int>(i);
  }
  return transpose(result, back);
}

EinsumQuantization analyze_einsum_quantization(const std::string& equation, int rank) {
  const EinsumLabels labels = labels_of_einsum(equation, rank);
  EinsumQuantization result;
  int place = find(labels.output, labels.kernel.back());
  result.input = layout_of(labels.input, labels.output, place);
  result.kernel = layout_of(labels.kernel, labels.output, place);
  result.gradient_equation = labels.output + "," + labels.kernel + "->" + labels.input;
  return result;
}

}  // namespace rhyton::layers

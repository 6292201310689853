#include <rhyton/layers/attention/attention_equations.h>

#include <algorithm>
#include <cstddef>

namespace rhyton::layers {
namespace {

char letter(int index) { return static_cast<char>('a' + index); }

std::string letters(int first, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += letter(first + i);
  return result;
}

std::string of_axes(const std::string& notation, const std::vector<int>& axes) {
  std::string result;
  for (const int axis : axes) result += notation[static_cast<std::size_t>(axis)];
  return result;
}

}  // namespace

ProjectionEquation projection_equation(int free_axes, int bound_axes, int output_axes) {
  const std::string free = letters(0, free_axes);
  const std::string bound = letters(free_axes, bound_axes);
  const std::string output = letters(free_axes + bound_axes, output_axes);
  std::string equation = free;
  equation.append(bound).append(",").append(bound).append(output).append("->").append(free).append(output);
  return {.equation = equation, .bias_axes = output};
}

Shape AttentionEquations::shape_of_scores(const Shape& query, const Shape& value) const {
  Shape shape;
  for (const int axis : batch_axes) shape.push_back(query[axis]);
  for (const int axis : attention_axes) shape.push_back(query[axis]);
  for (const int axis : attention_axes) shape.push_back(value[axis]);
  return shape;
}

AttentionEquations attention_equations(int rank, const std::vector<int>& attention_axes) {
  AttentionEquations equations{.scores = {}, .result = {}, .batch_axes = {}, .attention_axes = attention_axes};
  const std::string target = letters(0, rank);
  std::string source;
  int next = rank;
  for (int axis = 0; axis < rank; ++axis) {
    const bool is_attended = std::find(attention_axes.begin(), attention_axes.end(), axis) != attention_axes.end();
    if (!is_attended && axis < rank - 1) equations.batch_axes.push_back(axis);
    source += is_attended && axis < rank - 1 ? letter(next++) : letter(axis);
  }
  const std::string product =
      of_axes(target, equations.batch_axes) + of_axes(target, attention_axes) + of_axes(source, attention_axes);
  equations.scores = source;
  equations.scores.append(",").append(target).append("->").append(product);
  equations.result = product;
  equations.result.append(",").append(source).append("->").append(target);
  return equations;
}

}  // namespace rhyton::layers

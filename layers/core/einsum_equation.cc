#include <rhyton/layers/core/einsum_equation.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

struct Equation {
  std::string input;
  std::string weight;
  std::string output;
  /// Whether the input begins or ends with "...".
  bool is_left_elided = false;
  bool is_right_elided = false;
};

/// Reads an equation from the left. What follows the output is left to the op, as in Keras.
class EquationReader {
 public:
  explicit EquationReader(const std::string& text) : text_(text), rest_(text) {}

  Equation read() {
    Equation equation;
    equation.is_left_elided = take("...");
    equation.input = letters();
    equation.is_right_elided = !equation.is_left_elided && take("...");
    require(take(","));
    equation.weight = letters();
    require(take("->"));
    if (equation.is_left_elided) require(take("..."));
    equation.output = letters();
    if (equation.is_right_elided) require(equation.input.size() >= 2 && take("..."));
    return equation;
  }

 private:
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  /// At least one letter.
  std::string letters() {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
    std::string found(rest_.begin(), end);
    rest_.remove_prefix(found.size());
    require(!found.empty());
    return found;
  }

  void require(bool holds) const {
    if (holds) return;
    throw ValueError("Invalid einsum equation '" + text_ +
                     "'. Equations must be in the form [X],[Y]->[Z], ...[X],[Y]->...[Z], or [X]...,[Y]->[Z]....");
  }

  const std::string& text_;
  std::string_view rest_;
};

bool has_letter(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

/// The length of a letter of the output for which the output's shape has no place.
constexpr std::int64_t missing_length = -2;

/// The lengths of the letters of input and output.
struct Lengths {
  std::map<char, std::int64_t> input;
  std::map<char, std::int64_t> output;
};

Lengths lengths_of(const Equation& equation, const Shape& input_shape, const Shape& output_shape, int elided) {
  // The output with the batch and the axes of "...".
  std::vector<std::int64_t> whole = {input_shape[0]};
  if (equation.is_left_elided) {
    for (int axis = 1; axis < elided; ++axis) whole.push_back(input_shape[axis]);
  }
  whole.insert(whole.end(), output_shape.begin(), output_shape.end());
  if (!equation.is_left_elided) whole.insert(whole.end(), input_shape.end() - elided, input_shape.end());

  const int first = equation.is_left_elided ? elided : 0;
  Lengths lengths;
  for (std::size_t i = 0; i < equation.input.size(); ++i) {
    lengths.input[equation.input[i]] = input_shape[static_cast<int>(i) + first];
  }
  for (std::size_t i = 0; i < equation.output.size(); ++i) {
    const std::size_t axis = i + static_cast<std::size_t>(first);
    lengths.output[equation.output[i]] = axis < whole.size() ? whole[axis] : missing_length;
  }
  return lengths;
}

void check_letters(const Equation& equation, const Lengths& lengths, const Shape& output_shape) {
  for (const char letter : equation.input) {
    const auto in_output = lengths.output.find(letter);
    if (in_output == lengths.output.end() || in_output->second < 0) continue;
    if (in_output->second == lengths.input.at(letter)) continue;
    throw ValueError("Input shape and output shape do not match at shared dimension '" + std::string(1, letter) +
                     "'. Input shape is " + length_to_string(lengths.input.at(letter)) + ", and output shape is " +
                     length_to_string(in_output->second) + ".");
  }
  for (const char letter : equation.output) {
    if (lengths.output.at(letter) == missing_length) {
      throw ValueError("The `output_shape` has too few dimensions for the output '" + equation.output +
                       "' of the equation. Received: output_shape=" + output_shape.to_string());
    }
    if (has_letter(equation.input, letter) || has_letter(equation.weight, letter)) continue;
    // Keras names the output where it speaks of the weight.
    throw ValueError("Dimension '" + std::string(1, letter) + "' was specified in the output '" + equation.output +
                     "' but has no corresponding dim in the input spec '" + equation.input + "' or weight spec '" +
                     equation.output + "'");
  }
}

/// The shape of the bias: from the first of its letters on, the lengths of its letters and 1 for the others.
Shape bias_shape(const Equation& equation, const std::string& bias_axes, const Lengths& lengths, int elided) {
  std::size_t first = equation.output.size();
  for (const char letter : bias_axes) {
    if (!has_letter(equation.output, letter)) {
      throw ValueError("Bias dimension '" + std::string(1, letter) +
                       "' was requested, but is not part of the output spec '" + equation.output + "'");
    }
    first = std::min(first, equation.output.find(letter));
  }
  if (bias_axes.empty()) {
    throw ValueError("The `bias_axes` must be at least one dimension of the output spec '" + equation.output +
                     "'. Received: bias_axes=''");
  }
  Shape shape;
  for (const char letter : equation.output.substr(first)) {
    shape.push_back(has_letter(bias_axes, letter) ? lengths.output.at(letter) : 1);
  }
  for (int i = 0; !equation.is_left_elided && i < elided; ++i) shape.push_back(1);
  return shape;
}

bool repeats_letter(const std::string& letters) {
  return std::set<char>(letters.begin(), letters.end()).size() < letters.size();
}

/// See `EinsumShapes::product_axes`.
int product_axes(const Equation& equation, const EinsumShapes& shapes) {
  const std::string& input = equation.input;
  const std::size_t summed = shapes.input_axes.size();
  if (repeats_letter(input) || repeats_letter(equation.weight) || repeats_letter(equation.output)) return 0;
  if (summed == 0 || summed > input.size() || summed >= equation.weight.size()) return 0;
  const bool is_product = !equation.is_right_elided && input.ends_with(equation.weight.substr(0, summed)) &&
                          equation.output == input.substr(0, input.size() - summed) + equation.weight.substr(summed);
  const auto first = static_cast<int>(summed);
  const bool has_fitting_bias = !shapes.bias || *shapes.bias == shapes.kernel.slice(first, shapes.kernel.rank());
  return is_product && has_fitting_bias ? first : 0;
}

}  // namespace

EinsumShapes analyze_einsum(const std::string& text, const std::optional<std::string>& bias_axes,
                            const Shape& input_shape, const Shape& output_shape) {
  const Equation equation = EquationReader(text).read();
  const int elided = input_shape.rank() - static_cast<int>(equation.input.size());
  if (elided < 0) {
    throw ValueError("The equation '" + text + "' needs an input of at least " + std::to_string(equation.input.size()) +
                     " dimensions. Received: input_shape=" + input_shape.to_string());
  }
  const Lengths lengths = lengths_of(equation, input_shape, output_shape, elided);
  check_letters(equation, lengths, output_shape);

  EinsumShapes shapes;
  for (std::size_t axis = 0; axis < equation.weight.size(); ++axis) {
    const char letter = equation.weight[axis];
    const bool is_output = lengths.output.contains(letter);
    if (!is_output && !lengths.input.contains(letter)) {
      throw ValueError("Weight dimension '" + std::string(1, letter) +
                       "' did not have a match in either the input spec '" + equation.input + "' or the output spec '" +
                       equation.output + "'. For this layer, the weight must be fully specified.");
    }
    shapes.kernel.push_back(is_output ? lengths.output.at(letter) : lengths.input.at(letter));
    (is_output ? shapes.output_axes : shapes.input_axes).push_back(static_cast<std::int64_t>(axis));
  }
  if (bias_axes) shapes.bias = bias_shape(equation, *bias_axes, lengths, elided);
  shapes.product_axes = product_axes(equation, shapes);
  return shapes;
}

EinsumLabels labels_of_einsum(const std::string& text, int rank) {
  const Equation equation = EquationReader(text).read();
  EinsumLabels labels{equation.input, equation.weight, equation.output};
  const std::string used = labels.input + labels.kernel + labels.output;
  std::string elided;
  for (char letter = 'A'; labels.input.size() + elided.size() < static_cast<std::size_t>(rank); ++letter) {
    if (letter == 'Z' + 1) letter = 'a';
    if (!has_letter(used, letter)) elided += letter;
  }
  if (equation.is_left_elided) {
    const std::string reversed(elided.rbegin(), elided.rend());
    labels.input.insert(0, reversed);
    labels.output.insert(0, reversed);
  } else if (equation.is_right_elided) {
    labels.input += elided;
    labels.output += elided;
  }
  return labels;
}

}  // namespace rhyton::layers

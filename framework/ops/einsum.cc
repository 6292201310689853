#include <rhyton/framework/ops/einsum.h>

#include <algorithm>
#include <map>
#include <numeric>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/contraction.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

using Labels = std::vector<int>;

// Letters are numbered in the order of their first occurrence. The axes of an ellipsis are counted from the last one
// on:
// -1, -2 …
constexpr int ellipsis = 1 << 16;

/// The subscripts of operands and result, with `ellipsis` for "...".
struct Subscripts {
  std::vector<Labels> operands;
  Labels result;
};

class SubscriptsParser {
 public:
  explicit SubscriptsParser(const std::string& text) : text_(text) {
    std::string compact;
    std::copy_if(text.begin(), text.end(), std::back_inserter(compact), [](char c) { return c != ' '; });
    const std::size_t arrow = compact.find("->");
    const std::string left = compact.substr(0, arrow);
    for (std::size_t begin = 0; begin <= left.size();) {
      const std::size_t end = std::min(left.find(',', begin), left.size());
      subscripts_.operands.push_back(labels_of(left.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (arrow == std::string::npos) {
      subscripts_.result = implied_result();
    } else {
      subscripts_.result = labels_of(compact.substr(arrow + 2));
      check_result();
    }
  }

  const Subscripts& subscripts() const { return subscripts_; }

 private:
  Labels labels_of(const std::string& part) {
    Labels labels;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const char c = part[i];
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        labels.push_back(numbers_.try_emplace(c, static_cast<int>(numbers_.size())).first->second);
      } else if (part.compare(i, 3, "...") == 0 && std::count(labels.begin(), labels.end(), ellipsis) == 0) {
        labels.push_back(ellipsis);
        i += 2;
      } else {
        throw ValueError("Subscripts have incorrect format: " + text_);
      }
    }
    return labels;
  }

  std::map<int, int> occurrences() const {
    std::map<int, int> counts;
    for (const Labels& labels : subscripts_.operands) {
      for (const int label : labels) ++counts[label];
    }
    return counts;
  }

  Labels implied_result() const {
    Labels result;
    const std::map<int, int> counts = occurrences();
    if (counts.contains(ellipsis)) result.push_back(ellipsis);
    for (const auto& [label, count] : counts) {
      if (label != ellipsis && count == 1) result.push_back(label);
    }
    return result;
  }

  void check_result() const {
    const std::map<int, int> counts = occurrences();
    for (const int label : subscripts_.result) {
      if (label == ellipsis) continue;
      const auto letter =
          std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& entry) { return entry.second == label; });
      if (!counts.contains(label)) {
        throw ValueError("Output subscripts contain the label " + std::string(1, letter->first) +
                         " not present in the input subscripts.");
      }
      if (std::count(subscripts_.result.begin(), subscripts_.result.end(), label) > 1) {
        throw ValueError("Output subscripts contain a label appearing more than once: " + text_);
      }
    }
  }

  const std::string& text_;
  std::map<char, int> numbers_;
  Subscripts subscripts_;
};

/// The labels of an operand's axes: "..." replaced by as many as the operand has.
Labels labels_of_axes(const Labels& labels, const Tensor& operand, std::size_t number) {
  const auto place = std::find(labels.begin(), labels.end(), ellipsis);
  const bool has_ellipsis = place != labels.end();
  const int named = static_cast<int>(labels.size()) - (has_ellipsis ? 1 : 0);
  if (has_ellipsis ? operand.rank() < named : operand.rank() != named) {
    throw InvalidArgumentError("Expected input " + std::to_string(number) + " to have rank " +
                               (has_ellipsis ? "at least " : "") + std::to_string(named) +
                               " but got: " + std::to_string(operand.rank()) + " [Op:Einsum]");
  }
  Labels axes(labels.begin(), place);
  for (int left = operand.rank() - named; left > 0; --left) axes.push_back(-left);
  if (has_ellipsis) axes.insert(axes.end(), place + 1, labels.end());
  return axes;
}

/// An operand with each label once: of repeated ones the diagonal is taken, which becomes the last axis.
LabelledTensor without_repetitions(Tensor x, Labels labels) {
  for (std::size_t i = 0; i < labels.size();) {
    const auto again = std::find(labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, labels.end(), labels[i]);
    if (again == labels.end()) {
      ++i;
      continue;
    }
    const int label = labels[i];
    x = diagonal(x, 0, static_cast<int>(i), static_cast<int>(again - labels.begin()));
    labels.erase(again);
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
    labels.push_back(label);
    i = 0;
  }
  return {x, labels};
}

void check_label_lengths(const std::vector<Labels>& labels, const std::vector<Tensor>& operands) {
  std::map<int, std::int64_t> lengths;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Shape& shape = operands[k].shape();
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int label = labels[k][static_cast<std::size_t>(axis)];
      std::int64_t& length = lengths.try_emplace(label, shape[axis]).first->second;
      const bool broadcasts = label < 0 && (length == 1 || shape[axis] == 1);
      if (length != shape[axis] && !broadcasts) {
        throw InvalidArgumentError("Expected dimension " + std::to_string(length) + " at axis " + std::to_string(axis) +
                                   " of the input shaped " + bracketed(shape) + " but got dimension " +
                                   std::to_string(shape[axis]) + " [Op:Einsum]");
      }
      if (broadcasts) length = std::max(length, shape[axis]);
    }
  }
}

/// Without those axes of an ellipsis that are 1 in x and longer in the other.
LabelledTensor without_short_axes(const LabelledTensor& x, const LabelledTensor& other) {
  std::vector<int> axes;
  Labels labels;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    const auto place = std::find(other.labels.begin(), other.labels.end(), x.labels[i]);
    const bool is_short = x.labels[i] < 0 && place != other.labels.end() &&
                          x.tensor.shape()[static_cast<int>(i)] == 1 &&
                          other.tensor.shape()[static_cast<int>(place - other.labels.begin())] != 1;
    if (is_short) {
      axes.push_back(static_cast<int>(i));
    } else {
      labels.push_back(x.labels[i]);
    }
  }
  return axes.empty() ? x : LabelledTensor{squeeze(x.tensor, axes), labels};
}

/// The labels of the result, with those of the ellipsis.
Labels result_labels(const Labels& given, const std::vector<Labels>& operands) {
  int broadcast = 0;
  for (const Labels& labels : operands) {
    for (const int label : labels) broadcast = std::max(broadcast, -label);
  }
  const auto place = std::find(given.begin(), given.end(), ellipsis);
  if (broadcast > 0 && place == given.end()) {
    throw InvalidArgumentError("Output contains " + std::to_string(broadcast) +
                               " broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts. "
                               "[Op:Einsum]");
  }
  Labels labels(given.begin(), place);
  for (int left = broadcast; left > 0; --left) labels.push_back(-left);
  if (place != given.end()) labels.insert(labels.end(), place + 1, given.end());
  return labels;
}

}  // namespace

Tensor einsum(const std::string& subscripts, const std::vector<Tensor>& operands) {
  const SubscriptsParser parser(subscripts);
  const Subscripts& parsed = parser.subscripts();
  if (parsed.operands.size() != operands.size()) {
    throw ValueError("Got " + std::to_string(operands.size()) + " inputs for equation \"" + subscripts +
                     "\", expecting " + std::to_string(parsed.operands.size()));
  }
  DType dtype = operands.front().dtype();
  for (const Tensor& operand : operands) dtype = result_type(dtype, operand.dtype());
  const bool is_narrow = is_short(dtype);
  std::vector<Labels> labels;
  for (std::size_t i = 0; i < operands.size(); ++i)
    labels.push_back(labels_of_axes(parsed.operands[i], operands[i], i));
  check_label_lengths(labels, operands);
  const Labels result = result_labels(parsed.result, labels);

  std::vector<LabelledTensor> factors;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    factors.push_back(without_repetitions(cast(operands[i], is_narrow ? DType::int32 : dtype), labels[i]));
  }
  LabelledTensor y = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) {
    // Labels that the result or a later factor has are not summed yet.
    Labels kept = result;
    for (std::size_t k = i + 1; k < factors.size(); ++k) {
      kept.insert(kept.end(), factors[k].labels.begin(), factors[k].labels.end());
    }
    y = contract(without_short_axes(y, factors[i]), without_short_axes(factors[i], y), kept);
  }
  y = summed_to(y, result);
  const bool is_int8 = std::ranges::all_of(operands, [](const Tensor& x) { return x.dtype() == DType::int8; });
  return cast(in_order(y, result), is_int8 ? DType::int32 : dtype);
}

}  // namespace ops
}  // namespace rhyton

#include <rhyton/framework/tensor/string_tensor.h>

#include <cstddef>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

std::vector<std::string> joined(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> elements;
  for (const std::vector<std::string>& row : rows) {
    if (row.size() != rows.front().size()) {
      throw ValueError("Rows of a StringTensor must have the same length. Received: rows of " +
                       std::to_string(rows.front().size()) + " and " + std::to_string(row.size()) + " strings");
    }
    elements.insert(elements.end(), row.begin(), row.end());
  }
  return elements;
}

}  // namespace

StringTensor::StringTensor(std::initializer_list<Nested> list) {
  const std::vector<Nested> elements(list);
  const std::vector<Nested>* level = &elements;
  shape_.push_back(static_cast<std::int64_t>(level->size()));
  while (!level->empty() && level->front().is_list_) {
    level = &level->front().list_;
    shape_.push_back(static_cast<std::int64_t>(level->size()));
  }
  append(elements, 0);
}

StringTensor::StringTensor(std::vector<std::string> elements)
    : shape_({static_cast<std::int64_t>(elements.size())}), elements_(std::move(elements)) {}

StringTensor::StringTensor(const std::vector<std::vector<std::string>>& rows)
    : StringTensor(
          {static_cast<std::int64_t>(rows.size()), rows.empty() ? 0 : static_cast<std::int64_t>(rows.front().size())},
          joined(rows)) {}

StringTensor::StringTensor(const Shape& shape, std::vector<std::string> elements)
    : shape_(shape), elements_(std::move(elements)) {
  if (!shape_.is_fully_known() || shape_.size() != size()) {
    throw ValueError("A StringTensor of shape " + shape_.to_string() + " cannot have " + std::to_string(size()) +
                     " strings.");
  }
}

void StringTensor::append(const std::vector<Nested>& list, int axis) {
  if (static_cast<std::int64_t>(list.size()) != shape_[axis]) {
    throw ValueError("Lists of a StringTensor must have the same length on each level. Received: lists of " +
                     std::to_string(shape_[axis]) + " and " + std::to_string(list.size()) + " elements");
  }
  const bool has_lists = axis + 1 < shape_.rank();
  for (const Nested& element : list) {
    if (element.is_list_ != has_lists) {
      throw ValueError("A StringTensor has strings, or lists of the same depth, on each level. Received: both.");
    }
    if (has_lists) {
      append(element.list_, axis + 1);
    } else {
      elements_.push_back(element.element_);
    }
  }
}

const std::string& StringTensor::item() const {
  if (elements_.size() != 1) {
    throw ValueError("Only a StringTensor of one string can be converted to one. Received: shape=" +
                     shape_.to_string());
  }
  return elements_.front();
}

StringTensor StringTensor::reshape(const Shape& shape) const {
  Shape result = shape;
  std::int64_t known = 1;
  int unknown = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] >= 0) {
      known *= shape[axis];
    } else if (unknown < 0) {
      unknown = axis;
    } else {
      throw ValueError("Only one length of a shape can be -1. Received: " + shape.to_string());
    }
  }
  if (unknown >= 0 && known > 0) result = result.with(unknown, size() / known);
  return {result, elements_};
}

StringTensor StringTensor::slice(std::int64_t begin, std::int64_t end) const {
  if (rank() == 0) throw ValueError("A StringTensor of one string, of shape (), cannot be sliced.");
  if (begin < 0 || begin > end || end > shape_[0]) {
    throw ValueError("The part from " + std::to_string(begin) + " to " + std::to_string(end) +
                     " is out of the range of a StringTensor of shape " + shape_.to_string() + ".");
  }
  const std::int64_t length = shape_.slice(1, rank()).size();
  return {shape_.with(0, end - begin),
          std::vector<std::string>(elements_.begin() + begin * length, elements_.begin() + end * length)};
}

}  // namespace rhyton

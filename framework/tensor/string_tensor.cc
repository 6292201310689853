#include <rhyton/framework/tensor/string_tensor.h>

#include <cstddef>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>

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

/// An element as Python prints bytes: b'a'.
std::string bytes_text(const std::string& element) {
  const char quote = element.find('\'') != std::string::npos && element.find('"') == std::string::npos ? '"' : '\'';
  std::string text = std::string("b") + quote;
  for (const char character : element) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(character);
    if (character == quote || character == '\\') {
      text += std::string("\\") + character;
    } else if (character == '\n') {
      text += "\\n";
    } else if (character == '\r') {
      text += "\\r";
    } else if (character == '\t') {
      text += "\\t";
    } else if (byte < 0x20 || byte >= 0x7f) {
      text += std::string("\\x") + digits[byte >> 4U] + digits[byte & 0xfU];
    } else {
      text += character;
    }
  }
  return text + quote;
}

/// The elements in brackets as NumPy prints an array; of a long one the first and last three along each axis.
class ElementsText {
 public:
  explicit ElementsText(const StringTensor& strings) : strings_(strings), is_long_(strings.size() > 1000) {}

  std::string of(int axis, std::int64_t first) const {
    if (axis == strings_.rank()) return bytes_text(strings_.elements()[static_cast<std::size_t>(first)]);
    constexpr std::int64_t edge = 3;
    const std::int64_t length = strings_.shape()[axis];
    const std::int64_t step = strings_.shape().slice(axis + 1, strings_.rank()).size();
    const bool is_last = axis + 1 == strings_.rank();
    const std::string between = is_last ? " "
                                        : std::string(static_cast<std::size_t>(strings_.rank() - axis - 1), '\n') +
                                              std::string(static_cast<std::size_t>(axis + 1), ' ');
    std::string text = "[";
    for (std::int64_t i = 0; i < length; ++i) {
      if (i > 0) text += between;
      if (is_long_ && length > 2 * edge && i == edge) {
        text += "..." + between;
        i = length - edge;
      }
      text += of(axis + 1, first + i * step);
    }
    return text + "]";
  }

 private:
  const StringTensor& strings_;
  bool is_long_;
};

std::string elements_text(const StringTensor& strings) { return ElementsText(strings).of(0, 0); }

}  // namespace

StringTensor::StringTensor(std::initializer_list<Nested> list) {
  const std::vector<Nested> elements(list);
  const std::vector<Nested>* level = &elements;
  shape_.push_back(static_cast<std::int64_t>(level->size()));
  while (!level->empty() && level->front().is_list_) {
    level = &level->front().list_;
    shape_.push_back(static_cast<std::int64_t>(level->size()));
  }
  std::vector<std::string> joined;
  append(elements, shape_, 0, joined);
  elements_ = std::make_shared<const std::vector<std::string>>(std::move(joined));
}

StringTensor::StringTensor(std::vector<std::string> elements)
    : shape_({static_cast<std::int64_t>(elements.size())}),
      elements_(std::make_shared<const std::vector<std::string>>(std::move(elements))) {}

StringTensor::StringTensor(const std::vector<std::vector<std::string>>& rows)
    : StringTensor(
          {static_cast<std::int64_t>(rows.size()), rows.empty() ? 0 : static_cast<std::int64_t>(rows.front().size())},
          joined(rows)) {}

StringTensor::StringTensor(const Shape& shape, std::vector<std::string> elements)
    : shape_(shape), elements_(std::make_shared<const std::vector<std::string>>(std::move(elements))) {
  if (!shape_.is_fully_known() || shape_.size() != size()) {
    throw ValueError("A StringTensor of shape " + shape_.to_string() + " cannot have " + std::to_string(size()) +
                     " strings.");
  }
}

void StringTensor::append(const std::vector<Nested>& list, const Shape& shape, int axis,
                          std::vector<std::string>& elements) {
  if (static_cast<std::int64_t>(list.size()) != shape[axis]) {
    throw ValueError("Lists of a StringTensor must have the same length on each level. Received: lists of " +
                     std::to_string(shape[axis]) + " and " + std::to_string(list.size()) + " elements");
  }
  const bool has_lists = axis + 1 < shape.rank();
  for (const Nested& element : list) {
    if (element.is_list_ != has_lists) {
      throw ValueError("A StringTensor has strings, or lists of the same depth, on each level. Received: both.");
    }
    if (has_lists) {
      append(element.list_, shape, axis + 1, elements);
    } else {
      elements.push_back(element.element_);
    }
  }
}

const std::string& StringTensor::item() const {
  if (elements().size() != 1) {
    throw ValueError("Only a StringTensor of one string can be converted to one. Received: shape=" +
                     shape_.to_string());
  }
  return elements().front();
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
  if (!result.is_fully_known() || result.size() != size()) {
    throw ValueError("A StringTensor of shape " + shape_.to_string() + " cannot be reshaped to " + shape.to_string() +
                     ".");
  }
  StringTensor reshaped = *this;
  reshaped.shape_ = result;
  return reshaped;
}

StringTensor StringTensor::slice(std::int64_t begin, std::int64_t end) const {
  if (rank() == 0) throw ValueError("A StringTensor of one string, of shape (), cannot be sliced.");
  if (begin < 0 || begin > end || end > shape_[0]) {
    throw ValueError("The part from " + std::to_string(begin) + " to " + std::to_string(end) +
                     " is out of the range of a StringTensor of shape " + shape_.to_string() + ".");
  }
  const std::int64_t length = shape_.slice(1, rank()).size();
  return {shape_.with(0, end - begin),
          std::vector<std::string>(elements().begin() + begin * length, elements().begin() + end * length)};
}

StringTensor StringTensor::gather(std::span<const std::int64_t> indices) const {
  if (rank() == 0) throw ValueError("A StringTensor of one string, of shape (), has no parts.");
  const std::int64_t length = shape_.slice(1, rank()).size();
  std::vector<std::string> gathered;
  gathered.reserve(indices.size() * static_cast<std::size_t>(length));
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= shape_[0]) {
      throw ValueError("The index " + std::to_string(index) + " is out of the range of a StringTensor of shape " +
                       shape_.to_string() + ".");
    }
    const auto first = elements().begin() + index * length;
    gathered.insert(gathered.end(), first, first + length);
  }
  return {shape_.with(0, static_cast<std::int64_t>(indices.size())), std::move(gathered)};
}

StringTensor::operator Tensor() const {
  return Tensor::traced({shape_, string_dtype}, std::make_shared<const StringElements>(*this), -1);
}

const StringTensor* StringTensor::find(const Tensor& tensor) {
  if (tensor.is_empty() || tensor.dtype() != string_dtype) return nullptr;
  const auto* const elements = dynamic_cast<const StringElements*>(tensor.trace_origin().get());
  return elements == nullptr ? nullptr : &elements->strings();
}

const StringTensor& StringTensor::of(const Tensor& tensor) {
  if (const StringTensor* const strings = find(tensor)) return *strings;
  if (tensor.is_empty()) throw TypeError("Expected a tensor of strings. Received: an empty tensor");
  throw TypeError("Expected a tensor of strings with values. Received: " +
                  std::string(tensor.dtype() == string_dtype ? "a tensor that is traced" : "a tensor of numbers") +
                  ", shape=" + tensor.shape().to_string() + ", dtype=" + std::string(name_of(tensor.dtype())));
}

std::string StringTensor::to_string() const {
  std::string text = elements_text(*this);
  if (text.find('\n') != std::string::npos) text.insert(0, "\n");
  return "tf.Tensor(" + text + ", shape=" + shape_.to_string() + ", dtype=string)";
}

StringTensor StringTensor::stack(const std::vector<StringTensor>& parts) {
  if (parts.empty()) throw ValueError("Strings are stacked from at least one part.");
  std::vector<std::string> elements;
  for (const StringTensor& part : parts) {
    if (part.shape() != parts.front().shape()) {
      throw ValueError("Stacked strings must have one shape. Received: " + parts.front().shape().to_string() + " and " +
                       part.shape().to_string());
    }
    elements.insert(elements.end(), part.elements().begin(), part.elements().end());
  }
  return {Shape({static_cast<std::int64_t>(parts.size())}).concatenate(parts.front().shape()), std::move(elements)};
}

StringTensor StringTensor::concatenate(const std::vector<StringTensor>& parts) {
  if (parts.empty()) throw ValueError("Strings are concatenated from at least one part.");
  std::vector<std::string> elements;
  std::int64_t length = 0;
  for (const StringTensor& part : parts) {
    if (part.rank() == 0 || part.rank() != parts.front().rank() ||
        part.shape().slice(1, part.rank()) != parts.front().shape().slice(1, part.rank())) {
      throw ValueError("Concatenated strings must have one shape but for the first axis. Received: " +
                       parts.front().shape().to_string() + " and " + part.shape().to_string());
    }
    length += part.shape()[0];
    elements.insert(elements.end(), part.elements().begin(), part.elements().end());
  }
  return {parts.front().shape().with(0, length), std::move(elements)};
}

}  // namespace rhyton

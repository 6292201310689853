#include <rhyton/framework/tensor/printing.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/tensor/number_format.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {
namespace {

constexpr std::int64_t summarize_above = 1000;
constexpr std::int64_t edge_items = 3;
constexpr std::size_t line_width = 75;

using ElementText = std::function<std::string(std::int64_t offset)>;

/// The positions along an axis that are printed; -1 represents "...".
std::vector<std::int64_t> shown_positions(std::int64_t length, bool summarize) {
  std::vector<std::int64_t> positions;
  const bool leaves_out = summarize && length > 2 * edge_items;
  for (std::int64_t i = 0; i < length; ++i) {
    if (leaves_out && i == edge_items) {
      positions.push_back(-1);
      i = length - edge_items;
    }
    positions.push_back(i);
  }
  return positions;
}

void collect_offsets(const Shape& shape, bool summarize, int axis, std::int64_t offset,
                     std::vector<std::int64_t>& offsets) {
  if (axis == shape.rank()) {
    offsets.push_back(offset);
    return;
  }
  for (const std::int64_t position : shown_positions(shape[axis], summarize)) {
    if (position >= 0) collect_offsets(shape, summarize, axis + 1, offset * shape[axis] + position, offsets);
  }
}

template <class T>
ElementText float_text(const T* elements, const std::vector<std::int64_t>& offsets, bool is_scalar) {
  const auto value_at = [elements](std::int64_t offset) {
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<double>(elements[offset]);
    } else {
      return static_cast<double>(static_cast<float>(elements[offset]));
    }
  };
  if constexpr (std::is_same_v<T, BFloat16>) {
    return [value_at](std::int64_t offset) { return bfloat16_to_string(value_at(offset)); };
  } else {
    if (is_scalar) return [value_at](std::int64_t offset) { return scalar_to_string(value_at(offset), dtype_of<T>); };
    std::vector<double> values(offsets.size());
    std::transform(offsets.begin(), offsets.end(), values.begin(), value_at);
    return
        [value_at, format = FloatFormat(values, dtype_of<T>)](std::int64_t offset) { return format(value_at(offset)); };
  }
}

template <class T>
ElementText integer_text(const T* elements, const std::vector<std::int64_t>& offsets) {
  std::size_t width = 0;
  for (const std::int64_t offset : offsets) width = std::max(width, std::to_string(elements[offset]).size());
  return [elements, width](std::int64_t offset) {
    const std::string text = std::to_string(elements[offset]);
    return std::string(width - text.size(), ' ') + text;
  };
}

ElementText bool_text(const bool* elements, bool is_scalar) {
  return [elements, is_scalar](std::int64_t offset) -> std::string {
    if (!elements[offset]) return "False";
    return is_scalar ? "True" : " True";
  };
}

ElementText element_text(const void* data, DType dtype, const std::vector<std::int64_t>& offsets, bool is_scalar) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) -> ElementText {
    const T* elements = static_cast<const T*>(data);
    if constexpr (std::is_same_v<T, bool>) {
      return bool_text(elements, is_scalar);
    } else if constexpr (std::is_integral_v<T>) {
      return integer_text(elements, offsets);
    } else {
      return float_text(elements, offsets, is_scalar);
    }
  });
}

/// numpy's layout: a row's elements are wrapped at 75 columns, rows are below each other, blocks are separated by empty
/// lines.
class ArrayWriter {
 public:
  ArrayWriter(const Shape& shape, bool summarize, ElementText text)
      : shape_(shape), summarize_(summarize), text_(std::move(text)) {}

  std::string write() const { return block(0, 0, " ", line_width); }

 private:
  std::string block(int axis, std::int64_t offset, const std::string& indent, std::size_t width) const {
    if (axis == shape_.rank()) return text_(offset);
    const std::vector<std::int64_t> positions = shown_positions(shape_[axis], summarize_);
    const bool is_row = axis == shape_.rank() - 1;
    std::string written = is_row ? row(positions, offset * shape_[axis], indent, width)
                                 : rows(positions, axis, offset * shape_[axis], indent, width);
    return "[" + written.substr(indent.size()) + "]";
  }

  std::string row(const std::vector<std::int64_t>& positions, std::int64_t offset, const std::string& indent,
                  std::size_t width) const {
    // One column is reserved for the bracket or the blank after a word.
    const std::size_t word_end = width - 1;
    std::string done;
    std::string line = indent;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i > 0) line += ' ';
      const std::string word = positions[i] < 0 ? "..." : text_(offset + positions[i]);
      if (line.size() + word.size() > word_end && line.size() > indent.size()) {
        line.resize(line.find_last_not_of(' ') + 1);
        done += line + "\n";
        line = indent;
      }
      line += word;
    }
    return done + line;
  }

  std::string rows(const std::vector<std::int64_t>& positions, int axis, std::int64_t offset, const std::string& indent,
                   std::size_t width) const {
    const std::string separator(static_cast<std::size_t>(shape_.rank() - axis - 1), '\n');
    std::string written;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i > 0) written += separator;
      written += indent;
      written += positions[i] < 0 ? "..." : block(axis + 1, offset + positions[i], indent + ' ', width - 1);
    }
    return written;
  }

  Shape shape_;
  bool summarize_;
  ElementText text_;
};

}  // namespace

std::string elements_to_string(const Tensor& tensor) {
  const void* data = tensor.device_data();
  if (tensor.size() == 0) return "[]";
  std::vector<std::byte> host_copy;
  if (!tensor.device().is_host()) {
    host_copy.resize(tensor.spec().bytes());
    tensor.device().stream().copy_to_host(host_copy.data(), data, host_copy.size());
    data = host_copy.data();
  }
  const bool summarize = tensor.size() > summarize_above;
  std::vector<std::int64_t> offsets;
  collect_offsets(tensor.shape(), summarize, 0, 0, offsets);
  return ArrayWriter(tensor.shape(), summarize, element_text(data, tensor.dtype(), offsets, tensor.rank() == 0))
      .write();
}

std::string Tensor::to_string() const {
  if (is_empty()) return "tf.Tensor(<empty>)";
  if (const StringTensor* const strings = StringTensor::find(*this)) return strings->to_string();
  std::string text = is_traced() ? std::string("<traced>") : elements_to_string(*this);
  if (text.find('\n') != std::string::npos) text.insert(0, "\n");
  return "tf.Tensor(" + text + ", shape=" + shape().to_string() + ", dtype=" + std::string(name_of(dtype())) + ")";
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) { return stream << tensor.to_string(); }

std::ostream& operator<<(std::ostream& stream, const Shape& shape) { return stream << shape.to_string(); }

std::ostream& operator<<(std::ostream& stream, DType dtype) { return stream << name_of(dtype); }

}  // namespace rhyton

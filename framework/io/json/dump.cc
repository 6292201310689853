#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::io {
namespace {

std::string zeros(int count) { return std::string(static_cast<std::size_t>(count), '0'); }

/// Python's `repr` of a float: the shortest digits that read back as the same double; with exponent below 1e-4 and
/// from 1e16 on.
std::string python_float(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  std::array<char, 32> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const bool negative = text.front() == '-';
  const std::size_t exponent_mark = text.find('e');
  const std::string_view mantissa = text.substr(negative ? 1 : 0, exponent_mark - (negative ? 1 : 0));
  const bool exponent_is_negative = text[exponent_mark + 1] == '-';
  int exponent = 0;
  std::from_chars(text.data() + exponent_mark + 2, text.data() + text.size(), exponent);
  if (exponent_is_negative) {
    exponent = -exponent;
  }

  std::string digits;
  for (const char character : mantissa) {
    if (character != '.') {
      digits += character;
    }
  }
  std::string result = negative ? "-" : "";
  const int digit_count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    result += digits.front();
    if (digit_count > 1) {
      result += '.' + digits.substr(1);
    }
    return result + fmt::format("e{}{:02d}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) {
    return result + "0." + zeros(-exponent - 1) + digits;
  }
  if (digit_count <= exponent + 1) {
    return result + digits + zeros(exponent + 1 - digit_count) + ".0";
  }
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  return result + digits.substr(0, whole) + '.' + digits.substr(whole);
}

/// The code point at `position`, which is advanced past it. Throws ValueError where the text is not UTF-8.
char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto byte = [&](std::size_t index) -> unsigned {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
  };
  const unsigned first = byte(position);
  const std::size_t length = first < 0x80         ? 1
                             : (first >> 5) == 6  ? 2
                             : (first >> 4) == 14 ? 3
                             : (first >> 3) == 30 ? 4
                                                  : 0;
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::array<unsigned, 5> first_mask = {0, 0x7f, 0x1f, 0x0f, 0x07};
  bool valid = length > 0;
  char32_t code_point = length > 0 ? first & first_mask[length] : 0;
  for (std::size_t index = 1; index < length; ++index) {
    valid = valid && (byte(position + index) >> 6) == 2;
    code_point = code_point << 6 | (byte(position + index) & 0x3fU);
  }
  valid = valid && (length < 2 || code_point >= smallest[length]) && code_point <= 0x10ffff &&
          (code_point < 0xd800 || code_point > 0xdfff);
  if (!valid) {
    throw ValueError(
        fmt::format("a string to be written as JSON is not UTF-8: byte 0x{:02x} at position {}", first, position));
  }
  position += length;
  return code_point;
}

class Writer {
 public:
  /// A negative indent keeps everything on one line.
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& value) {
    switch (value.type()) {
      case Json::Type::null:
        text_ += "null";
        break;
      case Json::Type::boolean:
        text_ += value.as_bool() ? "true" : "false";
        break;
      case Json::Type::integer:
        text_ += std::to_string(value.as_int());
        break;
      case Json::Type::floating:
        text_ += python_float(value.as_double());
        break;
      case Json::Type::string:
        write_string(value.as_string());
        break;
      case Json::Type::array:
        write_list('[', ']', value, [&](const Json& element) { write(element); });
        break;
      case Json::Type::object:
        write_list('{', '}', value.items(), [&](const Json::Member& member) {
          write_string(member.key);
          text_ += ": ";
          write(member.value);
        });
        break;
    }
  }

  std::string take() { return std::move(text_); }

 private:
  template <class List, class WriteOne>
  void write_list(char open, char close, const List& list, WriteOne write_one) {
    text_ += open;
    if (list.size() > 0) {  // NOLINT(readability-container-size-empty): for both kinds of list
      ++depth_;
      bool first = true;
      for (const auto& entry : list) {
        if (!first) {
          text_ += indent_ < 0 ? ", " : ",";
        }
        first = false;
        break_line();
        write_one(entry);
      }
      --depth_;
      break_line();
    }
    text_ += close;
  }

  void break_line() {
    if (indent_ >= 0) {
      text_ += '\n';
      text_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
    }
  }

  void write_string(std::string_view value) {
    text_ += '"';
    for (std::size_t position = 0; position < value.size();) {
      const char32_t code_point = next_code_point(value, position);
      switch (code_point) {
        case '"':
          text_ += "\\\"";
          break;
        case '\\':
          text_ += "\\\\";
          break;
        case '\n':
          text_ += "\\n";
          break;
        case '\r':
          text_ += "\\r";
          break;
        case '\t':
          text_ += "\\t";
          break;
        case '\b':
          text_ += "\\b";
          break;
        case '\f':
          text_ += "\\f";
          break;
        default:
          write_code_point(code_point);
      }
    }
    text_ += '"';
  }

  void write_code_point(char32_t code_point) {
    if (code_point >= 0x20 && code_point < 0x7f) {
      text_ += static_cast<char>(code_point);
    } else if (code_point < 0x10000) {
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(code_point));
    } else {
      const auto offset = static_cast<unsigned>(code_point) - 0x10000U;
      text_ += fmt::format("\\u{:04x}\\u{:04x}", 0xd800U + (offset >> 10), 0xdc00U + (offset & 0x3ffU));
    }
  }

  int indent_;
  int depth_ = 0;
  std::string text_;
};

}  // namespace

std::string Json::dump() const { return dump(-1); }

std::string Json::dump(int indent) const {
  Writer writer(indent);
  writer.write(*this);
  return writer.take();
}

}  // namespace rhyton::io

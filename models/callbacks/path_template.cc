#include <rhyton/models/callbacks/path_template.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/regular_expression.h>

namespace rhyton::callbacks {
namespace {

/// The maximum length of a file name.
constexpr int longest = 255;

/// `[[fill]align][sign][#][0][width][.precision][type]`
struct Format {
  char fill = ' ';
  /// '<', '>', '^', or '=': the fill is between sign and digits.
  char align = '>';
  char sign = '-';
  bool is_alternate = false;
  int width = 0;
  std::optional<int> precision = std::nullopt;
  /// 0: none.
  char type = 0;
};

int number(const std::string& digits) {
  constexpr std::size_t max_digits = 9;
  const int value = digits.size() > max_digits ? longest + 1 : std::stoi(digits);
  if (value > longest) throw ValueError("Too many decimal digits in format string");
  return value;
}

[[noreturn]] void throw_invalid(const std::string& text, const std::string& type_name) {
  throw ValueError("Invalid format specifier '" + text + "' for object of type '" + type_name + "'");
}

Format parsed(const std::string& text, const std::string& type_name) {
  if (text.size() > longest) throw_invalid(text, type_name);  // the matcher recurses
  static const RegularExpression grammar("(?:([^])?([<>=^]))?([-+ ])?(#)?(0)?([0-9]+)?([,_])?([.]([0-9]*))?([^]*)");
  const std::vector<std::optional<std::string>> part = grammar.groups(text);
  enum Part { whole, fill, align, sign, alternate, zero, width, separator, point, precision, type };
  const auto first = [&](Part which, char otherwise) {
    return part[which].value_or("").empty() ? otherwise : part[which]->front();
  };
  const bool pads_with_zeros = part[zero].has_value();
  Format format{.fill = first(fill, pads_with_zeros ? '0' : ' '),
                .align = first(align, pads_with_zeros ? '=' : '>'),
                .sign = first(sign, '-'),
                .is_alternate = part[alternate].has_value(),
                .width = part[width] ? number(*part[width]) : 0,
                .type = first(type, 0)};
  if (part[separator]) throw ValueError("Separators of thousands are not supported in '" + text + "'");
  if (part[point]) {
    if (part[precision]->empty()) throw ValueError("Format specifier missing precision");
    format.precision = number(*part[precision]);
  }
  if (part[type]->size() > 1) throw_invalid(text, type_name);
  return format;
}

[[noreturn]] void throw_unknown_type(char type, const std::string& type_name) {
  throw ValueError(std::string("Unknown format code '") + type + "' for object of type '" + type_name + "'");
}

/// `sign` may end with a prefix ("-0x").
std::string padded(const std::string& sign, const std::string& digits, const Format& format) {
  const std::size_t length = sign.size() + digits.size();
  const auto width = static_cast<std::size_t>(format.width);
  const std::size_t missing = width > length ? width - length : 0;
  const auto filling = [&](std::size_t count) { return std::string(count, format.fill); };
  switch (format.align) {
    case '<':
      return sign + digits + filling(missing);
    case '^':
      return filling(missing / 2) + sign + digits + filling(missing - missing / 2);
    case '=':
      return sign + filling(missing) + digits;
    default:
      return filling(missing) + sign + digits;
  }
}

std::string sign_of(bool is_negative, const Format& format) {
  return is_negative ? "-" : format.sign == '-' ? "" : std::string(1, format.sign);
}

std::string printed(char type, int precision, double value) {
  return fmt::format(fmt::runtime(std::string("{:.{}") + type + "}"), value, precision);
}

/// Without a type and with a precision: like 'g', but a number without exponent has a digit after the point.
std::string general(int precision, double value) {
  precision = std::max(precision, 1);
  const std::string scientific = printed('e', precision - 1, value);
  const std::size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  if (exponent + 1 == precision && exponent >= -4) {
    // 'g' would print no exponent here, and with the digit after the point there would be too many digits.
    std::string mantissa = scientific.substr(0, e);
    if (mantissa.find('.') != std::string::npos) {
      mantissa.erase(mantissa.find_last_not_of('0') + 1);
      if (mantissa.back() == '.') mantissa.pop_back();
    }
    return mantissa + scientific.substr(e);
  }
  std::string text = printed('g', precision, value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string formatted_real(double value, const Format& format, const std::string& type_name) {
  if (format.type != 0 && std::string_view("eEfFgGn%").find(format.type) == std::string_view::npos) {
    throw_unknown_type(format.type, type_name);
  }
  if (format.is_alternate) throw ValueError("The form '#' is supported for whole numbers only");
  const bool is_negative = std::signbit(value) && !std::isnan(value);
  const double size = std::abs(value);
  const int precision = format.precision.value_or(6);
  std::string digits;
  if (format.type == '%') {
    digits = printed('f', precision, size * 100) + '%';
  } else if (format.type != 0) {
    digits = printed(format.type == 'n' ? 'g' : format.type, precision, size);
  } else if (!std::isfinite(value)) {
    digits = std::isnan(value) ? "nan" : "inf";
  } else {
    digits = format.precision ? general(precision, size) : io::Json(size).dump();
  }
  return padded(sign_of(is_negative, format), digits, format);
}

std::string formatted(double value, const std::string& specification) {
  return formatted_real(value, parsed(specification, "float"), "float");
}

std::string formatted(std::int64_t value, const std::string& specification) {
  const Format format = parsed(specification, "int");
  if (format.type != 0 && std::string_view("eEfFgG%").find(format.type) != std::string_view::npos) {
    return formatted_real(static_cast<double>(value), format, "int");
  }
  if (format.type != 0 && std::string_view("bdnoxX").find(format.type) == std::string_view::npos) {
    throw_unknown_type(format.type, "int");
  }
  if (format.precision) throw ValueError("Precision not allowed in integer format specifier");

  const std::uint64_t size =
      value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const bool is_decimal = format.type == 0 || format.type == 'd' || format.type == 'n';
  const char type = is_decimal ? 'd' : format.type;
  const std::string prefix = format.is_alternate && !is_decimal ? std::string("0") + type : "";
  return padded(sign_of(value < 0, format) + prefix, fmt::format(fmt::runtime(std::string("{:") + type + "}"), size),
                format);
}

/// The replacement of `field`, the text between two braces.
std::string replaced(std::string_view field, const std::vector<PathField>& fields) {
  const std::size_t colon = field.find(':');
  const std::string name(field.substr(0, colon));
  const std::string specification(colon == std::string_view::npos ? "" : field.substr(colon + 1));
  if (name.find_first_of("!.[") != std::string::npos) {
    throw ValueError("Conversions, attributes and indices are not supported: '{" + std::string(field) + "}'");
  }
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    throw ValueError("Replacement index " + (name.empty() ? "0" : name) +
                     " out of range for positional args tuple: a name is needed in '{" + std::string(field) + "}'");
  }
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const PathField& known) { return known.name == name; });
  if (found == fields.end()) throw NotFoundError("'" + name + "'");
  return std::visit([&](auto value) { return formatted(value, specification); }, found->value);
}

}  // namespace

std::string format_path(std::string_view path, const std::vector<PathField>& fields) {
  std::string result;
  for (std::size_t at = 0; at < path.size();) {
    const char c = path[at++];
    if (c != '{' && c != '}') {
      result += c;
    } else if (at < path.size() && path[at] == c) {
      result += c;
      ++at;
    } else if (c == '}') {
      throw ValueError("Single '}' encountered in format string");
    } else if (at == path.size()) {
      throw ValueError("Single '{' encountered in format string");
    } else {
      const std::size_t end = path.find_first_of("{}", at);
      if (end == std::string_view::npos) throw ValueError("expected '}' before end of string");
      if (path[end] == '{') throw ValueError("unexpected '{' in field name");
      result += replaced(path.substr(at, end - at), fields);
      at = end + 1;
    }
  }
  return result;
}

}  // namespace rhyton::callbacks

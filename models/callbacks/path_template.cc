#include <rhyton/models/callbacks/path_template.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json.h>

namespace rhyton::callbacks {
namespace {

/// No name of a file is longer.
constexpr int longest = 255;

/// `[[fill]align][sign][#][0][width][.precision][type]`
struct Format {
  char fill = ' ';
  /// '<', '>', '^', or '=': the filling stands between sign and digits.
  char align = '>';
  char sign = '-';
  bool is_alternate = false;
  int width = 0;
  /// -1: none.
  int precision = -1;
  /// 0: none.
  char type = 0;
};

class FormatParser {
 public:
  FormatParser(std::string_view text, const char* type_name) : text_(text), rest_(text), type_name_(type_name) {}

  Format parse() {
    Format format;
    bool has_align = true;
    bool has_fill = false;
    if (rest_.size() > 1 && is_align(rest_[1])) {
      format.fill = take();
      format.align = take();
      has_fill = true;
    } else if (!rest_.empty() && is_align(rest_[0])) {
      format.align = take();
    } else {
      has_align = false;
    }
    if (starts_with('+') || starts_with('-') || starts_with(' ')) format.sign = take();
    if (starts_with('#')) {
      take();
      format.is_alternate = true;
    }
    if (starts_with('0')) {
      take();
      if (!has_fill) format.fill = '0';
      if (!has_align) format.align = '=';
    }
    format.width = number().value_or(0);
    if (starts_with(',') || starts_with('_')) {
      throw ValueError("Separators of thousands are not supported in '" + std::string(text_) + "'");
    }
    if (starts_with('.')) {
      take();
      const std::optional<int> precision = number();
      if (!precision) throw ValueError("Format specifier missing precision");
      format.precision = *precision;
    }
    if (rest_.size() > 1) {
      throw ValueError("Invalid format specifier '" + std::string(text_) + "' for object of type '" + type_name_ + "'");
    }
    if (!rest_.empty()) format.type = take();
    return format;
  }

 private:
  static bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }
  bool starts_with(char c) const { return !rest_.empty() && rest_[0] == c; }
  char take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }
  std::optional<int> number() {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (end == rest_.data() || rest_[0] == '-') return std::nullopt;
    if (error != std::errc() || value > longest) throw ValueError("Too many decimal digits in format string");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view text_;
  std::string_view rest_;
  const char* type_name_;
};

/// A number without its sign: what stands before the digits ("0x"), and the digits.
struct Digits {
  bool is_negative = false;
  std::string prefix = {};
  std::string text = {};
};

std::string padded(const Digits& digits, const Format& format) {
  std::string sign = digits.is_negative ? "-" : format.sign == '-' ? "" : std::string(1, format.sign);
  sign += digits.prefix;
  const std::size_t length = sign.size() + digits.text.size();
  const auto width = static_cast<std::size_t>(format.width);
  const std::size_t missing = width > length ? width - length : 0;
  const auto filling = [&](std::size_t count) { return std::string(count, format.fill); };
  switch (format.align) {
    case '<':
      return sign + digits.text + filling(missing);
    case '^':
      return filling(missing / 2) + sign + digits.text + filling(missing - missing / 2);
    case '=':
      return sign + filling(missing) + digits.text;
    default:
      return filling(missing) + sign + digits.text;
  }
}

std::string printed(char type, int precision, double value) {
  switch (type) {
    case 'e':
      return fmt::format("{:.{}e}", value, precision);
    case 'f':
      return fmt::format("{:.{}f}", value, precision);
    default:
      return fmt::format("{:.{}g}", value, precision);
  }
}

/// Without a type and with a precision: as 'g', but a number without exponent has a digit behind the point.
std::string general(int precision, double value) {
  precision = std::max(precision, 1);
  const std::string scientific = printed('e', precision - 1, value);
  const std::size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  if (exponent + 1 == precision && exponent >= -4) {
    // One more than 'g' allows itself: 10 digits and a zero would be more than the precision.
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

Digits digits_of(double value, Format& format, const char* type_name) {
  Digits digits{.is_negative = std::signbit(value) && !std::isnan(value)};
  const double size = std::abs(value);
  const char type = format.type;
  const auto lower = static_cast<char>(type >= 'A' && type <= 'Z' ? type - 'A' + 'a' : type);
  const bool is_upper = lower != type;
  if (lower != 0 && (std::string_view("efgn%").find(lower) == std::string_view::npos || type == 'N')) {
    throw ValueError(std::string("Unknown format code '") + type + "' for object of type '" + type_name + "'");
  }
  if (format.is_alternate) throw ValueError("The form '#' is supported for whole numbers only");
  if (!std::isfinite(value)) {
    digits.text = std::isnan(value) ? "nan" : "inf";
  } else if (type == 0) {
    digits.text = format.precision < 0 ? io::Json(size).dump() : general(format.precision, size);
  } else {
    const char form = type == '%' ? 'f' : lower == 'n' ? 'g' : lower;
    const int precision = format.precision < 0 ? 6 : format.precision;
    digits.text = printed(form, precision, type == '%' ? size * 100 : size);
  }
  if (is_upper) {
    for (char& c : digits.text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  if (type == '%') digits.text += '%';
  return digits;
}

std::string formatted(double value, std::string_view specification) {
  Format format = FormatParser(specification, "float").parse();
  return padded(digits_of(value, format, "float"), format);
}

std::string formatted(std::int64_t value, std::string_view specification) {
  Format format = FormatParser(specification, "int").parse();
  constexpr std::string_view real_types = "eEfFgG%";
  if (format.type != 0 && real_types.find(format.type) != std::string_view::npos) {
    return padded(digits_of(static_cast<double>(value), format, "int"), format);
  }
  constexpr std::string_view types = "bdnoxX";
  if (format.type != 0 && types.find(format.type) == std::string_view::npos) {
    throw ValueError(std::string("Unknown format code '") + format.type + "' for object of type 'int'");
  }
  if (format.precision >= 0) throw ValueError("Precision not allowed in integer format specifier");

  const int base = format.type == 'b' ? 2 : format.type == 'o' ? 8 : format.type == 'x' || format.type == 'X' ? 16 : 10;
  const std::uint64_t size =
      value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), size, base).ptr;
  Digits digits{.is_negative = value < 0, .text = {text.data(), end}};
  if (format.type == 'X') {
    for (char& c : digits.text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  if (format.is_alternate && base != 10) digits.prefix = std::string("0") + format.type;
  return padded(digits, format);
}

/// The text between two braces.
std::string replaced(std::string_view field, const std::vector<PathField>& fields) {
  const std::size_t colon = field.find(':');
  const std::string name(field.substr(0, colon));
  const std::string_view specification = colon == std::string_view::npos ? "" : field.substr(colon + 1);
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

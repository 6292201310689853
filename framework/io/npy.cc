#include <rhyton/framework/io/npy.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/stored_elements.h>
#include <rhyton/framework/io/zip/zip.h>

namespace rhyton::io {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t version_end = 8;
/// NumPy itself refuses headers above 10000 bytes.
constexpr std::size_t longest_header = 65536;
constexpr std::string_view npy_ending = ".npy";

/// Parses the header's text, a Python dictionary such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  NpyHeader parse() {
    std::optional<std::string> descr;
    std::optional<bool> first_index_fastest;
    std::optional<Shape> shape;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        descr = description();
      } else if (key == "fortran_order") {
        first_index_fastest = boolean();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        fail(fmt::format("unknown key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) {
      fail("text after the closing brace");
    }
    if (!descr || !first_index_fastest || !shape) {
      fail("'descr', 'fortran_order' or 'shape' is missing");
    }
    return {.descr = *descr, .fortran_order = *first_index_fastest, .shape = *shape, .end = 0};
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw IOError(fmt::format("\"{}\" has a damaged .npy header: {}", name_, what));
  }

  void skip_spaces() {
    const std::size_t start = rest_.find_first_not_of(" \t\r\n");
    rest_ = start == std::string_view::npos ? std::string_view() : rest_.substr(start);
  }

  bool accept(char wanted) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != wanted) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) {
      fail(fmt::format("expected '{}', found \"{}\"", wanted, rest_.substr(0, 20)));
    }
  }

  std::string_view quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      fail(fmt::format("expected a quoted text, found \"{}\"", rest_.substr(0, 20)));
    }
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) {
      fail("a quoted text does not end");
    }
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    fail(fmt::format("expected True or False, found \"{}\"", rest_.substr(0, 20)));
  }

  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::int64_t length = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
      if (error != std::errc() || length < 0) {
        fail(fmt::format("expected the length of an axis, found \"{}\"", rest_.substr(0, 20)));
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 wrote such numbers
      if (shape.rank() == Shape::max_rank) {
        throw NotImplementedError(fmt::format("\"{}\" has more than {} axes", name_, Shape::max_rank));
      }
      shape.push_back(length);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string description() {
    skip_spaces();
    if (rest_.starts_with('[')) {
      throw NotImplementedError(fmt::format("\"{}\" holds structures, not plain numbers", name_));
    }
    return std::string(quoted());
  }

  std::string_view rest_;
  std::string_view name_;
};

StoredLayout layout_of(const NpyHeader& header, std::string_view name) {
  static const std::map<std::string_view, StoredType> types = {
      {"b1", StoredType::boolean}, {"i1", StoredType::int8},    {"i2", StoredType::int16},
      {"i4", StoredType::int32},   {"i8", StoredType::int64},   {"u1", StoredType::uint8},
      {"u2", StoredType::uint16},  {"u4", StoredType::uint32},  {"u8", StoredType::uint64},
      {"f2", StoredType::float16}, {"f4", StoredType::float32}, {"f8", StoredType::float64}};
  const std::string_view text = header.descr;
  const bool has_order = !text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos;
  const auto type = types.find(text.substr(has_order ? 1 : 0));
  if (type == types.end()) {
    const bool is_objects = text.find('O') != std::string_view::npos;
    throw NotImplementedError(fmt::format("\"{}\" holds elements of NumPy's type '{}'{}", name, text,
                                          is_objects ? ": pickled objects are refused" : ", which is not supported"));
  }
  return {.type = type->second,
          .byte_order = text.front() == '>' ? std::endian::big : std::endian::little,
          .first_index_fastest = header.fortran_order};
}

/// A header, and the bytes after it.
struct Parsed {
  NpyHeader header;
  std::span<const std::byte> elements;
};

std::string_view description_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::bfloat16:
      return "<f4";
    case DType::float64:
      return "<f8";
    case DType::float16:
      return "<f2";
    case DType::int32:
      return "<i4";
    case DType::int64:
      return "<i8";
    case DType::uint8:
      return "|u1";
    case DType::bool_:
      return "|b1";
    case DType::int8:
      return "|i1";
    case DType::int16:
      return "<i2";
    case DType::uint16:
      return "<u2";
    case DType::uint32:
      return "<u4";
  }
  return "";
}

std::string shape_as_tuple(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    text += fmt::format("{}{}", axis > 0 ? ", " : "", shape[axis]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::string without_ending(std::string_view member) {
  return std::string(member.ends_with(npy_ending) ? member.substr(0, member.size() - npy_ending.size()) : member);
}

NamedTensors tensors_of(ZipReader& archive, std::string_view name) {
  NamedTensors tensors;
  for (const ZipMember& member : archive.members()) {
    const std::string place = fmt::format("{}/{}", name, member.name);
    tensors.emplace_back(without_ending(member.name), parse_npy(archive.read(member.name), place));
  }
  return tensors;
}

Parsed parse(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(magic)) {
    throw IOError(fmt::format("\"{}\" is not a .npy file: expected it to begin with \\x93NUMPY", name));
  }
  const unsigned version = text.size() > magic.size() ? static_cast<unsigned char>(text[magic.size()]) : 0;
  if (version < 1 || version > 3) {
    throw IOError(fmt::format("\"{}\" is a .npy file of version {}, expected 1, 2 or 3", name, version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < version_end + length_bytes) {
    throw IOError(fmt::format("\"{}\" is cut short: it ends within its header", name));
  }
  std::size_t header_bytes = 0;
  for (std::size_t index = 0; index < length_bytes; ++index) {
    header_bytes |= std::to_integer<std::size_t>(bytes[version_end + index]) << (8 * index);
  }
  const std::size_t header_start = version_end + length_bytes;
  if (header_bytes > bytes.size() - header_start) {
    throw IOError(fmt::format("\"{}\" is cut short: expected a header of {} bytes, found {}", name, header_bytes,
                              bytes.size() - header_start));
  }
  if (header_bytes > longest_header) {
    throw IOError(
        fmt::format("\"{}\" has a .npy header of {} bytes, more than {}", name, header_bytes, longest_header));
  }
  NpyHeader header = HeaderParser(text.substr(header_start, header_bytes), name).parse();
  header.end = header_start + header_bytes;
  return {.header = header, .elements = bytes.subspan(header.end)};
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view name) {
  return parse(bytes, name).header;
}

Tensor parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  const Parsed parsed = parse(bytes, name);
  return tensor_from_stored(parsed.header.shape, layout_of(parsed.header, name), parsed.elements, name);
}

Tensor read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), path.string()); }

std::vector<std::byte> to_npy(const Tensor& tensor) {
  static_assert(std::endian::native == std::endian::little, "elements are written as they are in memory");
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   description_of(tensor.dtype()), shape_as_tuple(tensor.shape()));
  constexpr std::size_t alignment = 64;
  constexpr std::size_t before_header = version_end + 2;
  while ((before_header + header.size() + 1) % alignment != 0) {
    header += ' ';
  }
  header += '\n';
  std::string start(magic);
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  start += header;

  const auto count = static_cast<std::size_t>(tensor.size());
  const bool widened = tensor.dtype() == DType::bfloat16;
  const std::size_t data_bytes = count * (widened ? sizeof(float) : size_of(tensor.dtype()));
  std::vector<std::byte> result(start.size() + data_bytes);
  std::memcpy(result.data(), start.data(), start.size());
  std::byte* target = result.data() + start.size();
  if (widened) {
    for (const BFloat16 value : tensor.elements<BFloat16>()) {
      const auto number = static_cast<float>(value);
      std::memcpy(target, &number, sizeof(number));
      target += sizeof(number);
    }
  } else if (data_bytes > 0) {
    std::memcpy(target, tensor.raw_data(), data_bytes);
  }
  return result;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) { write_file(path, to_npy(tensor)); }

NamedTensors read_npz(const std::filesystem::path& path) {
  ZipReader archive(path);
  return tensors_of(archive, path.string());
}

NamedTensors parse_npz(std::span<const std::byte> bytes, std::string_view name) {
  ZipReader archive(bytes, name);
  return tensors_of(archive, name);
}

Tensor read_npz(const std::filesystem::path& path, std::string_view name) {
  return parse_npy(read_npz_member(path, name), path.string() + "/" + std::string(name) + std::string(npy_ending));
}

std::vector<std::byte> read_npz_member(const std::filesystem::path& path, std::string_view name) {
  ZipReader archive(path);
  const std::string member = std::string(name) + std::string(npy_ending);
  if (!archive.contains(member)) {
    std::string present;
    for (const ZipMember& other : archive.members()) {
      present += (present.empty() ? "" : ", ") + without_ending(other.name);
    }
    throw NotFoundError(fmt::format("\"{}\" has no array \"{}\", only: {}", path.string(), name, present));
  }
  return archive.read(member);
}

void write_npz(const std::filesystem::path& path, const NamedTensors& tensors) {
  ZipWriter archive(path);
  for (const auto& [name, tensor] : tensors) {
    archive.add_stored(name + std::string(npy_ending), to_npy(tensor));
  }
  archive.commit();
}

}  // namespace rhyton::io

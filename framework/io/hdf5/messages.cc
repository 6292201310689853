// The messages of object headers, checked one by one.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/inspection.h>

namespace rhyton::io::hdf5 {
namespace {

constexpr std::uint64_t largest_rank = 32;

void expect_version(std::uint64_t version, std::uint64_t first, std::uint64_t last, std::string_view what,
                    const Site& site) {
  if (version < first || version > last) {
    site.damaged(fmt::format("{} is of the unknown version {}", what, version));
  }
}

[[noreturn]] void refuse_type(const Site& site, std::string_view what) {
  throw TypeError(fmt::format("\"{}\": the elements of \"{}\" are {}, not numbers of a type known here", site.file,
                              site.path, what));
}

/// IEEE's formats and bfloat16; the library's conversion of others is not trusted.
void check_floating(Fields& fields, std::uint64_t flags, std::uint64_t size, const Site& site) {
  const std::uint64_t offset = fields.number(2);
  const std::uint64_t precision = fields.number(2);
  const std::uint64_t exponent_at = fields.number(1);
  const std::uint64_t exponent_bits = fields.number(1);
  const std::uint64_t mantissa_at = fields.number(1);
  const std::uint64_t mantissa_bits = fields.number(1);
  const std::uint64_t bias = fields.number(4);
  const std::uint64_t sign_at = flags >> 8 & 0xff;
  const bool is_vax = (flags & 0x40U) != 0;
  const bool is_normalized = (flags >> 4 & 3) == 2;
  struct Format {
    std::uint64_t size, exponent_bits;
  };
  constexpr std::array<Format, 4> formats = {{{2, 5}, {2, 8}, {4, 8}, {8, 11}}};
  for (const Format& format : formats) {
    if (size == format.size && exponent_bits == format.exponent_bits && offset == 0 && precision == 8 * size &&
        sign_at == precision - 1 && mantissa_at == 0 && exponent_at == mantissa_bits &&
        mantissa_bits + exponent_bits + 1 == precision && bias == (std::uint64_t{1} << (exponent_bits - 1)) - 1 &&
        !is_vax && is_normalized) {
      return;
    }
  }
  refuse_type(site, fmt::format("floating point numbers of {} bytes in an unknown format", size));
}

Datatype read_datatype_from(Fields& fields, const Site& site, int depth) {
  const std::uint64_t head = fields.number(4);
  const std::uint64_t version = head >> 4 & 0xf;
  const std::uint64_t kind = head & 0xf;
  const std::uint64_t flags = head >> 8;
  const std::uint64_t size = fields.number(4);
  expect_version(version, 1, 3, "a type", site);
  if (size == 0) {
    site.damaged("its type has no size");
  }
  switch (kind) {
    case 0: {
      const std::uint64_t offset = fields.number(2);
      const std::uint64_t precision = fields.number(2);
      if (size > 8 || offset != 0 || precision != size * 8) {
        refuse_type(site, fmt::format("integers of {} bits in {} bytes", precision, size));
      }
      return {Datatype::Class::integer, size};
    }
    case 1:
      check_floating(fields, flags, size, site);
      return {Datatype::Class::floating, size};
    case 3:
      if ((flags & 0xf) > 2 || (flags >> 4 & 0xf) > 1) {
        site.damaged("its texts are padded in an unknown way");
      }
      return {Datatype::Class::string, size};
    case 5:
      fields.skip(flags & 0xff);  // a tag
      return {Datatype::Class::opaque, size};
    case 8: {
      const std::uint64_t count = flags & 0xffff;
      const Datatype base = depth > 0 ? Datatype{} : read_datatype_from(fields, site, depth + 1);
      if (base.kind != Datatype::Class::integer || base.size != size || count == 0) {
        refuse_type(site, "of an enumeration");
      }
      for (std::uint64_t member = 0; member < count; ++member) {
        fields.terminated_text(version < 3);
      }
      fields.skip(count * base.size);
      return {Datatype::Class::enumeration, size};
    }
    case 9: {
      constexpr std::uint64_t reference_bytes = 16;
      const bool is_text = (flags & 0xf) == 1;
      const Datatype base = depth > 0 ? Datatype{} : read_datatype_from(fields, site, depth + 1);
      if (!is_text || size != reference_bytes || base.size != 1) {
        refuse_type(site, "lists");
      }
      return {Datatype::Class::text, size};
    }
    default:
      refuse_type(site, "structures");
  }
}

/// Throws for the address of a structure of the newer format that is not supported.
void refuse_dense(std::uint64_t address, std::string_view what, const Site& site) {
  if (address != undefined_address) {
    site.refused(fmt::format("has {} stored densely (write the file without libver=\"latest\")", what));
  }
}

/// The elements of an attribute that are references to texts.
void check_texts(Fields& elements, std::uint64_t count, Inspection& file, const Site& site) {
  std::uint64_t total = 0;
  for (std::uint64_t element = 0; element < count; ++element) {
    const std::uint64_t length = elements.number(4);
    const std::uint64_t heap = elements.address();
    const std::uint64_t index = elements.number(4);
    if (heap == 0) {
      continue;  // an empty text
    }
    if (file.heap_object_size(heap, index, site) != length) {
      site.damaged("the length of a text differs from that in its heap");
    }
    total += length;
    if (total > file.end()) {
      site.damaged("its texts are longer than the file");
    }
  }
}

}  // namespace

Dataspace read_dataspace(std::span<const std::byte> message, const Site& site) {
  Fields fields(message, site);
  const std::uint64_t version = fields.number(1);
  expect_version(version, 1, 2, "its shape", site);
  const std::uint64_t rank = fields.number(1);
  const std::uint64_t flags = fields.number(1);
  const std::uint64_t kind = fields.number(1);
  if (version == 1) {
    fields.skip(4);
  }
  if (rank > largest_rank || flags > 1 || (version == 2 && kind > 2) || (version == 2 && kind != 1 && rank > 0)) {
    site.damaged("its shape cannot be");
  }
  Dataspace space;
  bool is_empty = version == 2 && kind == 2;
  for (std::uint64_t axis = 0; axis < rank; ++axis) {
    space.lengths.push_back(fields.length());
    is_empty = is_empty || space.lengths.back() == 0;
    // Also after an axis without elements, as strides are products of the others.
    space.count =
        product(space.count, std::max<std::uint64_t>(space.lengths.back(), 1), site, "its number of elements");
  }
  for (std::uint64_t axis = 0; axis < (flags == 1 ? rank : 0); ++axis) {
    if (fields.length() < space.lengths[axis]) {
      site.damaged("an axis is longer than it may become");
    }
  }
  if (is_empty) {
    space.count = 0;
  }
  return space;
}

Datatype read_datatype(std::span<const std::byte> message, const Site& site) {
  Fields fields(message, site);
  return read_datatype_from(fields, site, 0);
}

std::vector<Filter> read_filters(std::span<const std::byte> message, const Site& site) {
  Fields fields(message, site);
  const std::uint64_t version = fields.number(1);
  expect_version(version, 1, 2, "its list of filters", site);
  const std::uint64_t count = fields.number(1);
  constexpr std::uint64_t maximum = 32;
  if (count == 0 || count > maximum) {
    site.damaged(fmt::format("it has {} filters", count));
  }
  if (version == 1) {
    fields.skip(6);
  }
  std::vector<Filter> filters;
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::uint64_t id = fields.number(2);
    if (id < 1 || id > 3) {
      site.refused(fmt::format(
          "needs the filter {} (only gzip, shuffle and Fletcher-32 are known; plugins are never loaded)", id));
    }
    const std::uint64_t name_bytes = version == 1 ? fields.number(2) : 0;
    fields.skip(2);
    const std::uint64_t parameters = fields.number(2);
    if (name_bytes > 0 && (name_bytes % 8 != 0 || fields.text(name_bytes).size() == name_bytes)) {
      site.damaged("the name of a filter does not end");
    }
    const auto kind = static_cast<Filter::Kind>(id);
    const std::uint64_t wanted = kind == Filter::Kind::fletcher32 ? 0 : 1;
    if (parameters != wanted) {
      site.damaged(fmt::format("a filter has {} parameters", parameters));
    }
    constexpr std::uint64_t highest_level = 9;
    const std::uint64_t parameter = fields.number(parameters * 4);
    if ((kind == Filter::Kind::gzip && parameter > highest_level) ||
        (kind == Filter::Kind::shuffle && parameter == 0)) {
      site.damaged(fmt::format("a filter has the parameter {}", parameter));
    }
    if (version == 1 && parameters % 2 == 1) {
      fields.skip(4);
    }
    filters.push_back({kind});
  }
  return filters;
}

void check_fill_value(std::span<const std::byte> message, bool is_old, const Datatype& type, const Site& site) {
  Fields fields(message, site);
  bool has_value = true;
  if (!is_old) {
    const std::uint64_t version = fields.number(1);
    expect_version(version, 1, 3, "its fill value", site);
    if (version == 3) {
      constexpr std::uint64_t has_value_flag = 0x20;
      has_value = (fields.number(1) & has_value_flag) != 0;
    } else {
      fields.skip(2);
      has_value = fields.number(1) != 0;
    }
  }
  if (!has_value) {
    return;
  }
  const std::uint64_t size = fields.number(4);
  if (size == 0 || size == UINT32_MAX) {
    return;
  }
  if (size != type.size) {
    site.damaged(fmt::format("its fill value has {} bytes, its elements have {}", size, type.size));
  }
  fields.skip(size);
}

void check_attribute(std::span<const std::byte> message, Inspection& file, const Site& object) {
  Fields fields(message, object);
  const std::uint64_t version = fields.number(1);
  expect_version(version, 1, 3, "an attribute", object);
  const std::uint64_t flags = fields.number(1);
  const std::uint64_t name_bytes = fields.number(2);
  const std::uint64_t type_bytes = fields.number(2);
  const std::uint64_t space_bytes = fields.number(2);
  if (version == 3 && fields.number(1) > 1) {
    object.damaged("the name of an attribute is in an unknown encoding");
  }
  if (version > 1 && flags != 0) {
    object.refused("has an attribute with a named type");
  }
  const auto field_bytes = [&](std::uint64_t bytes) { return version == 1 ? padded_to_8(bytes) : bytes; };
  const std::string_view name = fields.text(field_bytes(name_bytes));
  if (name.empty() || name.size() + 1 != name_bytes) {
    object.damaged("the name of an attribute does not have its stated length");
  }
  const std::string path = fmt::format("{}@{}", object.path, name);
  const Site site = {object.file, path};
  const Datatype type = read_datatype(fields.bytes(field_bytes(type_bytes)), site);
  const Dataspace space = read_dataspace(fields.bytes(field_bytes(space_bytes)), site);
  Fields elements(fields.rest(), site);
  elements = Fields(elements.bytes(product(space.count, type.size, site, "its size")), site);
  if (type.kind == Datatype::Class::text) {
    check_texts(elements, space.count, file, site);
  }
}

void check_attribute_info(std::span<const std::byte> message, const Site& site) {
  Fields fields(message, site);
  expect_version(fields.number(1), 0, 0, "its list of attributes", site);
  const std::uint64_t flags = fields.number(1);
  if ((flags & 1) != 0) {
    fields.skip(2);
  }
  for (int address = 0; address < ((flags & 2) != 0 ? 3 : 2); ++address) {
    refuse_dense(fields.address(), "attributes", site);
  }
}

void check_link_info(std::span<const std::byte> message, Inspection& file, const Site& site) {
  Fields fields(message, site);
  expect_version(fields.number(1), 0, 0, "its list of members", site);
  const std::uint64_t flags = fields.number(1);
  constexpr std::uint64_t sorts_by_making = 2;
  if (flags > 3) {
    site.damaged("its list of members has unknown flags");
  }
  if ((flags & 1) != 0) {
    fields.skip(8);
  }
  DenseLinks links;
  links.heap = fields.address();
  links.names = fields.address();
  if ((flags & sorts_by_making) != 0) {
    links.order = fields.address();
  }
  const bool has_heap = links.heap != undefined_address;
  if ((links.names != undefined_address) != has_heap ||
      (links.order && (*links.order != undefined_address) != has_heap)) {
    site.damaged("its members are kept in a heap without a tree, or in a tree without a heap");
  }
  if (has_heap) {
    check_dense_links(links, file, site);
  }
}

std::string_view check_link(std::span<const std::byte> message, const Inspection& file, const Site& site) {
  Fields fields(message, site);
  expect_version(fields.number(1), 1, 1, "a link", site);
  const std::uint64_t flags = fields.number(1);
  const std::uint64_t kind = (flags & 8) != 0 ? fields.number(1) : 0;
  if ((flags & 4) != 0) {
    fields.skip(8);
  }
  if ((flags & 16) != 0 && fields.number(1) > 1) {
    site.damaged("the name of a link is in an unknown encoding");
  }
  const std::uint64_t name_bytes = fields.number(std::size_t{1} << (flags & 3));
  const std::string_view name = flags > 31 ? std::string_view() : fields.text(name_bytes);
  if (name.empty() || name.size() != name_bytes) {
    site.damaged("a link has no name");
  }
  constexpr std::uint64_t hard = 0;
  constexpr std::uint64_t soft = 1;
  constexpr std::uint64_t external = 64;
  if (kind == hard) {
    if (fields.address() >= file.end()) {
      site.damaged("a link leads beyond the end of the file");
    }
    return name;
  }
  if (kind != soft && kind != external) {
    site.refused(fmt::format("has a link of the unknown kind {}", kind));
  }
  const auto value = fields.bytes(fields.number(2));
  if (value.empty() || (kind == external && (value.size() < 4 || value.back() != std::byte{0}))) {
    site.damaged("a link leads nowhere");
  }
  return name;
}

void check_group_info(std::span<const std::byte> message, const Site& site) {
  Fields fields(message, site);
  expect_version(fields.number(1), 0, 0, "a group", site);
  const std::uint64_t flags = fields.number(1);
  fields.skip(((flags & 1) != 0 ? 4 : 0) + ((flags & 2) != 0 ? 4 : 0));
}

SymbolTable read_symbol_table(std::span<const std::byte> message, const Site& site) {
  Fields fields(message, site);
  const std::uint64_t tree = fields.address();
  return {tree, fields.address()};
}

}  // namespace rhyton::io::hdf5

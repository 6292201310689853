#include <rhyton/datasets/example.h>

#include <bit>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/protobuf_wire.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::datasets {
namespace {

using io::WireField;
using io::WireReader;
using io::WireType;

// The numbers of fields. Example: features. Features: feature, a map, whose entries have a key and a value. Feature: one of
// three lists, whose values are field 1.
constexpr std::uint32_t features_field = 1;
constexpr std::uint32_t entry_field = 1;
constexpr std::uint32_t key_field = 1;
constexpr std::uint32_t value_field = 2;
constexpr std::uint32_t bytes_list_field = 1;
constexpr std::uint32_t float_list_field = 2;
constexpr std::uint32_t int64_list_field = 3;
constexpr std::uint32_t list_value_field = 1;

std::string message_of(const BytesList& list) {
  std::string message;
  for (const std::string& value : list.value) io::append_field(list_value_field, value, message);
  return message;
}

std::string message_of(const FloatList& list) {
  std::string packed;
  for (const float value : list.value) io::append_fixed32(std::bit_cast<std::uint32_t>(value), packed);
  std::string message;
  if (!packed.empty()) io::append_field(list_value_field, packed, message);
  return message;
}

std::string message_of(const Int64List& list) {
  std::string packed;
  for (const std::int64_t value : list.value) io::append_varint(static_cast<std::uint64_t>(value), packed);
  std::string message;
  if (!packed.empty()) io::append_field(list_value_field, packed, message);
  return message;
}

std::string message_of(const Feature& feature) {
  std::string message;
  if (const auto* const bytes = std::get_if<BytesList>(&feature)) {
    io::append_field(bytes_list_field, message_of(*bytes), message);
  } else if (const auto* const floats = std::get_if<FloatList>(&feature)) {
    io::append_field(float_list_field, message_of(*floats), message);
  } else if (const auto* const integers = std::get_if<Int64List>(&feature)) {
    io::append_field(int64_list_field, message_of(*integers), message);
  }
  return message;
}

/// Calls a function for each field of that number and type; others are of later versions of the message.
template <class Function>
void for_each_field(std::string_view message, std::uint32_t number, WireType type, const Function& function) {
  WireReader reader(message);
  while (const std::optional<WireField> field = reader.next()) {
    if (field->number == number && field->type == type) function(*field);
  }
}

/// The numbers of a list, each as a field of its own or several packed into one.
template <class Function>
void for_each_number(std::string_view message, WireType type, const Function& function) {
  WireReader reader(message);
  while (const std::optional<WireField> field = reader.next()) {
    if (field->number != list_value_field) continue;
    if (field->type == type) function(field->value);
    if (field->type != WireType::bytes) continue;
    for (WireReader packed(field->bytes); !packed.is_at_end();) function(packed.number(type));
  }
}

/// The list of that kind in the feature, which becomes one of that kind if it is of another.
template <class List>
List& list_in(Feature& feature) {
  if (!std::holds_alternative<List>(feature)) feature = List();
  return std::get<List>(feature);
}

Feature parse_feature(std::string_view message) {
  Feature feature;
  WireReader reader(message);
  while (const std::optional<WireField> field = reader.next()) {
    if (field->type != WireType::bytes) continue;
    if (field->number == bytes_list_field) {
      auto& list = list_in<BytesList>(feature);
      for_each_field(field->bytes, list_value_field, WireType::bytes,
                     [&](const WireField& value) { list.value.emplace_back(value.bytes); });
    } else if (field->number == float_list_field) {
      auto& list = list_in<FloatList>(feature);
      for_each_number(field->bytes, WireType::fixed32, [&](std::uint64_t value) {
        list.value.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
      });
    } else if (field->number == int64_list_field) {
      auto& list = list_in<Int64List>(feature);
      for_each_number(field->bytes, WireType::varint,
                      [&](std::uint64_t value) { list.value.push_back(static_cast<std::int64_t>(value)); });
    }
  }
  return feature;
}

std::pair<std::string, Feature> parse_entry(std::string_view message) {
  std::pair<std::string, Feature> entry;
  for_each_field(message, key_field, WireType::bytes, [&](const WireField& key) { entry.first = key.bytes; });
  for_each_field(message, value_field, WireType::bytes,
                 [&](const WireField& value) { entry.second = parse_feature(value.bytes); });
  return entry;
}

}  // namespace

Feature feature_of(const Tensor& tensor) {
  if (tensor.dtype() == string_dtype) return BytesList{StringTensor::of(tensor).elements()};
  if (is_floating(tensor.dtype())) {
    const Tensor values = tensor.cast(float32);
    return FloatList{{values.data<float>(), values.data<float>() + values.size()}};
  }
  const Tensor values = tensor.cast(int64);
  return Int64List{{values.data<std::int64_t>(), values.data<std::int64_t>() + values.size()}};
}

std::string Example::serialize_to_string() const {
  std::string entries;
  for (const auto& [name, feature] : features) {
    std::string entry;
    io::append_field(key_field, name, entry);
    io::append_field(value_field, message_of(feature), entry);
    io::append_field(entry_field, entry, entries);
  }
  std::string message;
  io::append_field(features_field, entries, message);
  return message;
}

Example Example::from_string(std::string_view bytes) {
  Example example;
  try {
    for_each_field(bytes, features_field, WireType::bytes, [&](const WireField& entries) {
      for_each_field(entries.bytes, entry_field, WireType::bytes, [&](const WireField& field) {
        auto [name, feature] = parse_entry(field.bytes);
        example.features.insert_or_assign(std::move(name), std::move(feature));
      });
    });
  } catch (const IOError& error) {
    throw InvalidArgumentError(fmt::format("Could not parse example input: {}", error.what()));
  }
  return example;
}

}  // namespace rhyton::datasets

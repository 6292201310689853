#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/io/record_writer.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::summary {

/// A protocol buffer message: the values of each field, integers and numbers as their bits.
class ReadMessage {
 public:
  explicit ReadMessage(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t key = varint(bytes);
      const auto field = static_cast<int>(key >> 3U);
      switch (key & 7U) {
        case 0:
          integers_[field].push_back(varint(bytes));
          break;
        case 1:
          integers_[field].push_back(fixed(bytes, 8));
          break;
        case 2:
          texts_[field].push_back(cut(bytes, varint(bytes)));
          break;
        case 5:
          integers_[field].push_back(fixed(bytes, 4));
          break;
        default:
          throw std::runtime_error("an unknown wire type");
      }
    }
  }

  bool has(int field) const { return integers_.contains(field) || texts_.contains(field); }
  std::int64_t integer(int field) const {
    return integers_.contains(field) ? static_cast<std::int64_t>(integers_.at(field).at(0)) : 0;
  }
  double real(int field, std::size_t index = 0) const { return std::bit_cast<double>(integers_.at(field).at(index)); }
  float real32(int field) const { return std::bit_cast<float>(static_cast<std::uint32_t>(integers_.at(field).at(0))); }
  const std::string& text(int field, std::size_t index = 0) const { return texts_.at(field).at(index); }
  ReadMessage message(int field, std::size_t index = 0) const { return ReadMessage(text(field, index)); }
  /// How many values the field has.
  std::size_t count(int field) const {
    if (texts_.contains(field)) return texts_.at(field).size();
    return integers_.contains(field) ? integers_.at(field).size() : 0;
  }

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(0));
      bytes.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) return value;
    }
  }
  static std::string cut(std::string_view& bytes, std::size_t size) {
    if (size > bytes.size()) throw std::runtime_error("a field that is too long");
    std::string part(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return part;
  }
  static std::uint64_t fixed(std::string_view& bytes, std::size_t size) {
    std::uint64_t value = 0;
    const std::string part = cut(bytes, size);
    for (std::size_t i = 0; i < size; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(part[i])) << (8 * i);
    return value;
  }

  std::map<int, std::vector<std::uint64_t>> integers_;
  std::map<int, std::vector<std::string>> texts_;
};

/// A value in an event file.
struct ReadSummary {
  std::int64_t step = 0;
  std::string plugin;
  ReadMessage tensor;

  double scalar() const { return tensor.real32(5); }
};

/// The values of all event files of a folder, by their names, in the order in which they were written. Throws
/// std::runtime_error for a record whose checksums are wrong, and for a file without its version.
inline std::map<std::string, std::vector<ReadSummary>> read_summaries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::map<std::string, std::vector<ReadSummary>> summaries;
  for (const std::filesystem::path& path : files) {
    const std::string content = test::content_of(path);
    for (std::size_t at = 0; at < content.size();) {
      constexpr std::size_t before_data = 12;
      constexpr std::size_t behind_data = 4;
      const auto size = static_cast<unsigned char>(content.at(at)) +
                        (std::size_t{static_cast<unsigned char>(content.at(at + 1))} << 8U) +
                        (std::size_t{static_cast<unsigned char>(content.at(at + 2))} << 16U);
      const std::string data = content.substr(at + before_data, size);
      if (content.substr(at, before_data + size + behind_data) != io::framed_record(data))
        throw std::runtime_error("a wrong record");
      const ReadMessage event(data);
      if (at == 0 && event.text(3) != "brain.Event:2") throw std::runtime_error("no version");
      if (event.has(5)) {
        const ReadMessage value = event.message(5).message(1);
        summaries[value.text(1)].push_back({event.integer(2), value.message(9).message(1).text(1), value.message(8)});
      }
      at += before_data + size + behind_data;
    }
  }
  return summaries;
}

}  // namespace rhyton::summary

#include <rhyton/framework/io/wav.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace rhyton::io {
namespace {

constexpr std::size_t name_size = 4;
constexpr std::uint32_t bytes_per_value = 2;
/// The chunks that TensorFlow accepts in front of the format.
constexpr std::array<std::string_view, 8> leading_chunks = {"JUNK", "bext", "iXML", "qlty",
                                                            "mext", "levl", "link", "axml"};

/// The bytes of a file one after the other.
class WavReader {
 public:
  explicit WavReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool is_at_end() const { return rest_.empty(); }

  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) throw InvalidArgumentError("Data too short when trying to read string");
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  std::string name() {
    const std::span<const std::byte> bytes = take(name_size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  void expect(std::string_view expected) {
    const std::string found = name();
    if (found != expected) {
      throw InvalidArgumentError(fmt::format("Header mismatch: Expected {} but found {}", expected, found));
    }
  }

  /// A little-endian number.
  std::uint32_t number(std::size_t bytes) {
    std::uint32_t number = 0;
    unsigned shift = 0;
    for (const std::byte byte : take(bytes)) {
      number |= std::to_integer<std::uint32_t>(byte) << shift;
      shift += 8;
    }
    return number;
  }

  /// Skips a chunk, which may be cut short, and the zero that follows one of an odd size.
  void skip(std::uint32_t chunk_size) {
    take(std::min<std::size_t>(chunk_size, rest_.size()));
    if (chunk_size % 2 == 1 && !rest_.empty() && rest_.front() == std::byte{0}) take(1);
  }

 private:
  std::span<const std::byte> rest_;
};

struct WavFormat {
  std::uint32_t channels = 0;
  std::uint32_t sample_rate = 0;
  std::uint32_t bytes_per_sample = 0;
};

WavFormat read_format(WavReader& reader) {
  constexpr std::uint32_t plain_size = 16;
  constexpr std::uint32_t extended_size = 18;
  constexpr std::uint32_t pcm = 1;
  const std::uint32_t size = reader.number(4);
  if (size != plain_size && size != extended_size) {
    throw InvalidArgumentError(fmt::format("Bad format chunk size for WAV: Expected 16 or 18, but got{}", size));
  }
  const std::uint32_t audio_format = reader.number(2);
  if (audio_format != pcm) {
    throw InvalidArgumentError(fmt::format("Bad audio format for WAV: Expected 1 (PCM), but got{}", audio_format));
  }
  WavFormat format;
  format.channels = reader.number(2);
  if (format.channels < 1) {
    throw InvalidArgumentError(
        fmt::format("Bad number of channels for WAV: Expected at least 1, but got {}", format.channels));
  }
  format.sample_rate = reader.number(4);
  const std::uint32_t bytes_per_second = reader.number(4);
  format.bytes_per_sample = reader.number(2);
  const std::uint32_t bits = reader.number(2);
  if (bits != 8 * bytes_per_value) {
    throw InvalidArgumentError(fmt::format("Can only read 16-bit WAV files, but received {}", bits));
  }
  if (format.bytes_per_sample != bytes_per_value * format.channels) {
    throw InvalidArgumentError(fmt::format("Bad bytes per sample in WAV header: Expected {} but got {}",
                                           bytes_per_value * format.channels, format.bytes_per_sample));
  }
  const std::uint64_t expected = std::uint64_t{format.bytes_per_sample} * format.sample_rate;
  if (bytes_per_second != expected) {
    throw InvalidArgumentError(
        fmt::format("Bad bytes per second in WAV header: Expected {} but got {} (sample_rate={}, bytes_per_sample={})",
                    expected, bytes_per_second, format.sample_rate, format.bytes_per_sample));
  }
  if (size == extended_size) reader.take(2);
  return format;
}

Tensor samples_of(std::span<const std::byte> bytes, const WavFormat& format,
                  std::optional<std::int64_t> desired_samples) {
  constexpr float full_scale = 32768.0F;
  const auto count = static_cast<std::int64_t>(bytes.size() / format.bytes_per_sample);
  Tensor samples = Tensor::full({desired_samples.value_or(count), format.channels}, 0.0, float32);
  auto* const values = samples.mutable_data<float>();
  const auto kept = static_cast<std::size_t>(std::min(count, desired_samples.value_or(count)) * format.channels);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto low = std::to_integer<std::uint32_t>(bytes[bytes_per_value * i]);
    const auto high = std::to_integer<std::uint32_t>(bytes[bytes_per_value * i + 1]);
    values[i] = static_cast<float>(static_cast<std::int16_t>(low | high << 8)) / full_scale;
  }
  return samples;
}

}  // namespace

Audio decode_wav(std::span<const std::byte> bytes, std::optional<std::int64_t> desired_samples) {
  if (desired_samples && *desired_samples < 0) {
    throw InvalidArgumentError(fmt::format("desired_samples must be >= 0, got {}", *desired_samples));
  }
  WavReader reader(bytes);
  reader.expect("RIFF");
  reader.take(sizeof(std::uint32_t));  // the size of the file, which writers to pipes leave open
  reader.expect("WAVE");
  for (std::string name = reader.name(); name != "fmt "; name = reader.name()) {
    if (std::find(leading_chunks.begin(), leading_chunks.end(), name) == leading_chunks.end()) {
      throw InvalidArgumentError("Unexpected field " + name);
    }
    reader.skip(reader.number(4));
  }
  const WavFormat format = read_format(reader);
  std::optional<std::span<const std::byte>> data;
  while (!reader.is_at_end()) {
    const std::string name = reader.name();
    const std::uint32_t size = reader.number(4);
    constexpr std::uint32_t largest = std::numeric_limits<std::int32_t>::max();
    if (size > largest) {
      throw InvalidArgumentError(
          fmt::format("WAV data chunk '{}' is too large: {} bytes, but the limit is {}", name, size, largest));
    }
    if (name == "data") {
      if (data) throw InvalidArgumentError("More than one data chunk found in WAV");
      data = reader.take(size - size % format.bytes_per_sample);
    } else {
      reader.skip(size);
    }
  }
  if (!data) throw InvalidArgumentError("No data chunk found in WAV");
  return {.samples = samples_of(*data, format, desired_samples), .sample_rate = format.sample_rate};
}

}  // namespace rhyton::io

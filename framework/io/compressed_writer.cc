#include <rhyton/framework/io/compressed_writer.h>

#include <array>
#include <cstddef>
#include <optional>

#include <zlib.h>

#include <rhyton/framework/io/atomic_file.h>

namespace rhyton::io {
namespace {

/// Packs data that arrive in parts, and writes them to a file.
class PartDeflater {
 public:
  explicit PartDeflater(Compression compression) {
    constexpr int window_bits = 15;
    constexpr int gzip_format = 16;
    constexpr int memory_level = 8;
    const int format = compression == Compression::gzip ? window_bits + gzip_format : window_bits;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, format, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw ResourceExhaustedError("no memory to pack a file");
    }
  }
  ~PartDeflater() { deflateEnd(&stream_); }
  PartDeflater(const PartDeflater&) = delete;
  PartDeflater& operator=(const PartDeflater&) = delete;

  /// `is_last`: completes the data.
  void pack(std::string_view bytes, bool is_last, AtomicFile& file) {
    constexpr std::size_t largest_part = std::size_t{1} << 30;
    do {
      const std::string_view part = bytes.substr(0, largest_part);
      bytes.remove_prefix(part.size());
      pack_part(part, is_last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH, file);
    } while (!bytes.empty());
  }

 private:
  void pack_part(std::string_view part, int flush, AtomicFile& file) {
    std::array<char, std::size_t{64} << 10> packed;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream_.avail_out = static_cast<uInt>(packed.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) throw RuntimeError("zlib cannot pack these bytes");
      file.write(std::string_view(packed.data(), packed.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

}  // namespace

struct CompressedWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}
  AtomicFile file;
  std::optional<PartDeflater> deflater;
};

CompressedWriter::CompressedWriter(const std::filesystem::path& path, Compression compression)
    : state_(std::make_unique<State>(path)) {
  if (compression != Compression::none) state_->deflater.emplace(compression);
}

CompressedWriter::~CompressedWriter() = default;
CompressedWriter::CompressedWriter(CompressedWriter&&) noexcept = default;
CompressedWriter& CompressedWriter::operator=(CompressedWriter&&) noexcept = default;

void CompressedWriter::write(std::string_view bytes) {
  if (!state_->deflater) return state_->file.write(bytes);
  state_->deflater->pack(bytes, false, state_->file);
}

void CompressedWriter::commit() {
  if (state_->deflater) state_->deflater->pack({}, true, state_->file);
  state_->file.commit();
}

}  // namespace rhyton::io

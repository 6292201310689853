#include <rhyton/framework/io/image/stb_decoder.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace rhyton::io {
namespace {

/// The memory that stb_image allocates while one image is decoded: limited, cleared, and released in every case.
class DecoderMemory {
 public:
  explicit DecoderMemory(std::uint64_t limit) : free_(limit), outer_(std::exchange(current_, this)) {}
  ~DecoderMemory() { current_ = outer_; }
  DecoderMemory(const DecoderMemory&) = delete;
  DecoderMemory& operator=(const DecoderMemory&) = delete;

  static void* allocate(std::size_t size) { return current_->add(size); }
  static void* reallocate(void* pointer, std::size_t size) {
    void* larger = current_->add(size);
    if (larger != nullptr && pointer != nullptr) {
      const auto block = current_->find(pointer);
      std::memcpy(larger, pointer, std::min(size, block->size));
      current_->remove(block);
    }
    return larger;
  }
  static void release(void* pointer) {
    if (pointer != nullptr) current_->remove(current_->find(pointer));
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  using Blocks = std::vector<Block>;

  void* add(std::size_t size) {
    if (size > free_) return nullptr;
    // Cleared: for a damaged file, the decoder may read memory that it has not written.
    blocks_.push_back({std::make_unique<std::byte[]>(std::max<std::size_t>(size, 1)), size});
    free_ -= size;
    return blocks_.back().bytes.get();
  }
  // From the end: the latest blocks are used most.
  Blocks::iterator find(const void* pointer) {
    return std::prev(std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& block) {
                       return block.bytes.get() == pointer;
                     }).base());
  }
  void remove(Blocks::iterator block) {
    free_ += block->size;
    blocks_.erase(block);
  }

  // stb_image passes no context to its allocation functions.
  static thread_local DecoderMemory* current_;

  std::uint64_t free_;
  Blocks blocks_;
  DecoderMemory* outer_;
};

thread_local DecoderMemory* DecoderMemory::current_ = nullptr;

/// Thrown when an assertion of stb_image fails.
struct BrokenAssertion {};

void require(bool condition) {
  if (!condition) throw BrokenAssertion();
}

}  // namespace
}  // namespace rhyton::io

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_GIF
#define STBI_NO_STDIO
#define STBI_FAILURE_USERMSG
#define STBI_MAX_DIMENSIONS 65535
#define STBI_MALLOC(size) rhyton::io::DecoderMemory::allocate(size)
#define STBI_REALLOC(pointer, size) rhyton::io::DecoderMemory::reallocate(pointer, size)
#define STBI_FREE(pointer) rhyton::io::DecoderMemory::release(pointer)
#define STBI_ASSERT(condition) rhyton::io::require(condition)
#include <stb_image.h>

namespace rhyton::io {
namespace {

// Headers need a table or two.
constexpr std::uint64_t header_memory = std::uint64_t{1} << 20;

const stbi_uc* data_of(std::span<const std::byte> bytes) { return reinterpret_cast<const stbi_uc*>(bytes.data()); }

StbImage failed() {
  const char* const reason = stbi_failure_reason();
  const std::string text = reason == nullptr || *reason == 0 ? "no reason given" : reason;
  return {.failure = text, .out_of_memory = text == "Out of memory"};
}

}  // namespace

StbImage stb_image_header(std::span<const std::byte> bytes) {
  const DecoderMemory memory(header_memory);
  int width = 0;
  int height = 0;
  int channels = 0;
  try {
    if (stbi_info_from_memory(data_of(bytes), static_cast<int>(bytes.size()), &width, &height, &channels) == 0) {
      return failed();
    }
  } catch (const BrokenAssertion&) {
    return {.failure = "Corrupt header"};
  }
  return {.width = width, .height = height, .channels = channels};
}

StbImage stb_decode(std::span<const std::byte> bytes, std::uint64_t memory, int channels,
                    const std::function<void(const StbImage&, std::span<const std::uint8_t>)>& take) {
  const DecoderMemory scope(memory);
  int width = 0;
  int height = 0;
  int stored_channels = 0;
  const stbi_uc* pixels = nullptr;
  try {
    pixels = stbi_load_from_memory(data_of(bytes), static_cast<int>(bytes.size()), &width, &height, &stored_channels,
                                   channels);
  } catch (const BrokenAssertion&) {
    return {.failure = "Corrupt image"};
  }
  if (pixels == nullptr) return failed();
  StbImage image = {.width = width, .height = height, .channels = channels == 0 ? stored_channels : channels};
  take(image, {pixels, static_cast<std::size_t>(image.width * image.height * image.channels)});
  return image;
}

}  // namespace rhyton::io

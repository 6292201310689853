#include <rhyton/framework/io/unfinished_file.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace rhyton::io {
namespace {

using PathPlace = std::atomic<const char*>;
static_assert(PathPlace::is_always_lock_free, "a signal handler must not wait");

// Global, because a signal handler has access to nothing else. The code that removes a name owns its memory.
constinit std::array<PathPlace, 64> places{};

}  // namespace

UnfinishedFile::UnfinishedFile(const std::filesystem::path& path) {
  std::error_code error;
  const std::string name = std::filesystem::absolute(path, error).string();
  if (error) return;
  auto text = std::make_unique<char[]>(name.size() + 1);
  std::copy(name.begin(), name.end(), text.get());
  for (PathPlace& place : places) {
    const char* unused = nullptr;
    if (!place.compare_exchange_strong(unused, text.get())) continue;
    text.release();
    place_ = &place;
    return;
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : place_(std::exchange(other.place_, nullptr)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(place_, other.place_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (place_ != nullptr) const std::unique_ptr<const char[]> name(place_->exchange(nullptr));
}

void remove_unfinished_files() noexcept {
  for (PathPlace& place : places) {
    // The memory is not released before the end of the process: a signal handler cannot do it.
    if (const char* const name = place.exchange(nullptr)) ::unlink(name);
  }
}

}  // namespace rhyton::io

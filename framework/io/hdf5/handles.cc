#include <rhyton/framework/io/hdf5/handles.h>

#include <hdf5.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {
namespace {

static_assert(std::is_same_v<hid_t, Id>, "needs HDF5 1.10 or newer");

/// The library is not thread-safe, so the whole process serialises its use.
std::recursive_mutex& process_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// The number of files that are being written; used within Sessions only.
int& files_being_written() {
  static int count = 0;
  return count;
}

/// Disables the library's exit handler: it is not needed, as handles close what they opened, and it crashes where a
/// file could not be closed because the disk was full. To be called before any other function of the library.
void leave_exit_alone() {
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
}

herr_t collect(unsigned, const H5E_error2_t* error, void* user) {
  try {
    auto& texts = *static_cast<std::vector<std::string>*>(user);
    if (error->desc != nullptr) {
      texts.emplace_back(error->desc);
    }
    return 0;
  } catch (...) {
    return -1;
  }
}

/// The library's error messages, from the outermost call inwards.
std::vector<std::string> complaints() {
  std::vector<std::string> texts;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, &collect, &texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

/// The system error in the messages of the library's drivers; 0 if there is none.
int system_error_in(const std::vector<std::string>& texts) {
  constexpr std::string_view mark = "errno = ";
  for (const std::string& text : texts) {
    const std::size_t place = text.find(mark);
    if (place == std::string::npos) continue;
    int error = 0;
    std::from_chars(text.data() + place + mark.size(), text.data() + text.size(), error);
    if (error != 0) return error;
  }
  return 0;
}

}  // namespace

LibrarySession::LibrarySession() : lock_(process_mutex()) {
  leave_exit_alone();
  H5Eget_auto2(H5E_DEFAULT, &print_errors_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLget_loading_state(&plugins_);
  H5PLset_loading_state(0);
  if (files_being_written() > 0) errors_only_.emplace();
}

LibrarySession::~LibrarySession() {
  H5PLset_loading_state(plugins_);
  H5Eset_auto2(H5E_DEFAULT, print_errors_, print_data_);
}

OpenFile::~OpenFile() {
  const LibrarySession session;
  file.close();
  if (is_written_) --files_being_written();
}

void OpenFile::begin_writing() {
  if (!is_written_) ++files_being_written();
  is_written_ = true;
}

void fail(const OpenFile& file, std::string_view action, std::string_view path) {
  const std::vector<std::string> texts = complaints();
  if (const int error = system_error_in(texts)) {
    throw IOError(fmt::format("cannot {} \"{}\": {}", file.is_written() ? "write" : "read", file.name,
                              std::generic_category().message(error)));
  }
  std::string complaint;
  for (const std::string& text : texts) complaint += (complaint.empty() ? "" : ": ") + text;
  throw IOError(fmt::format("\"{}\": cannot {} \"{}\": {}", file.name, action, path,
                            complaint.empty() ? "unknown error" : complaint));
}

Handle checked(Id id, Handle::Close close, const OpenFile& file, std::string_view action, std::string_view path) {
  if (id < 0) {
    fail(file, action, path);
  }
  return {id, close};
}

}  // namespace rhyton::io::hdf5

namespace rhyton::io {

Hdf5Object::State::~State() {
  const hdf5::LibrarySession session;
  if (file->file.is_valid()) {
    object.close();
  }
  object.forget();
}

hdf5::Id Hdf5Object::State::id() const {
  if (!file->file.is_valid()) {
    throw RuntimeError(fmt::format("\"{}\" is closed already", file->name));
  }
  return object.id();
}

}  // namespace rhyton::io

#include <rhyton/framework/io/download.h>

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <span>

#include <fmt/format.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/checksum.h>

namespace rhyton::io {
namespace {

using Clock = std::chrono::steady_clock;

struct CleanUp {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

/// Keras's progress bar for downloads, redrawn in place with a carriage return.
class DownloadProgress {
 public:
  explicit DownloadProgress(std::ostream& output) : output_(output) {}

  void update(std::uint64_t current, std::uint64_t total) {
    const auto now = Clock::now();
    if (current < total && now - last_drawn_ >= interval) {
      draw(current, total, now);
    }
  }

  void finish(std::uint64_t total) {
    draw(total, total, Clock::now());
    output_ << '\n' << std::flush;
  }

  /// Ends the line of an incomplete bar.
  void abandon() {
    if (visible_ > 0) {
      output_ << '\n' << std::flush;
    }
  }

 private:
  void draw(std::uint64_t current, std::uint64_t total, Clock::time_point now) {
    constexpr std::uint64_t width = 20;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double share = total == 0 ? 1.0 : static_cast<double>(current) / static_cast<double>(total);
    const double shown = current == total || current == 0 ? elapsed : elapsed * (1.0 / share - 1.0);
    const auto filled = static_cast<std::uint64_t>(width * share);
    const auto cells = [](std::uint64_t count) {
      std::string text;
      for (std::uint64_t cell = 0; cell < count; ++cell) {
        text += "━";
      }
      return text;
    };
    const std::string done = filled > 0 ? "\x1b[32m" + cells(filled) + "\x1b[0m" : "";
    const std::string bar = done + "\x1b[37m" + cells(width - filled) + "\x1b[0m";
    const std::string digits = std::to_string(total);
    const std::string count = fmt::format("{:>{}}/{}", current, digits.size(), digits);
    const std::string time = shown > 60
                                 ? fmt::format("{}:{:02d}", static_cast<int>(shown) / 60, static_cast<int>(shown) % 60)
                                 : fmt::format("{:.0f}s", shown);
    const double per_byte = current == 0 ? 0.0 : elapsed / static_cast<double>(current) * 1e6;
    const std::string speed = fmt::format("{:.0f}us/step", per_byte);
    const std::size_t visible = count.size() + 1 + width + 1 + time.size() + 1 + speed.size();
    output_ << '\r' << "\x1b[1m" << count << "\x1b[0m " << bar << " \x1b[1m" << time << "\x1b[0m " << speed
            << std::string(visible_ > visible ? visible_ - visible : 0, ' ') << std::flush;
    visible_ = visible;
    last_drawn_ = now;
  }

  static constexpr std::chrono::milliseconds interval{100};
  std::ostream& output_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_{};
  std::size_t visible_ = 0;
};

/// One attempt at one mirror. Exceptions must not pass through libcurl: they are stored here.
struct Transfer {
  CURL* handle = nullptr;
  AtomicFile* file = nullptr;
  Checksum sha256{ChecksumKind::sha256};
  Checksum md5{ChecksumKind::md5};
  std::uint64_t received = 0;
  std::uint64_t size_limit = 0;
  std::optional<DownloadProgress> bar;
  std::exception_ptr failure;
};

std::size_t take_data(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t length = size * count;
  try {
    transfer.received += length;
    if (transfer.received > transfer.size_limit) {
      throw IOError(fmt::format("the file has more than the limit of {} bytes", transfer.size_limit));
    }
    const auto bytes = std::as_bytes(std::span(data, length));
    transfer.sha256.update(bytes);
    transfer.md5.update(bytes);
    transfer.file->write(bytes);
    curl_off_t total = -1;
    curl_easy_getinfo(transfer.handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &total);
    if (transfer.bar && total > 0) {
      transfer.bar->update(transfer.received, static_cast<std::uint64_t>(total));
    }
    return length;
  } catch (...) {
    transfer.failure = std::current_exception();
    return CURL_WRITEFUNC_ERROR;
  }
}

void start_curl_once() {
  // Thread-safe, and called once per process as libcurl requires.
  static const CURLcode status = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (status != CURLE_OK) {
    throw RuntimeError(fmt::format("libcurl cannot start: {}", curl_easy_strerror(status)));
  }
}

/// Throws IOError if a checksum is expected and was not found.
void require_checksum(ChecksumKind kind, std::string expected, const Checksum& found, std::uint64_t bytes) {
  if (expected.empty()) return;
  std::transform(expected.begin(), expected.end(), expected.begin(),
                 [](unsigned char digit) { return static_cast<char>(std::tolower(digit)); });
  if (found.hex_digest() == expected) return;
  throw IOError(fmt::format("wrong {} checksum: expected {}, found {} ({} bytes)", name_of(kind), expected,
                            found.hex_digest(), bytes));
}

/// Throws IOError that states why this mirror failed.
void download_from(const std::string& url, const std::filesystem::path& destination, const DownloadOptions& options) {
  const std::unique_ptr<CURL, CleanUp> handle(curl_easy_init());
  if (handle == nullptr) {
    throw IOError("libcurl has no memory");
  }
  AtomicFile file(destination);
  Transfer transfer;
  transfer.handle = handle.get();
  transfer.file = &file;
  transfer.size_limit = options.size_limit;
  if (options.progress != nullptr) {
    *options.progress << "Downloading data from " << url << std::endl;
    transfer.bar.emplace(*options.progress);
  }
  std::array<char, CURL_ERROR_SIZE> message{};
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(handle.get(), option, value); };
  set(CURLOPT_URL, url.c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE));
  set(CURLOPT_REDIR_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);  // signals belong to the host program
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.timeout_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.timeout_seconds));
  set(CURLOPT_USERAGENT, "rhyton");
  set(CURLOPT_ERRORBUFFER, message.data());
  set(CURLOPT_WRITEFUNCTION, &take_data);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));

  const CURLcode status = curl_easy_perform(handle.get());
  if (status != CURLE_OK) {
    if (transfer.bar) {
      transfer.bar->abandon();
    }
    if (transfer.failure) {
      std::rethrow_exception(transfer.failure);
    }
    throw IOError(message.front() != '\0' ? message.data() : curl_easy_strerror(status));
  }
  if (transfer.bar) {
    transfer.bar->finish(transfer.received);
  }
  require_checksum(ChecksumKind::sha256, options.sha256, transfer.sha256, transfer.received);
  require_checksum(ChecksumKind::md5, options.md5, transfer.md5, transfer.received);
  file.commit();
}

}  // namespace

void download(const std::vector<std::string>& urls, const std::filesystem::path& destination,
              const DownloadOptions& options) {
  if (urls.empty()) {
    throw ValueError(fmt::format("there is no address to download \"{}\" from", destination.string()));
  }
  start_curl_once();
  std::string failures;
  for (const std::string& url : urls) {
    try {
      download_from(url, destination, options);
      return;
    } catch (const IOError& error) {
      failures += fmt::format("\n  {}: {}", url, error.what());
    }
  }
  throw IOError(fmt::format("cannot download \"{}\":{}", destination.string(), failures));
}

}  // namespace rhyton::io

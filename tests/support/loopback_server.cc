#include <rhyton/tests/support/loopback_server.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace rhyton::test {
namespace {

class Socket {
 public:
  explicit Socket(int handle) : handle_(handle) {}
  ~Socket() {
    if (handle_ >= 0) close(handle_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int handle() const { return handle_; }

 private:
  int handle_;
};

void require(bool succeeded, const char* what) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

/// The path of "GET /path HTTP/1.1"; empty if the connection is closed before the end of the head.
std::string requested_path(int connection) {
  std::string head;
  std::array<char, 4096> piece{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = recv(connection, piece.data(), piece.size(), 0);
    if (count <= 0) return {};
    head.append(piece.data(), static_cast<std::size_t>(count));
  }
  const std::size_t begin = head.find(' ') + 1;
  return head.substr(begin, head.find(' ', begin) - begin);
}

void send_all(int connection, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace

class LoopbackServer::Impl {
 public:
  explicit Impl(Files files) : files_(std::move(files)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    require(listener_.handle() >= 0, "socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof(address);
    require(bind(listener_.handle(), generic, length) == 0, "bind");
    require(listen(listener_.handle(), 8) == 0, "listen");
    require(getsockname(listener_.handle(), generic, &length) == 0, "getsockname");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }

  ~Impl() {
    shutdown(listener_.handle(), SHUT_RDWR);
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    while (true) {
      const Socket connection(accept(listener_.handle(), nullptr, nullptr));
      if (connection.handle() < 0) return;
      const std::string path = requested_path(connection.handle());
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(path);
      }
      const auto found = files_.find(path);
      const std::string status = found == files_.end() ? "404 Not Found" : "200 OK";
      const std::string body = found == files_.end() ? "" : found->second;
      send_all(connection.handle(), "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
                                        "\r\nConnection: close\r\n\r\n" + body);
    }
  }

  Files files_;
  Socket listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

LoopbackServer::LoopbackServer(Files files) : impl_(std::make_unique<Impl>(std::move(files))) {}

LoopbackServer::~LoopbackServer() = default;

std::string LoopbackServer::address() const { return impl_->address(); }

std::vector<std::string> LoopbackServer::requests() const { return impl_->requests(); }

}  // namespace rhyton::test

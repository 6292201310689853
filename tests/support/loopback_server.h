#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rhyton::test {

/// An HTTP server on the loopback interface that serves texts from memory while it exists, on a thread of its own.
class LoopbackServer {
 public:
  /// The texts by their paths: {"/models/a.h5", "…"}. All other paths are answered with 404.
  using Files = std::map<std::string, std::string>;

  explicit LoopbackServer(Files files);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  /// "http://127.0.0.1:40123".
  std::string address() const;
  /// The paths that were asked for, in their order.
  std::vector<std::string> requests() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rhyton::test

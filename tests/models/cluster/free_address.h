#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhyton::test {

/// An address of this process on the loopback interface at which nothing listens: processes have hosts of their own,
/// 127.x.y.1, so that others do not take the port before it is used.
inline std::string free_address() {
  const auto process = static_cast<std::uint32_t>(getpid());
  const std::uint32_t host = (127U << 24) | ((process % 250 + 1) << 16) | ((process / 250 % 250) << 8) | 1U;
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(host);
  if (bind(listening, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) {
    close(listening);
    throw std::runtime_error("no address is free");
  }
  socklen_t length = sizeof(name);
  getsockname(listening, reinterpret_cast<sockaddr*>(&name), &length);
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &name.sin_addr, text, sizeof(text));
  close(listening);
  return std::string(text) + ":" + std::to_string(ntohs(name.sin_port));
}

}  // namespace rhyton::test

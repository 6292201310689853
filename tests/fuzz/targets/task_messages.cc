// The messages of tasks as protobuf writes them: a stream of parts of tensors, a stream of parts of a graph, a call of
// an op, a run, and the parts of tensors as they are on the wire. The first byte says which; messages have their length
// in two bytes in front.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <rhyton/framework/distribute/grpc/device_messages.h>
#include <rhyton/framework/distribute/grpc/tensor_stream.h>
#include <rhyton/framework/distribute/local_devices.h>
#include <rhyton/framework/error.h>

namespace {

using namespace rhyton;
using namespace rhyton::distribute;
using namespace rhyton::distribute::grpc_module;

constexpr std::size_t max_bytes = std::size_t{1} << 16;

/// Calls `take` with the bytes of each message.
template <class Take>
void for_each_part(std::span<const std::uint8_t> bytes, const Take& take) {
  while (bytes.size() >= 2) {
    const std::size_t size = std::min<std::size_t>(bytes[0] + 256U * bytes[1], bytes.size() - 2);
    take(bytes.subspan(2, size));
    bytes = bytes.subspan(2 + size);
  }
}

/// Calls `take` with each message that can be parsed.
template <class Message, class Take>
void for_each_message(std::span<const std::uint8_t> bytes, const Take& take) {
  for_each_part(bytes, [&](std::span<const std::uint8_t> part) {
    Message message;
    if (message.ParseFromArray(part.data(), static_cast<int>(part.size()))) take(message);
  });
}

void read(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  const std::uint8_t kind = bytes.front();
  bytes = bytes.subspan(1);
  LocalDevices devices(max_bytes);
  const std::shared_ptr<DeviceSession> session = devices.open_session();
  const std::vector<std::byte> content(64);
  session->write({.block = 1, .block_bytes = content.size(), .offset = 0}, content);
  switch (kind % 5) {
    case 4: {
      TensorReader reader(max_bytes);
      for_each_part(bytes, [&](std::span<const std::uint8_t> part) {
        const grpc::Slice slice(part.data(), part.size());
        grpc::ByteBuffer message(&slice, 1);
        reader.add(message);
      });
      reader.take();
      return;
    }
    case 0: {
      TensorReader reader(max_bytes);
      for_each_message<protocol::TensorPart>(bytes, [&](const protocol::TensorPart& part) { reader.add(part); });
      reader.take();
      return;
    }
    case 1: {
      GraphReader reader;
      for_each_message<protocol::GraphPart>(bytes, [&](const protocol::GraphPart& part) { reader.add(part); });
      session->compile(reader.take());
      return;
    }
    case 2:
      for_each_message<protocol::OpCall>(bytes, [&](const protocol::OpCall& call) { session->call(call_of(call)); });
      return;
    default:
      for_each_message<protocol::GraphRun>(bytes, [&](const protocol::GraphRun& run) { session->run(run_of(run)); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Messages that cannot be parsed are none of our errors.
  google::protobuf::SetLogHandler(nullptr);
  try {
    read({data, size});
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

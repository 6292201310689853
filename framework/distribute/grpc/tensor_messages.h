#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <grpcpp/support/byte_buffer.h>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/distribute/transport.h>

// The messages TensorPart of task.proto as they are on the wire, without the generated class, whose elements are a
// string: the elements go from the memory of a tensor to the connection, and are not copied before.

namespace rhyton::distribute::grpc_module {

/// A part of a tensor: `size` bytes of its elements from `first` on. The first part has its name, dtype and shape, too.
/// The message keeps the tensor until gRPC has sent it.
grpc::ByteBuffer tensor_message(const std::string& name, const Tensor& tensor, bool is_indices, std::size_t first,
                                std::size_t size);
/// The last part of a stream.
grpc::ByteBuffer end_message();

/// Writes one tensor in parts; false where the stream is broken.
template <class Stream>
bool write_tensor_messages(Stream& stream, const std::string& name, const Tensor& tensor, bool is_indices) {
  const std::size_t bytes = tensor.spec().bytes();
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(tensor_part_bytes, bytes - at);
    if (!stream.Write(tensor_message(name, tensor, is_indices, at, size))) return false;
    at += size;
  } while (at < bytes);
  return true;
}

/// `write_tensors` (tensor_stream.h) for a stream of such messages.
template <class Stream>
bool write_tensor_messages(Stream& stream, const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& tensor : tensors) {
    if (!write_tensor_messages(stream, tensor.name, tensor.value, false)) return false;
    if (!tensor.indices.is_empty() && !write_tensor_messages(stream, tensor.name, tensor.indices, true)) return false;
  }
  return stream.Write(end_message());
}

}  // namespace rhyton::distribute::grpc_module

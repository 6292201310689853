#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <grpcpp/support/byte_buffer.h>

#include <rhyton/framework/distribute/grpc/task.pb.h>
#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// Puts together the tensors of a stream, which may come from anyone.
class TensorReader {
 public:
  explicit TensorReader(std::size_t max_bytes) : bytes_left_(max_bytes) {}

  /// Throws ValueError for a part that does not continue the stream.
  void add(const protocol::TensorPart& part);
  /// The same for the message as it is on the wire: the elements are copied to the tensor and nowhere else.
  void add(grpc::ByteBuffer& message);
  /// The tensors, at the end of the stream. Throws ValueError where a part is missing.
  std::vector<NamedTensor> take();

 private:
  /// What a part has before its elements.
  struct Head {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    bool is_indices = false;
  };

  void begin(const Head& head);
  /// Where the next elements of the current tensor go, `size` bytes.
  char* place_for(std::size_t size);
  void end_part();
  void require_complete() const;

  std::vector<NamedTensor> tensors_;
  /// The tensor that is being filled, and how far it is.
  Tensor current_;
  std::size_t filled_ = 0;
  std::size_t bytes_left_;
  bool has_ended_ = false;
};

/// Writes one tensor in parts; false where the stream is broken.
template <class Stream>
bool write_tensor(Stream& stream, const std::string& name, const Tensor& tensor, bool is_indices) {
  const std::size_t bytes = tensor.spec().bytes();
  const char* const data = bytes == 0 ? nullptr : static_cast<const char*>(tensor.raw_data());
  protocol::TensorPart part;
  part.set_name(name);
  part.set_dtype(std::string(name_of(tensor.dtype())));
  for (const std::int64_t length : tensor.shape()) part.add_shape(length);
  part.set_is_indices(is_indices);
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(tensor_part_bytes, bytes - at);
    part.set_data(data + at, size);
    if (!stream.Write(part)) return false;
    if (at == 0) {
      // The others have elements alone; the memory for these is used again.
      part.clear_name();
      part.clear_dtype();
      part.clear_shape();
      part.clear_is_indices();
    }
    at += size;
  } while (at < bytes);
  return true;
}

template <class Stream>
bool write_tensors(Stream& stream, const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& tensor : tensors) {
    if (!write_tensor(stream, tensor.name, tensor.value, false)) return false;
    if (!tensor.indices.is_empty() && !write_tensor(stream, tensor.name, tensor.indices, true)) return false;
  }
  protocol::TensorPart end;
  end.set_is_end(true);
  return stream.Write(end);
}

}  // namespace rhyton::distribute::grpc_module

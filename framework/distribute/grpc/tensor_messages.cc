#include <rhyton/framework/distribute/grpc/tensor_messages.h>

#include <array>
#include <cstdint>
#include <memory>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/slice.h>

#include <rhyton/framework/distribute/grpc/task.pb.h>

namespace rhyton::distribute::grpc_module {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;
using protocol::TensorPart;

/// What stands before the size of the elements.
constexpr auto data_tag = static_cast<std::uint32_t>(TensorPart::kDataFieldNumber) << 3U |
                          static_cast<std::uint32_t>(WireFormatLite::WIRETYPE_LENGTH_DELIMITED);

/// A slice of the elements of a tensor, which it keeps.
grpc::Slice slice_of(const Tensor& tensor, std::size_t first, std::size_t size) {
  // gRPC does not write to a slice that it sends.
  auto* const data = static_cast<char*>(const_cast<void*>(tensor.raw_data())) + first;  // NOLINT
  auto owner = std::make_unique<Tensor>(tensor);
  const auto release = [](void* kept) { std::unique_ptr<Tensor>(static_cast<Tensor*>(kept)); };
  return {data, size, release, owner.release()};
}

grpc::ByteBuffer buffer_of(const TensorPart& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

}  // namespace

grpc::ByteBuffer tensor_message(const std::string& name, const Tensor& tensor, bool is_indices, std::size_t first,
                                std::size_t size) {
  TensorPart head;
  if (first == 0) {
    head.set_name(name);
    head.set_dtype(std::string(name_of(tensor.dtype())));
    for (const std::int64_t length : tensor.shape()) head.add_shape(length);
    head.set_is_indices(is_indices);
  }
  if (size == 0) return buffer_of(head);
  std::string text = head.SerializeAsString();
  std::array<std::uint8_t, 16> number{};
  std::uint8_t* end = CodedOutputStream::WriteVarint32ToArray(data_tag, number.data());
  end = CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), end);
  text.append(number.data(), end);
  const std::array<grpc::Slice, 2> slices{grpc::Slice(text), slice_of(tensor, first, size)};
  return {slices.data(), slices.size()};
}

grpc::ByteBuffer end_message() {
  TensorPart end;
  end.set_is_end(true);
  return buffer_of(end);
}

}  // namespace rhyton::distribute::grpc_module

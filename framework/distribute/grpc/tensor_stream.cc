#include <rhyton/framework/distribute/grpc/tensor_stream.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using protocol::TensorPart;

/// An empty tensor needs a message of its own, which must not be free.
constexpr std::size_t cost_of_tensor = 64;

[[noreturn]] void throw_broken(const std::string& what) {
  throw ValueError("A stream of tensors is malformed: " + what);
}

void require(bool is_readable) {
  if (!is_readable) throw_broken("a part breaks off");
}

constexpr std::uint32_t tag(int field, WireFormatLite::WireType type) {
  return static_cast<std::uint32_t>(field) << 3U | static_cast<std::uint32_t>(type);
}

std::uint64_t read_number(CodedInputStream& in) {
  std::uint64_t number = 0;
  require(in.ReadVarint64(&number));
  return number;
}

std::string read_text(CodedInputStream& in) {
  std::uint32_t size = 0;
  std::string text;
  require(in.ReadVarint32(&size) && size <= static_cast<std::uint32_t>(max_message_bytes) &&
          in.ReadString(&text, static_cast<int>(size)));
  return text;
}

}  // namespace

void TensorReader::add(const TensorPart& part) {
  if (has_ended_) throw_broken("it goes on after its end");
  has_ended_ = part.is_end();
  if (has_ended_) {
    require_complete();
    return;
  }
  begin({.name = part.name(),
         .dtype = part.dtype(),
         .shape = {part.shape().begin(), part.shape().end()},
         .is_indices = part.is_indices()});
  char* const place = place_for(part.data().size());
  if (place != nullptr) std::copy(part.data().begin(), part.data().end(), place);
  end_part();
}

void TensorReader::add(grpc::ByteBuffer& message) {
  if (has_ended_) throw_broken("it goes on after its end");
  grpc::ProtoBufferReader buffer(&message);
  CodedInputStream in(&buffer);
  Head head;
  bool has_data = false;
  // Fields come in the order of their numbers, as protobuf writes them: the head is complete before the elements.
  for (std::uint32_t field = in.ReadTag(); field != 0; field = in.ReadTag()) {
    if (has_data) throw_broken("fields follow the elements of a part");
    switch (field) {
      case tag(TensorPart::kNameFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED):
        head.name = read_text(in);
        break;
      case tag(TensorPart::kDtypeFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED):
        head.dtype = read_text(in);
        break;
      case tag(TensorPart::kShapeFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED): {
        std::uint32_t size = 0;
        require(in.ReadVarint32(&size) && size <= static_cast<std::uint32_t>(max_message_bytes));
        const auto limit = in.PushLimit(static_cast<int>(size));
        while (in.BytesUntilLimit() > 0) head.shape.push_back(static_cast<std::int64_t>(read_number(in)));
        in.PopLimit(limit);
        break;
      }
      case tag(TensorPart::kShapeFieldNumber, WireFormatLite::WIRETYPE_VARINT):
        head.shape.push_back(static_cast<std::int64_t>(read_number(in)));
        break;
      case tag(TensorPart::kIsIndicesFieldNumber, WireFormatLite::WIRETYPE_VARINT):
        head.is_indices = read_number(in) != 0;
        break;
      case tag(TensorPart::kIsEndFieldNumber, WireFormatLite::WIRETYPE_VARINT):
        has_ended_ = read_number(in) != 0;
        break;
      case tag(TensorPart::kDataFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED): {
        begin(head);
        std::uint32_t size = 0;
        require(in.ReadVarint32(&size));
        char* const place = place_for(size);
        require(size == 0 || in.ReadRaw(place, static_cast<int>(size)));
        has_data = true;
        break;
      }
      default:
        require(WireFormatLite::SkipField(&in, field));
    }
  }
  require(in.ConsumedEntireMessage());
  if (has_ended_) {
    require_complete();
    return;
  }
  if (!has_data) {
    begin(head);
    place_for(0);
  }
  end_part();
}

void TensorReader::end_part() {
  if (filled_ == current_.spec().bytes()) current_ = Tensor();
}

void TensorReader::require_complete() const {
  if (!current_.is_empty()) throw_broken("it ends within '" + tensors_.back().name + "'");
}

char* TensorReader::place_for(std::size_t size) {
  const std::size_t bytes = current_.spec().bytes();
  if (size > tensor_part_bytes || size > bytes - filled_ || (size == 0 && bytes != 0)) {
    throw_broken("a part of '" + tensors_.back().name + "' has " + std::to_string(size) + " bytes, where " +
                 std::to_string(bytes - filled_) + " are missing");
  }
  char* const place = size == 0 ? nullptr : static_cast<char*>(current_.mutable_raw_data()) + filled_;
  filled_ += size;
  return place;
}

void TensorReader::begin(const Head& head) {
  const bool continues = head.name.empty();
  if (continues == current_.is_empty()) {
    throw_broken(continues ? "a part without a name begins a tensor"
                           : "'" + head.name + "' begins before the elements of '" + tensors_.back().name + "' end");
  }
  if (continues) return;
  for (const std::int64_t length : head.shape) {
    if (length < 0) throw_broken("'" + head.name + "' has an axis of length " + std::to_string(length));
  }
  const Shape shape{std::span<const std::int64_t>(head.shape)};
  const DType dtype = dtype_from_name(head.dtype);
  if (dtype == bool_) throw_broken("'" + head.name + "' has the dtype bool");  // not every byte is a bool
  const auto elements = static_cast<std::size_t>(shape.size());
  if (bytes_left_ < cost_of_tensor || elements > (bytes_left_ - cost_of_tensor) / size_of(dtype)) {
    throw ResourceExhaustedError("'" + head.name + "' has the shape " + shape.to_string() +
                                 ", which is more than the limit of a call leaves (" + std::to_string(bytes_left_) +
                                 " bytes)");
  }
  current_ = Tensor::uninitialized(shape, dtype);
  bytes_left_ -= cost_of_tensor + current_.spec().bytes();
  filled_ = 0;
  if (!head.is_indices) {
    tensors_.push_back({.name = head.name, .value = current_});
    return;
  }
  if (tensors_.empty() || tensors_.back().name != head.name || !tensors_.back().indices.is_empty()) {
    throw_broken("indices of '" + head.name + "' do not follow its values");
  }
  tensors_.back().indices = current_;
}

std::vector<NamedTensor> TensorReader::take() {
  if (!has_ended_) throw_broken("it breaks off");
  return std::move(tensors_);
}

}  // namespace rhyton::distribute::grpc_module

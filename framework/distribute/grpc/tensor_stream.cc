#include <rhyton/framework/distribute/grpc/tensor_stream.h>

#include <cstdint>
#include <span>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

/// An empty tensor needs a message of its own, which must not be free.
constexpr std::size_t cost_of_tensor = 64;

[[noreturn]] void throw_broken(const std::string& what) {
  throw ValueError("A stream of tensors is malformed: " + what);
}

}  // namespace

void TensorReader::add(const protocol::TensorPart& part) {
  if (has_ended_) throw_broken("it goes on after its end");
  if (part.is_end()) {
    if (!current_.is_empty()) throw_broken("it ends within '" + tensors_.back().name + "'");
    has_ended_ = true;
    return;
  }
  const bool continues = part.name().empty();
  if (continues == current_.is_empty()) {
    throw_broken(continues ? "a part without a name begins a tensor"
                           : "'" + part.name() + "' begins before the elements of '" + tensors_.back().name + "' end");
  }
  if (!continues) begin(part);
  const std::size_t bytes = current_.spec().bytes();
  const std::string& data = part.data();
  if (data.size() > tensor_part_bytes || data.size() > bytes - filled_ || (data.empty() && bytes != 0)) {
    throw_broken("a part of '" + tensors_.back().name + "' has " + std::to_string(data.size()) + " bytes, where " +
                 std::to_string(bytes - filled_) + " are missing");
  }
  if (!data.empty()) std::memcpy(static_cast<char*>(current_.mutable_raw_data()) + filled_, data.data(), data.size());
  filled_ += data.size();
  if (filled_ == bytes) current_ = Tensor();
}

void TensorReader::begin(const protocol::TensorPart& part) {
  std::vector<std::int64_t> lengths(part.shape().begin(), part.shape().end());
  for (const std::int64_t length : lengths) {
    if (length < 0) throw_broken("'" + part.name() + "' has an axis of length " + std::to_string(length));
  }
  const Shape shape{std::span<const std::int64_t>(lengths)};
  const DType dtype = dtype_from_name(part.dtype());
  if (dtype == bool_) throw_broken("'" + part.name() + "' has the dtype bool");  // not every byte is a bool
  const auto elements = static_cast<std::size_t>(shape.size());
  if (bytes_left_ < cost_of_tensor || elements > (bytes_left_ - cost_of_tensor) / size_of(dtype)) {
    throw ResourceExhaustedError("'" + part.name() + "' has the shape " + shape.to_string() +
                                 ", which is more than the limit of a call leaves (" + std::to_string(bytes_left_) +
                                 " bytes)");
  }
  current_ = Tensor::uninitialized(shape, dtype);
  bytes_left_ -= cost_of_tensor + current_.spec().bytes();
  filled_ = 0;
  if (!part.is_indices()) {
    tensors_.push_back({.name = part.name(), .value = current_});
    return;
  }
  if (tensors_.empty() || tensors_.back().name != part.name() || !tensors_.back().indices.is_empty()) {
    throw_broken("indices of '" + part.name() + "' do not follow its values");
  }
  tensors_.back().indices = current_;
}

std::vector<NamedTensor> TensorReader::take() {
  if (!has_ended_) throw_broken("it breaks off");
  return std::move(tensors_);
}

}  // namespace rhyton::distribute::grpc_module

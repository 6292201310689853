#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/grpc/task.pb.h>
#include <rhyton/framework/distribute/grpc/tensor_stream.h>
#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::distribute::grpc_module {

/// Puts together a call or an answer, which may come from anyone.
class CallReader {
 public:
  explicit CallReader(std::size_t max_bytes) : tensors_(max_bytes) {}

  /// Throws ValueError for a part that does not continue the stream.
  void add(const protocol::CallPart& part) {
    if (has_begun_) return tensors_.add(part.tensor());
    has_begun_ = true;
    function_ = part.function();
    json_ = part.json();
  }
  const std::string& function() const { return function_; }
  /// Throws ValueError, which begins with `what`, unless it is an object.
  io::Json json(const std::string& what) const {
    io::Json json = io::Json::parse(json_, what);
    if (!json.is_object()) throw ValueError(what + ": expected an object, got " + json.dump());
    return json;
  }
  std::vector<NamedTensor> take() { return tensors_.take(); }

 private:
  bool has_begun_ = false;
  std::string function_;
  std::string json_;
  TensorReader tensors_;
};

/// A stream of CallParts as one of TensorParts.
template <class Stream>
struct TensorsOfCall {
  Stream& stream;

  bool Write(const protocol::TensorPart& tensor) {  // NOLINT(readability-identifier-naming): as gRPC's streams
    protocol::CallPart part;
    *part.mutable_tensor() = tensor;
    return stream.Write(part);
  }
};

/// Writes a call or an answer; false where the stream is broken.
template <class Stream>
bool write_call(Stream& stream, const std::string& function, const io::Json& json,
                const std::vector<NamedTensor>& tensors) {
  protocol::CallPart head;
  head.set_function(function);
  head.set_json(json.dump());
  if (!stream.Write(head)) return false;
  TensorsOfCall<Stream> parts{stream};
  return write_tensors(parts, tensors);
}

}  // namespace rhyton::distribute::grpc_module

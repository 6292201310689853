#pragma once

#include <string>

#include <grpcpp/client_context.h>

#include <rhyton/framework/distribute/grpc/status.h>

namespace rhyton::distribute::grpc_module {

/// Calls `work`, which writes and reads the parts of a call to a task, and ends the call. Where `work` throws, the call
/// is cancelled, since its parts were not read to the end. Otherwise throws as `throw_unless_ok`.
template <class Stream, class Work>
void run_stream(Stream& parts, grpc::ClientContext& context, const std::string& task, const Work& work) {
  try {
    work();
  } catch (...) {
    context.TryCancel();
    parts.Finish();
    throw;
  }
  throw_unless_ok(parts.Finish(), task);
}

}  // namespace rhyton::distribute::grpc_module

// A plain stream of gRPC, the peer of cluster.cc: the messages in which Rhyton's tasks send tensors, with nothing but
// gRPC and protobuf around them.
//
//   grpc_stream serve ADDRESS                           until its standard input ends
//   grpc_stream measure ADDRESS [MEGABYTES [PART_KB]]
//
// The sender has all messages ready, each with PART_KB (1024) of the MEGABYTES (100); the receiver reads one after the
// other into the same memory. Prints the median of seven times of each direction, in seconds, as JSON.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>

#include <rhyton/framework/distribute/grpc/task.grpc.pb.h>

namespace {

using rhyton::protocol::Names;
using rhyton::protocol::Nothing;
using rhyton::protocol::Task;
using rhyton::protocol::TensorPart;

std::vector<TensorPart> parts_of(std::size_t bytes, std::size_t part_bytes) {
  std::vector<TensorPart> parts;
  for (std::size_t at = 0; at < bytes; at += part_bytes) {
    parts.emplace_back().set_data(std::string(std::min(part_bytes, bytes - at), 'x'));
  }
  return parts;
}

template <class Stream>
void write_all(Stream& stream, const std::vector<TensorPart>& parts) {
  for (const TensorPart& part : parts) {
    if (!stream.Write(part)) throw std::runtime_error("the stream is broken");
  }
}

template <class Stream>
std::size_t read_all(Stream& stream) {
  TensorPart part;
  std::size_t bytes = 0;
  while (stream.Read(&part)) bytes += part.data().size();
  return bytes;
}

/// Takes streams, and sends them.
class Streams final : public Task::Service {
 public:
  grpc::Status Assign(grpc::ServerContext* /*context*/, grpc::ServerReader<TensorPart>* parts,
                      Nothing* /*reply*/) override {
    read_all(*parts);
    return grpc::Status::OK;
  }

  /// The names are the numbers of bytes of all parts, and of one.
  grpc::Status Read(grpc::ServerContext* /*context*/, const Names* request,
                    grpc::ServerWriter<TensorPart>* parts) override {
    const std::size_t bytes = std::stoull(request->name(0)), part_bytes = std::stoull(request->name(1));
    if (bytes != bytes_ || part_bytes != part_bytes_) parts_ = parts_of(bytes, part_bytes);
    bytes_ = bytes;
    part_bytes_ = part_bytes;
    write_all(*parts, parts_);
    return grpc::Status::OK;
  }

 private:
  std::size_t bytes_ = 0;
  std::size_t part_bytes_ = 0;
  std::vector<TensorPart> parts_;
};

void serve(const std::string& address) {
  Streams service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) throw std::runtime_error("nothing can listen on " + address);
  std::puts("serving");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}

template <class Work>
double seconds_of(Work work) {
  work();
  std::array<double, 7> seconds{};
  for (double& taken : seconds) {
    const auto start = std::chrono::steady_clock::now();
    work();
    taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

void require(bool is_right, const grpc::Status& status) {
  if (!is_right || !status.ok()) throw std::runtime_error("a call has failed: " + status.error_message());
}

void measure(const std::string& address, std::size_t bytes, std::size_t part_bytes) {
  const std::unique_ptr<Task::Stub> stub =
      Task::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  const std::vector<TensorPart> sent = parts_of(bytes, part_bytes);
  const double push = seconds_of([&] {
    grpc::ClientContext context;
    Nothing reply;
    const auto parts = stub->Assign(&context, &reply);
    write_all(*parts, sent);
    parts->WritesDone();
    require(true, parts->Finish());
  });
  const double pull = seconds_of([&] {
    grpc::ClientContext context;
    Names request;
    request.add_name(std::to_string(bytes));
    request.add_name(std::to_string(part_bytes));
    const auto parts = stub->Read(&context, request);
    const std::size_t received = read_all(*parts);
    require(received == bytes, parts->Finish());
  });
  std::printf("{\"bytes\": %zu, \"pull\": %.6f, \"push\": %.6f}\n", bytes, pull, push);
}

int run(std::span<char* const> words) {
  const std::string_view work = words.size() > 2 ? words[1] : "";
  if (work == "serve") {
    serve(words[2]);
  } else if (work == "measure") {
    const double megabytes = words.size() > 3 ? std::atof(words[3]) : 100.0;
    const double part_kilobytes = words.size() > 4 ? std::atof(words[4]) : 1024.0;
    measure(words[2], static_cast<std::size_t>(megabytes * 1e6), static_cast<std::size_t>(part_kilobytes * 1024.0));
  } else {
    std::fputs("Usage: grpc_stream serve ADDRESS | measure ADDRESS [MEGABYTES [PART_KB]]\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run({words, static_cast<std::size_t>(count)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "grpc_stream: %s\n", error.what());
    return 1;
  }
}

// Compares pulling and pushing 100 MB of variables, between two tasks of a cluster on the loopback interface, with plain
// gRPC streams of the same bytes, which nobody uses. Both sides are in this process.
//   variable_transfer [ROUNDS]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <rhyton/benchmarks/cluster/plain_stream.grpc.pb.h>
#include <rhyton/rhyton.h>
#include <rhyton/tests/models/cluster/free_address.h>

namespace {

using namespace rhyton;
namespace protocol = rhyton::benchmark;

constexpr std::int64_t variables = 4;
constexpr std::int64_t elements = 6'250'000;  // 25 MB each

/// Streams parts of a megabyte, and drops those that it receives.
class PlainStreams final : public protocol::PlainStream::Service {
 public:
  PlainStreams() { part_.set_data(std::string(distribute::tensor_part_bytes, 'x')); }

  grpc::Status Send(grpc::ServerContext* /*context*/, grpc::ServerReader<protocol::Bytes>* parts,
                    protocol::Nothing* /*reply*/) override {
    protocol::Bytes part;
    while (parts->Read(&part)) {
    }
    return grpc::Status::OK;
  }
  grpc::Status Receive(grpc::ServerContext* /*context*/, const protocol::Nothing* /*request*/,
                       grpc::ServerWriter<protocol::Bytes>* parts) override {
    for (std::int64_t i = 0; i < number_of_parts(); ++i) parts->Write(part_);
    return grpc::Status::OK;
  }

  static std::int64_t number_of_parts() {
    return variables * elements * 4 / static_cast<std::int64_t>(distribute::tensor_part_bytes);
  }
  const protocol::Bytes& part() const { return part_; }

 private:
  protocol::Bytes part_;
};

/// The median of the seconds that calls take, round by round, so that all meet the same machine.
std::vector<double> median_seconds(int rounds, const std::vector<std::function<void()>>& calls) {
  std::vector<std::vector<double>> seconds(calls.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      calls[i]();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (round > 0) seconds[i].push_back(time.count());  // the first one allocates memory
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& all : seconds) {
    std::sort(all.begin(), all.end());
    medians.push_back(all[all.size() / 2]);
  }
  return medians;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;

  PlainStreams streams;
  const std::string address = test::free_address();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&streams);
  const std::unique_ptr<grpc::Server> plain_server = builder.BuildAndStart();
  const auto stub = protocol::PlainStream::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  const auto receive = [&] {
    grpc::ClientContext context;
    const auto parts = stub->Receive(&context, protocol::Nothing());
    protocol::Bytes part;
    while (parts->Read(&part)) {
    }
    parts->Finish();
  };
  const auto send = [&] {
    grpc::ClientContext context;
    protocol::Nothing reply;
    const auto parts = stub->Send(&context, &reply);
    for (std::int64_t i = 0; i < PlainStreams::number_of_parts(); ++i) parts->Write(streams.part());
    parts->WritesDone();
    parts->Finish();
  };

  const distribute::ClusterSpec cluster({{"ps", {test::free_address()}}});
  const distribute::Server server(cluster);
  const distribute::RemoteTask task(cluster, {.type = "ps", .index = 0});
  std::vector<distribute::NamedTensor> tensors;
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < variables; ++i) {
    names.push_back("variable_" + std::to_string(i));
    tensors.push_back({.name = names.back(), .value = Tensor::full({elements}, 0.5)});
  }
  task.create(tensors);
  task.set_optimizer(optimizers::SGD({.learning_rate = 1e-3}));

  const std::vector<double> seconds = median_seconds(
      rounds, {receive, [&] { task.pull(names); }, send, [&] { task.assign(tensors); }, [&] { task.push(tensors); }});
  const double megabytes = variables * elements * 4 / 1e6;
  const auto print = [&](const char* what, double time, double plain) {
    std::cout << what << ": " << megabytes / time << " MB/s, " << plain / time << " of the plain stream\n";
  };
  print("plain stream, from the server", seconds[0], seconds[0]);
  print("pull", seconds[1], seconds[0]);
  print("plain stream, to the server", seconds[2], seconds[2]);
  print("assign", seconds[3], seconds[2]);
  print("push, with a step of SGD", seconds[4], seconds[2]);
  plain_server->Shutdown();
}

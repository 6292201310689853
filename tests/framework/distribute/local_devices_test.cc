#include <rhyton/framework/distribute/local_devices.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t max_bytes = 1 << 16;

/// What a client, which may be anyone, asks a task for.
class LocalDevicesTest : public testing::Test {
 protected:
  static MemoryRegion block(std::uint64_t number, std::uint64_t bytes) { return {number, bytes, 0}; }
  static RemoteTensor tensor(std::uint64_t number, const TensorSpec& spec) {
    return {block(number, spec.bytes()), spec};
  }

  void write(std::uint64_t number, const std::vector<float>& values) {
    session_->write(block(number, values.size() * sizeof(float)), std::as_bytes(std::span(values)));
  }
  std::vector<float> read(std::uint64_t number, std::size_t count) {
    std::vector<float> values(count);
    session_->read(block(number, count * sizeof(float)), std::as_writable_bytes(std::span(values)));
    return values;
  }

  const TensorSpec pair_{{2}, float32};
  LocalDevices devices_{max_bytes};
  std::shared_ptr<DeviceSession> session_ = devices_.open_session();
};

TEST_F(LocalDevicesTest, CallsOps) {
  write(1, {1, 2});
  write(2, {3, 5});
  session_->call({.op = "Mul",
                  .attributes = "",
                  .inputs = {tensor(1, pair_), tensor(2, pair_)},
                  .outputs = {tensor(3, pair_)},
                  .device = 0,
                  .released = {}});
  EXPECT_THAT(read(3, 2), ElementsAre(3, 10));
}

TEST_F(LocalDevicesTest, KeepsTheMemoryOfClientsApart) {
  write(1, {1, 2});
  const std::shared_ptr<DeviceSession> other = devices_.open_session();
  std::vector<std::byte> bytes(8);
  EXPECT_THROW(other->read(block(1, 8), bytes), NotFoundError);
}

TEST_F(LocalDevicesTest, RefusesRegionsThatAreNotThere) {
  write(1, {1, 2});
  std::vector<std::byte> bytes(8);
  EXPECT_THROW(session_->read({1, 8, 4}, bytes), ValueError);
  EXPECT_THROW(session_->read({1, 8, ~std::uint64_t{0}}, bytes), ValueError);
  EXPECT_THROW(session_->read({1, 16, 0}, bytes), ValueError);
  EXPECT_THROW(session_->write({1, 16, 0}, bytes), ValueError);
  EXPECT_THROW(session_->copy(block(2, 8), {1, 8, 1}, 8), ValueError);
  EXPECT_THROW(session_->copy(block(2, 8), block(1, 8), ~std::uint64_t{0}), ValueError);
  EXPECT_THROW(session_->read(block(7, 8), bytes), NotFoundError);
}

TEST_F(LocalDevicesTest, LimitsMemory) {
  std::vector<std::byte> bytes(max_bytes);
  EXPECT_THROW(session_->write(block(1, bytes.size()), bytes), ResourceExhaustedError);
  EXPECT_THROW(session_->write(block(1, ~std::uint64_t{0}), {}), ResourceExhaustedError);
  write(1, {1, 2});
  const TensorSpec large{{1 << 20}, float32};
  EXPECT_THROW(session_->call({.op = "BroadcastTo",
                               .attributes = "shape=[1099511627776]",
                               .inputs = {tensor(1, {{1}, float32})},
                               .outputs = {tensor(2, large)}}),
               Error);
  // Released memory counts no more.
  for (int i = 0; i < 100; ++i) {
    session_->write(block(2, max_bytes / 2), std::span(bytes).first(max_bytes / 2));
    session_->release({2}, {});
  }
}

TEST_F(LocalDevicesTest, RefusesCallsThatDoNotFit) {
  write(1, {1, 2});
  const auto call = [&](const std::string& op, const std::vector<RemoteTensor>& inputs, const TensorSpec& output) {
    session_->call({.op = op, .attributes = "", .inputs = inputs, .outputs = {tensor(9, output)}});
  };
  EXPECT_THROW(call("Relu", {tensor(1, pair_)}, {{3}, float32}), ValueError);
  EXPECT_THROW(call("Relu", {tensor(1, pair_)}, {{2}, int32}), ValueError);
  EXPECT_THROW(call("Relu", {{block(1, 8), {{3}, float32}}}, {{3}, float32}), ValueError);
  EXPECT_THROW(call("Relu", {{{1, 8, 2}, {{1}, float32}}}, {{1}, float32}), ValueError);
  EXPECT_THROW(call("NoSuchOp", {tensor(1, pair_)}, pair_), NotImplementedError);
  EXPECT_THROW(
      session_->call({.op = "Relu", .inputs = {tensor(1, pair_)}, .outputs = {tensor(2, pair_)}, .device = 99}),
      ValueError);
  EXPECT_THROW(session_->call({.op = "Relu", .inputs = {tensor(1, pair_)}, .outputs = {}}), ValueError);
  // No byte but 0 and 1 is a bool.
  EXPECT_THAT(test::message_of<ValueError>([&] {
                call("LogicalNot", {tensor(1, {{8}, bool_})}, {{8}, bool_});
              }),
              HasSubstr("are no bools"));
  // Rows that a table does not have.
  const std::vector<std::int64_t> rows = {5};
  session_->write(block(3, 8), std::as_bytes(std::span(rows)));
  const TensorSpec table{{1, 2}, float32};
  EXPECT_THROW(call("ScatterRowsUpdate", {tensor(1, table), tensor(3, {{1}, int64}), tensor(1, table)}, table),
               InvalidArgumentError);
}

RemoteGraph sum_of_input_and_variable() {
  const TensorSpec pair{{2}, float32};
  return {.name = "sum",
          .inputs = {{pair, -1}},
          .variables = {{pair, false}},
          .nodes = {{.op = "AddV2", .attributes = "", .inputs = {0, 1}, .scope = ""}},
          .outputs = {2},
          .updates = {{0, 2}}};
}

TEST_F(LocalDevicesTest, RunsGraphs) {
  const std::uint64_t graph = session_->compile(sum_of_input_and_variable());
  write(1, {1, 2});
  write(2, {10, 20});
  const RemoteRun run{.graph = graph, .inputs = {block(1, 8)}, .variables = {block(2, 8)}, .outputs = {block(3, 8)}};
  session_->run(run);
  session_->run(run);
  EXPECT_THAT(read(3, 2), ElementsAre(12, 24));
  EXPECT_THAT(read(2, 2), ElementsAre(12, 24));
  session_->release({}, {graph});
  EXPECT_THROW(session_->run(run), NotFoundError);
}

TEST_F(LocalDevicesTest, RefusesRunsThatDoNotFit) {
  const std::uint64_t graph = session_->compile(sum_of_input_and_variable());
  write(1, {1, 2});
  write(2, {10, 20});
  const auto run = [&](const MemoryRegion& input, const MemoryRegion& variable, const MemoryRegion& output) {
    session_->run({.graph = graph, .inputs = {input}, .variables = {variable}, .outputs = {output}});
  };
  EXPECT_THROW(run(block(7, 8), block(2, 8), block(3, 8)), NotFoundError);
  EXPECT_THROW(run(block(1, 8), block(7, 8), block(3, 8)), NotFoundError);
  EXPECT_THROW(run(block(1, 8), {2, 8, 4}, block(3, 8)), ValueError);
  EXPECT_THROW(run(block(1, 8), block(2, 8), block(3, 4)), ValueError);
  EXPECT_THROW(session_->run({.graph = graph, .inputs = {}, .variables = {}, .outputs = {}}), ValueError);
  // What failed has left the variable.
  write(2, {10, 20});
  run(block(1, 8), block(2, 8), block(3, 8));
  EXPECT_THAT(read(2, 2), ElementsAre(11, 22));
}

TEST_F(LocalDevicesTest, RefusesMalformedGraphs) {
  const auto refused = [&](const auto& change) {
    RemoteGraph graph = sum_of_input_and_variable();
    change(graph);
    EXPECT_THROW(session_->compile(graph), Error);
  };
  refused([](RemoteGraph& graph) { graph.nodes[0].inputs = {0, 2}; });
  refused([](RemoteGraph& graph) { graph.nodes[0].inputs = {0, -1}; });
  refused([](RemoteGraph& graph) { graph.nodes[0].inputs = {0}; });
  refused([](RemoteGraph& graph) { graph.outputs = {3}; });
  refused([](RemoteGraph& graph) { graph.updates = {{1, 2}}; });
  refused([](RemoteGraph& graph) { graph.updates = {{0, 2}, {0, 2}}; });
  refused([](RemoteGraph& graph) { graph.inputs[0].batch_axis = 1; });
  refused([](RemoteGraph& graph) { graph.inputs[0].spec.shape = {3}; });
  refused([](RemoteGraph& graph) { graph.variables[0].spec.shape = {std::int64_t{1} << 40}; });
  refused([](RemoteGraph& graph) { graph.device = -1; });
  refused([](RemoteGraph& graph) { graph.nodes[0].op = "Case"; });
  // Many small nodes whose values are large together.
  refused([](RemoteGraph& graph) {
    for (int i = 0; i < 20000; ++i) graph.nodes.push_back(graph.nodes[0]);
  });
}

}  // namespace
}  // namespace rhyton::distribute

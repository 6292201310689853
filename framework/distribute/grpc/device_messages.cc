#include <rhyton/framework/distribute/grpc/device_messages.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

constexpr std::size_t max_graph_bytes = std::size_t{256} << 20;
constexpr std::size_t part_bytes = std::size_t{1} << 20;

template <class Message>
TensorSpec spec_of(const Message& message) {
  const std::vector<std::int64_t> lengths(message.shape().begin(), message.shape().end());
  // More than any machine has, and few enough that products of a few of them with sizes of elements can be computed.
  constexpr std::int64_t longest = std::int64_t{1} << 56;
  for (const std::int64_t length : lengths) {
    if (length < 0) throw ValueError("A tensor that was sent has an axis of length " + std::to_string(length) + ".");
  }
  const TensorSpec spec{Shape{std::span<const std::int64_t>(lengths)}, dtype_from_name(message.dtype())};
  if (spec.shape.size() > longest) throw ValueError("A tensor that was sent has too many elements.");
  return spec;
}

template <class Message>
void write_spec(const TensorSpec& spec, Message& message) {
  message.set_dtype(std::string(name_of(spec.dtype)));
  for (const std::int64_t length : spec.shape) message.add_shape(length);
}

RemoteTensor tensor_of(const protocol::RemoteTensor& message) {
  return {region_of(message.region()), spec_of(message)};
}

void write(const RemoteTensor& tensor, protocol::RemoteTensor& message) {
  grpc_module::write(tensor.region, *message.mutable_region());
  write_spec(tensor.spec, message);
}

/// Cuts a graph into parts.
class PartWriter {
 public:
  /// Adds one element by `fill`, which gets the part.
  template <class Fill>
  void add(std::size_t bytes, const Fill& fill) {
    constexpr std::size_t bytes_besides = 64;
    if (parts_.empty() || filled_ + bytes + bytes_besides > part_bytes) {
      parts_.emplace_back();
      filled_ = 0;
    }
    fill(parts_.back());
    filled_ += bytes + bytes_besides;
  }

  std::vector<protocol::GraphPart> take() {
    parts_.emplace_back();
    parts_.back().set_is_end(true);
    return std::move(parts_);
  }

 private:
  std::vector<protocol::GraphPart> parts_;
  std::size_t filled_ = 0;
};

}  // namespace

MemoryRegion region_of(const protocol::Region& message) {
  return {.block = message.block(), .block_bytes = message.block_bytes(), .offset = message.offset()};
}

void write(const MemoryRegion& region, protocol::Region& message) {
  message.set_block(region.block);
  message.set_block_bytes(region.block_bytes);
  message.set_offset(region.offset);
}

RemoteCall call_of(const protocol::OpCall& message) {
  RemoteCall call{.op = message.op(),
                  .attributes = message.attributes(),
                  .inputs = {},
                  .outputs = {},
                  .device = message.device(),
                  .released = {message.released().begin(), message.released().end()}};
  for (const protocol::RemoteTensor& input : message.inputs()) call.inputs.push_back(tensor_of(input));
  for (const protocol::RemoteTensor& output : message.outputs()) call.outputs.push_back(tensor_of(output));
  return call;
}

protocol::OpCall message_of(const RemoteCall& call) {
  protocol::OpCall message;
  message.set_op(call.op);
  message.set_attributes(call.attributes);
  for (const RemoteTensor& input : call.inputs) write(input, *message.add_inputs());
  for (const RemoteTensor& output : call.outputs) write(output, *message.add_outputs());
  message.set_device(call.device);
  for (const std::uint64_t block : call.released) message.add_released(block);
  return message;
}

RemoteRun run_of(const protocol::GraphRun& message) {
  RemoteRun run{.graph = message.graph(),
                .inputs = {},
                .variables = {},
                .outputs = {},
                .released = {message.released().begin(), message.released().end()}};
  for (const protocol::Region& input : message.inputs()) run.inputs.push_back(region_of(input));
  for (const protocol::Region& variable : message.variables()) run.variables.push_back(region_of(variable));
  for (const protocol::Region& output : message.outputs()) run.outputs.push_back(region_of(output));
  return run;
}

protocol::GraphRun message_of(const RemoteRun& run) {
  protocol::GraphRun message;
  message.set_graph(run.graph);
  for (const MemoryRegion& input : run.inputs) grpc_module::write(input, *message.add_inputs());
  for (const MemoryRegion& variable : run.variables) grpc_module::write(variable, *message.add_variables());
  for (const MemoryRegion& output : run.outputs) grpc_module::write(output, *message.add_outputs());
  for (const std::uint64_t block : run.released) message.add_released(block);
  return message;
}

void GraphReader::add(const protocol::GraphPart& part) {
  if (has_ended_) throw ValueError("A graph that was sent goes on after its end.");
  if (part.is_end()) {
    has_ended_ = true;
    return;
  }
  const std::size_t bytes = part.ByteSizeLong();
  if (bytes > max_graph_bytes - bytes_) {
    throw ResourceExhaustedError("A graph that was sent is larger than " + std::to_string(max_graph_bytes) + " bytes.");
  }
  bytes_ += bytes;
  if (!part.name().empty()) graph_.name = part.name();
  if (part.device() != 0) graph_.device = part.device();
  for (const protocol::GraphInput& input : part.inputs()) {
    graph_.inputs.push_back({spec_of(input), input.batch_axis()});
  }
  for (const protocol::RemoteTensor& constant : part.constants()) graph_.constants.push_back(tensor_of(constant));
  for (const protocol::GraphVariable& variable : part.variables()) {
    graph_.variables.push_back({spec_of(variable), variable.carries_batch()});
  }
  for (const protocol::GraphNode& node : part.nodes()) {
    graph_.nodes.push_back({.op = node.op(),
                            .attributes = node.attributes(),
                            .inputs = {node.inputs().begin(), node.inputs().end()},
                            .scope = node.scope()});
  }
  graph_.outputs.insert(graph_.outputs.end(), part.outputs().begin(), part.outputs().end());
  for (const protocol::GraphUpdate& update : part.updates()) {
    graph_.updates.push_back({update.variable(), update.value()});
  }
}

RemoteGraph GraphReader::take() {
  if (!has_ended_) throw ValueError("A graph that was sent breaks off.");
  return std::move(graph_);
}

std::vector<protocol::GraphPart> parts_of(const RemoteGraph& graph) {
  constexpr std::size_t bytes_of_tensor = 128;
  PartWriter writer;
  writer.add(graph.name.size(), [&](protocol::GraphPart& part) {
    part.set_name(graph.name);
    part.set_device(graph.device);
  });
  for (const RemoteGraph::Input& input : graph.inputs) {
    writer.add(bytes_of_tensor, [&](protocol::GraphPart& part) {
      protocol::GraphInput& message = *part.add_inputs();
      write_spec(input.spec, message);
      message.set_batch_axis(input.batch_axis);
    });
  }
  for (const RemoteTensor& constant : graph.constants) {
    writer.add(bytes_of_tensor, [&](protocol::GraphPart& part) { write(constant, *part.add_constants()); });
  }
  for (const RemoteGraph::Variable& variable : graph.variables) {
    writer.add(bytes_of_tensor, [&](protocol::GraphPart& part) {
      protocol::GraphVariable& message = *part.add_variables();
      write_spec(variable.spec, message);
      message.set_carries_batch(variable.carries_batch);
    });
  }
  for (const RemoteGraph::Node& node : graph.nodes) {
    const std::size_t bytes = node.op.size() + node.attributes.size() + node.scope.size() + 10 * node.inputs.size();
    writer.add(bytes, [&](protocol::GraphPart& part) {
      protocol::GraphNode& message = *part.add_nodes();
      message.set_op(node.op);
      message.set_attributes(node.attributes);
      for (const std::int32_t input : node.inputs) message.add_inputs(input);
      message.set_scope(node.scope);
    });
  }
  for (const std::int32_t output : graph.outputs) {
    writer.add(0, [&](protocol::GraphPart& part) { part.add_outputs(output); });
  }
  for (const RemoteGraph::Update& update : graph.updates) {
    writer.add(0, [&](protocol::GraphPart& part) {
      protocol::GraphUpdate& message = *part.add_updates();
      message.set_variable(update.variable);
      message.set_value(update.value);
    });
  }
  return writer.take();
}

}  // namespace rhyton::distribute::grpc_module

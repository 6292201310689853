// What a client asks a task's devices for: memory, ops and graphs, with places, shapes, dtypes and attributes from the
// input. Everything is refused by an exception or computed within its memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/distribute/local_devices.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/op_registry.h>

namespace {

using namespace rhyton;
using namespace rhyton::distribute;

constexpr std::size_t max_bytes = std::size_t{1} << 16;

/// Reads the input from front to back; behind its end everything is 0.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = (value << 8) | byte();
    return value;
  }
  std::string_view text() {
    const std::size_t size = std::min<std::size_t>(byte(), bytes_.size());
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return text;
  }
  DType dtype() {
    static constexpr DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                       DType::int32,   DType::int64,   DType::uint8,   DType::bool_};
    return dtypes[byte() % std::size(dtypes)];
  }
  TensorSpec spec() {
    TensorSpec spec{{}, dtype()};
    const int rank = byte() % 6;
    for (int axis = 0; axis < rank; ++axis) {
      const std::uint8_t length = byte();
      spec.shape.push_back(length < 250 ? length % 9 : static_cast<std::int64_t>(number() >> (length - 248)));
    }
    return spec;
  }
  MemoryRegion region(const TensorSpec& spec) {
    const std::uint8_t kind = byte();
    MemoryRegion region{.block = kind % 8U, .block_bytes = 0, .offset = 0};
    region.block_bytes = kind < 240 ? static_cast<std::uint64_t>(spec.shape.size()) * size_of(spec.dtype) : number();
    if (kind >= 248) region.offset = number();
    return region;
  }
  RemoteTensor tensor() {
    RemoteTensor tensor;
    tensor.spec = spec();
    tensor.region = region(tensor.spec);
    return tensor;
  }
  std::string_view op() {
    static const std::vector<std::string_view> names = readable_ops();
    return names[byte() % names.size()];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Content for the blocks that an op reads.
void write(DeviceSession& session, const RemoteTensor& tensor, Input& input) {
  const std::size_t bytes = tensor.region.block_bytes;
  if (bytes > max_bytes / 4) return;
  std::vector<std::byte> content(bytes);
  const std::uint8_t seed = input.byte();
  for (std::size_t i = 0; i < bytes; ++i) {
    content[i] = static_cast<std::byte>(seed < 128 ? (i % size_of(tensor.spec.dtype) == 0 ? seed % 3 : 0) : seed + i);
  }
  MemoryRegion whole = tensor.region;
  whole.offset = 0;
  session.write(whole, content);
}

void call(DeviceSession& session, Input& input) {
  RemoteCall call{.op = std::string(input.op()), .attributes = std::string(input.text())};
  std::vector<TensorSpec> specs;
  for (int count = input.byte() % 5; count > 0; --count) {
    call.inputs.push_back(input.tensor());
    specs.push_back(call.inputs.back().spec);
    write(session, call.inputs.back(), input);
  }
  if (input.byte() < 200) {
    std::uint64_t block = 8;
    for (const TensorSpec& output : make_op(call.op, call.attributes, specs)->infer(specs)) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(output.shape.size()) * size_of(output.dtype);
      call.outputs.push_back({{.block = block++, .block_bytes = bytes, .offset = 0}, output});
    }
  } else {
    call.outputs.push_back(input.tensor());
  }
  session.call(call);
}

void run_graph(DeviceSession& session, Input& input) {
  RemoteGraph graph{.name = "fuzzed"};
  RemoteRun run;
  const auto take = [&] {
    RemoteTensor tensor = input.tensor();
    write(session, tensor, input);
    return tensor;
  };
  for (int count = input.byte() % 4; count > 0; --count) {
    const RemoteTensor tensor = take();
    graph.inputs.push_back({tensor.spec, static_cast<int>(input.byte() % 4) - 1});
    run.inputs.push_back(tensor.region);
  }
  for (int count = input.byte() % 3; count > 0; --count) graph.constants.push_back(take());
  for (int count = input.byte() % 3; count > 0; --count) {
    const RemoteTensor tensor = take();
    graph.variables.push_back({tensor.spec, input.byte() % 2 == 1});
    run.variables.push_back(tensor.region);
  }
  for (int count = input.byte() % 8; count > 0; --count) {
    RemoteGraph::Node node{.op = std::string(input.op()), .attributes = std::string(input.text())};
    for (int inputs = input.byte() % 4; inputs > 0; --inputs) node.inputs.push_back(input.byte() % 12);
    graph.nodes.push_back(std::move(node));
  }
  for (int count = input.byte() % 3; count > 0; --count) {
    graph.outputs.push_back(input.byte() % 12);
    run.outputs.push_back(input.region(input.spec()));
  }
  for (int count = input.byte() % 3; count > 0; --count) {
    graph.updates.push_back(
        {static_cast<std::int32_t>(input.byte() % 4), static_cast<std::int32_t>(input.byte() % 12)});
  }
  run.graph = session.compile(graph);
  session.run(run);
  session.run(run);
}

void ask(DeviceSession& session, Input& input) {
  try {
    switch (input.byte() % 5) {
      case 0:
      case 1:
        return call(session, input);
      case 2:
      case 3:
        return run_graph(session, input);
      default: {
        const MemoryRegion target = input.tensor().region;
        const MemoryRegion source = input.tensor().region;
        session.copy(target, source, input.number() >> (input.byte() % 64));
      }
    }
  } catch (const Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({data, size});
  LocalDevices devices(max_bytes);
  const std::shared_ptr<DeviceSession> session = devices.open_session();
  for (int i = 0; i < 4 && !input.is_empty(); ++i) ask(*session, input);
  return 0;
}

// Attention by itself, in its own Executable.

#include <cstdint>
#include <string>

#include <rhyton/benchmarks/workloads/compiled.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

io::Json attention(const Options&) {
  constexpr std::int64_t samples = 8;
  constexpr std::int64_t heads = 8;
  constexpr std::int64_t size = 64;
  io::Json cases = io::Json::object();
  for (const std::int64_t positions : {128, 512, 2048}) {
    Tensors inputs;  // query, key, value and the gradient of the result
    for (std::uint64_t key = 0; key < 4; ++key) {
      inputs.push_back(random_normal({samples, positions, heads, size}, key, /*counter=*/0));
    }
    for (const bool is_causal : {false, true}) {
      const auto attend = [is_causal](const Tensors& x) {
        return dot_product_attention(x[0], x[1], x[2], {.is_causal = is_causal});
      };
      const std::string name = std::to_string(positions) + (is_causal ? ", causal" : "");
      cases[name] = Compiled(inputs, inputs.size(), with_gradients(attend)).seconds();
      cases[name + ", forward"] = Compiled({inputs[0], inputs[1], inputs[2]}, 3, [&](const Tensors& x) {
                                    return Tensors{attend(x)};
                                  }).seconds();
    }
  }
  return io::Json::object({{"cases", cases}});
}

}  // namespace workloads

#include <rhyton/framework/backends/gpu/updates/lamb_direction.h>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/reduce/row_groups.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/updates/update_rules.h>

namespace rhyton::gpu {
namespace {

/// The neighbouring elements of a thread: a block of threads processes a block of elements.
constexpr int width = 4;
constexpr int threads = static_cast<int>(LambDirectionOp::block) / width;

template <class T>
struct LambTensors {
  const T* variable;
  const T* from[2];
  const T* gradient;
  const std::int64_t* iterations;
  T* to[2];
  T* direction;
  T* variable_squares;
  T* direction_squares;
  std::int64_t size;
};

template <class T>
using Rule = rhyton::updates::LambRule<Computed<T>>;

template <class T>
using Squares = Sums<Computed<T>, 2>;

/// Adds the squares of the variable and of the direction to `squares`.
template <class T, int count>
__device__ void renew_pack(const LambTensors<T>& tensors, std::int64_t at, const Rule<T>& rule,
                           const typename Rule<T>::Rates& rates, Squares<T>& squares) {
  const auto variables = load_whole<count>(tensors.variable + at);
  const auto gradients = load_whole<count>(tensors.gradient + at);
  Pack<T, count> renewed[2];
  for (int i = 0; i < 2; ++i) renewed[i] = load_whole<count>(tensors.from[i] + at);
  Pack<T, count> directions;
  for (int k = 0; k < count; ++k) {
    Computed<T> values[2] = {number(renewed[0].values[k]), number(renewed[1].values[k])};
    const Computed<T> direction =
        rule.template update<NumberMath<Computed<T>>>(values, number(gradients.values[k]), rates);
    const Computed<T> variable = number(variables.values[k]);
    squares.of[0] = std::fma(variable, variable, squares.of[0]);
    squares.of[1] = std::fma(direction, direction, squares.of[1]);
    for (int i = 0; i < 2; ++i) renewed[i].values[k] = element<T>(values[i]);
    directions.values[k] = element<T>(direction);
  }
  for (int i = 0; i < 2; ++i) store_whole(tensors.to[i] + at, renewed[i]);
  store_whole(tensors.direction + at, directions);
}

template <class T>
__device__ bool begin_packs(const LambTensors<T>& tensors) {
  constexpr std::size_t bytes = sizeof(Pack<T, width>);
  bool all = begins_pack(tensors.variable, bytes) && begins_pack(tensors.gradient, bytes) &&
             begins_pack(tensors.direction, bytes);
  for (int i = 0; i < 2; ++i) all = all && begins_pack(tensors.from[i], bytes) && begins_pack(tensors.to[i], bytes);
  return all;
}

template <class T>
__global__ void __launch_bounds__(threads) lamb_direction(LambTensors<T> tensors, Rule<T> rule, std::int64_t blocks) {
  __shared__ typename Rule<T>::Rates shared_rates;
  if (threadIdx.x == 0) shared_rates = rule.rates(*tensors.iterations);
  __syncthreads();
  const typename Rule<T>::Rates rates = shared_rates;
  const bool has_packs = begin_packs(tensors);
  for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    Squares<T> squares = {};
    const std::int64_t at = block * LambDirectionOp::block + static_cast<int>(threadIdx.x) * width;
    if (has_packs && at + width <= tensors.size) {
      renew_pack<T, width>(tensors, at, rule, rates, squares);
    } else {
      for (std::int64_t i = at; i < tensors.size && i < at + width; ++i) {
        renew_pack<T, 1>(tensors, i, rule, rates, squares);
      }
    }
    squares = block_reduce(squares, Plus());
    if (threadIdx.x == 0) {
      tensors.variable_squares[block] = element<T>(squares.of[0]);
      tensors.direction_squares[block] = element<T>(squares.of[1]);
    }
  }
}

template <class T>
void run(const KernelArguments& arguments) {
  const std::span<const TensorView> inputs = arguments.inputs;
  const std::span<const TensorView> outputs = arguments.outputs;
  const std::int64_t blocks = outputs[3].size();
  if (blocks == 0) return;
  const LambTensors<T> tensors = {.variable = inputs[0].as<const T>(),
                                  .from = {inputs[1].as<const T>(), inputs[2].as<const T>()},
                                  .gradient = inputs[3].as<const T>(),
                                  .iterations = inputs[4].as<const std::int64_t>(),
                                  .to = {outputs[0].as<T>(), outputs[1].as<T>()},
                                  .direction = outputs[2].as<T>(),
                                  .variable_squares = outputs[3].as<T>(),
                                  .direction_squares = outputs[4].as<T>(),
                                  .size = inputs[0].size()};
  launch(stream_of(arguments), LambDirectionOp::op_name, one_block_each(blocks, threads), &lamb_direction<T>, tensors,
         Rule<T>(arguments.attributes<LambDirectionOp>()), blocks);
}

template <class... T>
void add(KernelTable& table) {
  (table.add(LambDirectionOp::op_name, dtype_of<T>, {.run = &run<T>}), ...);
}

}  // namespace

void register_lamb_direction_kernels(KernelTable& table) { add<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu

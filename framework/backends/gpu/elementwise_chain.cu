#include <rhyton/framework/backends/gpu/elementwise_chain.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise.h>
#include <rhyton/framework/backends/gpu/elementwise_activation_functions.h>
#include <rhyton/framework/backends/gpu/elementwise_chain_program.h>
#include <rhyton/framework/backends/gpu/elementwise_convert.h>
#include <rhyton/framework/backends/gpu/elementwise_functions.h>
#include <rhyton/framework/backends/gpu/launch.h>

namespace rhyton::gpu {
namespace {

constexpr int threads = 128;

/// An element of any dtype, held as a float, a double or a 64-bit integer.
struct WideValue {
  std::uint64_t bits;
};

/// What an element of dtype `T` is held as, where `Value` is a WideValue.
template <class T>
using Held = std::conditional_t<std::is_same_v<T, double>, double,
                                std::conditional_t<std::is_floating_point_v<Computed<T>>, float, std::int64_t>>;

/// A number as a float, or as a WideValue.
template <class Value, class Number>
__device__ inline Value hold(Number number) {
  if constexpr (std::is_same_v<Value, float>) {
    return static_cast<float>(number);
  } else {
    Value value{};
    std::memcpy(&value.bits, &number, sizeof(number));
    return value;
  }
}

template <class Number, class Value>
__device__ inline Number held_number(const Value& value) {
  if constexpr (std::is_same_v<Value, float>) {
    return static_cast<Number>(value);
  } else {
    Number number;
    std::memcpy(&number, &value.bits, sizeof(number));
    return number;
  }
}

/// An element as a value.
template <class Value, class T>
__device__ inline Value hold_element(const T& element) {
  if constexpr (std::is_same_v<Value, float>) {
    return static_cast<float>(number(element));
  } else {
    return hold<Value>(static_cast<Held<T>>(number(element)));
  }
}

/// An element from the value that `hold_element` made of it.
template <class T, class Value>
__device__ inline T released(const Value& value) {
  if constexpr (std::is_same_v<Value, float>) {
    return convert<T>(value);
  } else {
    return convert<T>(held_number<Held<T>>(value));
  }
}

template <class Value>
__device__ inline bool is_true(const Value& value) {
  if constexpr (std::is_same_v<Value, float>) {
    return value != 0.0F;
  } else {
    return value.bits != 0;
  }
}

/// Calls body(an element) for the type of a dtype. Only those that a float holds where values are floats.
template <class Value, class Body>
__device__ inline void with_type(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::float32:
      return body(float());
    case DType::float16:
      return body(Half());
    case DType::bfloat16:
      return body(BFloat16());
    case DType::uint8:
      return body(std::uint8_t());
    case DType::bool_:
      return body(bool());
    default:
      break;
  }
  if constexpr (std::is_same_v<Value, WideValue>) {
    switch (dtype) {
      case DType::float64:
        return body(double());
      case DType::int32:
        return body(std::int32_t());
      case DType::int64:
        return body(std::int64_t());
      default:
        break;
    }
  }
}

/// What one thread computes at once.
template <class T, int lanes>
struct Lanes {
  T values[lanes];
};

template <class T, int lanes, class Function, class... Operand>
__device__ inline Lanes<T, lanes> each(const Function& f, const Lanes<Operand, lanes>&... x) {
  Lanes<T, lanes> result;
  for (int i = 0; i < lanes; ++i) result.values[i] = static_cast<T>(f(x.values[i]...));
  return result;
}

template <class T, int lanes>
__device__ inline Lanes<T, lanes> evaluate_floating(const ChainStep& step, const Lanes<T, lanes>& a,
                                                    const Lanes<T, lanes>& b) {
  const auto unary = [&](const auto& f) { return each<T>(f, a); };
  const auto binary = [&](const auto& f) { return each<T>(f, a, b); };
  const auto constant = static_cast<T>(step.constants[0]);
  switch (step.code) {
    case ChainCode::exp:
      return unary(Exp());
    case ChainCode::expm1:
      return unary(Expm1());
    case ChainCode::log:
      return unary(Log());
    case ChainCode::log1p:
      return unary(Log1p());
    case ChainCode::sqrt:
      return unary(Sqrt());
    case ChainCode::rsqrt:
      return unary(Rsqrt());
    case ChainCode::reciprocal:
      return unary(Reciprocal());
    case ChainCode::floor:
      return unary(Floor());
    case ChainCode::ceil:
      return unary(Ceil());
    case ChainCode::rint:
      return unary(Rint());
    case ChainCode::sin:
      return unary(Sin());
    case ChainCode::cos:
      return unary(Cos());
    case ChainCode::erf:
      return unary(Erf());
    case ChainCode::is_nan:
      return unary(IsNan());
    case ChainCode::is_finite:
      return unary(IsFinite());
    case ChainCode::divide:
      return binary(Divide());
    case ChainCode::power:
      return binary(Power());
    case ChainCode::relu_grad:
      return binary(ReluGrad());
    case ChainCode::leaky_relu:
      return unary(LeakyRelu<T>{constant});
    case ChainCode::leaky_relu_grad:
      return binary(LeakyReluGrad<T>{constant});
    case ChainCode::tanh:
      return unary(Tanh());
    case ChainCode::tanh_grad:
      return binary(TanhGrad());
    case ChainCode::sigmoid:
      return unary(Sigmoid());
    case ChainCode::sigmoid_grad:
      return binary(SigmoidGrad());
    case ChainCode::softplus:
      return unary(Softplus());
    case ChainCode::softplus_grad:
      return binary(SoftplusGrad());
    case ChainCode::silu:
      return unary(Silu());
    case ChainCode::silu_grad:
      return binary(SiluGrad());
    case ChainCode::elu:
      return unary(Elu<T>{constant});
    case ChainCode::elu_grad:
      return binary(EluGrad<T>{constant});
    case ChainCode::gelu:
      return unary(Gelu());
    case ChainCode::gelu_grad:
      return binary(GeluGrad());
    case ChainCode::approximate_gelu:
      return unary(ApproximateGelu());
    case ChainCode::approximate_gelu_grad:
      return binary(ApproximateGeluGrad());
    default:
      return a;
  }
}

template <class T, int lanes>
__device__ inline Lanes<T, lanes> evaluate(const ChainStep& step, const Lanes<bool, lanes>& condition,
                                           const Lanes<T, lanes>& a, const Lanes<T, lanes>& b,
                                           const Lanes<T, lanes>& c) {
  const auto unary = [&](const auto& f) { return each<T>(f, a); };
  const auto binary = [&](const auto& f) { return each<T>(f, a, b); };
  const auto first = static_cast<T>(step.constants[0]);
  switch (step.code) {
    case ChainCode::copy:
      return a;
    case ChainCode::constant:
      return unary([=](T) { return first; });
    case ChainCode::negative:
      return unary(Negative());
    case ChainCode::abs:
      return unary(Abs());
    case ChainCode::square:
      return unary(Square());
    case ChainCode::sign:
      return unary(Sign());
    case ChainCode::logical_not:
      return unary(LogicalNot());
    case ChainCode::relu:
      return unary(Relu());
    case ChainCode::clip_by_value:
      return unary(ClipByValue<T>{first, static_cast<T>(step.constants[1])});
    case ChainCode::add:
      return binary(Add());
    case ChainCode::subtract:
      return binary(Subtract());
    case ChainCode::multiply:
      return binary(Multiply());
    case ChainCode::maximum:
      return binary(Maximum());
    case ChainCode::minimum:
      return binary(Minimum());
    case ChainCode::squared_difference:
      return binary(SquaredDifference());
    case ChainCode::equal:
      return binary(Equal());
    case ChainCode::not_equal:
      return binary(NotEqual());
    case ChainCode::less:
      return binary(Less());
    case ChainCode::less_equal:
      return binary(LessEqual());
    case ChainCode::greater:
      return binary(Greater());
    case ChainCode::greater_equal:
      return binary(GreaterEqual());
    case ChainCode::logical_and:
      return binary(LogicalAnd());
    case ChainCode::logical_or:
      return binary(LogicalOr());
    case ChainCode::select:
      return each<T>(Select(), condition, b, c);
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return evaluate_floating(step, a, b);
  } else {
    return a;
  }
}

/// One step, computed in `T`; its results are rounded as elements of its dtype are.
template <class T, class Value, int lanes>
__device__ inline Lanes<Value, lanes> run_step(const ChainStep& step, const Lanes<Value, lanes> (&operands)[3]) {
  const auto number_of = [](const Value& value) { return held_number<T>(value); };
  const Lanes<T, lanes> numbers =
      evaluate(step, each<bool>([](const Value& value) { return is_true(value); }, operands[0]),
               each<T>(number_of, operands[0]), each<T>(number_of, operands[1]), each<T>(number_of, operands[2]));
  Lanes<Value, lanes> results{};
  with_type<Value>(step.dtype, [&](auto element) {
    using Element = decltype(element);
    for (int i = 0; i < lanes; ++i) {
      results.values[i] = hold_element<Value>(convert<Element>(numbers.values[i]));
    }
  });
  return results;
}

/// Where an input has what belongs to the elements of a chain with these indices, which lie in these rows.
template <int lanes>
__device__ inline Lanes<std::int64_t, lanes> places_of(ChainInput walk, const Lanes<std::int64_t, lanes>& indices,
                                                       const Lanes<std::int64_t, lanes>& rows,
                                                       std::int64_t row_length) {
  switch (walk) {
    case ChainInput::full:
      return indices;
    case ChainInput::row:
      return each<std::int64_t>([=](std::int64_t index, std::int64_t row) { return index - row * row_length; }, indices,
                                rows);
    case ChainInput::column:
      return rows;
    case ChainInput::scalar:
      break;
  }
  return {};
}

/// Runs a chain on `lanes` elements of each thread at once, `threads` apart. Slots lie in shared memory, where each
/// thread has its own column.
template <class Value, int slot_limit, int lanes>
__global__ void run_chain(const __grid_constant__ ChainProgram program) {
  __shared__ Value slots[slot_limit][lanes][threads];
  constexpr int block_elements = lanes * threads;
  const int thread = static_cast<int>(threadIdx.x);
  const auto step_of_grid = static_cast<std::int64_t>(gridDim.x) * block_elements;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * block_elements + thread; first < program.count;
       first += step_of_grid) {
    const auto exists = [&](int i) { return first + i * threads < program.count; };
    // A lane behind the end computes with the thread's first element and stores nothing: loads without conditions are
    // all on their way at the same time.
    Lanes<std::int64_t, lanes> indices;
    for (int i = 0; i < lanes; ++i) indices.values[i] = exists(i) ? first + i * threads : first;
    Lanes<std::int64_t, lanes> rows{};
    if (program.has_rows) {
      rows = each<std::int64_t>([&](std::int64_t index) { return program.row_length.divide(index); }, indices);
    }
    for (int input = 0; input < program.input_count; ++input) {
      const auto places = places_of(program.walks[input], indices, rows, program.row_length.divisor());
      with_type<Value>(program.input_dtypes[input], [&](auto element) {
        using Element = decltype(element);
        const auto* const data = static_cast<const Element*>(program.inputs[input]);
        const auto loaded = each<Element>([=](std::int64_t place) { return data[place]; }, places);
        for (int i = 0; i < lanes; ++i) slots[input][i][thread] = hold_element<Value>(loaded.values[i]);
      });
    }
    Lanes<Value, lanes> previous{};
    for (int number = 0; number < program.step_count; ++number) {
      const ChainStep& step = program.steps[number];
      Lanes<Value, lanes> operands[3];
      for (int k = 0; k < 3; ++k) {
        operands[k] = previous;
        if (step.operands[k] == ChainStep::previous) continue;
        for (int i = 0; i < lanes; ++i) operands[k].values[i] = slots[step.operands[k]][i][thread];
      }
      if constexpr (std::is_same_v<Value, float>) {
        previous = run_step<float>(step, operands);
      } else if (step.number == ChainNumber::single_precision) {
        previous = run_step<float>(step, operands);
      } else if (step.number == ChainNumber::double_precision) {
        previous = run_step<double>(step, operands);
      } else {
        previous = run_step<std::int64_t>(step, operands);
      }
      if (step.slot != ChainStep::none) {
        for (int i = 0; i < lanes; ++i) slots[step.slot][i][thread] = previous.values[i];
      }
      if (step.output == ChainStep::none) continue;
      with_type<Value>(step.dtype, [&](auto element) {
        auto* const data = static_cast<decltype(element)*>(program.outputs[step.output]);
        for (int i = 0; i < lanes; ++i) {
          if (exists(i)) data[first + i * threads] = released<decltype(element)>(previous.values[i]);
        }
      });
    }
  }
}

template <class Value, int slot_limit, int lanes>
void launch_chain(GpuStream& stream, const ChainProgram& program) {
  constexpr std::int64_t most_blocks = 16 * 132;
  constexpr std::int64_t block_elements = lanes * threads;
  const std::int64_t blocks = std::min((program.count + block_elements - 1) / block_elements, most_blocks);
  launch(stream, "ElementwiseChain", {dim3(static_cast<unsigned>(blocks)), dim3(threads)},
         &run_chain<Value, slot_limit, lanes>, program);
}

void run_elementwise_chain(const KernelArguments& arguments) {
  const ChainProgram program = compile_chain(arguments);
  if (program.count == 0) return;
  GpuStream& stream = stream_of(arguments);
  // Few slots leave room in shared memory for many blocks; that is enough for almost all chains.
  constexpr int few = 8;
  constexpr int all = most_chain_inputs + most_chain_members;
  const bool is_small = program.slot_count <= few;
  if (program.is_narrow) {
    return is_small ? launch_chain<float, few, 4>(stream, program) : launch_chain<float, all, 2>(stream, program);
  }
  return is_small ? launch_chain<WideValue, few, 2>(stream, program) : launch_chain<WideValue, all, 1>(stream, program);
}

bool accepts_chain(const Op& op, Kernel::Specs, Kernel::Specs) {
  return chain_is_supported(static_cast<const ElementwiseChainOp&>(op));
}

}  // namespace

void register_chain_kernels(KernelTable& table) {
  table.add("ElementwiseChain", DType::float32, {.run = &run_elementwise_chain, .accepts = &accepts_chain});
}

}  // namespace rhyton::gpu

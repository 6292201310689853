// On a GPU a chain gives the same bits as its members one by one.

#include <array>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/backends/gpu/elementwise/chain.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_members.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/tests/framework/backends/gpu/elementwise_checks.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/framework/ops/conformance_case.h>
#include <rhyton/tests/framework/ops/conformance_run.h>

namespace rhyton::gpu {
namespace {

using ChainMembers = std::vector<ChainMember>;

std::vector<TensorSpec> specs_of(const Tensors& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

/// All results of the members, each called by its own kernel.
Tensors run_members(const Tensors& inputs, const ChainMembers& members) {
  Tensors values = inputs;
  for (const ChainMember& member : members) {
    Tensors operands;
    for (const int operand : member.operands) operands.push_back(values[static_cast<std::size_t>(operand)]);
    values.push_back(run_kernel(*member.op, operands, test_stream())[0]);
  }
  return {values.begin() + static_cast<std::ptrdiff_t>(inputs.size()), values.end()};
}

/// Compares the chain's bits with those of its members.
void check_chain(const Tensors& inputs, const ChainMembers& members, const std::vector<int>& results) {
  const ElementwiseChainOp chain(specs_of(inputs), members, results);
  EXPECT_TRUE(chain_is_supported(chain));
  const Tensors expected = run_members(inputs, members);
  const Tensors actual = run_kernel(chain, inputs, test_stream());
  ASSERT_EQ(actual.size(), results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(same_bits(actual[i], expected[static_cast<std::size_t>(results[i])]))
        << text_of(chain, inputs) << ", output " << i << ": " << chain.attributes();
  }
}

// max(x · row, y) - column, its square plus the number, and the former times the latter.
const ChainMembers rows_and_columns{{named("Mul"), {0, 2}}, {named("Maximum"), {5, 1}}, {named("Sub"), {6, 3}},
                                    {named("Mul"), {7, 7}}, {named("AddV2"), {8, 4}},   {named("Mul"), {7, 9}}};

TEST(GpuElementwiseChain, RowsColumnsAndScalars) {
  for (const DType dtype : {float32, float64, int32, int64}) {
    for (const Shape& shape : {Shape{1, 1}, Shape{70, 9}, Shape{3, 257}, Shape{600, 3}, Shape{2, 3, 33}}) {
      Shape column = shape;
      column[shape.rank() - 1] = 1;
      check_chain({numbers(shape, dtype, 1), numbers(shape, dtype, 2), numbers({shape[shape.rank() - 1]}, dtype, 3),
                   numbers(column, dtype, 4), numbers({}, dtype, 5)},
                  rows_and_columns, {2, 5});
    }
  }
}

TEST(GpuElementwiseChain, AnyNumberOfElements) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t size : {0, 1, 3, 31, 33, 127, 129, 511, 512, 513, 5003}) {
      check_chain({numbers({size}, dtype, 1), numbers({size}, dtype, 2)},
                  {{named("Exp"), {0}}, {named("AddV2"), {2, 1}}, {named("Mul"), {3, 0}}}, {2});
    }
  }
}

TEST(GpuElementwiseChain, MoreElementsThanThreads) {
  check_chain({numbers({2000, 700}, float32), numbers({700}, float32, 2)},
              {{named("Mul"), {0, 1}}, {named("Square"), {2}}}, {1});
}

// Numbers of elements, in all and per row, that are multiples of a pack, and odd ones.
TEST(GpuElementwiseChain, ManyElements) {
  for (const DType dtype : {float32, bfloat16, float16, uint8, float64}) {
    for (const Shape& shape : {Shape{257, 256}, Shape{257, 257}, Shape{300, 222}, Shape{9, 31, 512}}) {
      Shape column = shape;
      column[shape.rank() - 1] = 1;
      check_chain({numbers(shape, dtype, 1), numbers(shape, dtype, 2), numbers({shape[shape.rank() - 1]}, dtype, 3),
                   numbers(column, dtype, 4), numbers({}, dtype, 5)},
                  rows_and_columns, {2, 5});
    }
  }
}

TEST(GpuElementwiseChain, ManyElementsOfSeveralDtypes) {
  const Shape shape = {300, 256};
  const ChainMembers members{{predicate("Greater"), {0, 2}}, {cast_to(bfloat16), {1}}, {named("SelectV2"), {3, 0, 1}},
                             {cast_to(uint8), {5}},          {cast_to(float16), {5}},  {named("Relu"), {7}}};
  check_chain({numbers(shape, float32, 1), numbers(shape, float32, 2), numbers({}, float32, 3)}, members,
              {0, 1, 2, 3, 5});
}

// Memory that is not aligned for packs.
TEST(GpuElementwiseChain, ManyElementsThatAreNotAligned) {
  const Tensor x = numbers({300, 256}, float32);
  const ElementwiseChainOp chain(specs_of({x}), {{named("Square"), {0}}, {named("Neg"), {1}}}, {1});
  const Tensor expected = run_kernel(chain, std::array{x}, test_stream())[0];
  for (const auto& [from, to] : {std::pair{1, 0}, {0, 1}, {2, 3}}) {
    const DeviceBlock input(x.spec().bytes() + 16);
    const DeviceBlock output(x.spec().bytes() + 16);
    const TensorView input_at{static_cast<float*>(input.data()) + from, x.spec()};
    const TensorView output_at{static_cast<float*>(output.data()) + to, x.spec()};
    test_stream().copy_from_host(input_at.data, x.raw_data(), x.spec().bytes());
    gpu_kernels()
        .get(chain, specs_of({x}))
        .run({.op = &chain, .stream = &test_stream(), .inputs = {&input_at, 1}, .outputs = {&output_at, 1}});
    Tensor result = Tensor::uninitialized(x.shape(), float32);
    test_stream().copy_to_host(result.mutable_raw_data(), output_at.data, x.spec().bytes());
    EXPECT_TRUE(same_bits(result, expected));
  }
}

// Two steps that have a kernel of their own, and chains that differ from them in one respect.
TEST(GpuElementwiseChain, SumsMaskedByRelu) {
  const auto check = [](const Shape& shape, DType dtype, const ChainMembers& members) {
    const Tensor y = numbers(shape, dtype, 3);
    check_chain({numbers(shape, dtype, 1), numbers(shape, dtype, 2), y}, members, {1});
  };
  for (const DType dtype : {float32, float64, float16, bfloat16}) {
    for (const Shape& shape : {Shape{0}, Shape{5}, Shape{300, 222}, Shape{301, 257}}) {
      check(shape, dtype, {{named("AddV2"), {0, 1}}, {named("ReluGrad"), {3, 2}}});
      check(shape, dtype, {{named("AddV2"), {2, 0}}, {named("ReluGrad"), {3, 1}}});
      check(shape, dtype, {{named("AddV2"), {0, 1}}, {named("ReluGrad"), {2, 3}}});
      check(shape, dtype, {{named("AddV2"), {0, 2}}, {named("ReluGrad"), {3, 2}}});
      check(shape, dtype, {{named("Sub"), {0, 1}}, {named("ReluGrad"), {3, 2}}});
    }
  }
  check_chain({numbers({300, 256}, float32, 1), numbers({256}, float32, 2), numbers({300, 256}, float32, 3)},
              {{named("AddV2"), {0, 1}}, {named("ReluGrad"), {3, 2}}}, {1});
}

TEST(GpuElementwiseChain, FunctionsWithAttributes) {
  std::vector<OpPtr> unary;
  for (const bool approximate : {false, true}) unary.push_back(std::make_shared<const GeluOp>(approximate));
  unary.push_back(std::make_shared<const LeakyReluOp>(0.3));
  unary.push_back(std::make_shared<const EluOp>(1.7));
  unary.push_back(std::make_shared<const ClipByValueOp>(-1.1, 2.3));
  unary.push_back(std::make_shared<const FullLikeOp>(0.1));
  std::vector<OpPtr> binary;
  for (const bool approximate : {false, true}) binary.push_back(std::make_shared<const GeluGradOp>(approximate));
  binary.push_back(std::make_shared<const LeakyReluGradOp>(0.3));
  binary.push_back(std::make_shared<const EluGradOp>(1.7));
  binary.push_back(std::make_shared<const ClipByValueGradOp>(-0.7, 0.9));
  for (const DType dtype : {float32, float64}) {
    const Tensor a = numbers({257}, dtype, 1);
    const Tensor b = numbers({257}, dtype, 2);
    for (const OpPtr& op : unary) check_chain({a}, {{op, {0}}}, {0});
    for (const OpPtr& op : binary) check_chain({a, b}, {{op, {0, 1}}}, {0});
  }
}

/// All pairs "MatMul float32" of the lists, except those that chains leave out.
template <class... Function>
std::set<std::string> names_of(elementwise::Functions<Function...>) {
  std::set<std::string> names;
  const auto add = [&]<class F, class... T>(elementwise::Types<T...>) {
    const auto add_one = [&](DType dtype) {
      if (is_floating(dtype) || !ChainsFloatingOnly<F>) {
        names.insert(std::string(F::name) + " " + std::string(name_of(dtype)));
      }
    };
    (add_one(dtype_of<T>), ...);
  };
  (add.template operator()<Function>(typename Function::Elements()), ...);
  return names;
}

/// All calls of a case of the conformance tables, with all dtypes that the case has.
std::vector<RecordedCall> calls_of(const conformance::Case& test) {
  const conformance::BothInputs inputs = conformance::inputs_of(test);
  std::vector<Tensors> precisions{inputs.single, inputs.twofold};
  if (test.takes_halves) {
    for (const DType dtype : {float16, bfloat16}) precisions.push_back(conformance::in_dtype(inputs.single, dtype));
  }
  conformance::Differentiator differentiator(test);
  for (const Tensors& tensors : precisions) {
    if (test.derivatives >= 1) {
      differentiator.gradients(tensors);
    } else {
      differentiator.outputs(tensors);
    }
  }
  for (const DType dtype : test.also) test.call(conformance::whole_numbers(inputs.single, dtype).single);
  return differentiator.recorder.calls;
}

TEST(GpuElementwiseChain, AllListedFunctions) {
  const std::set<std::string> listed = names_of(ListedFunctions());
  std::set<std::string> checked;
  const auto scope = device(cpu());
  std::vector<conformance::Case> cases = conformance::elementwise_cases();
  for (const conformance::Case& test : conformance::special_cases()) cases.push_back(test);
  for (const conformance::Case& test : cases) {
    SCOPED_TRACE(test.name);
    for (const RecordedCall& call : calls_of(test)) {
      const std::vector<TensorSpec> specs = specs_of(call.inputs);
      const std::string name = std::string(call.op->name()) + " " + std::string(name_of(call.op->kernel_dtype(specs)));
      std::int64_t row_length = 1;
      if (!listed.contains(name) || !ElementwiseChainOp::fits(call.outputs[0].shape(), specs, row_length)) continue;
      EXPECT_TRUE(can_chain(*call.op, specs, call.outputs[0].spec())) << name;
      std::vector<int> operands(specs.size());
      std::iota(operands.begin(), operands.end(), 0);
      check_chain(call.inputs, {{call.op, operands}}, {0});
      checked.insert(name);
    }
  }
  for (const std::string& name : listed) {
    EXPECT_TRUE(checked.contains(name)) << "no case of the conformance table calls " << name;
  }
}

TEST(GpuElementwiseChain, Integers) {
  for (const DType dtype : {int32, int64}) {
    const double lowest = dtype == int32 ? -2147483648.0 : -9223372036854775808.0;
    const Tensor x = cast(Tensor::from_data<double>({5}, {lowest, -3.0, 0.0, 2.0, 2147483647.0}), dtype);
    const Tensor y = cast(Tensor::from_data<double>({5}, {1.0, lowest, 7.0, -2.0, 2.0}), dtype);
    for (const char* name : {"Abs", "Neg", "Square", "Sign", "Relu", "Identity"}) {
      check_chain({x}, {{named(name), {0}}}, {0});
    }
    for (const char* name : {"AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"}) {
      check_chain({x, y}, {{named(name), {0, 1}}, {named("Sub"), {2, 1}}}, {0, 1});
    }
    for (const char* name : {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}) {
      check_chain({x, y}, {{predicate(name), {0, 1}}, {named("SelectV2"), {2, 0, 1}}}, {0, 1});
    }
    check_chain({x}, {{std::make_shared<const ClipByValueOp>(-2.5, 1.5), {0}}}, {0});
    check_chain({x}, {{std::make_shared<const FullLikeOp>(-7.9), {0}}}, {0});
  }
  const Tensor bytes = numbers({257}, uint8, 1);
  const Tensor others = numbers({257}, uint8, 2);
  for (const char* name : {"AddV2", "Sub", "Mul", "Maximum", "Minimum"}) {
    // Alone, and with dtypes whose values a float cannot represent.
    check_chain({bytes, others}, {{named(name), {0, 1}}, {named("Sub"), {2, 1}}}, {0, 1});
    check_chain({bytes, others}, {{named(name), {0, 1}}, {named("Sub"), {2, 1}}, {cast_to(int64), {3}}}, {0, 1, 2});
  }
}

TEST(GpuElementwiseChain, CastsBetweenAllDtypes) {
  for (const DType from : all_dtypes) {
    for (const DType to : all_dtypes) {
      const Tensor x = numbers({257}, from);
      check_chain({x}, {{cast_to(to), {0}}}, {0});
      check_chain({x}, {{cast_to(to), {0}}, {cast_to(from), {1}}, {cast_to(float64), {2}}}, {0, 2});
      check_chain({x}, {{cast_to(to), {0}}, {cast_to(float32), {1}}}, {0, 1});
    }
  }
  const Tensor strange = Tensor::from_data<float>({5}, {-1e30F, 300.7F, -1.5F, 1e-45F, 70000.0F});
  for (const DType to : all_dtypes) check_chain({strange}, {{cast_to(to), {0}}, {cast_to(float32), {1}}}, {0, 1});
}

TEST(GpuElementwiseChain, ChoicesAmongSeveralDtypes) {
  for (const DType dtype : {float32, float64}) {
    for (const Shape& shape : {Shape{257}, Shape{67, 31}}) {
      const ChainMembers members{{predicate("Greater"), {0, 2}},
                                 {predicate("IsFinite"), {1}},
                                 {predicate("LogicalNot"), {4}},
                                 {predicate("LogicalOr"), {3, 5}},
                                 {predicate("LogicalAnd"), {3, 6}},
                                 {named("Mul"), {1, 2}},
                                 {named("SelectV2"), {6, 0, 8}},
                                 {cast_to(uint8), {7}},
                                 {cast_to(float16), {9}},
                                 {cast_to(float32), {11}},
                                 {cast_to(int64), {9}},
                                 {named("SelectV2"), {7, 9, 2}}};
      check_chain({numbers(shape, dtype, 1), numbers(shape, dtype, 2), numbers({}, dtype, 3)}, members,
                  {4, 6, 7, 9, 10, 11});
      // Without integers of more than one byte.
      ChainMembers narrow = members;
      narrow[10] = {cast_to(bfloat16), {9}};
      check_chain({numbers(shape, dtype, 1), numbers(shape, dtype, 2), numbers({}, dtype, 3)}, narrow,
                  {4, 6, 7, 9, 10, 11});
    }
  }
}

TEST(GpuElementwiseChain, AConditionMayBeOneForAll) {
  for (const DType dtype : {float32, int32}) {
    for (const double value : {0.0, 1.0}) {
      check_chain({numbers({33}, dtype, 1), numbers({33}, dtype, 2), Tensor::full({}, value, bool_)},
                  {{named("SelectV2"), {2, 0, 1}}, {named("Sub"), {3, 1}}}, {1});
    }
  }
}

TEST(GpuElementwiseChain, ManyResultsThatAreReadLate) {
  for (const DType dtype : {float32, float64}) {
    Tensors inputs;
    for (unsigned i = 0; i < max_chain_inputs; ++i) inputs.push_back(numbers({1031}, dtype, i));
    ChainMembers members;
    const int half = max_chain_members / 2;
    for (int i = 0; i < half; ++i) members.push_back({named("Mul"), {i, (i + 1) % max_chain_inputs}});
    for (int i = 0; i < half; ++i) {
      const int last = max_chain_inputs + half + i - 1;
      members.push_back({named("Sub"), {i == 0 ? 0 : last, max_chain_inputs + half - 1 - i}});
    }
    check_chain(inputs, members, {0, 3, max_chain_members - 1});
  }
}

TEST(GpuElementwiseChain, OutputsMayLieOverInputs) {
  // The first input is read again after the first output has been computed.
  const ChainMembers members{
      {named("Exp"), {0}}, {named("Sub"), {2, 1}}, {named("Mul"), {0, 3}}, {named("AddV2"), {4, 0}}};
  const auto check = [&](const Shape& shape, DType dtype) {
    const Tensors inputs{numbers(shape, dtype, 1), numbers({shape[1]}, dtype, 2)};
    const ElementwiseChainOp chain(specs_of(inputs), members, {0, 3});
    const Tensors expected = run_members(inputs, members);
    const DeviceBlock first(inputs[0].spec().bytes());
    const DeviceBlock row(inputs[1].spec().bytes());
    const DeviceBlock second(inputs[0].spec().bytes());
    test_stream().copy_from_host(first.data(), inputs[0].raw_data(), inputs[0].spec().bytes());
    test_stream().copy_from_host(row.data(), inputs[1].raw_data(), inputs[1].spec().bytes());
    const std::array inputs_at{TensorView{first.data(), inputs[0].spec()}, TensorView{row.data(), inputs[1].spec()}};
    const std::array outputs_at{TensorView{first.data(), inputs[0].spec()},
                                TensorView{second.data(), inputs[0].spec()}};
    gpu_kernels()
        .get(chain, specs_of(inputs))
        .run({.op = &chain, .stream = &test_stream(), .inputs = inputs_at, .outputs = outputs_at});
    Tensor result = Tensor::uninitialized(inputs[0].shape(), dtype);
    test_stream().copy_to_host(result.mutable_raw_data(), first.data(), result.spec().bytes());
    EXPECT_TRUE(same_bits(result, expected[0]));
    test_stream().copy_to_host(result.mutable_raw_data(), second.data(), result.spec().bytes());
    EXPECT_TRUE(same_bits(result, expected[3]));
  };
  // Few elements, and many with and without packs.
  for (const Shape& shape : {Shape{33, 31}, Shape{300, 256}, Shape{257, 257}}) {
    for (const DType dtype : {float32, bfloat16, float64}) check(shape, dtype);
  }
}

TEST(GpuElementwiseChain, GivesWhatTheCpuGives) {
  const Tensors inputs{numbers({70, 9}, float32, 1), numbers({70, 9}, float32, 2), numbers({9}, float32, 3),
                       numbers({70, 1}, float32, 4), numbers({}, float32, 5)};
  const auto chain = std::make_shared<const ElementwiseChainOp>(specs_of(inputs), rows_and_columns, std::vector{2, 5});
  const Tensors expected = rhyton::apply(chain, inputs);
  const Tensors actual = run_kernel(*chain, inputs, test_stream());
  for (std::size_t i = 0; i < expected.size(); ++i) expect_close(actual[i], expected[i], "output");
}

TEST(GpuElementwiseChain, WhatCannotBeAMember) {
  const TensorSpec floats{{3}, float32};
  const TensorSpec halves{{3}, float16};
  const TensorSpec integers{{3}, int32};
  const TensorSpec choices{{3}, bool_};
  EXPECT_TRUE(can_chain(*named("Pow"), std::array{floats, floats}, floats));
  EXPECT_TRUE(can_chain(*named("Pow"), std::array{halves, halves}, halves));
  EXPECT_TRUE(can_chain(*named("AddV2"), std::array{integers, integers}, integers));
  EXPECT_TRUE(can_chain(*named("SelectV2"), std::array{choices, integers, integers}, integers));
  EXPECT_TRUE(can_chain(*cast_to(float32), std::array{integers}, floats));
  EXPECT_FALSE(can_chain(*named("Pow"), std::array{integers, integers}, integers));
  EXPECT_FALSE(can_chain(*named("MatMul"), std::array{floats, floats}, floats));
  EXPECT_FALSE(can_chain(*named("Abc"), std::array{floats}, floats));
  EXPECT_FALSE(can_chain(*named("SelectV2"), std::array{choices}, choices));
}

TEST(GpuElementwiseChain, TooManyInputsOrMembers) {
  Tensors inputs;
  ChainMembers members;
  for (int i = 0; i <= max_chain_inputs; ++i) {
    inputs.push_back(numbers({3}, float32));
    if (i > 0) members.push_back({named("AddV2"), {i == 1 ? 0 : max_chain_inputs + i - 1, i}});
  }
  const ElementwiseChainOp wide(specs_of(inputs), members, {max_chain_inputs - 1});
  EXPECT_FALSE(chain_is_supported(wide));
  EXPECT_THROW(run_kernel(wide, inputs, test_stream()), NotImplementedError);

  const ChainMembers many(max_chain_members + 1, {named("Exp"), {0}});
  const ElementwiseChainOp longer(specs_of({inputs[0]}), many, {0});
  EXPECT_FALSE(chain_is_supported(longer));
  EXPECT_THROW(run_kernel(longer, std::array{inputs[0]}, test_stream()), NotImplementedError);
}

}  // namespace
}  // namespace rhyton::gpu

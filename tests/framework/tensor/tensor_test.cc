#include <rhyton/framework/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/device/host_allocator.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

class PretendOrigin final : public TraceOrigin {};

TEST(TensorTest, EmptyTensor) {
  const Tensor tensor;
  EXPECT_TRUE(tensor.is_empty());
  EXPECT_THROW(static_cast<void>(static_cast<bool>(tensor)), RuntimeError);
  EXPECT_FALSE(tensor.is_traced());
  EXPECT_FALSE(tensor.is_concrete());
  EXPECT_THROW(static_cast<void>(tensor.shape()), RuntimeError);
  EXPECT_THROW(static_cast<void>(tensor.raw_data()), RuntimeError);
  EXPECT_THROW(static_cast<void>(tensor.to_vector()), RuntimeError);
}

TEST(TensorTest, FromDataCopies) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  Tensor tensor = Tensor::from_data(Shape{2, 3}, values);
  values[0] = 100;
  EXPECT_EQ(tensor.to_vector(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.dtype(), float32);
  EXPECT_EQ(tensor.size(), 6);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.raw_data()) % 64, 0U);
  EXPECT_EQ(tensor.device().name(), "/device:CPU:0");
  EXPECT_THROW(Tensor::from_data(Shape{2, 2}, values), ValueError);
  EXPECT_THROW(Tensor::from_data(Shape{-1, 3}, values), ValueError);
}

TEST(TensorTest, HandlesShareElementsAndClonesDoNot) {
  Tensor tensor = Tensor::zeros({2});
  Tensor handle = tensor;
  Tensor clone = tensor.clone();
  tensor.mutable_data<float>()[1] = 5;
  EXPECT_EQ(handle.data<float>()[1], 5.0F);
  EXPECT_EQ(clone.data<float>()[1], 0.0F);
  EXPECT_TRUE(handle.is_same(tensor));
  EXPECT_EQ(handle.identity(), tensor.identity());
  EXPECT_FALSE(clone.is_same(tensor));
}

TEST(TensorTest, ElementsAreTyped) {
  const Tensor tensor = Tensor::from_data<std::int32_t>(Shape{2}, {1, 2});
  EXPECT_EQ(tensor.elements<std::int32_t>()[1], 2);
  EXPECT_THROW(static_cast<void>(tensor.data<float>()), TypeError);
  EXPECT_THROW(static_cast<void>(tensor.elements<std::int64_t>()), TypeError);
}

TEST(TensorTest, FullConvertsForEveryDtype) {
  for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, int8, int16, uint16, uint32}) {
    EXPECT_EQ(Tensor::full({3}, 2.0, dtype).to_vector(), (std::vector<double>{2, 2, 2})) << name_of(dtype);
    EXPECT_EQ(Tensor::zeros({2}, dtype).to_vector(), (std::vector<double>{0, 0}));
  }
  EXPECT_EQ(Tensor::full({1}, 2.0, bool_).item(), 1.0);
  EXPECT_EQ(Tensor::full({}, -2.7, int32).item(), -2.0);
  EXPECT_EQ(Tensor::full({}, 255.9, uint8).item(), 255.0);
  EXPECT_EQ(Tensor::full({}, 2147483647.0, int32).item(), 2147483647.0);
  EXPECT_EQ(Tensor::full({}, -9223372036854775808.0, int64).data<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(Tensor::full({}, 256.0, uint8), ValueError);
  EXPECT_THROW(Tensor::full({}, -1.0, uint8), ValueError);
  EXPECT_THROW(Tensor::full({}, 9223372036854775808.0, int64), ValueError);
  EXPECT_THROW(Tensor::full({}, std::numeric_limits<double>::quiet_NaN(), int32), ValueError);
}

std::string message_of_truth(const Tensor& tensor) {
  return test::message_of<ValueError>([&] { static_cast<void>(static_cast<bool>(tensor)); });
}

TEST(TensorTest, OneElementHasATruthValue) {
  for (const DType dtype :
       {float32, float64, float16, bfloat16, int32, int64, uint8, bool_, int8, int16, uint16, uint32}) {
    EXPECT_TRUE(static_cast<bool>(Tensor::full({}, 1, dtype))) << name_of(dtype);
    EXPECT_TRUE(static_cast<bool>(Tensor::full({1, 1}, 1, dtype))) << name_of(dtype);
    EXPECT_FALSE(static_cast<bool>(Tensor::full({}, 0, dtype))) << name_of(dtype);
  }
  EXPECT_TRUE(static_cast<bool>(Tensor::scalar(0.5F)));
  EXPECT_TRUE(static_cast<bool>(Tensor::scalar(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_FALSE(static_cast<bool>(Tensor::scalar(-0.0F)));
}

TEST(TensorTest, OtherTensorsHaveNoTruthValue) {
  EXPECT_EQ(message_of_truth(Tensor::zeros({2})),
            "The truth value of an array with more than one element is ambiguous. Use any(a) or all(a)");
  EXPECT_EQ(message_of_truth(Tensor::zeros({0})),
            "The truth value of an empty array is ambiguous. Use `a.size() > 0` to check that an array is not empty.");
  const Tensor traced = Tensor::traced({{}, bool_}, std::make_shared<PretendOrigin>(), 0);
  EXPECT_THROW(static_cast<void>(static_cast<bool>(traced)), TypeError);
}

TEST(TensorTest, FullTakesIntegersExactly) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(Tensor::full({2}, odd, int64).elements<std::int64_t>()[1], odd);
  EXPECT_EQ(Tensor::full({}, std::numeric_limits<std::int64_t>::max(), int64).elements<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(Tensor::full({}, std::numeric_limits<std::uint64_t>::max(), int64), ValueError);
  EXPECT_THROW(Tensor::full({}, -1, uint8), ValueError);
  EXPECT_EQ(Tensor::full({}, true, float32).item(), 1.0);
}

TEST(TensorTest, ElementsOfATemporaryAreACopy) {
  const Tensor x = Tensor::from_data<std::int32_t>({3}, {1, 2, 3});
  const auto doubled = [&] { return Tensor::from_data<std::int32_t>({3}, {2, 4, 6}); };
  std::vector<std::int32_t> seen;
  for (const std::int32_t element : doubled().elements<std::int32_t>()) seen.push_back(element);
  EXPECT_EQ(seen, (std::vector<std::int32_t>{2, 4, 6}));
  const auto kept = doubled().elements<std::int32_t>();
  static_assert(std::is_same_v<decltype(kept), const std::vector<std::int32_t>>);
  EXPECT_EQ(kept, seen);
  EXPECT_TRUE(Tensor::zeros({0}).elements<float>().empty());
  EXPECT_EQ(x.elements<std::int32_t>().data(), x.data<std::int32_t>());
  EXPECT_THROW(doubled().elements<float>(), TypeError);
}

TEST(TensorTest, NanComesWithoutASign) {
  const Tensor minus = Tensor::scalar(-std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(std::signbit(minus.item()));
  EXPECT_FALSE(std::signbit(minus.to_vector().front()));
  std::ostringstream printed;
  printed << minus.item() << " " << minus;
  EXPECT_EQ(printed.str(), "nan tf.Tensor(nan, shape=(), dtype=float32)");
}

TEST(TensorTest, IsWrittenToStreams) {
  std::ostringstream printed;
  printed << Tensor::from_data<float>({2, 1}, {22, 28}) << " " << Shape({2, 1}) << " " << int64;
  EXPECT_EQ(printed.str(), "tf.Tensor(\n[[22.]\n [28.]], shape=(2, 1), dtype=float32) (2, 1) int64");
}

TEST(TensorTest, Item) {
  EXPECT_EQ(Tensor::scalar(2.5).item(), 2.5);
  EXPECT_EQ(Tensor::from_data<bool>(Shape{1, 1}, {true}).item(), 1.0);
  EXPECT_EQ(Tensor::scalar(Half(0.5F)).item(), 0.5);
  EXPECT_THROW(static_cast<void>(Tensor::zeros({2}).item()), ValueError);
  EXPECT_THROW(static_cast<void>(Tensor::zeros({0}).item()), ValueError);
}

TEST(Tensor, ItemAsAnIntegerIsExact) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;  // not a double
  EXPECT_EQ(Tensor::scalar(odd).item<std::int64_t>(), odd);
  EXPECT_EQ(Tensor::scalar(std::numeric_limits<std::int64_t>::min()).item<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Tensor::from_data<std::int32_t>({1, 1}, {-7}).item<int>(), -7);
  EXPECT_EQ(Tensor::scalar(-2.7F).item<int>(), -2);
  EXPECT_EQ(Tensor::scalar(0.5F).item<float>(), 0.5F);
  EXPECT_TRUE(Tensor::scalar(0.5F).item<bool>());
  EXPECT_EQ(Tensor::scalar(true).item<std::uint8_t>(), 1);
}

TEST(Tensor, ItemAsAnIntegerRefusesValuesThatItDoesNotHave) {
  EXPECT_THROW(Tensor::scalar<std::int32_t>(-1).item<std::uint32_t>(), ValueError);
  EXPECT_THROW(Tensor::scalar(std::int64_t{1} << 31).item<std::int32_t>(), ValueError);
  EXPECT_THROW(Tensor::scalar(0x1p63).item<std::int64_t>(), ValueError);
  EXPECT_THROW(Tensor::scalar(std::numeric_limits<float>::quiet_NaN()).item<int>(), ValueError);
  EXPECT_THROW(Tensor::scalar(-std::numeric_limits<float>::infinity()).item<std::int64_t>(), ValueError);
  EXPECT_THROW(Tensor::zeros({2}).item<int>(), ValueError);
  EXPECT_THROW(Tensor::zeros({0}).item<int>(), ValueError);
}

TEST(Tensor, ConvertsToNumbers) {
  EXPECT_EQ(float(Tensor::scalar(0.5)), 0.5F);
  EXPECT_EQ(int(Tensor::scalar(-2.7F)), -2);
  EXPECT_EQ(static_cast<std::int64_t>(Tensor::scalar((std::int64_t{1} << 53) + 1)), (std::int64_t{1} << 53) + 1);
  EXPECT_THROW(static_cast<void>(static_cast<double>(Tensor::zeros({2}))), ValueError);
  static_assert(!std::is_convertible_v<Tensor, double> && !std::is_convertible_v<Tensor, bool>);
}

TEST(Tensor, ListsItsElementsAsNumbersOfAType) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(Tensor::from_data<std::int64_t>({2}, {odd, -1}).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{odd, -1}));
  EXPECT_EQ(Tensor::from_data<float>({2}, {0.1F, 2.7F}).to_vector<float>(), (std::vector<float>{0.1F, 2.7F}));
  EXPECT_EQ(Tensor::from_data<float>({2}, {0.1F, -2.7F}).to_vector<int>(), (std::vector<int>{0, -2}));
  EXPECT_EQ(Tensor::from_data<float>({2}, {0.0F, 0.5F}).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_TRUE(Tensor::zeros({0, 3}).to_vector<float>().empty());
  EXPECT_THROW(static_cast<void>(Tensor::scalar(-1.0F).to_vector<std::uint8_t>()), ValueError);
  EXPECT_THROW(static_cast<void>(Tensor::scalar(1e300).to_vector<std::int64_t>()), ValueError);
}

TEST(TensorTest, ZeroSizeTensorsWork) {
  for (const Shape& shape : {Shape{0}, Shape{2, 0, 3}}) {
    Tensor tensor = Tensor::zeros(shape);
    EXPECT_EQ(tensor.size(), 0);
    EXPECT_TRUE(tensor.is_concrete());
    EXPECT_NE(tensor.raw_data(), nullptr);
    EXPECT_TRUE(tensor.to_vector().empty());
    EXPECT_TRUE(tensor.elements<float>().empty());
    EXPECT_EQ(tensor.clone().shape(), shape);
  }
  EXPECT_EQ(Tensor::from_data(Shape{0}, std::vector<std::int64_t>()).dtype(), int64);
}

TEST(TensorTest, FromStorageLooksAtAPart) {
  const std::shared_ptr<Storage> storage = Storage::allocate(32);
  auto* values = static_cast<float*>(storage->data());
  for (int i = 0; i < 8; ++i) values[i] = static_cast<float>(i);
  Tensor part = Tensor::from_storage(Shape{2, 2}, float32, storage, 8);
  EXPECT_EQ(part.to_vector(), (std::vector<double>{2, 3, 4, 5}));
  EXPECT_EQ(part.byte_offset(), 8U);
  EXPECT_EQ(part.storage(), storage);
  part.mutable_data<float>()[0] = 9;
  EXPECT_EQ(values[2], 9.0F);
  EXPECT_EQ(part.clone().byte_offset(), 0U);
  EXPECT_EQ(Tensor::from_storage(Shape{0}, float32, storage, 32).size(), 0);
  EXPECT_THROW(Tensor::from_storage(Shape{8}, float32, storage, 4), ValueError);
  EXPECT_THROW(Tensor::from_storage(Shape{1}, float32, storage, 2), ValueError);
  EXPECT_THROW(Tensor::from_storage(Shape{1}, float32, storage, 33), ValueError);
  EXPECT_THROW(Tensor::from_storage(Shape{1}, float32, nullptr), ValueError);
}

TEST(TensorTest, StorageGoesBackToItsDevice) {
  const Allocator& allocator = device_runtime().host().allocator();
  const std::size_t before = allocator.statistics().in_use;
  {
    const Tensor tensor = Tensor::zeros({1024});
    Tensor handle = tensor;
    EXPECT_EQ(allocator.statistics().in_use, before + 4096);
    handle = Tensor();
    EXPECT_EQ(allocator.statistics().in_use, before + 4096);
  }
  EXPECT_EQ(allocator.statistics().in_use, before);
}

TEST(TensorTest, TracedTensorsKnowShapeAndDtypeOnly) {
  const auto origin = std::make_shared<const PretendOrigin>();
  Tensor tensor = Tensor::traced({Shape{-1, 3}, float16}, origin, 17);
  EXPECT_TRUE(tensor.is_traced());
  EXPECT_FALSE(tensor.is_concrete());
  EXPECT_EQ(tensor.shape(), (Shape{-1, 3}));
  EXPECT_EQ(tensor.dtype(), float16);
  EXPECT_EQ(tensor.trace_origin(), origin);
  EXPECT_EQ(tensor.trace_id(), 17);
  EXPECT_THROW(static_cast<void>(tensor.data<Half>()), RuntimeError);
  EXPECT_THROW(tensor.mutable_raw_data(), RuntimeError);
  EXPECT_THROW(static_cast<void>(tensor.to_vector()), RuntimeError);
  EXPECT_THROW(static_cast<void>(tensor.clone()), RuntimeError);
  EXPECT_THROW(static_cast<void>(tensor.device()), RuntimeError);
  try {
    static_cast<void>(tensor.item());
    FAIL() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("not available while the model is being compiled into a graph"), std::string::npos) << text;
    EXPECT_NE(text.find("`run_eagerly = true`"), std::string::npos) << text;
  }
  EXPECT_EQ(Tensor::zeros({1}).trace_origin(), nullptr);
}

TEST(TensorTest, RunningOutOfMemoryNamesTheTensor) {
  LogicalDevice small("CPU", 7, 0, std::make_unique<HostAllocator>("/device:CPU:7", "CPU_7", 1024),
                      std::make_unique<HostStream>());
  const DeviceScope scope(small);
  EXPECT_EQ(Tensor::zeros({16, 16}).device().name(), "/device:CPU:7");
  try {
    Tensor::zeros({16, 17});
    FAIL() << "nothing was thrown";
  } catch (const ResourceExhaustedError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "OOM when allocating tensor with shape[16,17] and type float32 on "
        "/job:localhost/replica:0/task:0/device:CPU:7 by allocator CPU_7. OOM when allocating 1088 bytes on "
        "/device:CPU:7 by allocator CPU_7: limit 1024 bytes, in use 0 bytes, peak 1024 bytes. Try a smaller batch, "
        "a smaller model, or a higher memory_limit.");
  }
}

TEST(TensorTest, SizesThatCannotBeCountedAreRefused) {
  EXPECT_THROW(Tensor::zeros({std::numeric_limits<std::int64_t>::max()}), ValueError);
  EXPECT_THROW(Tensor::zeros({std::numeric_limits<std::int64_t>::max() / 8}, float64), ResourceExhaustedError);
}

}  // namespace
}  // namespace rhyton

#include <rhyton/framework/distribute/grpc/tensor_stream.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute::grpc_module {
namespace {

using protocol::TensorPart;
using testing::ElementsAre;
using testing::HasSubstr;

/// A stream that keeps what is written to it.
struct KeptStream {
  std::vector<TensorPart> parts;
  bool Write(const TensorPart& part) {
    parts.push_back(part);
    return true;
  }
};

TensorPart first_part(const std::string& name, const std::vector<std::int64_t>& shape, const std::string& data,
                      const std::string& dtype = "uint8") {
  TensorPart part;
  part.set_name(name);
  part.set_dtype(dtype);
  for (const std::int64_t length : shape) part.add_shape(length);
  part.set_data(data);
  return part;
}

TensorPart further_part(const std::string& data) {
  TensorPart part;
  part.set_data(data);
  return part;
}

TensorPart indices_part(const std::string& name) {
  TensorPart part = first_part(name, {1}, std::string(4, '\0'), "int32");
  part.set_is_indices(true);
  return part;
}

TensorPart end_part() {
  TensorPart part;
  part.set_is_end(true);
  return part;
}

std::vector<NamedTensor> read(const std::vector<TensorPart>& parts, std::size_t max_bytes = 1000) {
  TensorReader reader(max_bytes);
  for (const TensorPart& part : parts) reader.add(part);
  return reader.take();
}

std::string complaint_about_parts(const std::vector<TensorPart>& parts) {
  return test::message_of<ValueError>([&] { read(parts); });
}

TEST(TensorStream, CarriesTensorsInParts) {
  Tensor large = Tensor::zeros({3, 200000});  // 2.4 MB
  large.mutable_data<float>()[599999] = 7;
  KeptStream stream;
  ASSERT_TRUE(write_tensors(
      stream,
      {{.name = "large", .value = large},
       {.name = "rows", .value = Tensor::full({2, 1}, 5), .indices = Tensor::from_data<std::int64_t>({2}, {4, 1})},
       {.name = "none", .value = Tensor::zeros({0})}}));
  EXPECT_EQ(stream.parts.size(), 3U + 2U + 1U + 1U);
  for (const TensorPart& part : stream.parts) EXPECT_LE(part.data().size(), tensor_part_bytes);

  const std::vector<NamedTensor> tensors = read(stream.parts, 10'000'000);
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].value.to_vector(), large.to_vector());
  EXPECT_TRUE(tensors[0].indices.is_empty());
  EXPECT_EQ(tensors[1].name, "rows");
  EXPECT_THAT(tensors[1].value.to_vector(), ElementsAre(5, 5));
  EXPECT_THAT(tensors[1].indices.to_vector(), ElementsAre(4, 1));
  EXPECT_EQ(tensors[2].value.shape(), Shape({0}));
}

TEST(TensorStream, MustNotBreakOff) {
  EXPECT_THAT(complaint_about_parts({}), HasSubstr("it breaks off"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {2}, "xy")}), HasSubstr("it breaks off"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {2}, "x"), end_part()}), HasSubstr("it ends within 'a'"));
  EXPECT_THAT(complaint_about_parts({end_part(), first_part("a", {1}, "x")}), HasSubstr("it goes on after its end"));
}

TEST(TensorStream, HasThePartsOfOneTensorTogether) {
  EXPECT_EQ(read({first_part("a", {2}, "x"), further_part("y"), end_part()}).size(), 1U);
  EXPECT_THAT(complaint_about_parts({further_part("x")}), HasSubstr("a part without a name begins a tensor"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {2}, "x"), first_part("b", {1}, "x")}),
              HasSubstr("'b' begins before the elements of 'a' end"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {2}, "xyz")}), HasSubstr("has 3 bytes, where 2 are missing"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {2}, "x"), further_part("yz")}),
              HasSubstr("has 2 bytes, where 1 are missing"));
  // Empty parts would keep a call alive for nothing.
  EXPECT_THAT(complaint_about_parts({first_part("a", {2}, "x"), further_part("")}),
              HasSubstr("has 0 bytes, where 1 are missing"));
}

TEST(TensorStream, HasIndicesAfterTheirValues) {
  EXPECT_THAT(complaint_about_parts({indices_part("a")}), HasSubstr("indices of 'a' do not follow its values"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {1}, "x"), indices_part("b")}), HasSubstr("indices of 'b'"));
  EXPECT_THAT(complaint_about_parts({first_part("a", {1}, "x"), indices_part("a"), indices_part("a")}),
              HasSubstr("indices of 'a'"));
}

TEST(TensorStream, RefusesShapesAndDtypesThatNoTensorHas) {
  EXPECT_THAT(complaint_about_parts({first_part("a", {-1}, "")}), HasSubstr("'a' has an axis of length -1"));
  EXPECT_THROW(read({first_part("a", {1, 1, 1, 1, 1, 1, 1, 1, 1}, "x")}), ValueError);
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(read({first_part("a", {huge, huge}, "x")}), ValueError);
  EXPECT_THROW(read({first_part("a", {1}, "x", "string")}), ValueError);
  EXPECT_THROW(read({first_part("a", {1}, "x", "bool")}), ValueError);
}

TEST(TensorStream, LimitsTheMemoryOfACall) {
  EXPECT_THROW(read({first_part("a", {1000}, "x")}), ResourceExhaustedError);
  EXPECT_THROW(read({first_part("a", {std::numeric_limits<std::int64_t>::max()}, "x", "float64")}),
               ResourceExhaustedError);
  // Empty tensors are not free either.
  const std::vector<TensorPart> empty_ones(100, first_part("a", {0}, ""));
  EXPECT_THROW(read(empty_ones), ResourceExhaustedError);
}

}  // namespace
}  // namespace rhyton::distribute::grpc_module

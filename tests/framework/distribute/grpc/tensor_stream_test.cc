#include <rhyton/framework/distribute/grpc/tensor_stream.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <rhyton/framework/distribute/grpc/tensor_messages.h>
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

/// A message as protobuf reads and writes it.
TensorPart parsed(grpc::ByteBuffer message) {
  TensorPart part;
  EXPECT_TRUE(grpc::SerializationTraits<TensorPart>::Deserialize(&message, &part).ok());
  return part;
}
grpc::ByteBuffer serialized(const TensorPart& part) {
  grpc::ByteBuffer message;
  bool is_own = false;
  EXPECT_TRUE(grpc::SerializationTraits<TensorPart>::Serialize(part, &message, &is_own).ok());
  return message;
}

/// Streams are read as messages on the wire, or part by part.
std::vector<NamedTensor> read(const std::vector<TensorPart>& parts, std::size_t max_bytes = 1000,
                              bool are_messages = true) {
  TensorReader reader(max_bytes);
  for (const TensorPart& part : parts) {
    if (are_messages) {
      grpc::ByteBuffer message = serialized(part);
      reader.add(message);
    } else {
      reader.add(part);
    }
  }
  return reader.take();
}

/// Which is the same in both ways.
std::string complaint_about_parts(const std::vector<TensorPart>& parts) {
  std::string of_messages = test::message_of<ValueError>([&] { read(parts); });
  EXPECT_EQ(test::message_of<ValueError>([&] { read(parts, 1000, false); }), of_messages);
  return of_messages;
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

/// A stream that keeps what is written to it, as protobuf reads it.
struct KeptMessages {
  std::vector<TensorPart> parts;
  bool Write(const grpc::ByteBuffer& message) {
    parts.push_back(parsed(message));
    return true;
  }
};

TEST(TensorStream, HasTheSameMessagesOnTheWire) {
  Tensor large = Tensor::zeros({3, 200000});
  large.mutable_data<float>()[300000] = 7;
  const std::vector<NamedTensor> tensors = {
      {.name = "large", .value = large},
      {.name = "rows", .value = Tensor::full({2, 1}, 5), .indices = Tensor::from_data<std::int64_t>({2}, {4, 1})},
      {.name = "none", .value = Tensor::zeros({0})},
      {.name = "scalar", .value = Tensor::scalar(2.5)}};
  KeptStream by_parts;
  KeptMessages by_messages;
  ASSERT_TRUE(write_tensors(by_parts, tensors));
  ASSERT_TRUE(write_tensor_messages(by_messages, tensors));
  ASSERT_EQ(by_messages.parts.size(), by_parts.parts.size());
  for (std::size_t i = 0; i < by_parts.parts.size(); ++i) {
    EXPECT_EQ(by_messages.parts[i].SerializeAsString(), by_parts.parts[i].SerializeAsString()) << i;
  }
  for (const bool are_messages : {true, false}) {
    const std::vector<NamedTensor> read_ones = read(by_messages.parts, 10'000'000, are_messages);
    ASSERT_EQ(read_ones.size(), tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(read_ones[i].name, tensors[i].name);
      EXPECT_EQ(read_ones[i].value.spec(), tensors[i].value.spec());
      EXPECT_EQ(read_ones[i].value.to_vector(), tensors[i].value.to_vector());
    }
  }
}

TEST(TensorStream, MessagesKeepTheTensorUntilTheyAreSent) {
  Tensor tensor = Tensor::full({4}, 3.0);
  const grpc::ByteBuffer message = tensor_message("a", tensor, false, 0, 16);
  tensor = Tensor();
  const std::string data = parsed(message).data();
  ASSERT_EQ(data.size(), 4 * sizeof(float));
  float last = 0;
  std::memcpy(&last, &data[3 * sizeof(float)], sizeof(last));
  EXPECT_EQ(last, 3.0F);
}

TEST(TensorStream, RefusesMessagesThatAreNone) {
  const auto add = [](const std::string& bytes) {
    const grpc::Slice slice(bytes);
    grpc::ByteBuffer message(&slice, 1);
    TensorReader(1000).add(message);
  };
  const std::string whole = first_part("a", {2}, "xy").SerializeAsString();
  for (std::size_t size = 1; size < whole.size(); ++size) EXPECT_THROW(add(whole.substr(0, size)), ValueError) << size;
  EXPECT_THAT(test::message_of<ValueError>([&] { add(whole + whole); }),
              HasSubstr("fields follow the elements of a part"));
  EXPECT_THAT(test::message_of<ValueError>([&] { add("\xff\xff\xff"); }), HasSubstr("a part breaks off"));
  // A field that a later version may have.
  EXPECT_NO_THROW(add(std::string("\x50\x07") + whole));
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

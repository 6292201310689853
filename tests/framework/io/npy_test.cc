#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::TemporaryFolder;
using test::to_bytes;
using test::to_text;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A .npy file with that header text and that data.
std::vector<std::byte> npy_file(const std::string& header, const std::string& data, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  std::size_t length = header.size();
  for (int index = 0; index < (version == 1 ? 2 : 4); ++index, length >>= 8) {
    text += static_cast<char>(length & 0xff);
  }
  return to_bytes(text + header + data);
}

std::vector<std::byte> npy_file(const std::string& type, const std::string& shape, const std::string& data,
                                bool fortran = false) {
  return npy_file(
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n",
      data);
}

template <class T>
std::string raw(std::initializer_list<T> values, bool swapped = false) {
  std::string text;
  for (const T value : values) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    text += swapped ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
  }
  return text;
}

template <class T>
void expect_same_after_round_trip(const Tensor& tensor) {
  const Tensor read = parse_npy(to_npy(tensor), "x.npy");
  EXPECT_EQ(read.spec(), tensor.spec());
  EXPECT_EQ(std::memcmp(read.raw_data(), tensor.raw_data(), tensor.spec().bytes()), 0);
}

TEST(Npy, RoundTripsEveryDtype) {
  expect_same_after_round_trip<float>(Tensor::from_data<float>({2, 3}, {1, 2, 3, -4, 5.5F, 6}));
  expect_same_after_round_trip<double>(Tensor::from_data<double>({1}, {0.1}));
  expect_same_after_round_trip<std::int32_t>(Tensor::from_data<std::int32_t>({2}, {-1, 7}));
  expect_same_after_round_trip<std::int64_t>(Tensor::from_data<std::int64_t>({1, 1, 2}, {-1, std::int64_t{1} << 60}));
  expect_same_after_round_trip<std::uint8_t>(Tensor::from_data<std::uint8_t>({3}, {0, 128, 255}));
  expect_same_after_round_trip<std::int8_t>(Tensor::from_data<std::int8_t>({2}, {-128, 127}));
  expect_same_after_round_trip<std::int16_t>(Tensor::from_data<std::int16_t>({2}, {-32768, 32767}));
  expect_same_after_round_trip<std::uint16_t>(Tensor::from_data<std::uint16_t>({2}, {1, 65535}));
  expect_same_after_round_trip<std::uint32_t>(Tensor::from_data<std::uint32_t>({2}, {1, 4294967295U}));
  expect_same_after_round_trip<bool>(Tensor::from_data<bool>({2}, {true, false}));
  expect_same_after_round_trip<Half>(Tensor::from_data<Half>({2}, {Half(1.5F), Half(-2.0F)}));
  expect_same_after_round_trip<float>(Tensor::scalar(3.0F));
  expect_same_after_round_trip<float>(Tensor::zeros({0, 4}));
}

TEST(Npy, WritesAsNumpy) {
  const std::string text = to_text(to_npy(Tensor::from_data<float>({2}, {1, 2})));
  EXPECT_EQ(text.size(), 128U + 8U);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_THAT(text, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(text[127], '\n');
  EXPECT_THAT(to_text(to_npy(Tensor::scalar(true))), HasSubstr("'|b1', 'fortran_order': False, 'shape': ()"));
  EXPECT_THAT(to_text(to_npy(Tensor::zeros({2, 3}, uint8))),
              HasSubstr("'|u1', 'fortran_order': False, 'shape': (2, 3)"));
  const Tensor widened = parse_npy(to_npy(Tensor::from_data<BFloat16>({1}, {BFloat16(2.5F)})), "x");
  EXPECT_EQ(widened.dtype(), float32);
  EXPECT_EQ(widened.item(), 2.5);
}

TEST(Npy, ReadsEveryInteger) {
  const auto expect = [](const std::string& type, const std::string& data, DType dtype,
                         const std::vector<double>& values) {
    const Tensor tensor = parse_npy(npy_file(type, "(2,)", data), type);
    EXPECT_EQ(tensor.dtype(), dtype) << type;
    EXPECT_EQ(tensor.to_vector(), values) << type;
  };
  expect("|i1", raw<std::int8_t>({-1, 127}), int8, {-1, 127});
  expect("<i2", raw<std::int16_t>({-300, 2}), int16, {-300, 2});
  expect("<u2", raw<std::uint16_t>({65535, 2}), uint16, {65535, 2});
  expect("<u4", raw<std::uint32_t>({4000000000U, 2}), uint32, {4e9, 2});
  expect("<u8", raw<std::uint64_t>({5, 2}), int64, {5, 2});
  expect("<i4", raw<std::int32_t>({-5, 2}), int32, {-5, 2});
  expect("|b1", std::string("\x02\x00", 2), bool_, {1, 0});
  EXPECT_THAT(message_of<IOError>([] {
                parse_npy(npy_file("<u8", "(1,)", raw<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()})),
                          "big");
              }),
              HasSubstr("18446744073709551615"));
}

TEST(Npy, ReadsBigEndianAndFortranOrder) {
  EXPECT_THAT(parse_npy(npy_file(">f4", "(2,)", raw<float>({1.5F, -2}, true)), "x").to_vector(), ElementsAre(1.5, -2));
  EXPECT_THAT(parse_npy(npy_file(">i8", "(1,)", raw<std::int64_t>({-7}, true)), "x").to_vector(), ElementsAre(-7));
  EXPECT_THAT(parse_npy(npy_file(">u2", "(1,)", raw<std::uint16_t>({258}, true)), "x").to_vector(), ElementsAre(258));
  EXPECT_THAT(parse_npy(npy_file("<i4", "(2, 3)", raw<std::int32_t>({1, 4, 2, 5, 3, 6}), true), "x").to_vector(),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(
      parse_npy(npy_file(">i2", "(2, 2, 2)", raw<std::int16_t>({0, 4, 2, 6, 1, 5, 3, 7}, true), true), "x").to_vector(),
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(parse_npy(npy_file("<f4", "(0, 3)", "", true), "x").shape(), (Shape{0, 3}));
}

TEST(Npy, ReadsAllVersionsAndHeaderStyles) {
  const std::string header = R"({"shape": (2L, 1L), "descr": "<f4", "fortran_order": False})";
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(parse_npy(npy_file(header, raw<float>({1, 2}), version), "x").shape(), (Shape{2, 1}));
  }
  EXPECT_THAT(message_of<IOError>([&] {
                parse_npy(npy_file(header, raw<float>({1, 2}), 4), "x");
              }),
              HasSubstr("version 4"));
}

TEST(Npy, TellsWhatAHeaderSaysAlsoOfWhatIsNoNumber) {
  const NpyHeader numbers = parse_npy_header(npy_file(">i2", "(2, 3)", "", true), "x.npy");
  EXPECT_EQ(numbers.descr, ">i2");
  EXPECT_TRUE(numbers.fortran_order);
  EXPECT_EQ(numbers.shape, (Shape{2, 3}));
  EXPECT_EQ(parse_npy_header(npy_file("<U3", "()", ""), "x.npy").descr, "<U3");
  EXPECT_THAT(message_of<IOError>([] { parse_npy_header(to_bytes("no array"), "x.npy"); }), HasSubstr("x.npy"));
}

TEST(Npy, RefusesDamage) {
  const auto refuse = [](const std::vector<std::byte>& bytes) {
    return message_of<IOError>([&] { parse_npy(bytes, "bad.npy"); });
  };
  EXPECT_THAT(refuse(to_bytes("no array")), AllOf(HasSubstr("bad.npy"), HasSubstr("NUMPY")));
  EXPECT_THAT(refuse(npy_file("<f4", "(3,)", raw<float>({1, 2}))),
              HasSubstr("expected 12 bytes of data for shape (3,), found 8"));
  EXPECT_THAT(refuse(npy_file("<f4", "(1,)", raw<float>({1, 2}))), HasSubstr("expected 4 bytes"));
  EXPECT_THAT(refuse(npy_file("<f4", "(9223372036854775807, 9)", "")), HasSubstr("impossible shape"));
  EXPECT_THAT(refuse(npy_file("<f8", "(4611686018427387904,)", "")), HasSubstr("impossible shape"));
  EXPECT_THAT(refuse(npy_file("<f4", "(0, 4611686018427387904, 4611686018427387904)", "")),
              HasSubstr("impossible shape"));
  EXPECT_THAT(refuse(npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}" + std::string(70000, ' '),
                              raw<float>({1}), 2)),
              HasSubstr("header of 70055 bytes, more than 65536"));
  EXPECT_THAT(refuse(npy_file("<f4", "(99999999999999999999,)", "")), HasSubstr("bad.npy"));
  EXPECT_THAT(refuse(npy_file("<f4", "(-1,)", "")), HasSubstr("bad.npy"));
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1}", "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': True, 'shape': ()} x", "{'other': '<f4'}", "{'descr'"}) {
    EXPECT_NE(refuse(npy_file(header, "")), "") << header;
  }
  const auto good = to_npy(Tensor::zeros({3}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refuse({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
  EXPECT_THAT(message_of<NotImplementedError>([] { parse_npy(npy_file("|O", "(1,)", ""), "x"); }),
              HasSubstr("pickled"));
  EXPECT_THROW(parse_npy(npy_file("<U3", "(1,)", ""), "x"), NotImplementedError);
  EXPECT_THROW(parse_npy(npy_file("<c8", "(1,)", ""), "x"), NotImplementedError);
  EXPECT_THROW(parse_npy(npy_file("", "(1,)", ""), "x"), NotImplementedError);
  EXPECT_THROW(parse_npy(npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", ""), "x"),
               NotImplementedError);
  EXPECT_THROW(parse_npy(npy_file("<f4", "(1,1,1,1,1,1,1,1,1)", raw<float>({1})), "x"), NotImplementedError);
}

TEST(Npy, ReadsAndWritesFiles) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", Tensor::from_data<float>({2}, {1, 2}));
  EXPECT_THAT(read_npy(folder / "a.npy").to_vector(), ElementsAre(1, 2));
  EXPECT_THROW(read_npy(folder / "none.npy"), NotFoundError);
}

TEST(Npz, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", {{"x_train", Tensor::from_data<std::uint8_t>({2}, {1, 2})}, {"y", Tensor::scalar(0.5)}});
  const NamedTensors all = read_npz(folder / "a.npz");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].first, "x_train");
  EXPECT_THAT(all[0].second.to_vector(), ElementsAre(1, 2));
  EXPECT_EQ(all[1].first, "y");
  EXPECT_EQ(read_npz(folder / "a.npz", "y").item(), 0.5);
  EXPECT_EQ(parse_npz(read_file(folder / "a.npz"), "a.npz").size(), 2U);
  EXPECT_THAT(message_of<NotFoundError>([&] { read_npz(folder / "a.npz", "z"); }), HasSubstr("only: x_train, y"));
  EXPECT_THROW(write_npz(folder / "b.npz", {{"x", Tensor::scalar(1)}, {"x", Tensor::scalar(2)}}), ValueError);
  EXPECT_THAT(folder.names(), ElementsAre("a.npz"));

  ZipWriter archive(folder / "c.npz");
  archive.add_stored("bad.npy", "no array");
  archive.commit();
  EXPECT_THAT(message_of<IOError>([&] { read_npz(folder / "c.npz"); }), HasSubstr("c.npz/bad.npy"));
}

}  // namespace
}  // namespace rhyton::io

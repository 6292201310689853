#include <hdf5.h>

#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::put;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file written by the library's own functions, with features that Hdf5File does not write.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& path)
      : id_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~RawFile() { H5Fclose(id_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  hid_t id() const { return id_; }

  void dataset(const char* name, hid_t type, std::vector<hsize_t> lengths, const void* data, hid_t memory_type,
               hid_t properties = H5P_DEFAULT) const {
    const hid_t space = H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr);
    const hid_t made = H5Dcreate2(id_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    ASSERT_GE(made, 0);
    if (data != nullptr) {
      EXPECT_GE(H5Dwrite(made, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    }
    H5Dclose(made);
    H5Sclose(space);
  }

 private:
  hid_t id_;
};

void expect_same(const Tensor& found, const Tensor& expected) {
  EXPECT_EQ(found.spec(), expected.spec());
  ASSERT_EQ(found.spec().bytes(), expected.spec().bytes());
  if (expected.size() > 0) {
    EXPECT_EQ(std::memcmp(found.raw_data(), expected.raw_data(), expected.spec().bytes()), 0);
  }
}

std::vector<Tensor> samples() {
  return {
      Tensor::from_data<float>({2, 3}, {1, 2, 3, -4, 5.5F, 6}),
      Tensor::from_data<double>({1}, {0.1}),
      Tensor::from_data<Half>({2}, {Half(1.5F), Half(-2.0F)}),
      Tensor::from_data<BFloat16>({3}, {BFloat16(1.5F), BFloat16(-2.0F), BFloat16(3e38F)}),
      Tensor::from_data<std::int32_t>({2}, {-1, 7}),
      Tensor::from_data<std::int64_t>({1, 1, 2}, {-1, std::int64_t{1} << 60}),
      Tensor::from_data<std::uint8_t>({3}, {0, 128, 255}),
      Tensor::from_data<std::int8_t>({2}, {-128, 127}),
      Tensor::from_data<std::int16_t>({2}, {-32768, 32767}),
      Tensor::from_data<std::uint16_t>({2}, {1, 65535}),
      Tensor::from_data<std::uint32_t>({2}, {1, 4294967295U}),
      Tensor::from_data<bool>({2}, {true, false}),
      Tensor::scalar(3.0F),
      Tensor::zeros({0, 4}),
  };
}

void write_samples(Hdf5Group root) {
  const std::vector<Tensor> tensors = samples();
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    root.write_dataset("layers/dense/vars/" + std::to_string(index), tensors[index]);
  }
  Hdf5Group group = root.open_group("layers").open_group("dense");
  group.write_string_attribute("name", "dichte Schicht ä");
  group.write_bytes_attribute("backend", "tensorflow");
  group.write_int_attribute("count", -5);
  group.write_string_list_attribute("weight_names", {"kernel", "bias", ""});
  group.write_string_list_attribute("nothing", {});
  root.create_group("empty/vars");
}

void expect_samples(const Hdf5Group& root) {
  const std::vector<Tensor> tensors = samples();
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    const Hdf5Dataset dataset = root.open_dataset("layers/dense/vars/" + std::to_string(index));
    EXPECT_EQ(dataset.spec(), tensors[index].spec());
    expect_same(dataset.read(), tensors[index]);
  }
  EXPECT_THAT(root.group_names(), ElementsAre("empty", "layers"));
  EXPECT_THAT(root.dataset_names(), IsEmpty());
  EXPECT_THAT(root.open_group("empty/vars").dataset_names(), IsEmpty());
  EXPECT_EQ(root.open_group("layers/dense/vars").dataset_names().size(), tensors.size());
  const Hdf5Group group = root.open_group("layers/dense");
  EXPECT_EQ(group.path(), "/layers/dense");
  EXPECT_THAT(group.attribute_names(), ElementsAre("backend", "count", "name", "nothing", "weight_names"));
  EXPECT_EQ(group.read_string_attribute("name"), "dichte Schicht ä");
  EXPECT_EQ(group.read_string_attribute("backend"), "tensorflow");
  EXPECT_EQ(group.read_int_attribute("count"), -5);
  EXPECT_THAT(group.read_string_list_attribute("weight_names"), ElementsAre("kernel", "bias", ""));
  EXPECT_THAT(group.read_string_list_attribute("nothing"), IsEmpty());
}

TEST(Hdf5, ReadsWhatItWroteToDisk) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  const Hdf5Group root = file.root();
  write_samples(root);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
  file.commit();
  EXPECT_THAT(folder.names(), ElementsAre("a.h5"));
  EXPECT_THROW(file.commit(), RuntimeError);
  EXPECT_THROW(static_cast<void>(root.group_names()), RuntimeError);
  expect_samples(Hdf5File::open_read(folder / "a.h5").root());
}

TEST(Hdf5, ReadsWhatItWroteToMemory) {
  Hdf5File file = Hdf5File::create_image();
  write_samples(file.root());
  const std::vector<std::byte> image = file.image();
  expect_samples(Hdf5File::open_image(image, "image").root());
  const Hdf5File reopened = Hdf5File::open_image(image, "image");
  EXPECT_EQ(reopened.image(), image);
  EXPECT_THROW(file.commit(), RuntimeError);
  // Superblock version 0: the meaning of libver="earliest".
  EXPECT_EQ(image[8], std::byte{0});

  Hdf5File again = Hdf5File::create_image();
  write_samples(again.root());
  EXPECT_EQ(again.image(), image);
}

TEST(Hdf5, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  write_samples(Hdf5File::create(folder / "a.h5").root());
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_THROW(Hdf5File::create(folder / "none/a.h5"), IOError);
}

TEST(Hdf5, HandlesKeepTheFileOpen) {
  Hdf5File file = Hdf5File::create_image();
  file.root().write_dataset("a", Tensor::scalar(1.5F));
  const Hdf5Dataset dataset = Hdf5File::open_image(file.image(), "image").root().open_dataset("a");
  EXPECT_EQ(dataset.read().item(), 1.5);
}

TEST(Hdf5, NamesWhatIsMissing) {
  Hdf5File file = Hdf5File::create_image();
  Hdf5Group root = file.root();
  root.write_dataset("group/data", Tensor::scalar(1.0F));
  EXPECT_TRUE(root.has_group("group"));
  EXPECT_FALSE(root.has_dataset("group"));
  EXPECT_TRUE(root.has_dataset("group/data"));
  EXPECT_TRUE(root.contains("/group/data"));
  EXPECT_FALSE(root.contains("group/data/below"));
  EXPECT_FALSE(root.contains("none/data"));
  EXPECT_THAT(message_of<NotFoundError>([&] { root.open_dataset("group/none"); }), HasSubstr("\"/group/none\""));
  EXPECT_THROW(root.open_dataset("group"), NotFoundError);
  EXPECT_THROW(root.open_group("group/data"), NotFoundError);
  EXPECT_THROW(root.open_group(""), ValueError);
  EXPECT_THROW(root.write_dataset("group/data", Tensor::scalar(1.0F)), ValueError);
  EXPECT_THROW(root.write_dataset("group", Tensor::scalar(1.0F)), ValueError);
  EXPECT_THROW(root.create_group("group/data/below"), ValueError);
  EXPECT_THAT(message_of<NotFoundError>([&] { root.read_string_attribute("none"); }), HasSubstr("@none"));
  EXPECT_THROW(root.read_int_attribute("none"), NotFoundError);
  EXPECT_THROW(root.read_string_list_attribute("none"), NotFoundError);
  root.write_int_attribute("number", 3);
  EXPECT_THROW(root.read_string_attribute("number"), IOError);
  root.write_string_attribute("text", "3");
  EXPECT_THROW(root.read_int_attribute("text"), IOError);
  root.write_string_attribute("text", "longer than before");
  EXPECT_EQ(root.read_string_attribute("text"), "longer than before");
  EXPECT_THROW(root.write_string_attribute("text", std::string_view("a\0b", 3)), ValueError);
  root.write_string_list_attribute("list", {"a", "b"});
  EXPECT_THROW(root.read_string_attribute("list"), IOError);
}

TEST(Hdf5, ReadsAttributesWhateverTheirType) {
  Hdf5File file = Hdf5File::create_image();
  Hdf5Group root = file.root();
  root.write_string_attribute("text", "ä");
  root.write_bytes_attribute("bytes", "abc");
  root.write_int_attribute("number", -3);
  root.write_string_list_attribute("texts", {"a", "bc"});
  root.write_string_list_attribute("one", {"a"});
  root.write_string_list_attribute("none", {});
  EXPECT_EQ(root.read_attribute("text"), Json("ä"));
  EXPECT_EQ(root.read_attribute("bytes"), Json("abc"));
  EXPECT_EQ(root.read_attribute("number"), Json(-3));
  EXPECT_EQ(root.read_attribute("texts"), Json::array({"a", "bc"}));
  EXPECT_EQ(root.read_attribute("one"), Json::array({"a"}));
  EXPECT_EQ(root.read_attribute("none"), Json::array());
  EXPECT_THROW(root.read_attribute("missing"), NotFoundError);
}

TEST(Hdf5, DividesLongLists) {
  Hdf5File file = Hdf5File::create_image();
  Hdf5Group root = file.root();
  std::vector<std::string> names;
  names.reserve(1300);
  for (int index = 0; index < 1300; ++index) {
    names.push_back("layer_" + std::to_string(index) + std::string(90, '_'));
  }
  root.write_string_list_attribute("layer_names", names);
  EXPECT_THAT(root.attribute_names(), ElementsAre("layer_names0", "layer_names1", "layer_names2"));
  EXPECT_EQ(root.read_string_list_attribute("layer_names"), names);
  root.write_string_list_attribute("layer_names", {"short"});
  EXPECT_THAT(root.attribute_names(), ElementsAre("layer_names"));
  EXPECT_THAT(root.read_string_list_attribute("layer_names"), ElementsAre("short"));
  EXPECT_THROW(root.write_string_list_attribute("layer_names", {std::string(64513, 'x')}), ValueError);
}

TEST(Hdf5, ReadsForeignTypes) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> numbers = {1, 2, 3, 100};
  {
    const RawFile raw(folder / "a.h5");
    for (const auto& [name, type] : std::vector<std::pair<const char*, hid_t>>{{"i8", H5T_STD_I8LE},
                                                                               {"u16be", H5T_STD_U16BE},
                                                                               {"u32", H5T_STD_U32LE},
                                                                               {"u64", H5T_STD_U64BE},
                                                                               {"f32be", H5T_IEEE_F32BE},
                                                                               {"f64be", H5T_IEEE_F64BE}}) {
      raw.dataset(name, type, {2, 2}, numbers.data(), H5T_NATIVE_INT32);
    }
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const std::vector<hsize_t> chunk = {1, 2};
    H5Pset_chunk(chunked, 2, chunk.data());
    H5Pset_deflate(chunked, 9);
    raw.dataset("chunked", H5T_STD_I32LE, {2, 2}, numbers.data(), H5T_NATIVE_INT32, chunked);
    H5Pclose(chunked);
    const std::uint64_t huge = UINT64_MAX;
    raw.dataset("huge", H5T_STD_U64LE, {1}, &huge, H5T_NATIVE_UINT64);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    raw.dataset("text", text, {1}, "abc", text);
    H5Tclose(text);
  }
  const Hdf5Group root = Hdf5File::open_read(folder / "a.h5").root();
  const auto expect = [&](const char* name, DType dtype) {
    const Tensor tensor = root.read_dataset(name);
    EXPECT_EQ(tensor.dtype(), dtype) << name;
    EXPECT_EQ(tensor.shape(), (Shape{2, 2})) << name;
    EXPECT_THAT(tensor.to_vector(), ElementsAre(1, 2, 3, 100)) << name;
  };
  expect("i8", int8);
  expect("u16be", uint16);
  expect("u32", uint32);
  expect("u64", int64);
  expect("f32be", float32);
  expect("f64be", float64);
  expect("chunked", int32);
  EXPECT_THROW(root.read_dataset("huge"), IOError);
  EXPECT_THAT(message_of<TypeError>([&] { root.read_dataset("text"); }), HasSubstr("texts"));
}

TEST(Hdf5, RefusesLinksAndForeignElements) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> numbers = {1, 2};
  put(folder / "secret", "12345678");
  {
    const RawFile raw(folder / "a.h5");
    raw.dataset("real", H5T_STD_I32LE, {2}, numbers.data(), H5T_NATIVE_INT32);
    H5Lcreate_soft("/real", raw.id(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("b.h5", "/x", raw.id(), "external_link", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t external = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(external, (folder / "secret").c_str(), 0, 8);
    raw.dataset("external", H5T_STD_I32LE, {2}, nullptr, H5T_NATIVE_INT32, external);
    H5Pclose(external);
    const hid_t mapped = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t length = 2;
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    H5Pset_virtual(mapped, space, "b.h5", "/x", space);
    raw.dataset("virtual", H5T_STD_I32LE, {2}, nullptr, H5T_NATIVE_INT32, mapped);
    H5Sclose(space);
    H5Pclose(mapped);
  }
  const Hdf5Group root = Hdf5File::open_read(folder / "a.h5").root();
  EXPECT_THAT(root.read_dataset("real").to_vector(), ElementsAre(1, 2));
  for (const char* name : {"soft", "external_link", "external", "virtual"}) {
    EXPECT_THAT(message_of<IOError>([&] { root.open_dataset(name); }),
                AllOf(HasSubstr("\"/" + std::string(name) + "\""), HasSubstr("refused")));
  }
  EXPECT_THROW(root.open_group("soft/x"), IOError);
  EXPECT_THROW(static_cast<void>(root.has_dataset("soft")), IOError);
  EXPECT_THAT(root.dataset_names(), ElementsAre("external", "real", "virtual"));
}

TEST(Hdf5, RefusesClaimsBeyondTheLimit) {
  const TemporaryFolder folder;
  {
    const RawFile raw(folder / "a.h5");
    raw.dataset("bomb", H5T_IEEE_F32LE, {hsize_t{1} << 40}, nullptr, H5T_NATIVE_FLOAT);
    raw.dataset("overflow", H5T_STD_U8LE, {hsize_t{1} << 62}, nullptr, H5T_NATIVE_UINT8);
  }
  const Hdf5Group root = Hdf5File::open_read(folder / "a.h5").root();
  EXPECT_THAT(message_of<ResourceExhaustedError>([&] { root.read_dataset("bomb"); }), HasSubstr("4398046511104 bytes"));
  EXPECT_THROW(root.read_dataset("overflow"), IOError);
}

TEST(Hdf5, RefusesDamageAndPrintsNothing) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create_image();
  write_samples(file.root());
  const std::vector<std::byte> image = file.image();
  ::testing::internal::CaptureStderr();
  put(folder / "text.h5", "this is no HDF5 file");
  EXPECT_THAT(message_of<IOError>([&] { Hdf5File::open_read(folder / "text.h5"); }),
              AllOf(HasSubstr("text.h5"), HasSubstr("HDF5"), HasSubstr("signature")));
  EXPECT_THROW(Hdf5File::open_read(folder / "none.h5"), NotFoundError);
  EXPECT_THROW(Hdf5File::open_read(folder.path()), IOError);
  EXPECT_THROW(Hdf5File::open_image({}, "empty"), IOError);
  for (std::size_t size = 1; size < image.size(); size += 97) {
    const auto cut = std::span(image).first(size);
    EXPECT_THROW(Hdf5File::open_image({cut.begin(), cut.end()}, "cut"), IOError) << size;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Hdf5, TakesTurnsAmongThreads) {
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (std::size_t index = 0; index < sums.size(); ++index) {
    threads.emplace_back([&sums, index] {
      for (int round = 0; round < 20; ++round) {
        Hdf5File file = Hdf5File::create_image();
        file.root().write_dataset("a/b", Tensor::scalar(static_cast<double>(index)));
        sums[index] += Hdf5File::open_image(file.image(), "image").root().read_dataset("a/b").item();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(sums, ElementsAre(0, 20, 40, 60));
}

}  // namespace
}  // namespace rhyton::io

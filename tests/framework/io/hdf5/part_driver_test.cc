#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/file_part.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::put;
using test::TemporaryFolder;
using ::testing::HasSubstr;

constexpr std::size_t bytes_before = 777;

std::vector<float> numbers(float first) {
  std::vector<float> values(5000);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<std::byte> file_of(float first) {
  Hdf5File file = Hdf5File::create_image();
  file.root().write_string_attribute("title", "numbers");
  file.root().write_dataset("deep/values", Tensor::from_data<float>({50, 100}, numbers(first)));
  return file.image();
}

std::vector<float> values_in(const Hdf5File& file) {
  const Tensor tensor = file.root().read_dataset("deep/values");
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

/// Two HDF5 files with other bytes before, between and after them.
struct Container {
  explicit Container(const TemporaryFolder& folder) : path(folder / "container") {
    const std::vector<std::byte> first = file_of(0);
    const std::vector<std::byte> second = file_of(-7);
    std::vector<std::byte> bytes(bytes_before, std::byte{0xee});
    bytes.insert(bytes.end(), first.begin(), first.end());
    bytes.resize(bytes.size() + 3, std::byte{0xee});
    bytes.insert(bytes.end(), second.begin(), second.end());
    bytes.resize(bytes.size() + 1000, std::byte{0xee});
    put(path, bytes);
    const FilePart whole = FilePart::whole(path);
    parts = {whole.part(bytes_before, first.size()), whole.part(bytes_before + first.size() + 3, second.size())};
  }

  std::filesystem::path path;
  std::vector<FilePart> parts;
};

TEST(Hdf5PartDriver, ReadsAFileWithinAnother) {
  const TemporaryFolder folder;
  const Container container(folder);
  const Hdf5File file = Hdf5File::open_part(container.parts[0], "container, first");
  EXPECT_EQ(file.root().read_string_attribute("title"), "numbers");
  EXPECT_EQ(values_in(file), numbers(0));
}

TEST(Hdf5PartDriver, SeveralPartsAtOnce) {
  const TemporaryFolder folder;
  const Container container(folder);
  const Hdf5File first = Hdf5File::open_part(container.parts[0], "container, first");
  const Hdf5File second = Hdf5File::open_part(container.parts[1], "container, second");
  const Hdf5File first_again = Hdf5File::open_part(container.parts[0], "container, first");
  EXPECT_EQ(values_in(first), numbers(0));
  EXPECT_EQ(values_in(second), numbers(-7));
  EXPECT_EQ(values_in(first_again), numbers(0));
}

TEST(Hdf5PartDriver, OutlivesTheNameOfItsFile) {
  const TemporaryFolder folder;
  const Container container(folder);
  const Hdf5File file = Hdf5File::open_part(container.parts[1], "container, second");
  std::filesystem::remove(container.path);
  EXPECT_EQ(values_in(file), numbers(-7));
}

TEST(Hdf5PartDriver, NothingOfItsFileIsChanged) {
  const TemporaryFolder folder;
  const Container container(folder);
  const std::string before = test::content_of(container.path);
  const Hdf5File file = Hdf5File::open_part(container.parts[0], "container, first");
  EXPECT_THROW(file.root().create_group("more"), IOError);
  EXPECT_THROW(file.root().write_string_attribute("title", "other"), IOError);
  EXPECT_EQ(test::content_of(container.path), before);
}

TEST(Hdf5PartDriver, PartsThatAreNoHdf5File) {
  const TemporaryFolder folder;
  const Container container(folder);
  const FilePart whole = FilePart::whole(container.path);
  EXPECT_THAT(message_of<IOError>([&] { Hdf5File::open_part(whole, "all of it"); }), HasSubstr("all of it"));
  EXPECT_THROW(Hdf5File::open_part(whole.part(0, 0), "empty"), IOError);
}

TEST(Hdf5PartDriver, PartsCutShort) {
  const TemporaryFolder folder;
  const Container container(folder);
  const FilePart sound = container.parts[0];
  for (std::uint64_t size = 0; size < sound.size(); size += 97) {
    EXPECT_THROW(values_in(Hdf5File::open_part(sound.part(0, size), "short")), IOError) << size << " bytes";
  }
}

TEST(Hdf5PartDriver, AFileThatBecomesShorterWhileItIsOpen) {
  const TemporaryFolder folder;
  const Container container(folder);
  const Hdf5File file = Hdf5File::open_part(container.parts[0], "container, first");
  std::filesystem::resize_file(container.path, bytes_before + 100);
  EXPECT_THROW(values_in(file), IOError);
}

}  // namespace
}  // namespace rhyton::io

// Malicious files. Each is created by the HDF5 library itself and then changed.

#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Closes a handle of the HDF5 library.
class Owned {
 public:
  Owned(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) { EXPECT_GE(id, 0); }
  ~Owned() { close_(id_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): as the library's own

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The bytes of a file that `fill` writes; with `latest` in the library's newest format.
std::vector<std::byte> made_by_library(const std::function<void(hid_t)>& fill, bool latest = false) {
  const TemporaryFolder folder;
  {
    const Owned access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
    H5Pset_libver_bounds(access, latest ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    const Owned file(H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), &H5Fclose);
    fill(file);
  }
  return read_file(folder / "a.h5");
}

void add_dataset(hid_t place, const char* name, const std::vector<hsize_t>& lengths,
                 const std::vector<std::int32_t>& values = {}, hid_t properties = H5P_DEFAULT) {
  const Owned space(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr), &H5Sclose);
  const Owned dataset(H5Dcreate2(place, name, H5T_STD_I32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT), &H5Dclose);
  if (!values.empty()) {
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
}

std::array<std::byte, 8> little_endian(std::uint64_t value) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

/// Replaces all occurrences of a number of 8 bytes.
std::vector<std::byte> with_number(std::vector<std::byte> image, std::uint64_t number, std::uint64_t replacement) {
  const auto wanted = little_endian(number);
  int count = 0;
  for (auto place = image.begin();
       (place = std::search(place, image.end(), wanted.begin(), wanted.end())) != image.end(); place += 8, ++count) {
    const auto bytes = little_endian(replacement);
    std::copy(bytes.begin(), bytes.end(), place);
  }
  EXPECT_GT(count, 0) << "the file does not contain " << number;
  return image;
}

std::size_t place_of(const std::vector<std::byte>& image, std::string_view letters) {
  const auto wanted = std::as_bytes(std::span(letters));
  const auto found = std::search(image.begin(), image.end(), wanted.begin(), wanted.end());
  EXPECT_NE(found, image.end()) << letters;
  return static_cast<std::size_t>(found - image.begin());
}

Hdf5Group root_of(const std::vector<std::byte>& image) { return Hdf5File::open_image(image, "evil.h5").root(); }

std::string refusal_of(const std::vector<std::byte>& image, const std::string& dataset) {
  return message_of<IOError>([&] { root_of(image).read_dataset(dataset); });
}

// Reads everything that can be read; errors must be exceptions of this library.
void read_everything(const Hdf5Group& group) {
  const auto attempt = [](auto call) {
    try {
      call();
    } catch (const Error&) {
      return;
    }
  };
  const auto read_attributes = [&](const Hdf5Object& object) {
    for (const std::string& name : object.attribute_names()) {
      attempt([&] { static_cast<void>(object.read_string_list_attribute(name)); });
      attempt([&] { static_cast<void>(object.read_int_attribute(name)); });
    }
  };
  attempt([&] { read_attributes(group); });
  attempt([&] {
    for (const std::string& name : group.dataset_names()) {
      attempt([&] {
        const Hdf5Dataset dataset = group.open_dataset(name);
        read_attributes(dataset);
        if (dataset.spec().bytes() < 100000) {
          static_cast<void>(dataset.read());
        }
      });
    }
  });
  attempt([&] {
    for (const std::string& name : group.group_names()) {
      attempt([&] { read_everything(group.open_group(name)); });
    }
  });
}

/// Every kind of object that is read: nested groups, contiguous, compressed and empty arrays, both kinds of strings.
std::vector<std::byte> varied_file(bool latest) {
  return made_by_library(
      [](hid_t file) {
        const Owned group(H5Gcreate2(file, "layers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
        add_dataset(group, "plain", {2, 2}, {1, 2, 3, 4});
        add_dataset(group, "nothing", {0, 3});
        const Owned packed(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
        const std::array<hsize_t, 2> chunk = {2, 1};
        H5Pset_chunk(packed, 2, chunk.data());
        H5Pset_shuffle(packed);
        H5Pset_deflate(packed, 9);
        H5Pset_fletcher32(packed);
        add_dataset(group, "packed", {2, 2}, {1, 2, 3, 4}, packed);
        const Owned space(H5Screate(H5S_SCALAR), &H5Sclose);
        const Owned text(H5Tcopy(H5T_C_S1), &H5Tclose);
        H5Tset_size(text, H5T_VARIABLE);
        const Owned name(H5Acreate2(group, "name", text, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
        const char* const value = "some text";
        EXPECT_GE(H5Awrite(name, text, static_cast<const void*>(&value)), 0);
        const Owned fixed(H5Tcopy(H5T_C_S1), &H5Tclose);
        H5Tset_size(fixed, 5);
        const hsize_t two = 2;
        const Owned list(H5Screate_simple(1, &two, nullptr), &H5Sclose);
        const Owned names(H5Acreate2(group, "names", fixed, list, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
        EXPECT_GE(H5Awrite(names, fixed, "abcdefghij"), 0);
      },
      latest);
}

TEST(Hdf5Hostile, WhatIsSoundIsRead) {
  const Hdf5Group root = root_of(varied_file(false));
  EXPECT_THAT(root.read_dataset("layers/plain").to_vector(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(root.read_dataset("layers/packed").to_vector(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(root.read_dataset("layers/nothing").shape(), (Shape{0, 3}));
  EXPECT_EQ(root.open_group("layers").read_string_attribute("name"), "some text");
  EXPECT_THAT(root.open_group("layers").read_string_list_attribute("names"), ElementsAre("abcde", "fghij"));
}

TEST(Hdf5Hostile, NoBitDoesHarm) {
  ::testing::internal::CaptureStderr();
  for (const bool latest : {false, true}) {
    const std::vector<std::byte> sound = varied_file(latest);
    int read = 0;
    for (std::size_t position = 0; position < sound.size(); ++position) {
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
        std::vector<std::byte> image = sound;
        image[position] ^= static_cast<std::byte>(flip);
        try {
          read_everything(Hdf5File::open_image(std::move(image), "flipped.h5").root());
          ++read;
        } catch (const Error&) {
          continue;
        }
      }
    }
    EXPECT_GT(read, 0);  // bits without meaning
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Hdf5Hostile, NewerFormAsFarAsItIsKnown) {
  const auto many_members = made_by_library(
      [&](hid_t file) {
        for (int index = 0; index < 20; ++index) {
          add_dataset(file, std::to_string(index).c_str(), {1}, {index});
        }
      },
      true);
  EXPECT_THAT(root_of(many_members).read_dataset("7").to_vector(), ElementsAre(7));
  EXPECT_EQ(root_of(many_members).dataset_names().size(), 20u);
  const auto many_attributes = made_by_library(
      [&](hid_t file) {
        const Owned space(H5Screate(H5S_SCALAR), &H5Sclose);
        for (int index = 0; index < 9; ++index) {
          const Owned made(
              H5Acreate2(file, std::to_string(index).c_str(), H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT),
              &H5Aclose);
        }
      },
      true);
  EXPECT_THAT(message_of<IOError>([&] { root_of(many_attributes); }),
              AllOf(HasSubstr("attributes stored densely"), HasSubstr("latest")));
  EXPECT_THAT(message_of<IOError>([] { root_of(varied_file(true)).read_dataset("layers/packed"); }),
              AllOf(HasSubstr("\"/layers/packed\""), HasSubstr("latest")));
}

TEST(Hdf5Hostile, GroupsThatContainThemselves) {
  const auto image = made_by_library([](hid_t file) {
    const Owned group(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
    H5Lcreate_hard(file, "/", group, "top", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(group, ".", group, "self", H5P_DEFAULT, H5P_DEFAULT);
    add_dataset(group, "one", {1}, {5});
    H5Lcreate_hard(group, "one", file, "two", H5P_DEFAULT, H5P_DEFAULT);
  });
  const Hdf5Group root = root_of(image);
  EXPECT_THAT(message_of<IOError>([&] { root.open_group("a/top"); }),
              AllOf(HasSubstr("\"/a/top\""), HasSubstr("another path to the group \"/\""), HasSubstr("refused")));
  EXPECT_THAT(message_of<IOError>([&] { root.open_group("a/self"); }), HasSubstr("another path to the group \"/a\""));
  // Two names of an array are not a cycle.
  EXPECT_THAT(root.read_dataset("a/one").to_vector(), ElementsAre(5));
  EXPECT_THAT(root.read_dataset("two").to_vector(), ElementsAre(5));
  read_everything(root);
}

TEST(Hdf5Hostile, DeepGroups) {
  std::string path = "g";
  for (int depth = 1; depth < 300; ++depth) {
    path += "/g";
  }
  const auto image = made_by_library([&](hid_t file) {
    const Owned links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    const Owned group(H5Gcreate2(file, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
  });
  EXPECT_THAT(message_of<IOError>([&] { root_of(image).open_group(path); }), HasSubstr("deeper than 128 groups"));
  EXPECT_NO_THROW(root_of(image).open_group(path.substr(0, 199)));
}

TEST(Hdf5Hostile, NamedTypesAndForeignFilters) {
  const auto image = made_by_library([](hid_t file) {
    const Owned type(H5Tcopy(H5T_STD_I32LE), &H5Tclose);
    H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const Owned space(H5Screate(H5S_SCALAR), &H5Sclose);
    const Owned dataset(H5Dcreate2(file, "typed", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
    const Owned filtered(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
    const hsize_t chunk = 2;
    H5Pset_chunk(filtered, 1, &chunk);
    H5Pset_filter(filtered, 305, H5Z_FLAG_OPTIONAL, 0, nullptr);
    add_dataset(file, "filtered", {2}, {}, filtered);
  });
  EXPECT_THAT(refusal_of(image, "typed"),
              AllOf(HasSubstr("\"/typed\""), HasSubstr("named type"), HasSubstr("refused")));
  EXPECT_THAT(message_of<IOError>([&] { root_of(image).open_group("type"); }), HasSubstr("neither a group nor"));
  EXPECT_THAT(refusal_of(image, "filtered"), AllOf(HasSubstr("filter 305"), HasSubstr("plugins are never loaded")));
}

TEST(Hdf5Hostile, StructuresAndStrangeNumbers) {
  const auto image = made_by_library([](hid_t file) {
    const Owned space(H5Screate(H5S_SCALAR), &H5Sclose);
    const Owned pair(H5Tcreate(H5T_COMPOUND, 8), &H5Tclose);
    H5Tinsert(pair, "a", 0, H5T_STD_I32LE);
    const Owned structure(H5Dcreate2(file, "structure", pair, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
    const Owned strange(H5Tcopy(H5T_IEEE_F32LE), &H5Tclose);
    H5Tset_fields(strange, 31, 20, 11, 0, 20);
    const Owned floats(H5Dcreate2(file, "strange", strange, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  });
  EXPECT_THAT(message_of<TypeError>([&] { root_of(image).read_dataset("structure"); }), HasSubstr("structures"));
  EXPECT_THAT(message_of<TypeError>([&] { root_of(image).read_dataset("strange"); }),
              HasSubstr("in an unknown format"));
}

TEST(Hdf5Hostile, ChunksThatUnpackToOtherSizes) {
  const auto file_with = [](const std::string& content) {
    return made_by_library([&](hid_t file) {
      const Owned packed(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
      const hsize_t chunk = 1000;
      H5Pset_chunk(packed, 1, &chunk);
      H5Pset_deflate(packed, 9);
      add_dataset(file, "a", {1000}, {}, packed);
      const Owned dataset(H5Dopen2(file, "a", H5P_DEFAULT), &H5Dclose);
      std::vector<Bytef> stored(compressBound(content.size()));
      uLongf stored_bytes = stored.size();
      compress(stored.data(), &stored_bytes, reinterpret_cast<const Bytef*>(content.data()), content.size());
      const hsize_t offset = 0;
      EXPECT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, stored_bytes, stored.data()), 0);
    });
  };
  EXPECT_EQ(root_of(file_with(std::string(4000, '\0'))).read_dataset("a").shape(), (Shape{1000}));
  // The library would read 3990 bytes beyond its buffer.
  EXPECT_THAT(refusal_of(file_with(std::string(10, 'x')), "a"), HasSubstr("10 bytes, expected 4000"));
  std::string bomb;
  bomb.resize(100'000'000, 'x');
  EXPECT_THAT(refusal_of(file_with(bomb), "a"), HasSubstr("unpacks to more"));
}

TEST(Hdf5Hostile, SizesThatOverflow) {
  constexpr std::uint64_t mark = 0x51525354;
  const auto image = made_by_library([](hid_t file) { add_dataset(file, "a", {mark, 2}); });
  EXPECT_THAT(refusal_of(with_number(image, mark, std::uint64_t{1} << 62), "a"), HasSubstr("overflows"));
  EXPECT_THAT(refusal_of(with_number(image, mark, UINT64_MAX), "a"), HasSubstr("overflows"));
  EXPECT_THAT(refusal_of(with_number(image, mark, std::uint64_t{1} << 40), "a"), HasSubstr("evil.h5"));
}

TEST(Hdf5Hostile, ElementsBeyondTheFileOrInEachOther) {
  haddr_t first = 0;
  haddr_t second = 0;
  const auto image = made_by_library([&](hid_t file) {
    add_dataset(file, "a", {2}, {1, 2});
    add_dataset(file, "b", {2}, {3, 4});
    first = H5Dget_offset(Owned(H5Dopen2(file, "a", H5P_DEFAULT), &H5Dclose));
    second = H5Dget_offset(Owned(H5Dopen2(file, "b", H5P_DEFAULT), &H5Dclose));
  });
  EXPECT_THAT(refusal_of(with_number(image, second, image.size() - 4), "b"), HasSubstr("beyond the end of the file"));
  EXPECT_THAT(refusal_of(with_number(image, second, UINT64_MAX - 7), "b"), HasSubstr("beyond the end of the file"));
  const auto shared = with_number(image, second, first);
  const Hdf5Group root = root_of(shared);
  EXPECT_THAT(root.read_dataset("a").to_vector(), ElementsAre(1, 2));
  EXPECT_THAT(message_of<IOError>([&] { root.read_dataset("b"); }), HasSubstr("overlaps other data"));
  // And again with the same message.
  EXPECT_THAT(message_of<IOError>([&] { root.open_dataset("b"); }), HasSubstr("\"/b\" is damaged"));
}

TEST(Hdf5Hostile, TextsOfFalseLength) {
  auto image = varied_file(false);
  // A reference to a string: its length, the address of the heap, its index there.
  const auto heap = little_endian(place_of(image, "GCOL"));
  const auto reference = std::search(image.begin(), image.end(), heap.begin(), heap.end());
  ASSERT_NE(reference, image.end());
  *(reference - 4) = std::byte{4};  // the library would write 9 bytes into memory for 4
  EXPECT_THAT(message_of<IOError>([&] { root_of(image).open_group("layers"); }),
              AllOf(HasSubstr("\"/layers@name\""), HasSubstr("length of a text")));
}

TEST(Hdf5Hostile, FreeBlocksInACircle) {
  auto image = made_by_library([](hid_t file) { add_dataset(file, "a", {1}, {1}); });
  const std::size_t heap = place_of(image, "HEAP");
  std::uint64_t free_block = 0;
  std::uint64_t data = 0;
  std::memcpy(&free_block, image.data() + heap + 16, sizeof(free_block));
  std::memcpy(&data, image.data() + heap + 24, sizeof(data));
  const auto itself = little_endian(free_block);
  std::copy(itself.begin(), itself.end(), image.begin() + static_cast<std::ptrdiff_t>(data + free_block));
  EXPECT_THAT(message_of<IOError>([&] { root_of(image); }), HasSubstr("free blocks"));
}

TEST(Hdf5Hostile, LargeClaimsOfAttributes) {
  auto image = made_by_library([](hid_t file) {
    const hsize_t length = 0x1152;
    const Owned space(H5Screate_simple(1, &length, nullptr), &H5Sclose);
    const Owned made(H5Acreate2(file, "a", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  });
  EXPECT_NO_THROW(root_of(image));
  EXPECT_THAT(message_of<IOError>([&] { root_of(with_number(image, 0x1152, 0x4000)); }),
              AllOf(HasSubstr("\"/@a\""), HasSubstr("are left")));
}

TEST(Hdf5Hostile, LeavesTheLibrarysSettingsAsTheyWere) {
  unsigned before = 0;
  unsigned after = 0;
  H5PLget_loading_state(&before);
  EXPECT_THROW(Hdf5File::open_image(std::vector<std::byte>(100), "zeros.h5"), IOError);
  H5PLget_loading_state(&after);
  EXPECT_EQ(after, before);
}

TEST(Hdf5Hostile, ThreadsDoNotMixTheirErrors) {
  const std::vector<std::byte> sound = varied_file(false);
  std::vector<std::byte> damaged = sound;
  damaged[place_of(damaged, "SNOD")] = std::byte{0};
  ::testing::internal::CaptureStderr();
  std::vector<int> counts(4);
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    threads.emplace_back([&, index] {
      for (int round = 0; round < 50; ++round) {
        const std::string expected = "thread" + std::to_string(index) + ".h5";
        if (index % 2 == 0) {
          const Tensor tensor = Hdf5File::open_image(sound, expected).root().read_dataset("layers/packed");
          counts[index] += tensor.to_vector() == std::vector<double>{1, 2, 3, 4} ? 1 : 0;
        } else {
          const std::string message = message_of<IOError>(
              [&] { read_everything(Hdf5File::open_image(damaged, expected).root().open_group("layers")); });
          counts[index] += message.find(expected) != std::string::npos ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(counts, ElementsAre(50, 50, 50, 50));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace rhyton::io

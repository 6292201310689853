// Groups with many members whose names are not all ASCII: their links are in a heap, and trees sort them. Malicious
// files are created by the HDF5 library and then changed, including checksums.

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/hdf5/bytes.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Image = std::vector<std::byte>;

std::string name_of_member(int number) { return "größe_" + std::to_string(number); }

/// A group "layers" with this many members. The first `arrays` of them are arrays, the others are soft links. Such a
/// group has the newer format in a file of the older one, since names beyond ASCII require it.
Image file_with_members(int members, int arrays, bool in_order_of_making = false) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    if (in_order_of_making) H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t group = H5Gcreate2(file, "layers", H5P_DEFAULT, properties, H5P_DEFAULT);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(links, H5T_CSET_UTF8);
    const hsize_t length = 1;
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    for (int number = 0; number < members; ++number) {
      if (number < arrays) {
        const hid_t array =
            H5Dcreate2(group, name_of_member(number).c_str(), H5T_STD_I32LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(H5Dwrite(array, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number), 0);
        H5Dclose(array);
      } else {
        H5Lcreate_soft("nowhere", group, name_of_member(number).c_str(), links, H5P_DEFAULT);
      }
    }
    EXPECT_GE(H5Sclose(space), 0);
    EXPECT_GE(H5Pclose(links), 0);
    EXPECT_GE(H5Gclose(group), 0);
    EXPECT_GE(H5Pclose(properties), 0);
    EXPECT_GE(H5Fclose(file), 0);
  }
  return read_file(path);
}

Hdf5Group group_of(Image image) {
  return Hdf5File::open_image(std::move(image), "many.h5").root().open_group("layers");
}

std::uint32_t number_at(const Image& image, std::size_t place) {
  std::uint32_t number = 0;
  std::memcpy(&number, image.data() + place, sizeof(number));
  return number;
}

/// A block of the file with a checksum.
struct Summed {
  std::size_t begin = 0;
  std::size_t bytes = 0;
  /// The position of the checksum: after the bytes, or within them, which are then summed as if it were 0.
  std::size_t checksum = 0;
};

std::uint32_t sum_of(const Image& image, const Summed& block) {
  Image bytes(image.begin() + static_cast<std::ptrdiff_t>(block.begin),
              image.begin() + static_cast<std::ptrdiff_t>(block.begin + block.bytes));
  if (block.checksum < block.begin + block.bytes) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(block.checksum - block.begin), 4, std::byte{0});
  }
  return hdf5::metadata_checksum(bytes);
}

void set_checksum(Image& image, const Summed& block) {
  const std::uint32_t sum = sum_of(image, block);
  std::memcpy(image.data() + block.checksum, &sum, sizeof(sum));
}

/// All blocks of heaps and trees.
std::vector<Summed> summed_blocks(const Image& image) {
  std::vector<Summed> blocks;
  for (std::size_t begin = 0; begin + 64 < image.size(); ++begin) {
    const std::string_view letters(reinterpret_cast<const char*>(image.data() + begin), 4);
    const auto add_if_right = [&](std::size_t bytes, std::size_t checksum) {
      if (checksum + 4 > image.size() || begin + bytes > image.size()) return false;
      const Summed block = {.begin = begin, .bytes = bytes, .checksum = checksum};
      if (number_at(image, checksum) != sum_of(image, block)) return false;
      blocks.push_back(block);
      return true;
    };
    if (letters == "FHDB") {
      for (std::size_t bytes = 512; bytes <= 65536 && !add_if_right(bytes, begin + 17); bytes *= 2) continue;
    } else if (letters == "FRHP" || letters == "FHIB" || letters == "BTHD" || letters == "BTIN" || letters == "BTLF") {
      for (std::size_t bytes = 10; bytes <= 1024 && !add_if_right(bytes, begin + bytes); ++bytes) continue;
    }
  }
  return blocks;
}

/// The block with these letters; if there are several, the first.
Summed block_of(const Image& image, std::string_view letters) {
  for (const Summed& block : summed_blocks(image)) {
    if (std::memcmp(image.data() + block.begin, letters.data(), letters.size()) == 0) return block;
  }
  ADD_FAILURE() << "no " << letters;
  return {};
}

/// The error message for the file with that number at that place of the block.
std::string refusal_with(Image image, std::string_view letters, std::size_t place, std::uint64_t number,
                         std::size_t number_bytes) {
  const Summed block = block_of(image, letters);
  std::memcpy(image.data() + block.begin + place, &number, number_bytes);
  set_checksum(image, block);
  return message_of<IOError>([&] { group_of(image); });
}

TEST(Hdf5DenseLinks, AreRead) {
  for (const int members : {9, 46, 3000}) {
    for (const bool in_order_of_making : {false, true}) {
      const Image image = file_with_members(members, 3, in_order_of_making);
      EXPECT_FALSE(summed_blocks(image).empty());
      const Hdf5Group group = group_of(image);
      EXPECT_THAT(group.dataset_names(), ElementsAre("größe_0", "größe_1", "größe_2"));
      EXPECT_THAT(group.read_dataset("größe_2").to_vector(), ElementsAre(2));
      EXPECT_FALSE(group.has_dataset("größe"));
    }
  }
  const Image many = file_with_members(3000, 1000);
  EXPECT_EQ(group_of(many).dataset_names().size(), 1000u);
  EXPECT_THAT(group_of(many).read_dataset("größe_999").to_vector(), ElementsAre(999));
}

// Every bit of heaps and trees, with matching checksums.
TEST(Hdf5DenseLinks, NoBitDoesHarm) {
  ::testing::internal::CaptureStderr();
  for (const bool in_order_of_making : {false, true}) {
    const Image sound = file_with_members(60, 2, in_order_of_making);
    const std::vector<Summed> blocks = summed_blocks(sound);
    EXPECT_GE(blocks.size(), in_order_of_making ? 11u : 7u);
    int refused = 0;
    for (const Summed& block : blocks) {
      for (std::size_t place = block.begin; place < block.begin + block.bytes; ++place) {
        for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
          Image image = sound;
          image[place] ^= static_cast<std::byte>(flip);
          set_checksum(image, block);
          try {
            const Hdf5Group group = group_of(std::move(image));
            for (const std::string& name : group.dataset_names()) static_cast<void>(group.read_dataset(name));
          } catch (const Error&) {
            ++refused;
          }
        }
      }
    }
    EXPECT_GT(refused, 1000);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Hdf5DenseLinks, WrongChecksums) {
  const Image sound = file_with_members(60, 2);
  for (const Summed& block : summed_blocks(sound)) {
    Image image = sound;
    image[block.checksum] ^= std::byte{1};
    EXPECT_THAT(message_of<IOError>([&] { group_of(image); }), HasSubstr("checksum")) << block.begin;
  }
}

TEST(Hdf5DenseLinks, HeapsThatCannotBe) {
  const Image small = file_with_members(9, 2);
  const Image large = file_with_members(60, 2);
  EXPECT_THAT(refusal_with(large, "FRHP", 140, 23, 2), HasSubstr("23 rows"));
  EXPECT_THAT(refusal_with(large, "FRHP", 140, 22, 2), HasSubstr("\"/layers\""));
  EXPECT_THAT(refusal_with(large, "FRHP", 110, 3, 2), HasSubstr("unknown form"));  // blocks in a row
  EXPECT_THAT(refusal_with(large, "FRHP", 112, 0, 8), HasSubstr("unknown form"));  // bytes of a block
  EXPECT_THAT(refusal_with(large, "FRHP", 132, small.size() * 10, 8), HasSubstr("beyond the end of the file"));
  EXPECT_THAT(refusal_with(large, "FRHP", 132, 0, 8), HasSubstr("overlaps other data"));
  // The heap's first block is its own table.
  EXPECT_THAT(refusal_with(large, "FHIB", 17, block_of(large, "FHIB").begin, 8), HasSubstr("overlaps other data"));
  // A block whose stored position in the heap is wrong.
  EXPECT_THAT(refusal_with(small, "FHDB", 13, 512, 4), HasSubstr("not where it belongs"));
}

TEST(Hdf5DenseLinks, TreesThatCannotBe) {
  const Image small = file_with_members(9, 2);
  const Image large = file_with_members(60, 2);
  // The library allocates memory for as many members as the tree claims.
  EXPECT_THAT(refusal_with(small, "BTHD", 26, 8, 8), HasSubstr("another number of records"));
  EXPECT_THAT(refusal_with(large, "BTHD", 26, 1, 8), HasSubstr("another number of records"));
  EXPECT_THAT(refusal_with(small, "BTHD", 24, 46, 2), HasSubstr("cannot be"));  // records in the root
  EXPECT_THAT(refusal_with(small, "BTHD", 12, 60000, 2), HasSubstr("depth"));
  EXPECT_THAT(refusal_with(small, "BTHD", 12, 1, 2), HasSubstr("damaged"));  // a leaf as an inner node
  EXPECT_THAT(refusal_with(small, "BTHD", 6, 4096, 4), HasSubstr("unknown form"));
  EXPECT_THAT(refusal_with(small, "BTLF", 6, 0xffffffff, 4), HasSubstr("another name"));
  // A link beyond all blocks, across the end of one, and in a block's header.
  EXPECT_THAT(refusal_with(small, "BTLF", 11, 1U << 20U, 4), HasSubstr("the heap of its members"));
  EXPECT_THAT(refusal_with(small, "BTLF", 11, 510, 4), HasSubstr("the heap of its members"));
  EXPECT_THAT(refusal_with(small, "BTLF", 11, 3, 4), HasSubstr("the heap of its members"));
  EXPECT_THAT(refusal_with(small, "BTLF", 15, 0xffff, 2), HasSubstr("the heap of its members"));
  EXPECT_THAT(refusal_with(small, "BTLF", 10, 0x10, 1), HasSubstr("not kept among the others"));
  // A node that is its own child.
  const Summed inner = block_of(large, "BTIN");
  const std::size_t records = number_at(large, block_of(large, "BTHD").begin + 24) & 0xffffU;
  EXPECT_THAT(refusal_with(large, "BTIN", 6 + 11 * records, inner.begin, 8), HasSubstr("overlaps other data"));
}

}  // namespace
}  // namespace rhyton::io

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::to_bytes;

constexpr ChecksumKind md5 = ChecksumKind::md5;
constexpr ChecksumKind sha256 = ChecksumKind::sha256;

// The examples of RFC 1321.
TEST(Checksum, AgreesWithTheDefinitionOfMd5) {
  EXPECT_EQ(checksum(md5, {}), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(checksum(md5, to_bytes("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(checksum(md5, to_bytes("abcdefghijklmnopqrstuvwxyz")), "c3fcd3d76192e4007dfb496cca67e13b");
}

// Those of FIPS 180-4 and of NIST's test vectors.
TEST(Checksum, AgreesWithTheDefinitionOfSha256) {
  EXPECT_EQ(checksum(sha256, {}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(checksum(sha256, to_bytes("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Checksum, TakesPiecesOfAnySize) {
  const auto bytes = to_bytes(std::string(300, 'q') + "end");
  for (const ChecksumKind kind : {md5, sha256}) {
    for (std::size_t piece = 1; piece < 130; ++piece) {
      Checksum sum(kind);
      for (std::size_t start = 0; start < bytes.size(); start += piece) {
        sum.update(std::span(bytes).subspan(start, std::min(piece, bytes.size() - start)));
      }
      EXPECT_EQ(sum.hex_digest(), checksum(kind, bytes));
      EXPECT_EQ(sum.hex_digest(), checksum(kind, bytes));
    }
  }
}

TEST(Checksum, ReadsFiles) {
  const test::TemporaryFolder folder;
  test::put(folder / "abc", "abc");
  EXPECT_EQ(checksum_of_file(md5, folder / "abc"), checksum(md5, to_bytes("abc")));
  EXPECT_THROW(checksum_of_file(md5, folder / "none"), NotFoundError);
  EXPECT_THROW(checksum_of_file(md5, folder.path()), IOError);
}

}  // namespace
}  // namespace rhyton::io

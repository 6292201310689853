#include <gtest/gtest.h>

#include <rhyton/framework/io/sha256.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::to_bytes;

// The examples of FIPS 180-4 and of NIST's test vectors.
TEST(Sha256, AgreesWithNist) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(to_bytes("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(to_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      sha256(to_bytes("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmn"
                      "opqrsmnopqrstnopqrstu")),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(to_bytes(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TakesPiecesOfAnySize) {
  const auto bytes = to_bytes(std::string(300, 'q') + "end");
  for (std::size_t piece = 1; piece < 130; ++piece) {
    Sha256 hash;
    for (std::size_t start = 0; start < bytes.size(); start += piece) {
      hash.update(std::span(bytes).subspan(start, std::min(piece, bytes.size() - start)));
    }
    EXPECT_EQ(hash.hex_digest(), sha256(bytes));
    EXPECT_EQ(hash.hex_digest(), sha256(bytes));
  }
}

TEST(Sha256, ReadsFiles) {
  const test::TemporaryFolder folder;
  test::put(folder / "abc", "abc");
  EXPECT_EQ(sha256_of_file(folder / "abc"), sha256(to_bytes("abc")));
  EXPECT_THROW(sha256_of_file(folder / "none"), NotFoundError);
  EXPECT_THROW(sha256_of_file(folder.path()), IOError);
}

}  // namespace
}  // namespace rhyton::io

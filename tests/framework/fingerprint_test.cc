#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/fingerprint.h>

namespace rhyton {
namespace {

// The vectors of the reference implementation: key 00 01 … 0f, messages 00 01 ….
TEST(Fingerprint, SipHashHasTheValuesOfItsAuthors) {
  const std::array<std::uint64_t, 2> key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  const auto hash_of = [&](std::size_t length) {
    std::string message;
    for (std::size_t i = 0; i < length; ++i) message += static_cast<char>(i);
    return sip_hash(message, key);
  };
  EXPECT_EQ(hash_of(0), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(hash_of(1), 0x74f839c593dc67fdU);
  EXPECT_EQ(hash_of(8), 0x93f5f5799a932462U);
  EXPECT_EQ(hash_of(15), 0xa129ca6149be45e5U);
}

// tf.fingerprint and tf.strings.to_hash_bucket_fast.
TEST(Fingerprint, IsThatOfTensorFlow) {
  EXPECT_EQ(fingerprint64(""), 0x9ae16a3b2f90404fU);
  EXPECT_NE(joined_fingerprint(1, 2), joined_fingerprint(2, 1));
}

}  // namespace
}  // namespace rhyton

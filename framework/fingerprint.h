#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rhyton {

/// The fingerprint of a string that TensorFlow's ops on strings and Keras's layers assign categories by: FarmHash's
/// Fingerprint64, which does not change between processes, machines and versions.
std::uint64_t fingerprint64(std::string_view text);

/// The fingerprint of a sequence whose first part has the fingerprint `first`: TensorFlow's FingerprintCat64, which
/// crossed features are hashed by.
std::uint64_t joined_fingerprint(std::uint64_t first, std::uint64_t second);

/// SipHash-2-4 of a string with a key (J.-P. Aumasson and D. J. Bernstein, SipHash: a fast short-input PRF, 2012): the
/// hash with a salt.
std::uint64_t sip_hash(std::string_view text, const std::array<std::uint64_t, 2>& key);

}  // namespace rhyton

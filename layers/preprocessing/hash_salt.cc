#include <rhyton/layers/preprocessing/hash_salt.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/fingerprint.h>

namespace rhyton::layers {

std::int64_t HashSalt::bucket_of(std::string_view text, std::int64_t buckets) const {
  const std::uint64_t hash =
      key_ ? sip_hash(text, {static_cast<std::uint64_t>((*key_)[0]), static_cast<std::uint64_t>((*key_)[1])})
           : fingerprint64(text);
  return static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(buckets));
}

io::Json HashSalt::to_config() const { return key_ ? io::Json::array_from(*key_) : io::Json(); }

HashSalt HashSalt::from_config(const io::Json& config) {
  if (config.is_array() && config.size() == 2) return {config[0].as_int(), config[1].as_int()};
  return config.as_int();
}

}  // namespace rhyton::layers

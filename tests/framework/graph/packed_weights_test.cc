#include <rhyton/framework/graph/packed_weights.h>

#include <cstdint>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace rhyton::graph {
namespace {

constexpr std::uint64_t version = 7;

PackingKey key() {
  PackingKey key;
  key.bytes = 64;
  return key;
}

std::shared_ptr<PackedCopy> packed(PackedWeights& weights) {
  std::shared_ptr<PackedCopy> copy = weights.get(version);
  copy->version = version;
  return copy;
}

// Three frames begin to pack the same weights, as none has shared its copy yet. Those that finish later get the copy of
// the one that finished first, wherever in the list theirs were.
TEST(PackedWeights, OfOneVersionAreTheCopyThatWasSharedFirst) {
  PackedWeights weights(key());
  weights.note_needed(version);
  std::shared_ptr<PackedCopy> first = packed(weights);
  std::shared_ptr<PackedCopy> second = packed(weights);
  std::shared_ptr<PackedCopy> third = packed(weights);
  const std::shared_ptr<PackedCopy> shared = weights.share(std::move(second));
  EXPECT_TRUE(shared->is_shared);
  EXPECT_EQ(weights.share(std::move(first)), shared);
  EXPECT_EQ(weights.share(std::move(third)), shared);
  EXPECT_EQ(weights.get(version), shared);
  EXPECT_EQ(weights.bytes(), 64U);
}

TEST(PackedWeights, OfALaterVersionUseACopyThatNoFrameUses) {
  PackedWeights weights(key());
  weights.note_needed(version);
  std::shared_ptr<PackedCopy> copy = weights.share(packed(weights));
  const Storage* const storage = copy->storage.get();
  weights.note_needed(version + 1);
  EXPECT_NE(weights.get(version + 1), copy) << "a frame uses it";
  copy.reset();
  EXPECT_EQ(weights.get(version + 1)->storage.get(), storage);
}

}  // namespace
}  // namespace rhyton::graph

#include <rhyton/framework/distribute/replica_batches.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rhyton::distribute {
namespace {

std::vector<std::int64_t> samples_of_replicas(std::int64_t global_samples, int replicas) {
  std::vector<std::int64_t> samples;
  for (int replica = 0; replica < replicas; ++replica) {
    samples.push_back(replica_batch(global_samples, replica, replicas).samples);
  }
  return samples;
}

TEST(ReplicaBatch, AnEvenBatchIsCutEvenly) {
  // 100 samples in batches of 16 on 2 replicas: six batches of 8 and 8, and the last of 2 and 2.
  EXPECT_EQ(samples_of_replicas(16, 2), (std::vector<std::int64_t>{8, 8}));
  EXPECT_EQ(samples_of_replicas(100 % 16, 2), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(samples_of_replicas(64, 8), (std::vector<std::int64_t>(8, 8)));
}

TEST(ReplicaBatch, TheFirstReplicasGetOneMore) {
  EXPECT_EQ(samples_of_replicas(10, 3), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(samples_of_replicas(11, 3), (std::vector<std::int64_t>{4, 4, 3}));
  EXPECT_EQ(samples_of_replicas(16, 7), (std::vector<std::int64_t>{3, 3, 2, 2, 2, 2, 2}));
}

TEST(ReplicaBatch, LastReplicasGetNothingOfASmallBatch) {
  EXPECT_EQ(samples_of_replicas(4, 5), (std::vector<std::int64_t>{1, 1, 1, 1, 0}));
  EXPECT_EQ(samples_of_replicas(1, 3), (std::vector<std::int64_t>{1, 0, 0}));
  EXPECT_TRUE(replica_batch(4, 4, 5).is_known());
  EXPECT_TRUE(replica_batch(4, 4, 5).is_empty());
  EXPECT_FALSE(replica_batch(4, 3, 5).is_empty());
}

TEST(ReplicaBatch, PartsFollowEachOtherAndCoverTheBatch) {
  for (const int replicas : {1, 2, 3, 5, 8}) {
    for (std::int64_t samples = 1; samples <= 40; ++samples) {
      SCOPED_TRACE(std::to_string(samples) + " samples, " + std::to_string(replicas) + " replicas");
      std::int64_t next = 0;
      for (int replica = 0; replica < replicas; ++replica) {
        const ReplicaBatch batch = replica_batch(samples, replica, replicas);
        EXPECT_EQ(batch.global_samples, samples);
        EXPECT_EQ(batch.first_sample, next);
        next += batch.samples;
      }
      EXPECT_EQ(next, samples);
    }
  }
}

}  // namespace
}  // namespace rhyton::distribute

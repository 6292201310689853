// Files of records, and the caches of pipelines in files.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_sources.h>
#include <rhyton/datasets/tf_record.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> records_of(const std::filesystem::path& path) {
  std::vector<std::string> records;
  TFRecordReader reader(path);
  while (const std::optional<std::string> record = reader.next()) records.push_back(*record);
  return records;
}

std::string content_of(const std::filesystem::path& path) {
  std::string text;
  for (const std::byte byte : io::read_file(path)) text += static_cast<char>(byte);
  return text;
}

TEST(TFRecord, HasTheBytesOfTensorFlow) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.tfrecord";
  TFRecordWriter writer(path);
  writer.write("abc");
  writer.write("");
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.close();
  // with tf.io.TFRecordWriter(path) as w: w.write(b"abc"); w.write(b"")
  EXPECT_EQ(content_of(path), std::string("\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
                                          "abc"
                                          "nW\xf1!\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2",
                                          35));
  EXPECT_THAT(records_of(path), ElementsAre("abc", ""));
}

TEST(TFRecord, RefusesDamagedFiles) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.tfrecord";
  TFRecordWriter writer(path);
  writer.write("first");
  writer.write("a second record");
  writer.close();
  const std::string whole = content_of(path);
  for (std::size_t length = 1; length < whole.size(); ++length) {
    if (length == 21) continue;  // the end of the first record
    io::write_file(path, std::string_view(whole).substr(0, length));
    EXPECT_THAT(message_of<IOError>([&] { records_of(path); }), HasSubstr("truncated record at")) << length;
  }
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    io::write_file(path, damaged);
    EXPECT_THROW(records_of(path), IOError) << place;
  }
  EXPECT_THROW(TFRecordReader(folder.path() / "none"), NotFoundError);
}

/// The values of all tensors of a pass.
std::vector<double> all_values(const Dataset& dataset) {
  std::vector<double> values;
  const auto elements = dataset.iterator(0);
  while (const std::optional<Batch> element = elements->next()) {
    for (const std::vector<Tensor>& part : {element->x, element->y}) {
      for (const Tensor& tensor : part) {
        for (const double value : tensor.to_vector()) values.push_back(value);
      }
    }
  }
  return values;
}

TEST(CacheFile, IsReadByLaterPassesAndPipelines) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "cache";
  std::atomic<int> calls = 0;
  const auto make = [&] {
    return zip(range(7), range(10, 17))
        .batch(3)
        .map([&calls](const Tensor& x, const Tensor& y) {
          ++calls;
          return std::pair(x.cast(float32) / 2, y);
        })
        .cache(path);
  };
  const std::vector<double> first = all_values(make());
  EXPECT_EQ(first.size(), 14U);
  EXPECT_EQ(calls, 3);
  const Pipeline later = make();
  EXPECT_EQ(all_values(later), first);
  EXPECT_EQ(all_values(later), first);
  EXPECT_EQ(later.cardinality(), 3);
}

TEST(CacheFile, IsWrittenByACompletePassOnly) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "cache";
  const Pipeline data = range(5).cache(path);
  {
    const auto elements = data.iterator(0);
    const auto others = data.iterator(0);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(elements->next().has_value());
    EXPECT_TRUE(others->next().has_value());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THAT(all_values(data), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(CacheFile, OfAnotherPipelineIsRefused) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "cache";
  all_values(range(5).cache(path));
  EXPECT_THAT(message_of<IOError>([&] { all_values(range(5, {.output_type = float32}).cache(path)); }),
              HasSubstr("have other dtypes or ranks than those of the pipeline"));
  EXPECT_THROW(all_values(range(5).batch(2).cache(path)), IOError);
  io::write_file(path, "something else");
  EXPECT_THROW(all_values(range(5).cache(path)), IOError);
  EXPECT_THROW(all_values(range(5).cache(folder.path() / "no folder" / "cache")), IOError);
}

}  // namespace
}  // namespace rhyton::datasets

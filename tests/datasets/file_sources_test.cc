// Lines and records of files, compared with tf.data (golden/make_file_sources.py).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/file_sources.h>
#include <rhyton/datasets/pipeline_sources.h>
#include <rhyton/datasets/tf_record.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/gzip.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/golden_bytes.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::bytes_of;
using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

/// The elements of a pass, in `texts` also those before an exception.
void read(const Dataset& dataset, Texts& texts) {
  const auto elements = dataset.iterator(0);
  while (const std::optional<Batch> element = elements->next()) {
    ASSERT_EQ(element->x.at(0).rank(), 0);
    texts.push_back(StringTensor::of(element->x[0]).item());
  }
}

Texts texts_of(const Dataset& dataset) {
  Texts texts;
  read(dataset, texts);
  return texts;
}

class FileSources : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) const {
    std::string path = (folder_.path() / name).string();
    io::write_file(path, content);
    return path;
  }

  test::TemporaryFolder folder_;
};

TEST_F(FileSources, HaveTheElementsOfTensorFlow) {
  const test::GoldenArea area("file_sources");
  int compared = 0;
  int refused = 0;
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden.dump());
    Texts paths;
    for (const io::Json& content : golden["files"]) {
      paths.push_back(
          file(golden["name"].as_string() + "_" + std::to_string(paths.size()), bytes_of(content.as_string())));
    }
    FileSourceOptions options = {.compression_type = golden["compression_type"].as_string()};
    if (const io::Json* const count = golden.find("num_parallel_reads")) options.num_parallel_reads = count->as_int();
    const Pipeline dataset = golden["kind"].as_string() == "lines" ? Pipeline(TextLineDataset(paths, options))
                                                                   : Pipeline(TFRecordDataset(paths, options));
    EXPECT_EQ(dataset.element_spec().x.at(0), (TensorSpec{{}, string_dtype}));
    EXPECT_EQ(dataset.cardinality(), std::nullopt);
    Texts expected;
    for (const io::Json& element : golden["elements"]) expected.push_back(bytes_of(element.as_string()));
    Texts texts;
    if (golden.find("error") != nullptr) {
      EXPECT_THROW(read(dataset, texts), IOError);
      // TensorFlow reads files in turns on threads of their own, and may report the error before the elements.
      if (!options.num_parallel_reads) {
        EXPECT_EQ(texts, expected);
      }
      ++refused;
      continue;
    }
    read(dataset, texts);
    EXPECT_EQ(texts, expected);
    ++compared;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(refused, 1);
}

TEST_F(FileSources, ArePipelines) {
  const Texts paths = {file("a", "1\n2\n3"), file("b", "4\n5\n"), file("c", "")};
  const TextLineDataset lines(paths);
  EXPECT_THAT(texts_of(lines.shard(2, 1)), ElementsAre("2", "4"));
  EXPECT_THAT(texts_of(lines.skip(3).repeat(2)), ElementsAre("4", "5", "4", "5"));
  EXPECT_THAT(texts_of(lines), ElementsAre("1", "2", "3", "4", "5"));  // a second pass
  const auto batches = lines.batch(2).iterator(0);
  EXPECT_EQ(StringTensor::of(batches->next()->x[0]).elements(), (Texts{"1", "2"}));
  const Pipeline files = from_tensor_slices(StringTensor(paths));
  EXPECT_THAT(texts_of(TextLineDataset(files)), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(texts_of(files.interleave([](const Tensor& name) { return TextLineDataset(StringTensor::of(name)); },
                                        {.cycle_length = 2})),
              ElementsAre("1", "4", "2", "5", "3"));
  EXPECT_THAT(texts_of(TextLineDataset({paths[0], paths[1]}, {.num_parallel_reads = 2})),
              ElementsAre("1", "4", "2", "5", "3"));
  EXPECT_THAT(texts_of(TextLineDataset(paths[1])), ElementsAre("4", "5"));
}

TEST_F(FileSources, ReadFilesThatAreLongerThanABuffer) {
  std::string content;
  Texts expected;
  for (int i = 0; i < 300; ++i) {
    expected.emplace_back(static_cast<std::size_t>(i * 37 % 9000), static_cast<char>('a' + i % 26));
    content += expected.back() + "\n";
  }
  EXPECT_EQ(texts_of(TextLineDataset(file("plain", content))), expected);
  const std::vector<std::byte> packed = io::gzip_compress(std::as_bytes(std::span(content)));
  const std::string path = (folder_.path() / "packed").string();
  io::write_file(path, packed);
  EXPECT_EQ(texts_of(TextLineDataset(path, {.compression_type = "GZIP"})), expected);
  for (std::size_t size = 1; size < packed.size(); size += 101) {
    io::write_file(path, std::span(packed).first(size));
    EXPECT_THAT(message_of<IOError>([&] { texts_of(TextLineDataset(path, {.compression_type = "GZIP"})); }),
                HasSubstr("is cut short"));
  }
}

TEST_F(FileSources, CompressedRecordsAreReadBack) {
  const std::string path = (folder_.path() / "records").string();
  for (const std::string compression : {"", "ZLIB", "GZIP"}) {
    TFRecordWriter writer(path, {.compression_type = compression});
    const Texts records = {"", "abc", std::string(3000000, 'x'), std::string("\0\n", 2)};
    for (const std::string& record : records) writer.write(record);
    writer.close();
    EXPECT_EQ(std::filesystem::file_size(path) > 1000000, compression.empty());
    EXPECT_EQ(texts_of(TFRecordDataset(path, {.compression_type = compression})), records);
    EXPECT_THROW(writer.close(), RuntimeError);
  }
}

TEST_F(FileSources, RefuseOtherFilesAndArguments) {
  EXPECT_THAT(message_of<NotFoundError>([&] { texts_of(TextLineDataset((folder_.path() / "none").string())); }),
              HasSubstr("none; No such file or directory"));
  EXPECT_THAT(message_of<IOError>([&] { texts_of(TextLineDataset(folder_.path().string())); }),
              HasSubstr("Is a directory"));
  EXPECT_EQ(message_of<InvalidArgumentError>([] { TextLineDataset("a", {.compression_type = "gzip"}); }),
            "Unsupported compression_type.");
  EXPECT_EQ(message_of<ValueError>([&] { TFRecordWriter(folder_.path() / "a", {.compression_type = "X"}); }),
            "Not a valid compression_type: \"X\"");
  EXPECT_THROW(TextLineDataset("a", {.num_parallel_reads = 0}), ValueError);
  EXPECT_THROW(texts_of(TextLineDataset(range(2))), TypeError);
  EXPECT_THAT(texts_of(TextLineDataset(Texts{})), ElementsAre());
}

}  // namespace
}  // namespace rhyton::datasets

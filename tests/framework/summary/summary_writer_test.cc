#include <rhyton/framework/summary/summary_writer.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/image/image.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/framework/summary/event_file.h>

namespace rhyton::summary {
namespace {

using test::TemporaryFolder;

Tensor decoded(const std::string& png) { return io::decode_image(std::as_bytes(std::span(png)), "summary"); }

TEST(SummaryWriter, WritesScalars) {
  const TemporaryFolder folder;
  const SummaryWriter writer = create_file_writer(folder.path() / "logs" / "train");
  writer.scalar("loss", 0.5, 0);
  writer.scalar("loss", -0.25, 300);
  writer.scalar("accuracy", 1, 7);
  writer.flush();
  const auto summaries = read_summaries(folder.path() / "logs" / "train");
  ASSERT_EQ(summaries.size(), 2U);
  const std::vector<ReadSummary>& losses = summaries.at("loss");
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_EQ(losses[0].plugin, "scalars");
  EXPECT_EQ(losses[0].step, 0);
  EXPECT_EQ(losses[0].scalar(), 0.5);
  EXPECT_EQ(losses[1].step, 300);
  EXPECT_EQ(losses[1].scalar(), -0.25);
}

TEST(SummaryWriter, WritesHistograms) {
  const TemporaryFolder folder;
  const SummaryWriter writer = create_file_writer(folder.path());
  writer.histogram("weights", Tensor::from_data({2, 2}, std::vector<int>{0, 1, 2, 4}), 3, {.buckets = 2});
  EXPECT_THROW(writer.histogram("weights", Tensor::zeros({2}), 3, {.buckets = 0}), ValueError);
  writer.close();
  const ReadSummary weights = read_summaries(folder.path()).at("weights").at(0);
  EXPECT_EQ(weights.plugin, "histograms");
  EXPECT_EQ(weights.tensor.message(2).message(2, 0).integer(1), 2);
  EXPECT_EQ(weights.tensor.message(2).message(2, 1).integer(1), 3);
  std::vector<double> rows;
  for (std::size_t i = 0; i < weights.tensor.count(6); ++i) rows.push_back(weights.tensor.real(6, i));
  EXPECT_EQ(rows, (std::vector<double>{0, 2, 2, 2, 4, 2}));
}

TEST(SummaryWriter, WritesImages) {
  const TemporaryFolder folder;
  const SummaryWriter writer = create_file_writer(folder.path());
  const Tensor numbers = Tensor::from_data({3, 1, 2, 1}, std::vector<float>{0, 1, 0.5, 0.25, -1, 2});
  writer.image("numbers", numbers, 1);
  writer.image("two", numbers, 1, {.max_outputs = 2});
  writer.image("bytes", Tensor::full({1, 2, 3, 3}, 7, uint8), 1);
  writer.close();
  const auto summaries = read_summaries(folder.path());
  const ReadMessage& tensor = summaries.at("numbers").at(0).tensor;
  EXPECT_EQ(summaries.at("numbers").at(0).plugin, "images");
  ASSERT_EQ(tensor.count(8), 5U);
  EXPECT_EQ(tensor.text(8, 0), "2");
  EXPECT_EQ(tensor.text(8, 1), "1");
  // As tf.image.convert_image_dtype computes them.
  EXPECT_EQ(decoded(tensor.text(8, 2)).to_vector(), (std::vector<double>{0, 255}));
  EXPECT_EQ(decoded(tensor.text(8, 3)).to_vector(), (std::vector<double>{127, 63}));
  EXPECT_EQ(decoded(tensor.text(8, 4)).to_vector(), (std::vector<double>{0, 255}));
  EXPECT_EQ(summaries.at("two").at(0).tensor.count(8), 4U);
  EXPECT_EQ(decoded(summaries.at("bytes").at(0).tensor.text(8, 2)).to_vector(), std::vector<double>(18, 7));
}

TEST(SummaryWriter, RefusesWhatIsNoImage) {
  const TemporaryFolder folder;
  const SummaryWriter writer = create_file_writer(folder.path());
  EXPECT_THROW(writer.image("rank", Tensor::zeros({2, 3, 1}), 0), ValueError);
  EXPECT_THROW(writer.image("channels", Tensor::zeros({1, 2, 3, 2}), 0), ValueError);
  EXPECT_THROW(writer.image("dtype", Tensor::zeros({1, 2, 3, 1}, int32), 0), ValueError);
}

TEST(SummaryWriter, WritesTexts) {
  const TemporaryFolder folder;
  const SummaryWriter writer = create_file_writer(folder.path());
  writer.text("note", "**bold**", 2);
  writer.keras_model("keras", "{}", 0);
  writer.close();
  const auto summaries = read_summaries(folder.path());
  EXPECT_EQ(summaries.at("note").at(0).plugin, "text");
  EXPECT_EQ(summaries.at("note").at(0).tensor.text(8), "**bold**");
  EXPECT_EQ(summaries.at("keras").at(0).plugin, "graph_keras_model");
}

TEST(SummaryWriter, MakesAFileOfItsOwnEachTime) {
  const TemporaryFolder folder;
  const SummaryWriter first = create_file_writer(folder.path());
  const SummaryWriter second = create_file_writer(folder.path());
  EXPECT_NE(first.path(), second.path());
  first.scalar("loss", 1, 0);
  second.scalar("loss", 2, 1);
  first.flush();
  second.flush();
  EXPECT_EQ(read_summaries(folder.path()).at("loss").size(), 2U);
  second.close();
  EXPECT_THROW(second.scalar("loss", 3, 2), IOError);
}

TEST(SummaryWriter, NamesTheFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  const SummaryWriter writer = create_file_writer(folder.path());
  EXPECT_THROW(create_file_writer(writer.path() / "logs"), IOError);
}

}  // namespace
}  // namespace rhyton::summary

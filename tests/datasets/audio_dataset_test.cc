// WAV files and audio_dataset_from_directory, compared with TensorFlow and Keras (golden/make_audio_folders.py).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/audio_dataset.h>
#include <rhyton/datasets/keras_names.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/wav.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::HasSubstr;

const io::Json& golden() {
  static const test::GoldenArea area("audio_folders");
  return area.cases();
}

std::vector<std::byte> bytes_of_hex(const io::Json& text) {
  std::vector<std::byte> bytes;
  const std::string& digits = text.as_string();
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// The numbers of nested lists.
std::vector<double> numbers_in(const io::Json& list) {
  if (!list.is_array()) return {list.as_double()};
  std::vector<double> numbers;
  for (const io::Json& entry : list) {
    const std::vector<double> more = numbers_in(entry);
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  return numbers;
}

std::vector<std::string> names_in(const io::Json& list) {
  std::vector<std::string> names;
  if (list.is_null()) return names;
  for (const io::Json& name : list) names.push_back(name.as_string());
  return names;
}

Shape shape_in(const io::Json& lengths) {
  Shape shape;
  for (const io::Json& length : lengths) shape.push_back(length.as_int());
  return shape;
}

/// As 16-bit integers.
std::vector<double> integers_of(const Tensor& samples) {
  std::vector<double> integers = samples.to_vector();
  for (double& value : integers) value *= 32768;
  return integers;
}

TEST(Wav, IsDecodedAsByTensorFlow) {
  int decoded = 0;
  int refused = 0;
  for (const io::Json& file : golden()["decoded"]) {
    SCOPED_TRACE(file.dump());
    const std::vector<std::byte> bytes = bytes_of_hex(file["content"]);
    const io::Json& length = file["desired_samples"];
    const std::optional<std::int64_t> desired = length.is_null() ? std::nullopt : std::optional(length.as_int());
    if (const io::Json* const error = file.find("error")) {
      EXPECT_EQ(message_of<InvalidArgumentError>([&] { io::decode_wav(bytes, desired); }), error->as_string());
      ++refused;
      continue;
    }
    const io::Audio audio = io::decode_wav(bytes, desired);
    EXPECT_EQ(audio.samples.dtype(), float32);
    EXPECT_EQ(audio.samples.shape(), shape_in(file["shape"]));
    EXPECT_EQ(integers_of(audio.samples), numbers_in(file["samples"]));
    EXPECT_EQ(audio.sample_rate, file["sample_rate"].as_int());
    ++decoded;
  }
  EXPECT_GT(decoded, 20);
  EXPECT_GT(refused, 20);
}

TEST(Wav, PaddedChunksAreSkipped) {
  std::vector<std::byte> bytes = bytes_of_hex(golden()["files"]["yes/a.wav"]);
  const std::string odd = std::string("LIST\x03\0\0\0abc\0", 12);
  const auto* const first = reinterpret_cast<const std::byte*>(odd.data());
  constexpr std::ptrdiff_t behind_format = 36;
  bytes.insert(bytes.begin() + behind_format, first, first + odd.size());
  EXPECT_EQ(io::decode_wav(bytes).samples.shape(), (Shape{4, 1}));
  EXPECT_THROW(io::decode_wav(bytes, -1), InvalidArgumentError);
}

class AudioDatasets : public ::testing::Test {
 protected:
  AudioDatasets() {
    for (const auto& [name, content] : golden()["files"].items()) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      io::write_file(folder_ / name, bytes_of_hex(content));
    }
    std::filesystem::create_directory(folder_ / "empty");
  }

  static AudioDatasetOptions options_of(const io::Json& arguments) {
    AudioDatasetOptions options;
    for (const auto& [key, value] : arguments.items()) {
      if (key == "shuffle") options.shuffle = value.as_bool();
      if (key == "ragged") options.ragged = value.as_bool();
      if (key == "label_mode") {
        options.label_mode = value.is_null() ? std::nullopt : std::optional<std::string>(value.as_string());
      }
      if (key == "class_names") options.class_names = names_in(value);
      if (key == "batch_size") {
        options.batch_size = value.is_null() ? std::nullopt : std::optional<std::int64_t>(value.as_int());
      }
      if (key == "output_sequence_length") options.output_sequence_length = value.as_int();
      if (key == "sampling_rate") options.sampling_rate = value.as_int();
      if (key == "seed") options.seed = value.as_int();
      if (key == "validation_split") options.validation_split = value.as_double();
      if (key == "subset") options.subset = value.as_string();
      if (key == "labels" && value.is_null()) options.labels = std::nullopt;
      if (key == "labels" && value.is_string()) options.labels = value.as_string().c_str();
      if (key == "labels" && value.is_array()) {
        std::vector<int> list;
        for (const io::Json& label : value) list.push_back(static_cast<int>(label.as_int()));
        options.labels = list;
      }
    }
    return options;
  }

  std::filesystem::path path() const { return folder_.path(); }

  test::TemporaryFolder folder_;
};

TEST_F(AudioDatasets, HaveTheFilesSamplesAndLabelsOfKeras) {
  int cases = 0;
  for (const auto& [name, expected] : golden()["cases"].items()) {
    SCOPED_TRACE(name);
    const AudioDatasetOptions options = options_of(expected["arguments"]);
    ::testing::internal::CaptureStdout();
    const AudioDataset dataset = audio_dataset_from_directory(path(), options);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), expected["printed"].as_string());
    EXPECT_EQ(dataset.class_names(), names_in(expected["class_names"]));
    EXPECT_EQ(dataset.cardinality(), static_cast<std::int64_t>(expected["shapes"].size()));
    EXPECT_EQ(dataset.element_spec().x.at(0), (TensorSpec{shape_in(expected["spec"]), float32}));

    std::vector<double> samples;
    std::vector<double> labels;
    std::size_t number = 0;
    for (const Batch& batch : dataset) {
      ASSERT_EQ(batch.x.size(), 1U);
      EXPECT_EQ(batch.x[0].shape(), shape_in(expected["shapes"][number++]));
      const std::vector<double> part = integers_of(batch.x[0]);
      samples.insert(samples.end(), part.begin(), part.end());
      if (batch.y.empty()) continue;
      EXPECT_EQ(batch.y[0].dtype(), dataset.element_spec().y.at(0).dtype);
      EXPECT_EQ(batch.y[0].rank(), dataset.element_spec().y[0].shape.rank());
      const std::vector<double> more = batch.y[0].to_vector();
      labels.insert(labels.end(), more.begin(), more.end());
    }
    std::vector<double> expected_samples = numbers_in(expected["samples"]);
    std::vector<double> expected_labels = numbers_in(expected["labels"]);
    if (options.shuffle) {
      // The order of a pass is not Keras's, the part of the files is.
      for (std::vector<double>* const all : {&samples, &expected_samples, &labels, &expected_labels}) {
        std::sort(all->begin(), all->end());
      }
    }
    EXPECT_EQ(samples, expected_samples);
    EXPECT_EQ(labels, expected_labels);
    ++cases;
  }
  EXPECT_GE(cases, 12);
}

TEST_F(AudioDatasets, RefuseOptionsInKerassWords) {
  for (const auto& [name, refused] : golden()["refused"].items()) {
    std::string expected = refused["message"].as_string();
    if (const std::size_t place = expected.find("FOLDER"); place != std::string::npos) {
      expected.replace(place, 6, path().string());
    }
    AudioDatasetOptions options = options_of(refused["arguments"]);
    options.verbose = false;
    EXPECT_EQ(message_of<ValueError>([&] { audio_dataset_from_directory(path(), options); }), expected) << name;
  }
  EXPECT_THROW(audio_dataset_from_directory(path(), {.sampling_rate = 8000, .verbose = false}), NotImplementedError);
  EXPECT_THROW(audio_dataset_from_directory(path(), {.ragged = true, .verbose = false}), NotImplementedError);
  EXPECT_THROW(audio_dataset_from_directory(path(), {.output_sequence_length = -2, .verbose = false}), ValueError);
  EXPECT_THROW(audio_dataset_from_directory(path() / "none"), NotFoundError);
}

TEST_F(AudioDatasets, TwoPartsAreAllFiles) {
  const auto [train, validation] =
      audio_datasets_from_directory(path(), {.seed = 7, .validation_split = 0.3, .verbose = false});
  std::set<std::string> files(train.file_paths().begin(), train.file_paths().end());
  EXPECT_EQ(files.size(), 5U);
  files.insert(validation.file_paths().begin(), validation.file_paths().end());
  EXPECT_EQ(files.size(), 7U);
}

TEST_F(AudioDatasets, AFileThatIsNoAudioIsNamed) {
  io::write_file(folder_ / "no/2.wav", std::string_view("no sound at all"));
  const AudioDataset dataset = utils::audio_dataset_from_directory(path(), {.shuffle = false, .verbose = false});
  EXPECT_THAT(message_of<IOError>([&] { dataset.iterator(0)->next(); }),
              HasSubstr("2.wav\": Header mismatch: Expected RIFF but found no s"));
}

}  // namespace
}  // namespace rhyton::datasets

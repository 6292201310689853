#include <rhyton/framework/summary/summary_writer.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/image/image.h>
#include <rhyton/framework/io/record_writer.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/summary/histogram.h>
#include <rhyton/framework/summary/protobuf_writer.h>

namespace rhyton::summary {
namespace {

// Numbers of fields and values of tensorflow/core/util/event.proto, framework/summary.proto and framework/tensor.proto.

enum class DataClass { scalar = 1, tensor = 2, blob_sequence = 3 };
enum class TensorType { float_ = 1, double_ = 2, string = 7 };

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "localhost";
}

/// The folder's new event file.
io::RecordWriter new_event_file(const std::filesystem::path& logdir) {
  std::error_code error;
  std::filesystem::create_directories(logdir, error);
  if (error) throw IOError("Cannot create the folder '" + logdir.string() + "': " + error.message());
  const std::string begin = fmt::format("events.out.tfevents.{:010}.{}.{}.",
                                        static_cast<std::int64_t>(seconds_since_1970()), host_name(), getpid());
  int number = 0;
  while (std::filesystem::exists(logdir / fmt::format("{}{}.v2", begin, number), error)) ++number;
  return io::RecordWriter(logdir / fmt::format("{}{}.v2", begin, number));
}

ProtobufWriter metadata(std::string_view plugin, std::string_view content) {
  ProtobufWriter data;
  data.text(1, plugin);
  if (!content.empty()) data.text(2, content);
  return ProtobufWriter().message(1, data);
}

ProtobufWriter metadata(std::string_view plugin, DataClass data_class) {
  return metadata(plugin, "").integer(4, static_cast<int>(data_class));
}

ProtobufWriter tensor(TensorType type, const std::vector<std::int64_t>& shape) {
  ProtobufWriter dimensions;
  for (const std::int64_t length : shape) dimensions.message(2, ProtobufWriter().integer(1, length));
  return ProtobufWriter().integer(1, static_cast<int>(type)).message(2, dimensions);
}

constexpr int string_values = 8;

ProtobufWriter text_tensor(std::string_view text) { return tensor(TensorType::string, {}).text(string_values, text); }

/// Floating-point numbers from 0 to 1 as uint8, as `tf.image.convert_image_dtype` does with `saturate`.
Tensor pixels_of(const Tensor& images) {
  if (images.dtype() == DType::uint8) return images;
  constexpr double beyond_largest = 255.5;
  return cast(clip(multiply(cast(images, DType::float32), beyond_largest), 0, 255), DType::uint8);
}

void require_images(const std::string& name, const Tensor& images) {
  const bool has_channels =
      images.rank() == 4 && (images.shape()[3] == 1 || images.shape()[3] == 3 || images.shape()[3] == 4);
  if (has_channels && (images.dtype() == DType::uint8 || is_floating(images.dtype()))) return;
  throw ValueError("The images of the summary '" + name +
                   "' must have the shape (batch, height, width, channels) with 1, 3 or 4 channels, and dtype uint8 or "
                   "a floating-point dtype. Received: shape=" +
                   images.shape().to_string() + ", dtype=" + std::string(name_of(images.dtype())));
}

}  // namespace

class SummaryWriter::File {
 public:
  explicit File(const std::filesystem::path& logdir) : records_(new_event_file(logdir)) {
    records_.write(event(0).text(3, "brain.Event:2").bytes());
    records_.flush();
  }

  void add(const std::string& tag, const ProtobufWriter& metadata, const ProtobufWriter& tensor, std::int64_t step) {
    const ProtobufWriter value = ProtobufWriter().text(1, tag).message(8, tensor).message(9, metadata);
    const std::string record = event(step).message(5, ProtobufWriter().message(1, value)).bytes();
    const std::scoped_lock lock(mutex_);
    records_.write(record);
  }

  void flush() {
    const std::scoped_lock lock(mutex_);
    records_.flush();
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    records_.close();
  }

  const std::filesystem::path& path() const { return records_.path(); }

 private:
  static ProtobufWriter event(std::int64_t step) {
    ProtobufWriter event;
    event.real(1, seconds_since_1970());
    if (step != 0) event.integer(2, step);
    return event;
  }

  std::mutex mutex_;
  io::RecordWriter records_;
};

SummaryWriter::SummaryWriter(const std::filesystem::path& logdir) : file_(std::make_shared<File>(logdir)) {}

void SummaryWriter::scalar(const std::string& name, double data, std::int64_t step) const {
  file_->add(name, metadata("scalars", DataClass::scalar),
             tensor(TensorType::float_, {}).real32(5, static_cast<float>(data)), step);
}

void SummaryWriter::histogram(const std::string& name, const Tensor& data, std::int64_t step,
                              const HistogramOptions& options) const {
  if (options.buckets < 1) {
    throw ValueError("The argument `buckets` of the summary '" + name +
                     "' must be at least 1. Received: buckets=" + std::to_string(options.buckets));
  }
  ProtobufWriter counts = tensor(TensorType::double_, {options.buckets, 3});
  for (const HistogramBucket& bucket : histogram_of(cast(data, DType::float64).to_vector(), options.buckets)) {
    counts.real(6, bucket.left).real(6, bucket.right).real(6, bucket.count);
  }
  file_->add(name, metadata("histograms", DataClass::tensor), counts, step);
}

void SummaryWriter::image(const std::string& name, const Tensor& data, std::int64_t step,
                          const ImageOptions& options) const {
  require_images(name, data);
  const std::int64_t count = std::min<std::int64_t>(data.shape()[0], std::max(options.max_outputs, 0));
  ProtobufWriter images = tensor(TensorType::string, {2 + count});
  images.text(string_values, std::to_string(data.shape()[2])).text(string_values, std::to_string(data.shape()[1]));
  const Tensor pixels = pixels_of(data);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<std::byte> png = io::encode_image(pixels[i], io::ImageFormat::png);
    images.text(string_values, {reinterpret_cast<const char*>(png.data()), png.size()});
  }
  file_->add(name, metadata("images", DataClass::blob_sequence), images, step);
}

void SummaryWriter::text(const std::string& name, std::string_view data, std::int64_t step) const {
  file_->add(name, metadata("text", DataClass::tensor), text_tensor(data), step);
}

void SummaryWriter::keras_model(const std::string& name, std::string_view json, std::int64_t step) const {
  file_->add(name, metadata("graph_keras_model", "1"), text_tensor(json), step);
}

void SummaryWriter::flush() const { file_->flush(); }
void SummaryWriter::close() const { file_->close(); }
const std::filesystem::path& SummaryWriter::path() const { return file_->path(); }

SummaryWriter create_file_writer(const std::filesystem::path& logdir) { return SummaryWriter(logdir); }

}  // namespace rhyton::summary

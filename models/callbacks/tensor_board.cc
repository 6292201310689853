#include <rhyton/models/callbacks/tensor_board.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/summary/summary_writer.h>
#include <rhyton/models/callbacks/embedding_projector.h>
#include <rhyton/models/model.h>

namespace rhyton::callbacks {
namespace {

using Clock = std::chrono::steady_clock;

double per_second(double count, Clock::time_point since) {
  return count / std::chrono::duration<double>(Clock::now() - since).count();
}

/// Every how many batches; empty for those of epochs alone.
std::optional<std::int64_t> batches_between_updates(const Frequency& frequency) {
  if (!frequency.batches() && frequency.text() == "batch") return 1;
  if (frequency.is_invalid()) {
    throw ValueError("Unrecognized update_freq: " + frequency.text() +
                     ". Expected update_freq are 'batch', 'epoch' or integer values");
  }
  return frequency.batches();
}

bool is_due(int epoch, int frequency) { return frequency > 0 && epoch % frequency == 0; }

/// A weight as images, [count, height, width, channels]: a vector as a line, a matrix lying, filters one by one. Empty
/// for others.
Tensor as_images(const Tensor& weight) {
  const Tensor squeezed = squeeze(weight);
  const Shape& shape = squeezed.shape();
  Tensor images = squeezed;
  if (shape.rank() == 1) {
    images = reshape(squeezed, {1, shape[0], 1, 1});
  } else if (shape.rank() == 2) {
    const Tensor lying = shape[0] > shape[1] ? transpose(squeezed) : squeezed;
    images = expand_dims(expand_dims(lying, 0), -1);
  } else if (shape.rank() == 3) {
    images =
        expand_dims(config::image_data_format() == "channels_last" ? transpose(squeezed, {2, 0, 1}) : squeezed, -1);
  }
  const bool has_channels =
      images.rank() == 4 && (images.shape()[3] == 1 || images.shape()[3] == 3 || images.shape()[3] == 4);
  return has_channels && images.size() > 0 && is_floating(images.dtype()) ? images : Tensor();
}

class TensorBoardImpl : public CallbackImpl {
 public:
  TensorBoardImpl(const std::string& log_dir, const TensorBoardOptions& options)
      : log_dir_(log_dir), options_(options), batches_between_updates_(batches_between_updates(options.update_freq)) {
    if (options.profile_batch != 0) {
      throw NotImplementedError(
          "The profiler of TensorFlow is not available to the callback TensorBoard; `profiler::start` measures steps. "
          "Received: profile_batch=" +
          std::to_string(options.profile_batch) + " (must be 0)");
    }
    require_frequency("histogram_freq", options.histogram_freq);
    require_frequency("embeddings_freq", options.embeddings_freq);
  }

  void on_train_begin(TrainingControl& training, Logs&) override {
    is_training_ = true;
    batch_ = 0;
    begin(training);
  }

  void on_train_end(TrainingControl&, Logs&) override { end(); }
  void on_train_interrupted(TrainingControl&, Logs&) override { end(); }

  void on_test_begin(TrainingControl& training, Logs&) override {
    if (!is_training_) begin(training);
  }

  void on_test_end(TrainingControl& training, Logs& logs) override {
    if (is_chief_) {
      const models::Model model = models::Model::from_layer(training.model());
      const auto iterations = static_cast<std::int64_t>(model.optimizer().iterations().item());
      for (const auto& [name, value] : logs) {
        validation_writer().scalar("evaluation_" + name + "_vs_iterations", value, iterations);
      }
      validation_writer().flush();
    }
    if (!is_training_) end();
  }

  void on_train_batch_begin(TrainingControl&, std::int64_t, Logs&) override { ++batch_; }

  void on_train_batch_end(TrainingControl&, std::int64_t, Logs& logs) override {
    if (!is_chief_ || !batches_between_updates_ || batch_ % *batches_between_updates_ != 0) return;
    // Looking at the logs waits for the step.
    for (const auto& [name, value] : logs) train_writer().scalar("batch_" + name, value, batch_);
    if (!options_.write_steps_per_second) return;
    const auto steps = static_cast<double>(batch_ - std::exchange(updated_batch_, batch_));
    train_writer().scalar("batch_steps_per_second", per_second(steps, std::exchange(update_, Clock::now())), batch_);
  }

  void on_epoch_begin(TrainingControl&, int, Logs&) override {
    epoch_begin_ = update_ = Clock::now();
    batches_before_epoch_ = updated_batch_ = batch_;
  }

  void on_epoch_end(TrainingControl& training, int epoch, Logs& logs) override {
    if (!is_chief_) return;
    log_metrics(training, epoch, logs);
    const models::Model model = models::Model::from_layer(training.model());
    if (is_due(epoch, options_.histogram_freq)) log_weights(model, epoch);
    if (is_due(epoch, options_.embeddings_freq)) {
      write_embeddings(model, embeddings_, options_.embeddings_metadata, log_dir_, epoch);
    }
    train_writer().flush();
  }

  CallbackState state() const override {
    CallbackState state;
    state.values = io::Json::object({{"batch", batch_}});
    return state;
  }

  void set_state(const CallbackState& state) override {
    batches_before_epoch_ = updated_batch_ = batch_ = state.values["batch"].as_int();
  }

 private:
  static void require_frequency(const std::string& name, int frequency) {
    if (frequency >= 0) return;
    throw ValueError("The argument `" + name +
                     "` of the callback TensorBoard must not be negative. Received: " + std::to_string(frequency));
  }

  void begin(const TrainingControl& training) {
    is_chief_ = training.is_chief();
    if (!is_chief_) return;
    const models::Model model = models::Model::from_layer(training.model());
    if (options_.embeddings_freq > 0) embeddings_ = projected_embeddings(model, options_.embeddings_metadata);
    const std::string kind = training.model().class_name();
    if (options_.write_graph && (kind == "Functional" || kind == "Sequential")) {
      train_writer().keras_model("keras", model.to_json(), 0);
    }
  }

  void end() {
    is_training_ = false;
    for (std::optional<summary::SummaryWriter>* const writer : {&train_, &validation_}) {
      if (*writer) (*writer)->close();
      writer->reset();
    }
  }

  /// Files are created when something is written to them.
  const summary::SummaryWriter& train_writer() {
    if (!train_) train_ = summary::create_file_writer(log_dir_ / "train");
    return *train_;
  }
  const summary::SummaryWriter& validation_writer() {
    if (!validation_) validation_ = summary::create_file_writer(log_dir_ / "validation");
    return *validation_;
  }

  void log_metrics(const TrainingControl& training, int epoch, const Logs& logs) {
    if (logs.empty()) return;
    const std::string prefix = "val_";
    for (const auto& [name, value] : logs) {
      if (name.starts_with(prefix)) {
        validation_writer().scalar("epoch_" + name.substr(prefix.size()), value, epoch);
      } else {
        train_writer().scalar("epoch_" + name, value, epoch);
      }
    }
    if (!logs.contains("learning_rate")) {
      train_writer().scalar("epoch_learning_rate", training.learning_rate(), epoch);
    }
    if (options_.write_steps_per_second) {
      const auto steps = static_cast<double>(batch_ - batches_before_epoch_);
      train_writer().scalar("epoch_steps_per_second", per_second(steps, epoch_begin_), epoch);
    }
    if (validation_) validation_->flush();
  }

  void log_weights(const models::Model& model, int epoch) {
    for (const layers::Layer& layer : model.layers()) {
      for (const Variable& weight : layer.weights()) {
        std::string name = weight.path();
        std::replace(name.begin(), name.end(), ':', '_');
        const Tensor value = weight.value();
        train_writer().histogram(name + "/histogram", value, epoch);
        if (!options_.write_images) continue;
        const Tensor images = as_images(value);
        if (!images.is_empty()) train_writer().image(name + "/image", images, epoch);
      }
    }
  }

  std::filesystem::path log_dir_;
  TensorBoardOptions options_;
  std::optional<std::int64_t> batches_between_updates_;
  std::vector<std::string> embeddings_;
  std::optional<summary::SummaryWriter> train_;
  std::optional<summary::SummaryWriter> validation_;
  bool is_chief_ = true;
  bool is_training_ = false;
  /// Batches since the begin of `fit`.
  std::int64_t batch_ = 0;
  std::int64_t batches_before_epoch_ = 0;
  Clock::time_point epoch_begin_;
  /// The last values of batches that were written, or the begin of the epoch.
  std::int64_t updated_batch_ = 0;
  Clock::time_point update_;
};

}  // namespace

TensorBoard::TensorBoard(const std::string& log_dir, const TensorBoardOptions& options)
    : Callback(std::make_shared<TensorBoardImpl>(log_dir, options)) {}

}  // namespace rhyton::callbacks

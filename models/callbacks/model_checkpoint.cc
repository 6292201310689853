#include <rhyton/models/callbacks/model_checkpoint.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/number_format.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/callbacks/monitor.h>
#include <rhyton/models/callbacks/path_template.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/model_config.h>

namespace rhyton::callbacks {
namespace {

void require_extension(const std::string& filepath, bool weights_only) {
  if (weights_only && !filepath.ends_with(".weights.h5")) {
    throw ValueError(
        "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must end in `.weights.h5` "
        "(Keras weights format). Received: filepath=" +
        filepath);
  }
  if (!weights_only && !filepath.ends_with(".keras") && !filepath.ends_with(".h5")) {
    throw ValueError("The filepath provided must end in `.keras` (Keras model format). Received: filepath=" + filepath);
  }
}

class ModelCheckpointImpl : public CallbackImpl {
 public:
  ModelCheckpointImpl(std::string filepath, const ModelCheckpointOptions& options)
      : filepath_(std::move(filepath)),
        options_(options),
        monitor_("ModelCheckpoint", options.monitor, options.mode, 0.0),
        best_(options.initial_value_threshold) {
    if (options.save_freq.is_invalid()) {
      throw ValueError("Unrecognized save_freq: " + options.save_freq.text() +
                       ". Expected save_freq are 'epoch' or integer values");
    }
    require_extension(filepath_, options.save_weights_only);
  }

  void on_train_begin(TrainingControl& training, Logs&) override {
    monitor_.decide_direction_early(training);
    if (!training.is_chief()) return;
    // Errors of the first save are thrown before the training.
    if (!options_.save_weights_only) saving::serialize_model(models::Model::from_layer(training.model()));
    if (filepath_.find('{') != std::string::npos) return;
    require_no_folder(filepath_);
    make_folder_of(filepath_);
  }

  void on_epoch_begin(TrainingControl&, int epoch, Logs&) override { epoch_ = epoch; }

  void on_train_batch_end(TrainingControl& training, std::int64_t batch, Logs& logs) override {
    // Several steps in one execution end together.
    batches_since_saving_ += batch > last_batch_ ? batch - last_batch_ : batch + 1;
    last_batch_ = batch;
    if (!is_save_due(batches_since_saving_)) return;
    batches_since_saving_ = 0;
    save(training, batch, logs);
  }

  void on_epoch_end(TrainingControl& training, int epoch, Logs& logs) override {
    monitor_.decide_direction(training);
    epoch_ = epoch;
    if (options_.save_freq.is_epoch()) save(training, std::nullopt, logs);
  }

  CallbackState state() const override {
    CallbackState state;
    state.values = io::Json::object({{"batches_since_saving", batches_since_saving_},
                                     {"last_batch", last_batch_},
                                     {"best", best_ ? io::Json(*best_) : io::Json()}});
    return state;
  }

  void set_state(const CallbackState& state) override {
    batches_since_saving_ = state.values["batches_since_saving"].as_int();
    if (const io::Json* const last = state.values.find("last_batch")) last_batch_ = last->as_int();
    best_ = optional_number_of(state, "best");
  }

 private:
  bool is_save_due(std::int64_t batches) const {
    return options_.save_freq.batches().has_value() && batches >= *options_.save_freq.batches();
  }

  void save(const TrainingControl& training, std::optional<std::int64_t> batch, const Logs& logs) {
    const std::string path = path_for(batch, logs);
    if (!is_wanted(training, logs, path)) return;
    require_no_folder(path);
    make_folder_of(path);
    const models::Model model = models::Model::from_layer(training.model());
    if (options_.save_weights_only) {
      model.save_weights(path);
    } else {
      model.save(path);
    }
    say("finished saving model to " + path);
  }

  std::string path_for(std::optional<std::int64_t> batch, const Logs& logs) const {
    std::vector<PathField> fields = {{"epoch", std::int64_t{epoch_} + 1}};
    if (batch && !logs.contains("batch")) fields.push_back({"batch", *batch + 1});
    for (const auto& [name, value] : logs) fields.push_back({name, static_cast<double>(value)});
    try {
      return format_path(filepath_, fields);
    } catch (const NotFoundError& error) {
      throw NotFoundError("Failed to format this callback filepath: \"" + filepath_ + "\". Reason: " + error.what());
    } catch (const ValueError& error) {
      throw ValueError("Failed to format this callback filepath: \"" + filepath_ + "\". Reason: " + error.what());
    }
  }

  bool is_wanted(const TrainingControl& training, const Logs& logs, const std::string& path) {
    if (!options_.save_best_only) {
      say("saving model to " + path);
      return true;
    }
    const std::optional<double> current = logs.find(options_.monitor);
    if (!current) {
      if (!std::exchange(has_warned_, true)) {
        warn("Can save best model only with " + options_.monitor + " available.");
      }
      return true;
    }
    monitor_.require_number(logs);
    monitor_.decide_direction(training);
    const std::string best = best_ ? fmt::format("{:.5f}", without_sign_of_nan(*best_)) : "None";
    if (!monitor_.is_improvement(*current, best_)) {
      say(fmt::format("{} did not improve from {}", options_.monitor, best));
      return false;
    }
    say(fmt::format("{} improved from {} to {:.5f}, saving model to {}", options_.monitor, best,
                    without_sign_of_nan(*current), path));
    best_ = current;
    return true;
  }

  static void require_no_folder(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) return;
    throw IOError(
        "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing directory: " + path);
  }

  static void make_folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) throw IOError("Cannot create the folder '" + folder.string() + "': " + error.message());
  }

  void say(const std::string& what) const {
    if (options_.verbose > 0) std::cout << "\nEpoch " << epoch_ + 1 << ": " << what << std::endl;
  }

  std::string filepath_;
  ModelCheckpointOptions options_;
  Monitor monitor_;
  std::optional<double> best_;
  std::int64_t batches_since_saving_ = 0;
  std::int64_t last_batch_ = -1;
  int epoch_ = 0;
  bool has_warned_ = false;
};

}  // namespace

ModelCheckpoint::ModelCheckpoint(const std::string& filepath, const ModelCheckpointOptions& options)
    : Callback(std::make_shared<ModelCheckpointImpl>(filepath, options)) {}

}  // namespace rhyton::callbacks

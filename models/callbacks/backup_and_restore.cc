#include <rhyton/models/callbacks/backup_and_restore.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/checked_file.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/unfinished_file.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/training_state_file.h>
#include <rhyton/models/saving/weights_file.h>

namespace rhyton::callbacks {
namespace {

namespace fs = std::filesystem;

fs::path previous(const fs::path& path) { return path.string() + ".bkp"; }

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void remove_file(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

/// Atomically replaces `to` by a link to `from`.
void replace_by(const fs::path& from, const fs::path& to) {
  const fs::path link = to.parent_path() / ("." + to.filename().string() + ".tmp");
  const io::UnfinishedFile unfinished(link);
  remove_file(link);
  std::error_code error;
  fs::create_hard_link(from, link, error);
  if (!error) fs::rename(link, to, error);
  // Not every file system has hard links.
  if (error) io::write_file(to, io::read_file(from));
  remove_file(link);
}

class BackupAndRestoreImpl : public CallbackImpl {
 public:
  BackupAndRestoreImpl(const std::string& folder, const BackupAndRestoreOptions& options)
      : folder_(folder),
        weights_(folder_ / "latest.weights.h5"),
        metadata_(folder_ / "training_metadata.json"),
        options_(options) {
    if (folder.empty()) throw ValueError("Empty `backup_dir` argument passed");
    if (options.save_freq.is_invalid()) {
      throw ValueError("Invalid value for argument `save_freq`. Received: save_freq=" + options.save_freq.text() +
                       ". Expected either 'epoch' or an integer value.");
    }
  }

  void on_train_begin(TrainingControl& training, Logs&) override {
    batches_since_saving_ = 0;
    steps_seen_ = 0;
    if (training.is_chief()) remove_leftovers();
    if (!is_there(weights_)) return;
    try {
      restore(training, weights_, metadata_);
    } catch (const Error& error) {
      if (!is_there(previous(weights_))) throw;
      warn(std::string("The last backup cannot be restored; the backup before it is restored instead: ") +
           error.what());
      restore(training, previous(weights_), previous(metadata_));
      if (!training.is_chief()) return;
      replace_by(previous(weights_), weights_);
      if (is_there(previous(metadata_))) replace_by(previous(metadata_), metadata_);
    }
  }

  void on_resumable(TrainingControl& training, const FitPosition& position) override {
    const bool is_epoch_end = position.step == 0;
    if (options_.save_freq.is_epoch() != is_epoch_end) return;
    // Several steps in one execution end together.
    batches_since_saving_ += position.step > steps_seen_ ? position.step - steps_seen_ : position.step;
    steps_seen_ = position.step;
    if (!is_epoch_end && batches_since_saving_ < options_.save_freq.batches()) return;
    batches_since_saving_ = 0;
    if (training.is_chief()) save(training, position);
  }

  void on_train_end(TrainingControl& training, Logs&) override {
    if (!options_.delete_checkpoint || !training.is_chief()) return;
    // The file that a restore needs is removed last.
    for (const fs::path& path : {previous(metadata_), previous(weights_), metadata_, weights_}) remove_file(path);
    remove_leftovers();
    // Fails if other files are in it.
    remove_file(folder_);
  }

 private:
  void restore(TrainingControl& training, const fs::path& weights, const fs::path& metadata) {
    try {
      io::verify_checksum(weights);  // Keras's files and older ones have none
    } catch (const IOError& error) {
      throw IOError("The backup of an interrupted training cannot be restored: " + std::string(error.what()) +
                    ". Remove it to start the training from the beginning.");
    }
    const io::Hdf5File file = io::Hdf5File::open_read(weights);
    std::optional<TrainingState> state = saving::read_training_state(file.root());
    saving::find_weights(models::Model::from_layer(training.model()), file.root()).assign_all();
    if (state) {
      steps_seen_ = state->position.step;
      training.resume_from(*std::move(state));
    } else if (is_there(metadata)) {
      training.set_initial_epoch(epoch_in(metadata));
    }
  }

  static int epoch_in(const fs::path& metadata) {
    const std::vector<std::byte> bytes = io::read_file(metadata, std::uint64_t{1} << 20);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::int64_t epoch = io::Json::parse(text, metadata.string())["epoch"].as_int();
    if (epoch < 0 || !std::in_range<int>(epoch)) {
      throw ValueError("The epoch in '" + metadata.string() + "' is out of range: " + std::to_string(epoch));
    }
    return static_cast<int>(epoch);
  }

  void save(const TrainingControl& training, const FitPosition& position) const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw IOError("Cannot create the folder '" + folder_.string() + "': " + error.message());
    if (options_.double_checkpoint) {
      for (const fs::path& path : {weights_, metadata_}) {
        if (is_there(path)) replace_by(path, previous(path));
      }
    }
    // A restore reads one file only, since two could be of different moments.
    std::unique_lock between_steps(step_mutex());
    const saving::WeightsSnapshot weights(models::Model::from_layer(training.model()), {},
                                          saving::LoraInFiles::separate);
    const TrainingState state = training.state();
    between_steps.unlock();
    io::Hdf5File file = io::Hdf5File::create(weights_);
    weights.write(file.root());
    saving::write_training_state(state, file.root());
    file.commit_with_checksum();
    const io::Json metadata = io::Json::object(
        {{"epoch", position.epoch}, {"batch", position.step == 0 ? std::int64_t{0} : position.step - 1}});
    io::write_file(metadata_, metadata.dump());
  }

  /// Removes the temporary files of processes that were killed while they wrote.
  void remove_leftovers() const {
    const std::array<std::string, 2> starts = {"." + weights_.filename().string() + ".",
                                               "." + metadata_.filename().string() + "."};
    std::error_code error;
    std::vector<fs::path> leftovers;
    for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (!name.ends_with(".tmp")) continue;
      if (name.starts_with(starts[0]) || name.starts_with(starts[1])) leftovers.push_back(entry->path());
    }
    for (const fs::path& path : leftovers) remove_file(path);
  }

  fs::path folder_;
  fs::path weights_;
  fs::path metadata_;
  BackupAndRestoreOptions options_;
  std::int64_t batches_since_saving_ = 0;
  /// Of the epoch.
  std::int64_t steps_seen_ = 0;
};

}  // namespace

BackupAndRestore::BackupAndRestore(const std::string& backup_dir, const BackupAndRestoreOptions& options)
    : Callback(std::make_shared<BackupAndRestoreImpl>(backup_dir, options)) {}

}  // namespace rhyton::callbacks

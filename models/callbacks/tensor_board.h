#pragma once

#include <map>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/frequency.h>

namespace rhyton::callbacks {

/// The optional arguments of `TensorBoard`. Fields in the order of Keras's signature.
struct TensorBoardOptions {
  ByName by_name = ByName();
  /// Every how many epochs the distribution of each weight is written; 0 for never.
  int histogram_freq = 0;
  /// Writes the layers of the model and their connections, which TensorBoard shows as the "conceptual graph".
  bool write_graph = true;
  /// Writes weights as images, together with their distributions.
  bool write_images = false;
  /// Writes how many steps a second takes, for each epoch, and for each batch that is written.
  bool write_steps_per_second = false;
  /// "epoch": loss and metrics of each epoch. "batch" or 1: also those of each batch, as `batch_loss`; a number: of
  /// each such batch, counted from the begin of `fit`.
  Frequency update_freq = "epoch";
  /// 0: the profiler of TensorFlow is not available; `profiler::start` measures steps.
  int profile_batch = 0;
  /// Every how many epochs the tables of Embedding layers are written; 0 for never.
  int embeddings_freq = 0;
  /// For names of Embedding layers, the file with a label for each row, relative to `log_dir`.
  std::map<std::string, std::string> embeddings_metadata = {};
};

/// Writes what `tensorboard --logdir=<log_dir>` shows: loss, metrics and learning rate of each epoch (`epoch_loss`, …)
/// in the folders `train` and `validation` of `log_dir`, results of evaluations against the optimizer's iterations
/// (`evaluation_loss_vs_iterations`), and what the options say. A metric that is a vector is written as the mean of its
/// elements. See https://keras.io/api/callbacks/tensorboard.
///
/// The tables of Embedding layers are files of tab-separated values beside a `projector_config.pbtxt`, which the
/// embedding projector reads. Throws ValueError in Keras's words for a frequency that is neither "epoch", "batch" nor a
/// positive number, and for negative frequencies; NotImplementedError for `profile_batch`. `fit` and `evaluate` throw
/// IOError if a file cannot be written, and ValueError for names in `embeddings_metadata` that no Embedding has.
class TensorBoard : public Callback {
 public:
  explicit TensorBoard(const std::string& log_dir = "logs", const TensorBoardOptions& options = {});
};

}  // namespace rhyton::callbacks

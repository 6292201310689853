// rhyton train: continues the training of a model in a file, with the file's settings unless overridden, and saves it.

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/compile_options.h>
#include <rhyton/apps/rhyton/data_options.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct TrainOptions {
  DataOptions data;
  int epochs = 1;
  bool no_shuffle = false;
  std::optional<std::uint64_t> seed;
  double validation_split = 0;
  CompileArguments compile;
  std::optional<double> learning_rate;
  int verbose = 1;
  std::string history;
  std::string output;
};

void run(const TrainOptions& options) {
  if (options.learning_rate && !(std::isfinite(*options.learning_rate) && *options.learning_rate >= 0)) {
    throw CLI::ValidationError("--learning-rate", "must be a finite number, 0 or more");
  }
  if (!(options.validation_split >= 0 && options.validation_split < 1)) {
    throw CLI::ValidationError("--validation-split", "must be at least 0 and less than 1");
  }
  const FileKind kind = kind_of(options.output);
  if (kind != FileKind::keras && kind != FileKind::legacy_h5) {
    throw CLI::ValidationError("--output", options.output + " is neither a .keras nor an .h5 file");
  }
  const Overrides overrides = overrides_of(options.compile);
  require_folder_of(options.output);
  if (!options.history.empty()) require_folder_of(options.history);

  if (options.seed) set_random_seed(*options.seed);
  const ChosenDevice device(options.data);
  const models::Model model = load_to_train(options.data.model, overrides, true);
  if (!model.is_compiled()) {
    throw ValueError(
        options.data.model +
        ": the file does not contain the training configuration of the model: give --loss, and --optimizer");
  }
  if (options.learning_rate) {
    naming_file(options.data.model, [&] { model.optimizer().set_learning_rate(*options.learning_rate); });
  }
  const std::vector<Tensor> x = read_inputs(options.data, model);
  const std::vector<Tensor> y = read_targets(options.data, model);
  const training::Tensors sample_weight = read_sample_weights(options.data, model);
  const models::History history = naming_file(options.data.model, [&] {
    return model.fit(x, y,
                     {.batch_size = options.data.batch_size,
                      .epochs = options.epochs,
                      .verbose = options.data.as_json ? 0 : options.verbose,
                      .validation_split = options.validation_split,
                      .shuffle = !options.no_shuffle,
                      .sample_weight = sample_weight});
  });
  naming_file(options.output, [&] { model.save(options.output); });
  if (!options.history.empty()) {
    naming_file(options.history, [&] { io::write_file(options.history, to_json(history).dump() + "\n"); });
  }
  if (options.data.as_json) print(to_json(history));
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "train", "Continues the training of a model; optimizer, loss and metrics are those of the file unless given");
  const auto options = std::make_shared<TrainOptions>();
  add_data_options(*command, options->data, true);
  command->add_option("--epochs", options->epochs, "How often to go through the data")
      ->capture_default_str()
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command->add_flag("--no-shuffle", options->no_shuffle, "Take the samples in the order of the file");
  command->add_option("--seed", options->seed, "Makes all that is random the same in every run")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  command->add_option("--validation-split", options->validation_split,
                      "The last part of the data to validate on, at least 0 and less than 1");
  add_compile_options(*command, options->compile, true);
  command->add_option("--learning-rate", options->learning_rate, "Of the optimizer");
  command->add_option("--verbose", options->verbose, "0 silent, 1 a progress bar, 2 one line per epoch")
      ->capture_default_str()
      ->check(CLI::Range(0, 2));
  command->add_option("--history", options->history, "Write loss and metrics of each epoch to this .json file");
  command->add_option("--output", options->output, "The .keras or .h5 file to save the model to")->required();
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool

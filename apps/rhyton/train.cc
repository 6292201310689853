// rhyton train: trains the model of a file further, as the file says unless told otherwise, and saves it anew.

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/apps/rhyton/arrays.h>
#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/data_options.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct Options {
  DataOptions data;
  int epochs = 1;
  bool no_shuffle = false;
  std::optional<std::uint64_t> seed;
  double validation_split = 0;
  std::string optimizer;
  std::optional<double> learning_rate;
  std::string loss;
  std::vector<std::string> metrics;
  int verbose = 1;
  std::string history;
  std::string output;
};

/// What `make` gives; an exception in it means that `option` was given a wrong value.
template <class Make>
auto value_of(const std::string& option, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    throw CLI::ValidationError(option, one_line(error.what()));
  }
}

/// The optimizer, loss and metrics that the command line names.
struct Overrides {
  std::optional<optimizers::Optimizer> optimizer;
  std::optional<losses::Loss> loss;
  models::MetricsArgument::List metrics;

  bool any() const { return optimizer || loss || !metrics.empty(); }
};

Overrides overrides_of(const Options& options) {
  Overrides overrides;
  if (!options.optimizer.empty()) {
    overrides.optimizer = value_of("--optimizer", [&] { return optimizers::Optimizer(options.optimizer); });
  }
  if (!options.loss.empty()) overrides.loss = value_of("--loss", [&] { return losses::Loss(options.loss); });
  for (const std::string& name : options.metrics) {
    const metrics::MetricArgument metric(name);
    const TensorSpec any_output{.shape = {1, 1}};
    value_of("--metrics", [&] { return metric.resolve(any_output, any_output); });  // refuses unknown names
    overrides.metrics.push_back(metric);
  }
  return overrides;
}

/// Compiles the model anew where the command line says so. The optimizer keeps its state unless it is replaced.
void configure(const models::Model& model, const Options& options, const Overrides& overrides) {
  if (!model.is_compiled() && !overrides.loss) {
    throw ValueError(options.data.model +
                     ": the file does not say how to train the model: give --loss, and --optimizer");
  }
  if (overrides.any()) {
    models::CompileOptions compile = model.is_compiled() ? model.compile_options() : models::CompileOptions();
    if (overrides.optimizer) compile.optimizer = *overrides.optimizer;
    if (overrides.loss) compile.loss = *overrides.loss;
    if (!overrides.metrics.empty()) compile.metrics = overrides.metrics;
    model.compile(compile);
  }
  if (options.learning_rate) model.optimizer().set_learning_rate(*options.learning_rate);
}

void run(const Options& options) {
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
  const Overrides overrides = overrides_of(options);
  require_folder_of(options.output);
  if (!options.history.empty()) require_folder_of(options.history);

  if (options.seed) set_random_seed(*options.seed);
  const ChosenDevice device(options.data);
  const models::Model model = load_model(options.data.model);
  naming_file(options.data.model, [&] { configure(model, options, overrides); });
  const std::vector<Tensor> x = read_arrays(options.data.inputs, input_ports(model), "--input");
  const std::vector<Tensor> y = read_arrays(options.data.targets, output_ports(model), "--target");
  const models::History history = naming_file(options.data.model, [&] {
    return model.fit(x, y,
                     {.batch_size = options.data.batch_size,
                      .epochs = options.epochs,
                      .verbose = options.data.as_json ? 0 : options.verbose,
                      .validation_split = options.validation_split,
                      .shuffle = !options.no_shuffle});
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
      "train", "Trains a model further; optimizer, loss and metrics are those of the file unless given");
  const auto options = std::make_shared<Options>();
  add_data_options(*command, options->data, true);
  command->add_option("--epochs", options->epochs, "How often to go through the data")
      ->capture_default_str()
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command->add_flag("--no-shuffle", options->no_shuffle, "Take the samples in the order of the file");
  command->add_option("--seed", options->seed, "Makes all that is random the same in every run")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  command->add_option("--validation-split", options->validation_split,
                      "The last part of the data to validate on, at least 0 and less than 1");
  command->add_option("--optimizer", options->optimizer, "A new optimizer: adam, sgd, …");
  command->add_option("--learning-rate", options->learning_rate, "Of the optimizer");
  command->add_option("--loss", options->loss, "The loss: mse, sparse_categorical_crossentropy, …");
  command->add_option("--metrics", options->metrics, "The metrics: accuracy,mae,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--verbose", options->verbose, "0 silent, 1 a progress bar, 2 one line per epoch")
      ->capture_default_str()
      ->check(CLI::Range(0, 2));
  command->add_option("--history", options->history, "Write loss and metrics of each epoch to this .json file");
  command->add_option("--output", options->output, "The .keras or .h5 file to save the model to")->required();
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool

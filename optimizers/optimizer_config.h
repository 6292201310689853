#pragma once

#include <string>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/optimizers/optimizer.h>

// Validation of optimizer options, and their form in `config.json`.

namespace rhyton::optimizers {

/// Throws ValueError in Keras's words for invalid options.
void check_options(const OptimizerOptions& options);

/// Reads the learning rate of older versions: "lr" where there is no "learning_rate", and with the "decay" of Keras 2
/// learning_rate / (1 + decay · step).
void read_outdated_learning_rate(const io::Json& config, LearningRate& rate);

/// Throws ValueError "Argument(s) not recognized: …" for arguments that were not read.
void require_all_read(const ConfigReader& reader);

/// Lists all members of an optimizer's options: those that all optimizers have, if it has them, then its own.
template <class Options, class Fields>
void visit_optimizer(Options& options, Fields& fields) {
  if constexpr (requires { options.learning_rate; }) OptimizerOptions::visit(options, fields);
  Options::visit(options, fields);
}

/// The options in the config of an optimizer of that class. Throws ValueError for unknown arguments, and the errors of
/// ConfigReader.
template <class Handle>
typename Handle::Arguments read_optimizer(const io::Json& config) {
  ConfigReader reader("optimizer", Handle::keras_name, config);
  typename Handle::Arguments options;
  visit_optimizer(options, reader);
  if constexpr (requires { options.learning_rate; }) read_outdated_learning_rate(config, options.learning_rate);
  require_all_read(reader);
  return options;
}

}  // namespace rhyton::optimizers

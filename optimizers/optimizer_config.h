#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/optimizers/optimizer.h>

// Validation of optimizer options, and their form in `config.json`.

namespace rhyton::optimizers {

/// Throws ValueError in Keras's words for invalid options.
void check_options(const OptimizerOptions& options);

/// Writes a number or null.
io::Json optional_number(const std::optional<double>& value);
io::Json optional_number(const std::optional<int>& value);

/// Reads one argument if it is present and not null.
void read_argument(const io::Json& config, const char* key, double& value);
void read_argument(const io::Json& config, const char* key, bool& value);
void read_argument(const io::Json& config, const char* key, std::string& value);
void read_argument(const io::Json& config, const char* key, LearningRate& value);
/// Null makes it empty.
void read_argument(const io::Json& config, const char* key, std::optional<double>& value);
void read_argument(const io::Json& config, const char* key, std::optional<int>& value);

/// Reads the learning rate: "learning_rate", or "lr" of the oldest Keras. With the "decay" of Keras 2 it is
/// learning_rate / (1 + decay · step).
LearningRate read_learning_rate(const io::Json& config, const LearningRate& fallback);

/// Throws ValueError "Argument(s) not recognized: …" if the configuration has keys besides the common ones and `own`.
/// Keys of older versions of Keras that have no effect any more are allowed.
void check_keys(const io::Json& config, std::initializer_list<const char*> own);

/// Reads the options that all optimizers have.
template <class Options>
Options read_base_options(const io::Json& config) {
  Options options;
  options.learning_rate = read_learning_rate(config, options.learning_rate);
  read_argument(config, "weight_decay", options.weight_decay);
  read_argument(config, "clipnorm", options.clipnorm);
  read_argument(config, "clipvalue", options.clipvalue);
  read_argument(config, "global_clipnorm", options.global_clipnorm);
  read_argument(config, "use_ema", options.use_ema);
  read_argument(config, "ema_momentum", options.ema_momentum);
  read_argument(config, "ema_overwrite_frequency", options.ema_overwrite_frequency);
  read_argument(config, "loss_scale_factor", options.loss_scale_factor);
  read_argument(config, "gradient_accumulation_steps", options.gradient_accumulation_steps);
  read_argument(config, "name", options.name);
  return options;
}

}  // namespace rhyton::optimizers

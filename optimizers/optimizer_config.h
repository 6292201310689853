#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include <rhyton/framework/io/json.h>
#include <rhyton/optimizers/optimizer.h>

// The options of optimizers: what they may be, and how `config.json` holds them.

namespace rhyton::optimizers {

/// Throws ValueError in Keras's words for options that cannot be.
void check_options(const OptimizerOptions& options);

/// A number or null.
io::Json optional_number(const std::optional<double>& value);
io::Json optional_number(const std::optional<int>& value);

/// Reads one argument, where it is there and not null.
void read_argument(const io::Json& config, const char* key, double& value);
void read_argument(const io::Json& config, const char* key, bool& value);
void read_argument(const io::Json& config, const char* key, std::string& value);
void read_argument(const io::Json& config, const char* key, LearningRate& value);
/// Null makes it empty.
void read_argument(const io::Json& config, const char* key, std::optional<double>& value);
void read_argument(const io::Json& config, const char* key, std::optional<int>& value);

/// The learning rate: "learning_rate", or "lr" of the oldest Keras. With the "decay" that optimizers of Keras 2 had it
/// is learning_rate / (1 + decay · step).
LearningRate read_learning_rate(const io::Json& config, const LearningRate& fallback);

/// Throws ValueError "Argument(s) not recognized: …" where the configuration has keys beside the common ones and `own`.
/// Keys of older versions of Keras that mean nothing any more are allowed.
void check_keys(const io::Json& config, std::initializer_list<const char*> own);

/// The options of an optimizer as far as all have them in common.
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

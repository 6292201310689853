#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The compile arguments of the command line; empty ones are taken from the file.
struct CompileArguments {
  std::string optimizer;
  std::string loss;
  std::vector<std::string> metrics;
};

/// Adds --loss and --metrics, and --optimizer if `with_optimizer`.
void add_compile_options(CLI::App& command, CompileArguments& arguments, bool with_optimizer);

/// The objects for these names.
struct Overrides {
  std::optional<optimizers::Optimizer> optimizer;
  std::optional<losses::Loss> loss;
  models::MetricsArgument::List metrics;
};

/// Throws CLI::ValidationError naming the option for unknown names.
Overrides overrides_of(const CompileArguments& arguments);

/// Loads the model in a file, compiled with the file's arguments and `overrides`: the optimizer keeps its state unless
/// it is replaced. The file may contain unknown classes if `overrides` replaces them. An optimizer that is replaced, or
/// not needed (`needs_optimizer`), may be unknown or have arguments that cannot be read. Not compiled if neither gives
/// a loss. Throws an Error naming the file.
models::Model load_to_train(const std::string& path, const Overrides& overrides, bool needs_optimizer);

}  // namespace rhyton::tool

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// What the command line says of how a model is compiled; what is empty, the file says.
struct CompileArguments {
  std::string optimizer;
  std::string loss;
  std::vector<std::string> metrics;
};

/// Adds --loss and --metrics, and --optimizer where `with_optimizer`.
void add_compile_options(CLI::App& command, CompileArguments& arguments, bool with_optimizer);

/// What the names stand for.
struct Overrides {
  std::optional<optimizers::Optimizer> optimizer;
  std::optional<losses::Loss> loss;
  models::MetricsArgument::List metrics;
};

/// Throws CLI::ValidationError naming the option for names that are not known.
Overrides overrides_of(const CompileArguments& arguments);

/// The model in a file, compiled as the file says and `overrides` say: the optimizer keeps its state unless it is
/// replaced. The file may name classes that are not known where `overrides` replaces them; an optimizer also where
/// `needs_optimizer` is false. Not compiled where neither gives a loss. Throws an Error naming the file.
models::Model load_to_train(const std::string& path, const Overrides& overrides, bool needs_optimizer);

}  // namespace rhyton::tool

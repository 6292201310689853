#pragma once

#include <CLI/CLI.hpp>

/// The commands of the program `rhyton`, each in a file of its name. Each function adds one command with its options to
/// the program; the command runs after the command line has been parsed, and throws on errors.
namespace rhyton::tool {

void add_devices(CLI::App& app);
void add_summary(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_train(CLI::App& app);
void add_convert(CLI::App& app);
void add_inspect(CLI::App& app);
void add_plot(CLI::App& app);
void add_server(CLI::App& app);

}  // namespace rhyton::tool

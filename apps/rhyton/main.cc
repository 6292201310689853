// The command line tool: inspects Keras files, predicts, evaluates, trains, converts, and serves variables.
// Exit status: 0 for success, 1 for errors, 2 for wrong usage, 130 for a training ended by Ctrl-C; errors are one line
// on standard error.

#include <csignal>
#include <exception>
#include <iostream>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/rhyton.h>

namespace {

/// Holds back the library's warnings until the command has succeeded: if it fails, only the error is shown.
class Warnings {
 public:
  Warnings() {
    rhyton::config::set_warning_handler([this](const std::string& message) {
      const std::scoped_lock lock(mutex_);
      messages_.push_back(message);
    });
  }
  ~Warnings() { rhyton::config::set_warning_handler({}); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  void print() {
    const std::scoped_lock lock(mutex_);
    for (const std::string& message : messages_) {
      std::cerr << "rhyton: warning: " << rhyton::tool::one_line(message) << "\n";
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
};

int complain(const std::string& message, int status) {
  std::cout.flush();
  std::cerr << "rhyton: " << rhyton::tool::one_line(message) << "\n";
  return status;
}

/// CLI11 would report only that a command is missing.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string name = argv[1];
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(name)) return;
  }
  throw CLI::ParseError("there is no command '" + name + "'", CLI::ExitCodes::ExtrasError);
}

}  // namespace

int main(int argc, char** argv) {
  // Exceeding the file size limit (ulimit -f) becomes a write error, also on the standard output.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Keras models on the command line.", "rhyton");
  app.require_subcommand(1);
  rhyton::tool::add_devices(app);
  rhyton::tool::add_summary(app);
  rhyton::tool::add_predict(app);
  rhyton::tool::add_evaluate(app);
  rhyton::tool::add_train(app);
  rhyton::tool::add_convert(app);
  rhyton::tool::add_inspect(app);
  rhyton::tool::add_plot(app);
  rhyton::tool::add_server(app);
  Warnings warnings;
  try {
    require_known_command(app, argc, argv);
    app.parse(argc, argv);
    if (!std::cout.flush()) return complain("the standard output could not be written", 1);
    warnings.print();
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(std::string(error.what()) + ". Run with --help for more information.", 2);
  } catch (const rhyton::KeyboardInterrupt& interrupt) {
    constexpr int as_of_a_shell = 128 + SIGINT;
    return complain(interrupt.what(), as_of_a_shell);
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

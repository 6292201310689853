// rhyton server: a task of a cluster, which holds variables and applies gradients to them.

#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct ServerArguments {
  std::string cluster;
  std::string job;
  int task = -1;
  distribute::TransportOptions transport;
};

/// Blocks SIGINT and SIGTERM, which Ctrl-C and Kubernetes send, in this thread and in those that it starts.
sigset_t block_signals() {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// Stops the server at the first of these signals.
class StopOnSignals {
 public:
  StopOnSignals(const sigset_t& signals, distribute::Server& server)
      : thread_([&signals, &server] {
          int signal = 0;
          sigwait(&signals, &signal);
          server.stop();
        }) {}
  ~StopOnSignals() {
    pthread_kill(thread_.native_handle(), SIGINT);
    thread_.join();
  }
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

 private:
  std::thread thread_;
};

void run(const ServerArguments& arguments) {
  distribute::ClusterSpec cluster;
  distribute::ServerOptions options{.job_name = arguments.job, .transport = arguments.transport};
  if (arguments.task >= 0) options.task_index = arguments.task;
  if (!arguments.cluster.empty()) {
    cluster = distribute::ClusterSpec::parse(arguments.cluster, "--cluster");
  } else if (const auto config = distribute::cluster_config_from_environment()) {
    cluster = config->cluster;
    if (options.job_name.empty())
      options = {.job_name = config->task.type, .task_index = config->task.index, .transport = arguments.transport};
  } else {
    throw ValueError(
        "--cluster: expected the tasks of the cluster, got neither them nor the environment variable "
        "TF_CONFIG");
  }
  const sigset_t signals = block_signals();
  distribute::Server server(cluster, options);
  const StopOnSignals stop(signals, server);
  std::cout << "Started server with target: " << server.target() << std::endl;
  server.join();
}

}  // namespace

void add_server(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("server", "Runs a task of a cluster, which holds variables and applies gradients to them");
  const auto arguments = std::make_shared<ServerArguments>();
  distribute::TransportSecurity& security = arguments->transport.security;
  command->add_option("--cluster", arguments->cluster,
                      "The tasks: '{\"ps\": [\"host:port\"], \"worker\": [\"host:port\", ...]}'; from TF_CONFIG if it "
                      "is left out");
  command->add_option("--job", arguments->job, "The job of this task");
  command->add_option("--task", arguments->task, "The number of this task in its job")->check(CLI::NonNegativeNumber);
  command->add_option("--certificate", security.certificate_file, "PEM file: the certificate of this task");
  command->add_option("--key", security.key_file, "PEM file: its private key");
  command->add_option("--root", security.root_file,
                      "PEM file: the authority that signed the certificates of all tasks");
  command->add_flag("--insecure", security.insecure,
                    "Listen beyond loopback without TLS: whoever reaches the port can read and change the variables");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace rhyton::tool

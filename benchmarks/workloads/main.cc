// workloads --workload NAME [--threads N] [--device /GPU:0] [--replicas N] [--policy mixed_bfloat16] ...: runs one
// workload and prints one line of JSON. Only workloads that train can run on another device, or on several replicas on
// logical devices of the same CPU or GPU.

#include <sys/resource.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/benchmarks/workloads/logical_devices.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace {

using rhyton::ValueError;
using rhyton::io::Json;
using workloads::Options;

const std::map<std::string, Json (*)(const Options&), std::less<>> by_name = {
    {"epoch", workloads::epoch},
    {"predict", workloads::predict},
    {"latency", workloads::latency},
    {"resnet20", workloads::resnet20},
    {"mlp", workloads::mlp},
    {"text", workloads::text},
    {"recurrent_training", workloads::recurrent_training},
    {"recurrent_prediction", workloads::recurrent_prediction},
    {"conv_lstm", workloads::conv_lstm},
    {"vision_training", workloads::vision_training},
    {"vision_prediction", workloads::vision_prediction},
    {"resnet50_start", workloads::resnet50_start},
    {"matmul", workloads::matmul},
    {"transformer_parts", workloads::transformer_parts},
    {"attention", workloads::attention},
    {"encoder_training", workloads::encoder_training},
    {"generation", workloads::generation},
    {"optimizer_step", workloads::optimizer_step},
    {"linear_algebra", workloads::linear_algebra},
    {"metrics_of_steps", workloads::metrics_of_steps},
    {"start", workloads::start},
    {"roofline", workloads::roofline},
    {"mirrored", workloads::mirrored},
    {"workers", workloads::workers},
    {"reduction", workloads::reduction},
    {"process_sums", workloads::process_sums},
    {"buckets", workloads::buckets},
    {"messages", workloads::messages},
};

/// Options around the workloads.
struct Surroundings {
  /// The device of everything outside of scopes; empty for the default.
  std::string device;
  /// 0: no strategy. Otherwise only the type of `device` is used.
  int replicas = 0;
  /// The dtype policy of layers.
  std::string policy;
};

Options read_options(int argc, char** argv, Surroundings& surroundings) {
  Options options;
  options.batch_size = 0;  // not given
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--workload") {
      options.workload = value;
      continue;
    }
    if (name == "--device" || name == "--policy") {
      (name == "--device" ? surroundings.device : surroundings.policy) = value;
      continue;
    }
    const double number = std::atof(value.c_str());
    if (!(number > 0)) throw ValueError(std::string(name) + " needs a positive number, not \"" + value + "\"");
    if (name == "--threads") {
      options.threads = static_cast<int>(number);
    } else if (name == "--rounds") {
      options.rounds = static_cast<int>(number);
    } else if (name == "--replicas") {
      surroundings.replicas = static_cast<int>(number);
    } else if (name == "--epochs") {
      options.epochs = static_cast<int>(number);
    } else if (name == "--limit") {
      options.limit = static_cast<std::int64_t>(number);
    } else if (name == "--batch-size") {
      options.batch_size = static_cast<std::int64_t>(number);
    } else if (name == "--width") {
      options.width = number;
    } else if (name == "--depth") {
      options.depth = static_cast<int>(number);
    } else {
      throw ValueError("Unknown option: " + std::string(name));
    }
  }
  if (options.batch_size == 0) options.batch_size = options.workload == "epoch" ? 64 : 128;
  return options;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

rhyton::distribute::MirroredStrategy replicas_for(const Surroundings& surroundings) {
  const std::string type = rhyton::DeviceSpec::parse(surroundings.device).device_type.value_or("CPU");
  return rhyton::distribute::MirroredStrategy(workloads::logical_devices(type, surroundings.replicas));
}

void run(const Options& options, const Surroundings& surroundings) {
  const auto workload = by_name.find(options.workload);
  if (workload == by_name.end()) {
    std::string names;
    for (const auto& [name, function] : by_name) names += " " + name;
    throw ValueError("--workload takes one of" + names);
  }
  rhyton::set_random_seed(0);
  if (options.threads > 0) rhyton::config::set_num_threads(options.threads);
  if (!surroundings.policy.empty()) rhyton::config::set_dtype_policy(surroundings.policy);
  std::optional<rhyton::DeviceScope> scope;
  std::optional<rhyton::distribute::StrategyScope> replicas;
  if (surroundings.replicas > 0) {
    replicas.emplace(replicas_for(surroundings));
  } else if (!surroundings.device.empty()) {
    scope.emplace(surroundings.device);
  }
  Json result = workload->second(options);
  if (result.is_null()) return;  // another process has it
  result["device"] = rhyton::current_device().name();
  result["peak_rss_mb"] = peak_megabytes();
  if (!rhyton::current_device().is_host()) {
    const auto memory = rhyton::config::get_memory_info(rhyton::current_device().name());
    result["peak_device_mb"] = static_cast<double>(memory.peak) / (1 << 20);
  }
  result["threads"] = rhyton::config::num_threads();
  std::cout << result.dump() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Surroundings surroundings;
    const Options options = read_options(argc, argv, surroundings);
    run(options, surroundings);
  } catch (const std::exception& error) {
    std::cerr << "workloads: " << error.what() << "\n";
    return 1;
  }
}

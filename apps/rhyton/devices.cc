// rhyton devices: lists the devices that this program can compute on.

#include <iostream>
#include <memory>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

io::Json describe(const PhysicalDevice& device) {
  io::Json entry = io::Json::object({{"name", device.name}, {"device_type", device.device_type}});
  if (device.device_type == "CPU") {
    entry["threads"] = config::num_threads();
    entry["instruction_set"] = config::cpu_instruction_set();
  }
  return entry;
}

void run(bool as_json) {
  io::Json devices = io::Json::array();
  for (const PhysicalDevice& device : config::list_physical_devices()) devices.push_back(describe(device));
  if (as_json) return print(devices);
  for (const io::Json& device : devices) {
    std::cout << device["name"].as_string();
    if (device.contains("threads")) {
      std::cout << "  " << device["threads"].as_int() << " threads, " << device["instruction_set"].as_string();
    }
    std::cout << "\n";
  }
}

}  // namespace

void add_devices(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("devices", "Lists what models can be computed on");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON");
  command->callback([as_json] { run(*as_json); });
}

}  // namespace rhyton::tool

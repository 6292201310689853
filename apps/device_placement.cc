// Lists the devices and shows where ops run, following TensorFlow's guide "Use a GPU".

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  std::optional<int> logical_devices;
  std::optional<std::int64_t> memory_limit;
};

void heading(const std::string& text) { std::cout << "\n# " << text << "\n" << std::flush; }

Tensor first_matrix() { return Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }
Tensor second_matrix() { return Tensor::from_data<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }

// "GPU" if there is any, else "CPU".
std::string type_to_show() { return config::list_physical_devices("GPU").empty() ? "CPU" : "GPU"; }

void list_devices() {
  heading("Physical devices");
  for (const PhysicalDevice& hardware : config::list_physical_devices()) {
    const DeviceDetails details = config::get_device_details(hardware);
    std::cout << hardware.to_string();
    if (details.device_name) std::cout << " " << *details.device_name;
    if (details.compute_capability) {
      std::cout << ", compute capability " << details.compute_capability->first << "."
                << details.compute_capability->second;
    }
    std::cout << "\n";
  }
  heading("Logical devices");
  for (const LogicalDevice* const logical : config::list_logical_devices()) std::cout << logical->to_string() << "\n";
}

void place_by_default() {
  heading("Without a scope: the first GPU, else the CPU");
  const Tensor c = matmul(first_matrix(), second_matrix());
  std::cout << c.to_string() << " on " << c.device().full_name() << "\n";
}

void place_by_hand() {
  heading("In the scope of the CPU");
  const auto scope = device("/CPU:0");
  const Tensor c = matmul(first_matrix(), second_matrix());
  std::cout << c.to_string() << " on " << c.device().full_name() << "\n";
}

void name_a_device_that_is_not_there() {
  heading("A device that does not exist");
  try {
    const auto scope = device("/device:GPU:99");
    matmul(first_matrix(), second_matrix());
  } catch (const InvalidArgumentError& error) {
    std::cout << "InvalidArgumentError: " << error.what() << "\n";
  }
  heading("The same with soft placement");
  config::set_soft_device_placement(true);
  const auto scope = device("/device:GPU:99");
  const Tensor c = matmul(first_matrix(), second_matrix());
  std::cout << c.to_string() << " on " << c.device().full_name() << "\n";
}

void use_all_devices(const std::string& type) {
  heading("One product on each logical " + type + ", their sum on the CPU");
  std::vector<Tensor> products;
  for (LogicalDevice* const logical : config::list_logical_devices(type)) {
    const auto scope = device(logical->name());
    products.push_back(matmul(first_matrix(), second_matrix()));
  }
  const auto scope = device("/CPU:0");
  const Tensor total = add_n(products);
  std::cout << total.to_string() << " on " << total.device().full_name() << "\n";
}

// Must be called before the first use of a device.
void cut_into_logical_devices(const std::string& type, const Options& options) {
  heading("The first " + type + " cut into logical devices");
  const PhysicalDevice hardware = config::list_physical_devices(type).front();
  const LogicalDeviceConfiguration configuration = {.memory_limit = options.memory_limit};
  config::set_logical_device_configuration(
      hardware,
      std::vector<LogicalDeviceConfiguration>(static_cast<std::size_t>(*options.logical_devices), configuration));
  std::cout << config::list_physical_devices(type).size() << " physical, " << config::list_logical_devices(type).size()
            << " logical\n";

  heading("Once devices are in use, the configuration is fixed");
  try {
    config::set_logical_device_configuration(hardware, {{.memory_limit = 1}});
  } catch (const RuntimeError& error) {
    std::cout << "RuntimeError: " << error.what() << "\n";
  }
}

void exceed_the_limit(const std::string& type, std::int64_t limit) {
  heading("A tensor larger than the limit of " + std::to_string(limit) + " MB");
  const std::string last = config::list_logical_devices(type).back()->name();
  const auto scope = device(last);
  try {
    random_uniform({limit + 1, 1024, 256}, /*key=*/0, /*counter=*/0);  // 1 MB per row
  } catch (const ResourceExhaustedError& error) {
    std::cout << "ResourceExhaustedError: " << error.what() << "\n";
  }
  const config::MemoryInfo memory = config::get_memory_info(last);
  std::cout << last << " has " << memory.current << " bytes in use, at most " << memory.peak << " so far\n";
}

void run(const Options& options) {
  const std::string type = type_to_show();
  if (options.logical_devices) cut_into_logical_devices(type, options);
  list_devices();
  debugging::set_log_device_placement(true);
  if (!options.logical_devices) {
    place_by_default();
    place_by_hand();
    name_a_device_that_is_not_there();
  }
  use_all_devices(type);
  if (options.logical_devices && options.memory_limit) exceed_the_limit(type, *options.memory_limit);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Walks through TensorFlow's guide \"Use a GPU\"; ops say on standard error where they run.");
  CLI::Option* const count =
      app.add_option("--logical-devices", options.logical_devices,
                     "Divide the first GPU, or the CPU if there is none, into this many logical devices")
          ->check(CLI::Range(1, 64));
  app.add_option("--memory-limit", options.memory_limit, "MB for each of them; GPUs need one")
      ->needs(count)
      ->check(CLI::Range(1, 1'000'000));
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << "device_placement: " << error.what() << "\n";
    return 1;
  }
}

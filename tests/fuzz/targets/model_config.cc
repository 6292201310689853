// A model configuration: the model is created and compiled, and writes its configuration.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/compile_config.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rhyton;
  constexpr std::uint64_t weight_bytes = std::uint64_t{1} << 20;
  context().clear_session();
  models::register_model_classes();
  try {
    const auto config = io::Json::parse(std::string_view(reinterpret_cast<const char*>(data), size), "config.json");
    const layers::WeightLimit limit(weight_bytes);
    const layers::Layer layer = layers::deserialize(config);
    static_cast<void>(layers::serialize(layer).dump());
    const io::Json* const compile_config = config.find("compile_config");
    if (compile_config != nullptr) {
      models::Model::from_layer(layer).compile(saving::deserialize_compile_config(*compile_config));
    }
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

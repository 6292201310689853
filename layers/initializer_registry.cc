// The names of initializers in Keras, and their configurations.

#include <array>
#include <concepts>
#include <string_view>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/layers/constant_array.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/keras_object.h>
#include <rhyton/layers/option_tables.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/stft_initializer.h>

namespace rhyton::initializers {
namespace {

struct NoOptions {
  template <class Self, class Fields>
  static void visit(Self& /*self*/, Fields& /*fields*/) {}
};

/// The configuration with an integer or null as seed, where Keras has a shared SeedGenerator.
io::Json with_plain_seed(const io::Json& config) {
  io::Json plain = config;
  const io::Json* const seed = config.find("seed");
  if (seed != nullptr && seed->is_object()) {
    const io::Json inner = with_plain_seed((*seed)["config"]);
    const io::Json* const number = inner.find("seed");
    plain["seed"] = number == nullptr ? io::Json() : *number;
  }
  return plain;
}

template <class Class, class Options>
layers::Initializer make(const std::string& class_name, const io::Json& config) {
  const io::Json plain = with_plain_seed(config);
  ConfigReader reader("initializer", class_name, plain);
  Options options;
  Options::visit(options, reader);
  reader.ignored("seed");   // without effect where it is no option
  reader.ignored("dtype");  // of early versions, without effect
  reader.finish();
  if constexpr (std::constructible_from<Class, const Options&>) {
    return Class(options);
  } else {
    return Class();
  }
}

layers::Initializer make_constant(const std::string& class_name, const io::Json& config) {
  const io::Json* const value = config.find("value");
  const bool is_array = value != nullptr && (value->is_array() || value->is_object());
  if (!is_array) return make<Constant, ConstantOptions>(class_name, config);
  return layers::constant_array(*value);
}

template <class Options>
OptionTable table(const std::string& class_name) {
  return option_table<Options>(class_name, [](const auto& options, auto& rows) { Options::visit(options, rows); });
}

struct Entry {
  std::string_view class_name;
  /// Keras's other names for it.
  std::array<std::string_view, 2> names;
  layers::Initializer (*from_config)(const std::string& class_name, const io::Json& config);
  OptionTable (*options)(const std::string& class_name);
};

constexpr Entry entries[] = {
    {"Zeros", {"zeros", "zero"}, make<Zeros, NoOptions>, table<NoOptions>},
    {"Ones", {"ones", "one"}, make<Ones, NoOptions>, table<NoOptions>},
    {"Constant", {"constant"}, make_constant, table<ConstantOptions>},
    {"RandomNormal", {"random_normal", "normal"}, make<RandomNormal, RandomNormalOptions>, table<RandomNormalOptions>},
    {"TruncatedNormal",
     {"truncated_normal"},
     make<TruncatedNormal, TruncatedNormalOptions>,
     table<TruncatedNormalOptions>},
    {"RandomUniform",
     {"random_uniform", "uniform"},
     make<RandomUniform, RandomUniformOptions>,
     table<RandomUniformOptions>},
    {"VarianceScaling",
     {"variance_scaling"},
     make<VarianceScaling, VarianceScalingOptions>,
     table<VarianceScalingOptions>},
    {"GlorotUniform", {"glorot_uniform"}, make<GlorotUniform, SeedOptions>, table<SeedOptions>},
    {"GlorotNormal", {"glorot_normal"}, make<GlorotNormal, SeedOptions>, table<SeedOptions>},
    {"HeUniform", {"he_uniform"}, make<HeUniform, SeedOptions>, table<SeedOptions>},
    {"HeNormal", {"he_normal"}, make<HeNormal, SeedOptions>, table<SeedOptions>},
    {"LecunUniform", {"lecun_uniform"}, make<LecunUniform, SeedOptions>, table<SeedOptions>},
    {"LecunNormal", {"lecun_normal"}, make<LecunNormal, SeedOptions>, table<SeedOptions>},
    {"Orthogonal",
     {"orthogonal", "OrthogonalInitializer"},
     make<Orthogonal, OrthogonalOptions>,
     table<OrthogonalOptions>},
    {"Identity", {"identity", "IdentityInitializer"}, make<Identity, IdentityOptions>, table<IdentityOptions>},
    {"STFT", {"stft", "STFTInitializer"}, make<STFT, STFTOptions>, table<STFTOptions>},
};

/// By the name of the class; with `any_name`, also by Keras's other names.
const Entry* find(std::string_view name, bool any_name) {
  for (const Entry& entry : entries) {
    if (entry.class_name == name) return &entry;
    if (any_name && !name.empty() && (entry.names[0] == name || entry.names[1] == name)) return &entry;
  }
  return nullptr;
}

layers::Initializer from_name(const std::string& name, const io::Json& config, const std::string& registered = {}) {
  if (const auto factory = find_class<layers::Initializer>(registered, name)) return factory(config);
  const Entry* const entry = find(name, true);
  if (entry == nullptr) throw ValueError("Could not interpret initializer identifier: " + name);
  return entry->from_config(std::string(entry->class_name), config);
}

}  // namespace

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for (const Entry& entry : entries) tables.push_back(entry.options(std::string(entry.class_name)));
  return tables;
}

void register_initializer(const std::string& class_name,
                          std::function<layers::Initializer(const io::Json& config)> factory,
                          const std::string& package) {
  register_class<layers::Initializer>(package, class_name, std::move(factory));
}

}  // namespace rhyton::initializers

namespace rhyton::layers {

Initializer::Initializer(const char* name) : Initializer(std::string(name)) {}

Initializer::Initializer(const std::string& name) : Initializer(initializers::from_name(name, io::Json::object())) {}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  if (is_empty()) throw ValueError("This initializer is none and cannot be called.");
  return impl_->call(shape, dtype);
}

io::Json Initializer::to_config() const {
  if (is_empty()) return nullptr;
  const std::string class_name = impl_->class_name();
  if (initializers::find(class_name, false) == nullptr) {
    return custom_object<Initializer>(class_name, impl_->get_config());
  }
  // Keras 3.0 has only the longer names of these two; later versions have them too.
  const bool has_longer_name = class_name == "Orthogonal" || class_name == "Identity";
  return keras_object("keras.initializers", has_longer_name ? class_name + "Initializer" : class_name,
                      impl_->get_config());
}

bool is_known_initializer(const std::string& registered_name, const std::string& name) {
  return find_class<Initializer>(registered_name, name) || initializers::find(name, true) != nullptr;
}

Initializer Initializer::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  const KerasObject object = read_keras_object(config, "initializer");
  return initializers::from_name(object.class_name, object.config, object.registered_name);
}

}  // namespace rhyton::layers

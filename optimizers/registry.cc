// The strings and class names of optimizers in Keras.

#include <array>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/keras_names.h>
#include <rhyton/optimizers/class_names.h>
#include <rhyton/optimizers/optimizer_config.h>
#include <rhyton/optimizers/optimizers.h>

namespace rhyton::optimizers {
namespace {

struct Entry {
  std::string_view class_name;
  Optimizer (*from_config)(const io::Json& config);
};

template <class Handle>
Optimizer make(const io::Json& config) {
  static_assert(sizeof(Handle) == sizeof(Optimizer), "an optimizer handle has no members of its own");
  return Handle::from_config(config);
}

template <class... Handles>
constexpr std::array<Entry, sizeof...(Handles)> entries_of(ClassList<Handles...> /*list*/) {
  return {Entry{Handles::keras_name, make<Handles>}...};
}

constexpr auto entries = entries_of(BuiltinOptimizers());

std::string lower_case(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

const Entry* find(const std::string& class_name) {
  // TensorFlow 2.9 to 2.11 named its own optimizers "Custom>Adam".
  std::string plain_name = lower_case(class_name.substr(class_name.find('>') + 1));
  if (plain_name == "lossscaleoptimizerv3") plain_name = "lossscaleoptimizer";  // of TensorFlow 2.11 to 2.15
  for (const Entry& entry : entries) {
    if (lower_case(entry.class_name) == plain_name) return &entry;
  }
  return nullptr;
}

}  // namespace

Optimizer::Optimizer(const std::string& identifier) {
  const io::Json no_arguments = io::Json::object();
  if (const auto factory = find_class<Optimizer>({}, identifier)) {
    impl_ = factory(no_arguments).impl();
  } else if (const Entry* entry = find(identifier)) {
    impl_ = entry->from_config(no_arguments).impl();
  } else {
    const bool is_of_keras = is_keras_name("optimizer", identifier);
    throw ValueError("Could not interpret optimizer identifier: " + identifier +
                     (is_of_keras ? ". Keras has this optimizer, Rhyton has not." : ""));
  }
}

io::Json serialize(const Optimizer& optimizer) {
  if (optimizer.is_empty()) return {};
  if (find(optimizer.class_name()) == nullptr) {
    return custom_object<Optimizer>(optimizer.class_name(), optimizer.get_config());
  }
  return io::Json::object({{"module", "keras.optimizers"},
                           {"class_name", optimizer.class_name()},
                           {"config", optimizer.get_config()},
                           {"registered_name", nullptr}});
}

Optimizer deserialize(const io::Json& serialized) {
  if (serialized.is_null()) return {};
  if (serialized.is_string()) return Optimizer(serialized.as_string());
  const std::string& class_name = serialized["class_name"].as_string();
  if (const auto factory = find_class<Optimizer>(serialized.get_or("registered_name", ""), class_name)) {
    return factory(serialized["config"]);
  }
  if (const Entry* entry = find(class_name)) return entry->from_config(serialized["config"]);
  throw TypeError("Could not locate class '" + class_name +
                  "'. Make sure custom classes are registered with `register_optimizer` before they are loaded. Full "
                  "object config: " +
                  serialized.dump());
}

bool is_known_optimizer(const std::string& registered_name, const std::string& class_name) {
  return find_class<Optimizer>(registered_name, class_name) || find(class_name) != nullptr;
}

void register_optimizer(const std::string& class_name, std::function<Optimizer(const io::Json& config)> factory,
                        const std::string& package) {
  register_class<Optimizer>(package, class_name, std::move(factory));
}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for_each_class(BuiltinOptimizers(), [&]<class Handle>() {
    tables.push_back(option_table<typename Handle::Arguments>(
        Handle::keras_name, [](const auto& options, auto& table) { visit_optimizer(options, table); }));
  });
  return tables;
}

}  // namespace rhyton::optimizers

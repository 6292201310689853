// The class names of learning rate schedules in Keras.

#include <array>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/optimizers/class_names.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>
#include <rhyton/optimizers/schedules/schedules.h>

namespace rhyton::optimizers::schedules {
namespace {

template <class Handle>
LearningRateSchedule make(const io::Json& config) {
  static_assert(sizeof(Handle) == sizeof(LearningRateSchedule), "a schedule handle has no members of its own");
  return Handle::from_config(config);
}

struct Entry {
  std::string_view class_name;
  LearningRateSchedule (*from_config)(const io::Json& config);
};

template <class... Handles>
constexpr std::array<Entry, sizeof...(Handles)> entries_of(ClassList<Handles...> /*list*/) {
  return {Entry{Handles::keras_name, make<Handles>}...};
}

constexpr auto entries = entries_of(BuiltinSchedules());

const Entry* find(std::string_view class_name) {
  for (const Entry& entry : entries) {
    if (entry.class_name == class_name) return &entry;
  }
  return nullptr;
}

}  // namespace

LearningRateScheduleImpl::~LearningRateScheduleImpl() = default;

double LearningRateSchedule::operator()(std::int64_t step) const {
  return impl_->call(Tensor::scalar<std::int64_t>(step)).item();
}

io::Json serialize(const LearningRateSchedule& schedule) {
  if (schedule.is_empty()) return {};
  if (find(schedule.class_name()) == nullptr) {
    return custom_object<LearningRateSchedule>(schedule.class_name(), schedule.get_config());
  }
  return io::Json::object({{"module", "keras.optimizers.schedules"},
                           {"class_name", schedule.class_name()},
                           {"config", schedule.get_config()},
                           {"registered_name", nullptr}});
}

LearningRateSchedule deserialize(const io::Json& serialized) {
  const std::string& class_name = serialized["class_name"].as_string();
  if (const auto factory = find_class<LearningRateSchedule>(serialized.get_or("registered_name", ""), class_name)) {
    return factory(serialized["config"]);
  }
  if (const Entry* entry = find(class_name)) return entry->from_config(serialized["config"]);
  throw TypeError("Could not locate class '" + class_name +
                  "'. Make sure custom classes are registered with `register_schedule` before they are loaded. Full "
                  "object config: " +
                  serialized.dump());
}

bool is_known_schedule(const std::string& registered_name, const std::string& class_name) {
  return find_class<LearningRateSchedule>(registered_name, class_name) || find(class_name) != nullptr;
}

void register_schedule(const std::string& class_name,
                       std::function<LearningRateSchedule(const io::Json& config)> factory,
                       const std::string& package) {
  register_class<LearningRateSchedule>(package, class_name, std::move(factory));
}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for_each_class(BuiltinSchedules(), [&]<class Handle>() {
    using Arguments = typename Handle::Arguments;
    tables.push_back(option_table<Arguments>(
        Handle::keras_name, [](const auto& arguments, auto& table) { Arguments::visit(arguments, table); }));
  });
  return tables;
}

}  // namespace rhyton::optimizers::schedules

namespace rhyton::optimizers {

io::Json LearningRate::to_config() const { return is_schedule() ? schedules::serialize(schedule_) : io::Json(value_); }

LearningRate LearningRate::from_config(const io::Json& config) {
  if (config.is_object()) return schedules::deserialize(config);
  if (config.is_number()) return config.as_double();
  throw ValueError(
      "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable (that takes in "
      "the current iteration value and returns the corresponding learning rate value). Received instead: "
      "learning_rate=" +
      (config.is_string() ? config.as_string() : config.dump()));
}

}  // namespace rhyton::optimizers

// The class names of learning rate schedules in Keras.

#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/optimizers/class_names.h>
#include <rhyton/optimizers/schedules/cosine_decay.h>
#include <rhyton/optimizers/schedules/exponential_decay.h>
#include <rhyton/optimizers/schedules/inverse_time_decay.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>
#include <rhyton/optimizers/schedules/piecewise_constant_decay.h>
#include <rhyton/optimizers/schedules/polynomial_decay.h>

namespace rhyton::optimizers::schedules {
namespace {

template <class Handle, class Options>
LearningRateSchedule with_rate(const io::Json& config) {
  Options options;
  options.staircase = config.get_or("staircase", options.staircase);
  options.name = config.get_or("name", options.name);
  return Handle(config["initial_learning_rate"].as_double(), config["decay_steps"].as_double(),
                config["decay_rate"].as_double(), options);
}

LearningRateSchedule polynomial_decay(const io::Json& config) {
  PolynomialDecayOptions options;
  options.end_learning_rate = config.get_or("end_learning_rate", options.end_learning_rate);
  options.power = config.get_or("power", options.power);
  options.cycle = config.get_or("cycle", options.cycle);
  options.name = config.get_or("name", options.name);
  return PolynomialDecay(config["initial_learning_rate"].as_double(), config["decay_steps"].as_double(), options);
}

LearningRateSchedule cosine_decay(const io::Json& config) {
  CosineDecayOptions options;
  options.alpha = config.get_or("alpha", options.alpha);
  const io::Json* target = config.find("warmup_target");
  if (target != nullptr && !target->is_null()) options.warmup_target = target->as_double();
  options.warmup_steps = config.get_or("warmup_steps", options.warmup_steps);
  options.name = config.get_or("name", options.name);
  return CosineDecay(config["initial_learning_rate"].as_double(), config["decay_steps"].as_double(), options);
}

LearningRateSchedule piecewise_constant_decay(const io::Json& config) {
  std::vector<std::int64_t> boundaries;
  for (const io::Json& boundary : config["boundaries"]) boundaries.push_back(boundary.as_int());
  std::vector<double> values;
  for (const io::Json& value : config["values"]) values.push_back(value.as_double());
  PiecewiseConstantDecayOptions options;
  options.name = config.get_or("name", options.name);
  return PiecewiseConstantDecay(boundaries, values, options);
}

static_assert(sizeof(ExponentialDecay) == sizeof(LearningRateSchedule));
static_assert(sizeof(InverseTimeDecay) == sizeof(LearningRateSchedule));
static_assert(sizeof(PolynomialDecay) == sizeof(LearningRateSchedule));
static_assert(sizeof(CosineDecay) == sizeof(LearningRateSchedule));
static_assert(sizeof(PiecewiseConstantDecay) == sizeof(LearningRateSchedule));

struct Entry {
  std::string_view class_name;
  LearningRateSchedule (*from_config)(const io::Json& config);
};

constexpr Entry entries[] = {
    {"ExponentialDecay", with_rate<ExponentialDecay, ExponentialDecayOptions>},
    {"InverseTimeDecay", with_rate<InverseTimeDecay, InverseTimeDecayOptions>},
    {"PolynomialDecay", polynomial_decay},
    {"CosineDecay", cosine_decay},
    {"PiecewiseConstantDecay", piecewise_constant_decay},
};

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

}  // namespace rhyton::optimizers::schedules

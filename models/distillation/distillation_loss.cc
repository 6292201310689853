#include <rhyton/models/distillation/distillation_loss.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/models/distillation/feature_distillation.h>
#include <rhyton/models/distillation/logits_distillation.h>

namespace rhyton::distillation {
namespace {

const std::string no_layer;

bool is_builtin(const std::string& class_name) {
  return class_name == "LogitsDistillation" || class_name == "FeatureDistillation";
}

}  // namespace

DistillationLossImpl::~DistillationLossImpl() = default;

void DistillationLossImpl::validate_outputs(const std::vector<Tensor>& teacher_outputs,
                                            const std::vector<Tensor>& student_outputs) const {
  if (teacher_outputs.size() == student_outputs.size()) return;
  throw ValueError("`teacher_outputs` and `student_outputs` don't have the same structure. Received: " +
                   std::to_string(teacher_outputs.size()) + " outputs of the teacher and " +
                   std::to_string(student_outputs.size()) + " of the student.");
}

void DistillationLossImpl::validate_model_compatibility(const models::Model& /*teacher*/,
                                                        const models::Model& /*student*/) const {}

const std::string& DistillationLossImpl::teacher_layer_name() const { return no_layer; }

const std::string& DistillationLossImpl::student_layer_name() const { return no_layer; }

io::Json DistillationLossImpl::get_config() const {
  throw NotImplementedError("The distillation loss " + class_name() +
                            " cannot be written to a file: its class does not override `get_config`.");
}

const DistillationLossImpl& DistillationLoss::require_impl() const {
  if (impl_ == nullptr) throw RuntimeError("An empty handle of a distillation loss was used: it holds no loss.");
  return *impl_;
}

io::Json serialize(const DistillationLoss& loss) {
  const std::string class_name = loss.class_name();
  if (!is_builtin(class_name)) return custom_object<DistillationLoss>(class_name, loss.get_config());
  return io::Json::object({{"module", "keras.distillation"},
                           {"class_name", class_name},
                           {"config", loss.get_config()},
                           {"registered_name", nullptr}});
}

DistillationLoss deserialize(const io::Json& serialized) {
  const std::string& class_name = serialized["class_name"].as_string();
  const io::Json& config = serialized["config"];
  if (const auto factory = find_class<DistillationLoss>(serialized.get_or("registered_name", ""), class_name)) {
    return factory(config);
  }
  if (class_name == "LogitsDistillation") return LogitsDistillation::from_config(config);
  if (class_name == "FeatureDistillation") return FeatureDistillation::from_config(config);
  throw TypeError("Could not locate class '" + class_name +
                  "'. Make sure custom classes are registered with `register_distillation_loss`. Full object config: " +
                  serialized.dump());
}

void register_distillation_loss(const std::string& class_name,
                                std::function<DistillationLoss(const io::Json& config)> factory,
                                const std::string& package) {
  register_class<DistillationLoss>(package, class_name, std::move(factory));
}

}  // namespace rhyton::distillation

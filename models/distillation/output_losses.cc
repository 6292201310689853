#include <rhyton/models/distillation/output_losses.h>

#include <map>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::distillation {
namespace {

io::Json loss_to_config(const losses::Loss& loss) {
  if (loss.is_empty() || !is_function(loss)) {
    io::Json written = losses::serialize(loss);
    // The class by its name: an object with the defaults.
    if (!written.is_string()) return written;
    return io::Json::object({{"module", "keras.losses"},
                             {"class_name", loss.class_name()},
                             {"config", loss.get_config()},
                             {"registered_name", nullptr}});
  }
  return io::Json::object({{"module", "builtins"},
                           {"class_name", "function"},
                           {"config", losses::function_name(loss)},
                           {"registered_name", "function"}});
}

}  // namespace

std::vector<losses::Loss> flat_losses(const models::LossArgument& losses) {
  if (!losses.is_map()) return losses.list();
  std::vector<losses::Loss> flat;
  for (const auto& [name, loss] : losses.map()) flat.push_back(loss);
  return flat;
}

bool is_function(const losses::Loss& loss) { return loss.class_name() == "LossFunctionWrapper"; }

Tensor mean_of_loss(const losses::Loss& loss, const Tensor& y_true, const Tensor& y_pred) {
  return mean(is_function(loss) ? loss.call(y_true, y_pred) : loss(y_true, y_pred));
}

Tensor sum_over_outputs(const std::vector<losses::Loss>& losses, const std::function<Tensor(std::size_t i)>& loss_of) {
  Tensor total;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i].is_empty()) continue;
    const Tensor loss = loss_of(i);
    total = total.is_empty() ? loss : total + loss;
  }
  return total;
}

io::Json losses_to_config(const models::LossArgument& losses) {
  if (losses.is_map()) {
    io::Json config = io::Json::object();
    for (const auto& [name, loss] : losses.map()) config[name] = loss_to_config(loss);
    return config;
  }
  if (!losses.is_list()) return losses.is_empty() ? io::Json() : loss_to_config(losses.list().front());
  io::Json config = io::Json::array();
  for (const losses::Loss& loss : losses.list()) config.push_back(loss_to_config(loss));
  return config;
}

models::LossArgument losses_from_config(const io::Json& config) {
  if (config.is_array()) {
    std::vector<losses::Loss> list;
    for (const io::Json& loss : config) list.push_back(losses::deserialize(loss));
    return list;
  }
  if (!config.is_object() || config.find("class_name") != nullptr) return losses::deserialize(config);
  std::map<std::string, losses::Loss> map;
  for (const auto& [name, loss] : config.items()) map.emplace(name, losses::deserialize(loss));
  return map;
}

std::string structure_of(const models::LossArgument& losses) {
  if (losses.is_map()) return "a dictionary of " + std::to_string(losses.map().size());
  return losses.is_list() ? "a list of " + std::to_string(losses.list().size()) : "one loss";
}

}  // namespace rhyton::distillation

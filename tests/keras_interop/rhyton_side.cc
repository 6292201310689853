#include <rhyton/tests/keras_interop/rhyton_side.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/models/cloning.h>
#include <rhyton/models/model.h>

#include <rhyton/tests/keras_interop/comparison.h>

namespace rhyton::interop {
namespace {

using io::Json;
using models::Model;

/// {"ok", "error"} and the entries that `action` adds.
Json outcome(const std::function<void(Json& measured)>& action) {
  Json result = Json::object({{"ok", true}, {"error", ""}});
  try {
    action(result);
  } catch (const std::exception& error) {
    result["ok"] = false;
    result["error"] = error.what();
  }
  return result;
}

Model load(const RecordedCase& recorded, const std::string& format) {
  if (format != "weights.h5") return models::load_model(recorded.file(format).string());
  // A file of weights is loaded into an existing model, with an optimizer if it is compiled.
  Model model = models::model_from_json(recorded.description()["model"].dump());
  if (model.is_compiled()) model.optimizer().build(model.trainable_weights());
  model.load_weights(recorded.file(format).string());
  return model;
}

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.value());
  return values;
}

/// Compares all variables; returns the largest error. `which`: "weights", "optimizer_variables".
double compare_variables(const RecordedCase& recorded, const std::string& which, const std::vector<Tensor>& actual,
                         const std::vector<Tensor>& expected, double base_tolerance) {
  const Json& names = recorded.description()[which];
  if (actual.size() != expected.size()) {
    throw Error("There are " + std::to_string(actual.size()) + " " + which + " where Keras has " +
                std::to_string(expected.size()) + ": " + names.dump());
  }
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string what = which + " " + std::to_string(i) + " (" + names[i].as_string() + ")";
    require_same_form(what, actual[i], expected[i]);
    if (base_tolerance > 0 && recorded.is_unsettled(which, i)) continue;
    const Tolerance tolerance = base_tolerance > 0 ? recorded.tolerance(which, i, base_tolerance) : Tolerance{};
    largest = std::max(largest, require_near(what, variable_error(actual[i], expected[i]), tolerance));
  }
  return largest;
}

// Each prediction, evaluation, step and epoch begins with states of zeros: those of recurrent layers are not in files.

std::vector<Tensor> predict(const RecordedCase& recorded, const Model& model) {
  layers::reset_states(model);
  return model.predict_many(recorded.predicted_inputs(), {.verbose = 0});
}

double compare_predictions(const RecordedCase& recorded, const Model& model) {
  const std::vector<Tensor> actual = predict(recorded, model);
  const std::vector<Tensor> expected = recorded.arrays("prediction");
  if (actual.size() != expected.size()) throw Error("The number of outputs differs");
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string what = "output " + std::to_string(i);
    require_same_form(what, actual[i], expected[i]);
    largest = std::max(largest, require_near(what, output_error(actual[i], expected[i]),
                                             recorded.tolerance("prediction", i, output_tolerance)));
  }
  return largest;
}

/// Adds where the tensors among the arguments of a call come from: [layer, call, output] of each.
void add_histories(const Json& value, Json& histories) {
  if (value.is_array()) {
    for (const Json& entry : value) add_histories(entry, histories);
  } else if (value.is_object() && value.contains("class_name") && value["class_name"] == Json("__keras_tensor__")) {
    histories.push_back(value["config"]["keras_history"]);
  } else if (value.is_object()) {
    std::map<std::string, const Json*> sorted;
    for (const auto& [key, entry] : value.items()) sorted.emplace(key, &entry);
    for (const auto& [key, entry] : sorted) add_histories(*entry, histories);
  }
}

/// The layers of a model's configuration: name, class, the tensors of each call, and the layers of a nested model.
Json calls_of(const Json& config) {
  Json layers = Json::array();
  for (const Json& layer : config["layers"]) {
    const Json& layer_config = layer["config"];
    Json calls = Json::array();
    if (const Json* const nodes = layer.find("inbound_nodes")) {
      for (const Json& node : *nodes) {
        Json histories = Json::array();
        add_histories(node, histories);
        calls.push_back(std::move(histories));
      }
    }
    layers.push_back(Json::object({{"name", layer.contains("name") ? layer["name"] : layer_config["name"]},
                                   {"class_name", layer["class_name"]},
                                   {"calls", std::move(calls)},
                                   {"layers", layer_config.contains("layers") ? calls_of(layer_config) : Json()}}));
  }
  return layers;
}

/// The clone of a loaded model has the layers and calls of Keras's clone and, with the weights, Keras's predictions, unless
/// layers are to be adapted.
void compare_clone(const RecordedCase& recorded, const Model& model) {
  const Json& expected = recorded.description()["clone"];
  if (expected.is_null()) return;
  const Model clone = models::clone_model(model);
  const Json calls = calls_of(Json::parse(clone.to_json(), "clone")["config"]);
  if (calls.dump() != expected.dump()) {
    throw Error("The clone has the calls " + calls.dump() + " where Keras's has " + expected.dump());
  }
  clone.set_weights(model.get_weights());
  if (!recorded.is_random_in_inference() && !recorded.is_adapted()) compare_predictions(recorded, clone);
}

callbacks::Logs train_step(const RecordedCase& recorded, const Model& model, int step) {
  layers::reset_states(model);
  const RecordedCase::Batch batch = recorded.train_batch(step);
  return model.train_on_batch(batch.x, batch.y, {.sample_weight = batch.sample_weight});
}

callbacks::Logs evaluate(const RecordedCase& recorded, const Model& model) {
  layers::reset_states(model);
  const RecordedCase::Batch batch = recorded.evaluated();
  return model.evaluate(batch.x, batch.y,
                        {.batch_size = recorded.batch_size(), .verbose = 0, .sample_weight = batch.sample_weight});
}

/// tf.keras saves the name of a metric with the output's name as a prefix; Keras 3 adds this prefix again.
bool may_have_prefixes(const RecordedCase& recorded) {
  return recorded.description()["library"].as_string().starts_with("tf.keras");
}

/// Compares every entry that Keras had; metrics are counts of hits or like losses. Returns the error of the loss.
/// `format`: of the file that the model is from; `tolerance` returns the tolerance of the entry of a name.
double compare_logs(const RecordedCase& recorded, const std::string& format, const callbacks::Logs& actual,
                    const Json& expected, const std::string& where,
                    const std::function<Tolerance(const std::string& name)>& tolerance) {
  const bool may_have_prefix = may_have_prefixes(recorded);
  double loss = 0;
  const auto is_of_output = [](const std::string& name) { return name.ends_with("_loss"); };
  // The first versions of Keras 3 did not report the losses of single outputs.
  bool has_losses_of_outputs = false;
  for (const auto& [name, value] : expected.items()) has_losses_of_outputs |= is_of_output(name);
  for (const auto& [name, value] : actual) {
    const bool is_left_out = may_have_prefix || (!has_losses_of_outputs && is_of_output(name));
    if (!is_left_out && !expected.contains(name)) throw Error("Keras has no " + name + " of " + where);
  }
  for (const auto& [name, value] : expected.items()) {
    const std::string wanted = recorded.log_name(name, format);
    const std::string what = wanted + " of " + where;
    const auto it = std::find_if(actual.begin(), actual.end(), [&](const auto& entry) {
      return entry.first == wanted || (may_have_prefix && entry.first.ends_with("_" + wanted));
    });
    if (it == actual.end()) throw Error(what + " is missing");
    const double error = require_near(what, number_error(it->second, value.as_double()), tolerance(name));
    if (name == "loss") loss = error;
  }
  return loss;
}

void compare_evaluation(const RecordedCase& recorded, const std::string& format, const Model& model) {
  compare_logs(recorded, format, evaluate(recorded, model), recorded.evaluation(), "evaluate",
               [&](const std::string& name) { return recorded.evaluation_tolerance(name, loss_tolerance); });
}

void compare_training(const RecordedCase& recorded, const std::string& format, const Model& model, Json& measured) {
  double loss = 0;
  for (int step = 0; step < recorded.steps(); ++step) {
    const auto tolerance = [&](const std::string& name) { return recorded.log_tolerance(step, name, loss_tolerance); };
    loss = std::max(loss, compare_logs(recorded, format, train_step(recorded, model, step), recorded.logs(step),
                                       "step " + std::to_string(step), tolerance));
  }
  measured["loss"] = loss;
  double variable =
      compare_variables(recorded, "weights", model.get_weights(), recorded.arrays("weight_after"), variable_tolerance);
  if (recorded.has_optimizer_variables()) {
    variable =
        std::max(variable, compare_variables(recorded, "optimizer_variables", values_of(model.optimizer().variables()),
                                             recorded.arrays("optimizer_after"), variable_tolerance));
  }
  measured["variable"] = variable;
}

/// One epoch of `fit`, in the order of the samples.
void compare_fit(const RecordedCase& recorded, const std::string& format, const Model& model) {
  if (recorded.fitted().is_null()) return;
  layers::reset_states(model);
  const RecordedCase::Batch batch = recorded.evaluated();
  const callbacks::History history = model.fit(batch.x, batch.y,
                                               {.batch_size = recorded.batch_size(),
                                                .verbose = 0,
                                                .shuffle = false,
                                                .class_weight = recorded.class_weight(),
                                                .sample_weight = batch.sample_weight});
  callbacks::Logs logs;
  for (const auto& [name, values] : history.history) logs.set(name, values.front());
  compare_logs(recorded, format, logs, recorded.fitted(), "fit",
               [&](const std::string& name) { return recorded.fit_tolerance(name, loss_tolerance); });
}

/// All losses and metrics of a training with that file and seed.
std::vector<double> trained_with_seed(const RecordedCase& recorded, const std::string& format, std::uint64_t seed) {
  set_random_seed(seed);
  const Model model = load(recorded, format);
  std::vector<double> values;
  for (int step = 0; step < recorded.steps(); ++step) {
    const callbacks::Logs logs = train_step(recorded, model, step);
    for (const auto& [name, value] : logs) values.push_back(value);
  }
  return values;
}

/// Two models of one file, with one seed, have bitwise equal trainings; with another seed they differ, unless each
/// layer has its own seed.
void compare_with_itself(const RecordedCase& recorded, const std::string& format) {
  const std::vector<double> first = trained_with_seed(recorded, format, 1);
  if (!std::all_of(first.begin(), first.end(), [](double value) { return std::isfinite(value); })) {
    throw Error("A loss is not finite");
  }
  if (first != trained_with_seed(recorded, format, 1)) throw Error("Two trainings from one file and seed differ");
  if (recorded.draws().empty()) return;
  const bool differs = first != trained_with_seed(recorded, format, 2);
  if (recorded.is_unseeded() && !differs) throw Error("The losses are the same for every seed");
  if (!recorded.is_unseeded() && differs) throw Error("Layers with their own seed depend on that of the process");
}

/// Compares random results in training at learning rate 0 and, if calls had `training=True`, in inference: losses and
/// metrics must have the same distributions as Keras's.
void compare_draws(const RecordedCase& recorded, const std::string& format) {
  const std::map<std::string, std::vector<double>> expected = recorded.draws();
  if (expected.empty()) return;
  const std::size_t count = expected.begin()->second.size();
  set_random_seed(3);
  const Model model = load(recorded, format);
  model.optimizer().set_learning_rate(0.0);
  const RecordedCase::Batch batch = recorded.drawn_batch();
  const auto compare = [&](const std::string& mode, const std::function<callbacks::Logs()>& step) {
    std::map<std::string, std::vector<double>> actual;
    for (std::size_t i = 0; i < count; ++i) {
      const callbacks::Logs logs = step();
      for (const auto& [name, value] : logs) actual[name].push_back(value);
    }
    for (const auto& [name, values] : expected) {
      const std::string& wanted = name;
      auto it = actual.find(name);
      if (it == actual.end() && may_have_prefixes(recorded)) {
        it = std::find_if(actual.begin(), actual.end(),
                          [&](const auto& entry) { return entry.first.ends_with("_" + wanted); });
      }
      if (it == actual.end()) throw Error(name + " is missing");
      require_same_distribution(name + mode, it->second, values);
    }
  };
  if (recorded.is_random_in_inference()) {
    compare(" of test_on_batch",
            [&] { return model.test_on_batch(batch.x, batch.y, {.sample_weight = batch.sample_weight}); });
  }
  compare(" of train_on_batch",
          [&] { return model.train_on_batch(batch.x, batch.y, {.sample_weight = batch.sample_weight}); });
}

/// Two predictions of one input differ.
void require_random_predictions(const RecordedCase& recorded, const Model& model) {
  const auto values = [&] { return predict(recorded, model)[0].to_vector(); };
  if (values() == values()) throw Error("predict draws no random numbers although calls have training=True");
}

}  // namespace

const std::vector<std::string>& formats() {
  static const std::vector<std::string> all = {"keras", "h5", "weights.h5"};
  return all;
}

Json read_and_train(const RecordedCase& recorded, const std::string& format) {
  Model model;
  const Json reads = outcome([&](Json& measured) {
    model = load(recorded, format);
    compare_variables(recorded, "weights", model.get_weights(), recorded.arrays("weight"), 0);
    if (model.is_compiled() && recorded.has_optimizer_variables()) {
      compare_variables(recorded, "optimizer_variables", values_of(model.optimizer().variables()),
                        recorded.arrays("optimizer"), 0);
    }
    if (recorded.is_random_in_inference()) {
      require_random_predictions(recorded, model);
    } else {
      measured["prediction"] = compare_predictions(recorded, model);
      if (model.is_compiled()) compare_evaluation(recorded, format, model);
    }
    if (format == "keras") compare_clone(recorded, model);
  });
  Json trains;
  if (reads["ok"].as_bool() && model.is_compiled()) {
    trains = outcome([&](Json& measured) {
      if (recorded.is_random()) {
        compare_with_itself(recorded, format);
        compare_draws(recorded, format);
      } else {
        compare_training(recorded, format, model, measured);
        compare_fit(recorded, format, model);
      }
    });
  }
  return Json::object({{"reads", reads}, {"trains", trains}});
}

Json write(const RecordedCase& recorded, const std::filesystem::path& target) {
  Model model;
  const Json ready = outcome([&](Json&) {
    model = load(recorded, recorded.is_asked_for("keras") ? "keras" : "h5");
    const int half = recorded.is_random() ? 0 : recorded.steps() / 2;
    for (int step = 0; step < half; ++step) train_step(recorded, model, step);
    std::filesystem::create_directories(target);
    io::NamedTensors arrays;
    const auto add = [&](const std::string& role, const std::vector<Tensor>& tensors) {
      for (std::size_t i = 0; i < tensors.size(); ++i) arrays.emplace_back(role + std::to_string(i), tensors[i]);
    };
    add("prediction", predict(recorded, model));
    add("weight", model.get_weights());
    add("optimizer", values_of(model.optimizer().variables()));
    io::write_npz(target / "rhyton.npz", arrays);
    Json evaluation = Json::object();
    const callbacks::Logs logs = evaluate(recorded, model);
    for (const auto& [name, value] : logs) evaluation[name] = static_cast<double>(value);
    std::ofstream file(target / "evaluation.json");
    file << evaluation.dump(1) << '\n';
    if (!file.good()) throw IOError((target / "evaluation.json").string() + " cannot be written");
  });
  Json by_format = Json::object();
  for (const std::string& format : formats()) {
    if (!recorded.is_asked_for(format)) continue;
    by_format[format] = !ready["ok"].as_bool() ? ready : outcome([&](Json&) {
      const std::string file = (target / ("rhyton." + format)).string();
      if (format == "weights.h5") {
        model.save_weights(file);
      } else {
        model.save(file);
      }
    });
  }
  return by_format;
}

Json refuse(const RecordedCase& recorded, const std::string& format) {
  const Json reads = outcome([&](Json&) {
    const std::string file = recorded.file(format).string();
    try {
      load(recorded, format);
    } catch (const Error& error) {
      const std::string message = error.what();
      for (const std::string& word : {recorded.description()["refused_layer"].as_string(),
                                      recorded.description()["refused_class"].as_string(), file}) {
        if (message.find(word) == std::string::npos) {
          throw Error("The error does not name '" + word + "': " + message);
        }
      }
      return;
    }
    throw Error("The model was loaded, but must be refused");
  });
  return Json::object({{"reads", reads}, {"trains", nullptr}});
}

}  // namespace rhyton::interop

#include <rhyton/tests/keras_interop/rhyton_side.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/models/model.h>

#include <rhyton/tests/keras_interop/comparison.h>

namespace rhyton::interop {
namespace {

using io::Json;
using models::Model;

/// {"ok", "error"} and what `action` adds.
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
  // A file of weights fills a model that is there, with an optimizer where it is compiled.
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
                         const std::vector<Tensor>& expected, double tolerance) {
  const Json& names = recorded.description()[which];
  if (actual.size() != expected.size()) {
    throw Error("There are " + std::to_string(actual.size()) + " " + which + " where Keras has " +
                std::to_string(expected.size()) + ": " + names.dump());
  }
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string what = which + " " + std::to_string(i) + " (" + names[i].as_string() + ")";
    require_same_form(what, actual[i], expected[i]);
    if (tolerance > 0 && recorded.is_unsettled(which, i)) continue;
    const double error = variable_error(actual[i], expected[i]);
    require_near(what, error, tolerance);
    largest = std::max(largest, error);
  }
  return largest;
}

double compare_predictions(const RecordedCase& recorded, const Model& model) {
  const std::vector<Tensor> actual = model.predict_many(recorded.predicted_inputs(), {.verbose = 0});
  const std::vector<Tensor> expected = recorded.arrays("prediction");
  if (actual.size() != expected.size()) throw Error("The number of outputs differs");
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string what = "output " + std::to_string(i);
    require_same_form(what, actual[i], expected[i]);
    const double error = output_error(actual[i], expected[i]);
    require_near(what, error, output_tolerance);
    largest = std::max(largest, error);
  }
  return largest;
}

callbacks::Logs train_step(const RecordedCase& recorded, const Model& model, int step) {
  return model.train_on_batch(recorded.inputs(step), recorded.targets(step),
                              {.sample_weight = recorded.sample_weights(step)});
}

/// Every entry that Keras had in its logs. Metrics count hits or measure like losses.
double compare_logs(const RecordedCase& recorded, const callbacks::Logs& actual, int step) {
  // tf.keras puts the output's name before that of a metric and saves it so; Keras 3 puts it there once more.
  const bool may_have_prefix = recorded.description()["library"].as_string().starts_with("tf.keras");
  double largest = 0;
  for (const auto& [name, value] : recorded.logs(step).items()) {
    const std::string& wanted = name;
    const std::string what = name + " of step " + std::to_string(step);
    const auto it = std::find_if(actual.begin(), actual.end(), [&](const auto& entry) {
      return entry.first == wanted || (may_have_prefix && entry.first.ends_with("_" + wanted));
    });
    if (it == actual.end()) throw Error(what + " is missing");
    const double error = number_error(it->second, value.as_double());
    require_near(what, error, loss_tolerance);
    if (name == "loss") largest = std::max(largest, error);
  }
  return largest;
}

void compare_training(const RecordedCase& recorded, const Model& model, Json& measured) {
  double loss = 0;
  for (int step = 0; step < recorded.steps(); ++step) {
    loss = std::max(loss, compare_logs(recorded, train_step(recorded, model, step), step));
  }
  measured["loss"] = loss;
  measured["variable"] = std::max(
      compare_variables(recorded, "weights", model.get_weights(), recorded.arrays("weight_after"), variable_tolerance),
      compare_variables(recorded, "optimizer_variables", values_of(model.optimizer().variables()),
                        recorded.arrays("optimizer_after"), variable_tolerance));
}

/// What draws random numbers is compared with itself: two models of one file, and of one seed, train alike to the bit.
void compare_with_itself(const RecordedCase& recorded, const std::string& format) {
  const auto losses = [&] {
    set_random_seed(1);
    const Model model = load(recorded, format);
    std::vector<double> values;
    for (int step = 0; step < recorded.steps(); ++step) {
      const callbacks::Logs logs = train_step(recorded, model, step);
      for (const auto& [name, value] : logs) values.push_back(value);
    }
    return values;
  };
  const std::vector<double> first = losses();
  if (!std::all_of(first.begin(), first.end(), [](double value) { return std::isfinite(value); })) {
    throw Error("A loss is not finite");
  }
  if (first != losses()) throw Error("Two trainings from one file and seed differ");
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
    if (model.is_compiled()) {
      compare_variables(recorded, "optimizer_variables", values_of(model.optimizer().variables()),
                        recorded.arrays("optimizer"), 0);
    }
    measured["prediction"] = compare_predictions(recorded, model);
  });
  Json trains;
  if (reads["ok"].as_bool() && model.is_compiled()) {
    trains = outcome([&](Json& measured) {
      if (recorded.is_random()) {
        compare_with_itself(recorded, format);
      } else {
        compare_training(recorded, model, measured);
      }
    });
  }
  return Json::object({{"reads", reads}, {"trains", trains}});
}

Json write(const RecordedCase& recorded, const std::filesystem::path& target) {
  Model model;
  const Json ready = outcome([&](Json&) {
    model = load(recorded, "keras");
    const int half = recorded.is_random() ? 0 : recorded.steps() / 2;
    for (int step = 0; step < half; ++step) train_step(recorded, model, step);
    std::filesystem::create_directories(target);
    io::NamedTensors arrays;
    const auto add = [&](const std::string& role, const std::vector<Tensor>& tensors) {
      for (std::size_t i = 0; i < tensors.size(); ++i) arrays.emplace_back(role + std::to_string(i), tensors[i]);
    };
    add("prediction", model.predict_many(recorded.predicted_inputs(), {.verbose = 0}));
    add("weight", model.get_weights());
    add("optimizer", values_of(model.optimizer().variables()));
    io::write_npz(target / "rhyton.npz", arrays);
  });
  Json by_format = Json::object();
  for (const std::string& format : formats()) {
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
    throw Error("The model is loaded, and should be refused");
  });
  return Json::object({{"reads", reads}, {"trains", nullptr}});
}

}  // namespace rhyton::interop

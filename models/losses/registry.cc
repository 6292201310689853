// The strings and class names of losses in Keras.

#include <any>
#include <array>
#include <concepts>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/ctc.h>
#include <rhyton/models/losses/focal_crossentropy.h>
#include <rhyton/models/losses/function_loss.h>
#include <rhyton/models/losses/generalized_crossentropy.h>
#include <rhyton/models/losses/hinge.h>
#include <rhyton/models/losses/probabilistic.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/losses/segmentation.h>
#include <rhyton/models/losses/similarity.h>

namespace rhyton::losses {
namespace {

/// Lists all members of a loss's options: those that all losses have, then its own.
template <class Options, class Fields>
void visit_loss(Options& options, Fields& fields) {
  LossOptions::visit(options, fields);
  if constexpr (!std::same_as<std::remove_const_t<Options>, LossOptions>) Options::visit(options, fields);
}

template <class Options>
Options read_loss(const std::string& class_name, const io::Json& config) {
  ConfigReader reader("loss", class_name, config);
  Options options;
  visit_loss(options, reader);
  reader.finish();
  const io::Json* const reduction = config.find("reduction");
  if (reduction != nullptr && reduction->is_null()) options.reduction = "none";
  if (options.reduction == "auto") options.reduction = "sum_over_batch_size";  // the name in Keras 2
  return options;
}

template <class Handle, class Options>
Loss make(const std::string& class_name, const io::Json& config) {
  static_assert(sizeof(Handle) == sizeof(Loss), "a loss handle has no members of its own");
  return Handle(read_loss<Options>(class_name, config));
}

template <class Options>
OptionTable table(const std::string& class_name) {
  return option_table<Options>(class_name, [](const auto& options, auto& rows) { visit_loss(options, rows); });
}

/// What follows from the listing of a class's options.
struct Form {
  Loss (*from_config)(const std::string& class_name, const io::Json& config);
  OptionTable (*options)(const std::string& class_name);
};

template <class Handle, class Options = LossOptions>
constexpr Form form = {make<Handle, Options>, table<Options>};

struct Entry {
  std::string_view class_name;
  std::string_view function_name;
  std::array<std::string_view, 2> aliases;
  Form form;
  /// With the defaults of further arguments. Null for a loss that no string names.
  Tensor (*function)(const Tensor& y_true, const Tensor& y_pred);
  /// Whether a pointer points to the function with all of its arguments.
  bool (*is_function)(const std::any& pointer);

  /// Class indices keep their dtype.
  bool casts_labels() const { return function_name != "sparse_categorical_crossentropy"; }
};

const Entry entries[] = {
    {"MeanSquaredError",
     "mean_squared_error",
     {"mse", "MSE"},
     form<MeanSquaredError>,
     mean_squared_error,
     points_to<losses::mean_squared_error>},
    {"MeanAbsoluteError",
     "mean_absolute_error",
     {"mae", "MAE"},
     form<MeanAbsoluteError>,
     mean_absolute_error,
     points_to<losses::mean_absolute_error>},
    {"MeanAbsolutePercentageError",
     "mean_absolute_percentage_error",
     {"mape", "MAPE"},
     form<MeanAbsolutePercentageError>,
     mean_absolute_percentage_error,
     points_to<losses::mean_absolute_percentage_error>},
    {"MeanSquaredLogarithmicError",
     "mean_squared_logarithmic_error",
     {"msle", "MSLE"},
     form<MeanSquaredLogarithmicError>,
     mean_squared_logarithmic_error,
     points_to<losses::mean_squared_logarithmic_error>},
    {"LogCosh", "log_cosh", {"logcosh"}, form<LogCosh>, log_cosh, points_to<losses::log_cosh>},
    {"Huber",
     "huber",
     {},
     form<Huber, HuberOptions>,
     [](const Tensor& y, const Tensor& p) { return huber(y, p); },
     points_to<losses::huber>},
    {"CosineSimilarity",
     "cosine_similarity",
     {},
     form<CosineSimilarity, CosineSimilarityOptions>,
     [](const Tensor& y, const Tensor& p) { return cosine_similarity(y, p); },
     points_to<losses::cosine_similarity>},
    {"Hinge", "hinge", {}, form<Hinge>, hinge, points_to<losses::hinge>},
    {"SquaredHinge", "squared_hinge", {}, form<SquaredHinge>, squared_hinge, points_to<losses::squared_hinge>},
    {"CategoricalHinge",
     "categorical_hinge",
     {},
     form<CategoricalHinge>,
     categorical_hinge,
     points_to<losses::categorical_hinge>},
    {"KLDivergence",
     "kl_divergence",
     {"kld", "KLD"},
     form<KLDivergence>,
     kl_divergence,
     points_to<losses::kl_divergence>},
    {"Poisson", "poisson", {}, form<Poisson>, poisson, points_to<losses::poisson>},
    {"BinaryCrossentropy",
     "binary_crossentropy",
     {"bce", "BCE"},
     form<BinaryCrossentropy, BinaryCrossentropyOptions>,
     [](const Tensor& y, const Tensor& p) { return losses::binary_crossentropy(y, p); },
     points_to<losses::binary_crossentropy>},
    {"CategoricalCrossentropy",
     "categorical_crossentropy",
     {},
     form<CategoricalCrossentropy, CategoricalCrossentropyOptions>,
     [](const Tensor& y, const Tensor& p) { return losses::categorical_crossentropy(y, p); },
     points_to<losses::categorical_crossentropy>},
    {"SparseCategoricalCrossentropy",
     "sparse_categorical_crossentropy",
     {},
     form<SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions>,
     [](const Tensor& y, const Tensor& p) { return losses::sparse_categorical_crossentropy(y, p); },
     points_to<losses::sparse_categorical_crossentropy>},
    {"BinaryFocalCrossentropy",
     "binary_focal_crossentropy",
     {},
     form<BinaryFocalCrossentropy, BinaryFocalCrossentropyOptions>,
     [](const Tensor& y, const Tensor& p) { return binary_focal_crossentropy(y, p); },
     points_to<losses::binary_focal_crossentropy>},
    {"CategoricalFocalCrossentropy",
     "categorical_focal_crossentropy",
     {},
     form<CategoricalFocalCrossentropy, CategoricalFocalCrossentropyOptions>,
     [](const Tensor& y, const Tensor& p) { return categorical_focal_crossentropy(y, p); },
     points_to<losses::categorical_focal_crossentropy>},
    {"CategoricalGeneralizedCrossEntropy",
     "categorical_generalized_cross_entropy",
     {},
     form<CategoricalGeneralizedCrossEntropy, CategoricalGeneralizedCrossEntropyOptions>,
     nullptr,
     points_to<losses::categorical_generalized_cross_entropy>},
    {"Dice",
     "dice",
     {},
     form<Dice, DiceOptions>,
     [](const Tensor& y, const Tensor& p) { return dice(y, p); },
     points_to<losses::dice>},
    {"Tversky",
     "tversky",
     {},
     form<Tversky, TverskyOptions>,
     [](const Tensor& y, const Tensor& p) { return tversky(y, p); },
     points_to<losses::tversky>},
    {"Circle",
     "circle",
     {},
     form<Circle, CircleOptions>,
     [](const Tensor& y, const Tensor& p) { return circle(y, p); },
     points_to<losses::circle>},
    {"CTC", "ctc", {}, form<CTC>, ctc, points_to<losses::ctc>},
};

Loss from_config(const Entry& entry, const io::Json& config) {
  return entry.form.from_config(std::string(entry.class_name), config);
}

const Entry* find_entry(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.class_name == name) return &entry;
  }
  return nullptr;
}

const Entry* find_function_name(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.function_name == name || (!name.empty() && (entry.aliases[0] == name || entry.aliases[1] == name))) {
      return &entry;
    }
  }
  return nullptr;
}

/// "crossentropy" and "ce": the shapes select the loss, by the rule of "accuracy".
Tensor crossentropy_by_shape(const Tensor& y_true, const Tensor& y_pred) {
  const std::int64_t predicted = y_pred.rank() > 0 ? y_pred.shape().at(-1) : 0;
  const std::int64_t labelled = y_true.rank() > 0 ? y_true.shape().at(-1) : 0;
  if (predicted == 1) return losses::binary_crossentropy(y_true, y_pred);
  if (y_true.rank() < y_pred.rank() || (labelled == 1 && predicted > 1)) {
    return losses::sparse_categorical_crossentropy(y_true, y_pred);
  }
  return losses::categorical_crossentropy(y_true, y_pred);
}

bool is_crossentropy_by_shape(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "crossentropy" || lower == "ce";
}

/// Reads a function that was used as a loss in the form of Keras 2: {"fn": "mean_squared_error", "reduction": …,
/// "name": …}.
Loss from_function_wrapper(const io::Json& config) {
  const io::Json& function = config["fn"];
  const std::string name = function.is_object() ? function["config"].as_string() : function.as_string();
  auto options = read_loss<LossOptions>("LossFunctionWrapper", config);
  if (options.name.empty()) options.name = name;
  const Entry* const entry = find_function_name(name);
  if (entry == nullptr || entry->function == nullptr) return Loss(name);
  return make_loss<FunctionLoss>("LossFunctionWrapper", options, entry->function, io::Json::object(),
                                 entry->casts_labels());
}

}  // namespace

Loss find_named_loss(const std::string& identifier) {
  if (const auto factory = find_class<Loss>({}, identifier)) return factory(io::Json::object());
  const LossOptions options{.name = identifier};
  if (is_crossentropy_by_shape(identifier)) {
    return make_loss<FunctionLoss>("LossFunctionWrapper", options, crossentropy_by_shape, io::Json::object(), false);
  }
  const Entry* const of_class = find_entry(identifier);
  if (of_class != nullptr && of_class->function != nullptr) return from_config(*of_class, io::Json::object());
  const Entry* const entry = find_function_name(identifier);
  if (entry != nullptr && entry->function != nullptr) {
    return make_loss<FunctionLoss>("LossFunctionWrapper", options, entry->function, io::Json::object(),
                                   entry->casts_labels());
  }
  return {};
}

std::string function_name(const Loss& loss) {
  const Entry* const entry = find_function_name(loss.name());
  return entry == nullptr ? loss.name() : std::string(entry->function_name);
}

bool is_known_loss(const std::string& registered_name, const std::string& name) {
  return find_class<Loss>(registered_name, name) || is_crossentropy_by_shape(name) || find_entry(name) != nullptr ||
         find_function_name(name) != nullptr;
}

std::optional<NamedFunction> find_function(const std::any& pointer) {
  for (const Entry& entry : entries) {
    if (entry.function != nullptr && entry.is_function(pointer)) {
      return NamedFunction{std::string(entry.function_name), entry.function, entry.casts_labels()};
    }
  }
  return {};
}

std::optional<NamedFunction> find_function(const LossFunction& function) {
  const auto* const pointer = function.target<Tensor (*)(const Tensor&, const Tensor&)>();
  return pointer == nullptr ? std::nullopt : find_function(std::any(*pointer));
}

io::Json serialize(const Loss& loss) {
  if (loss.is_empty()) return {};
  if (!loss.impl()->identifier().empty()) return loss.impl()->identifier();
  if (loss.class_name() == "LossFunctionWrapper") {
    return io::Json::object(
        {{"module", "builtins"}, {"class_name", "function"}, {"config", loss.name()}, {"registered_name", "function"}});
  }
  if (find_entry(loss.class_name()) == nullptr) return custom_object<Loss>(loss.class_name(), loss.get_config());
  return io::Json::object({{"module", "keras.losses"},
                           {"class_name", loss.class_name()},
                           {"config", loss.get_config()},
                           {"registered_name", nullptr}});
}

Loss deserialize(const io::Json& serialized) {
  if (serialized.is_null()) return {};
  if (serialized.is_string()) return Loss(serialized.as_string());
  const std::string& class_name = serialized["class_name"].as_string();
  const io::Json& config = serialized["config"];
  if (class_name == "function") return Loss(config.as_string());
  if (const auto factory = find_class<Loss>(serialized.get_or("registered_name", ""), class_name))
    return factory(config);
  if (const Entry* entry = find_entry(class_name)) return from_config(*entry, config);
  if (class_name == "LossFunctionWrapper") return from_function_wrapper(config);
  throw TypeError("Could not locate class '" + class_name +
                  "'. Make sure custom classes are registered with `register_loss` before they are loaded. Full object "
                  "config: " +
                  serialized.dump());
}

void register_loss(const std::string& class_name, std::function<Loss(const io::Json& config)> factory,
                   const std::string& package) {
  register_class<Loss>(package, class_name, std::move(factory));
}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for (const Entry& entry : entries) tables.push_back(entry.form.options(std::string(entry.class_name)));
  return tables;
}

}  // namespace rhyton::losses

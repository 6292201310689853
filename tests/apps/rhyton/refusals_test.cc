// Models compiled with objects that the tool does not know, and models that it cannot load: the error messages.

#include <string>
#include <string_view>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RefusedModels : public RhytonTool {
 protected:
  void SetUp() override {
    io::write_npy(path("x.npy"), golden_array("dense", "next_x0"));
    io::write_npy(path("y.npy"), golden_array("dense", "next_y0"));
  }

  /// The golden model "dense" with a string of its config.json replaced; the string must be present.
  std::string changed(const std::string& name, const std::string& from, const std::string& to) const {
    return changed(golden("dense.keras"), name, from, to);
  }
  std::string changed(const std::string& file, const std::string& name, const std::string& from,
                      const std::string& to) const {
    io::ZipReader reader{std::filesystem::path(file)};
    io::ZipWriter writer{std::filesystem::path(path(name))};
    for (const io::ZipMember& member : reader.members()) {
      std::string content = reader.read_text(member.name);
      if (member.name == "config.json") {
        const std::size_t at = content.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in " << content;
        if (at != std::string::npos) content.replace(at, from.size(), to);
      }
      writer.add_stored(member.name, std::string_view(content));
    }
    writer.commit();
    return path(name);
  }
  /// Trained with an optimizer of a later Keras.
  std::string with_shampoo() const {
    const std::string config = models::load_model(golden("dense.keras")).optimizer().class_name();
    return changed("shampoo.keras", "\"class_name\": \"" + config + "\"", "\"class_name\": \"Shampoo\"");
  }
  /// With a custom metric.
  std::string with_sales() const { return changed("sales.keras", "[\"accuracy\"]", "[\"sales\"]"); }
  /// With a custom loss.
  std::string with_own_loss() const {
    return changed("own_loss.keras", "sparse_categorical_crossentropy", "own_crossentropy");
  }

  /// With arguments of the optimizer that cannot be read: of another type, unknown, of no permitted value.
  std::string with_strange_rate() const {
    return changed("rate.keras", "\"learning_rate\": ", "\"learning_rate\": \"slow\", \"unused\": ");
  }
  std::string with_strange_argument() const {
    return changed("argument.keras", "\"weight_decay\": null", "\"weight_decay\": null, \"momenta\": [1, 2]");
  }
  std::string with_strange_accumulation() const {
    return changed("accumulation.keras", "\"gradient_accumulation_steps\": null", "\"gradient_accumulation_steps\": 1");
  }

  std::string data() const { return " --input " + path("x.npy") + " --target " + path("y.npy"); }
  static models::Model load() { return models::load_model(golden("dense.keras")); }
};

TEST_F(RefusedModels, PredictAndPlotNeedNoTrainingConfiguration) {
  const Tensor expected = load().predict(golden_array("dense", "next_x0"), {.verbose = 0});
  for (const std::string& file : {with_shampoo(), with_sales(), with_own_loss()}) {
    output_of("predict " + file + " --input " + path("x.npy") + " --output " + path("p.npy"));
    expect_same_tensor(io::read_npy(path("p.npy")), expected, file);
    output_of("plot " + file + " --output " + path("p.svg"));
    EXPECT_THAT(content_of(path("p.svg")), HasSubstr("<svg"));
  }
}

TEST_F(RefusedModels, SummaryCountsWhatItCan) {
  const io::Json whole = json_of("summary " + golden("dense.keras"));
  for (const std::string& file : {with_shampoo(), with_sales()}) {
    const Outcome outcome = rhyton("summary --json " + file);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const io::Json summary = io::Json::parse(outcome.output);
    EXPECT_EQ(summary["trainable_params"], whole["trainable_params"]);
    EXPECT_EQ(summary["layers"], whole["layers"]);
    ASSERT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("rhyton: warning: The parameters of the optimizer are not counted: " + file));
  }
}

TEST_F(RefusedModels, ConvertLeavesOutWhatItDoesNotKnowAndSaysSo) {
  const Outcome outcome = rhyton("convert " + with_sales() + " " + path("out.keras"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors,
              AllOf(HasSubstr("The compile configuration of the model is omitted"), HasSubstr("'sales'")));
  const models::Model converted = models::load_model(path("out.keras"));
  EXPECT_FALSE(converted.is_compiled());
  const Tensor x = golden_array("dense", "next_x0");
  expect_same_tensor(converted.predict(x, {.verbose = 0}), load().predict(x, {.verbose = 0}));
}

TEST_F(RefusedModels, EvaluateNeedsNoOptimizer) {
  const io::Json expected = json_of("evaluate " + golden("dense.keras") + data());
  const Outcome outcome = rhyton("evaluate --json " + with_shampoo() + data());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(io::Json::parse(outcome.output), expected);
}

TEST_F(RefusedModels, EvaluateReadsNoArgumentsOfTheOptimizer) {
  const io::Json expected = json_of("evaluate " + golden("dense.keras") + data());
  for (const std::string& file : {with_strange_rate(), with_strange_argument(), with_strange_accumulation()}) {
    EXPECT_THROW(models::load_model(file), Error) << file;
    EXPECT_EQ(json_of("evaluate " + file + data()), expected);
    const std::string output = path("out.keras");
    expect_failure("train " + file + data() + " --output " + output, error, "The argument `optimizer` of `compile`");
    json_of("train " + file + data() + " --output " + output + " --optimizer adam");
    EXPECT_EQ(models::load_model(output).optimizer().class_name(), "Adam");
  }
  const std::string both = changed(with_strange_argument(), "both.keras", "[\"accuracy\"]", "[\"sales\"]");
  EXPECT_EQ(json_of("evaluate " + both + data() + " --metrics accuracy"), expected);
}

TEST_F(RefusedModels, OptionsReplaceWhatIsNotKnown) {
  expect_failure("evaluate " + with_sales() + data(), error,
                 "Could not locate the custom metric 'sales' (`metrics` of `compile`). Give --metrics to use others");
  expect_failure("evaluate " + with_own_loss() + data(), error, "Give --loss to use others");
  const std::string output = " --output " + path("out.keras");
  expect_failure("train " + with_shampoo() + data() + output, error,
                 "Rhyton has no optimizer 'Shampoo' (`optimizer` of `compile`), which Keras has. Give --optimizer to "
                 "use others");
  EXPECT_FALSE(std::filesystem::exists(path("out.keras")));
  const Outcome refused = rhyton("train " + with_own_loss() + data() + output);
  for (const char* const advice_for_programs : {"custom_objects", "register", "compile = false"}) {
    EXPECT_THAT(refused.errors, Not(HasSubstr(advice_for_programs)));
  }
  // Everything else in the file is kept: here the optimizer with its state.
  const io::Json history =
      json_of("train " + with_own_loss() + data() + output + " --no-shuffle --loss sparse_categorical_crossentropy");
  const models::Model expected = load();
  const models::History trained = expected.fit(golden_array("dense", "next_x0"), golden_array("dense", "next_y0"),
                                               {.verbose = 0, .shuffle = false});
  EXPECT_EQ(history["loss"], io::Json::array_from(trained.history.at("loss")));
  const models::Model saved = models::load_model(path("out.keras"));
  EXPECT_EQ(saved.optimizer().iterations().item(), expected.optimizer().iterations().item());
  const io::Json figures = json_of("evaluate " + with_sales() + data() + " --metrics accuracy");
  EXPECT_EQ(figures, json_of("evaluate " + golden("dense.keras") + data()));
  json_of("train " + with_shampoo() + data() + output + " --optimizer sgd");
  EXPECT_EQ(models::load_model(path("out.keras")).optimizer().class_name(), "SGD");
}

TEST_F(RefusedModels, UnknownLayersAreNamedAllAtOnceInTheWordsOfTheCommandLine) {
  const std::string one = changed("one.keras", "\"class_name\": \"Dense\"", "\"class_name\": \"LaterLayer\"");
  const std::string two = changed(one, "two.keras", "\"module\": \"keras.layers\", \"class_name\": \"Dense\"",
                                  "\"module\": \"shop.layers\", \"class_name\": \"Shelf\"");
  const std::string output = path("out.keras");
  for (const std::string& command :
       {"summary " + two, "predict " + two + " --json --input " + path("x.npy"), "plot " + two + " --output p.svg",
        "evaluate " + two + data(), "train " + two + data() + " --output " + output, "convert " + two + " " + output}) {
    expect_failure(command, error, two + ": Rhyton has no layer 'LaterLayer' (layer '");
    expect_failure(command, error, "Could not locate the custom layer 'Shelf' (layer '");
    expect_failure(command, error, "`rhyton inspect` still shows the contents of the file");
    for (const char* const advice_for_programs : {"custom_objects", "register_keras", "compile = false", "''"}) {
      EXPECT_THAT(rhyton(command).errors, Not(HasSubstr(advice_for_programs))) << command;
    }
  }
}

TEST_F(RefusedModels, AFileThatIsNoZipIsCalledThat) {
  put(path("text.keras"), "this is no archive");
  expect_failure("summary " + path("text.keras"), error, "is not a zip archive");
  expect_failure("inspect " + path("text.keras"), error, path("text.keras"));
  put(path("x.npz"), "this is no archive");
  expect_failure("predict " + golden("dense.keras") + " --json --input " + path("x.npz"), error,
                 "is not a zip archive");
}

}  // namespace
}  // namespace rhyton::test

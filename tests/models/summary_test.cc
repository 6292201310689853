#include <rhyton/models/summary.h>

#include <regex>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/sequential.h>
#include <rhyton/models/table.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::models {
namespace {

SummaryOptions options_of(const io::Json& arguments) {
  SummaryOptions options;
  if (const io::Json* length = arguments.find("line_length")) options.line_length = static_cast<int>(length->as_int());
  options.expand_nested = arguments.get_or("expand_nested", false);
  options.show_trainable = arguments.get_or("show_trainable", false);
  return options;
}

/// The optimizers of the cases whose model was trained for one step.
std::string optimizer_of(const std::string& name) {
  if (name == "trained_adam") return "adam";
  if (name == "trained_sgd") return "sgd";
  if (name == "trained_rmsprop_functional") return "rmsprop";
  return "";
}

TEST(Summary, IsThatOfKeras) {
  int compared = 0;
  for (const io::Json& entry : golden_cases("summary")) {
    if (entry["model"].is_null()) continue;
    const std::string name = entry["name"].as_string();
    SCOPED_TRACE(name);
    const Model model = model_from_json(entry["model"].dump());
    if (const std::string optimizer = optimizer_of(name); !optimizer.empty()) {
      model.compile({.optimizer = optimizer, .loss = "mse"});
      model.model_impl()->trainer().build_optimizer();
    } else if (name == "compiled_only") {
      model.compile({.optimizer = "adam", .loss = "mse"});
    }
    EXPECT_EQ(summary_text(model, options_of(entry["arguments"]), 80), entry["text"].as_string());
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

TEST(Summary, OfAnEmptyModel) {
  EXPECT_EQ(summary_text(Sequential({.name = "empty"})), golden_case("summary", "empty")["text"].as_string());
}

/// Without the row of Flatten, which only Keras has to build.
std::string without_flatten(std::string text) {
  const std::size_t row = text.find("│ flatten");
  return text.erase(row, text.find('\n', row) - row);
}

TEST(Summary, OfAnUnbuiltModel) {
  clear_session();
  const Sequential model({layers::Conv2D(32, {3, 3}), layers::MaxPooling2D({2, 2}), layers::Conv2D(64, {3, 3}),
                          layers::MaxPooling2D({2, 2}), layers::Conv2D(64, {3, 3}), layers::Flatten(),
                          layers::Dense(64), layers::Dense(10)});
  EXPECT_EQ(without_flatten(summary_text(model)),
            without_flatten(golden_case("summary", "unbuilt")["text"].as_string()));
}

TEST(Summary, GoesToPrintFnOrTheStandardOutput) {
  const Sequential model({.name = "empty"});
  std::string printed;
  model.summary({.print_fn = [&](const std::string& text) { printed = text; }});
  EXPECT_TRUE(printed.starts_with("Model: \"empty\"\n┏"));
  testing::internal::CaptureStdout();
  model.summary();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), printed);
}

TEST(Summary, ShowsARangeOfLayers) {
  const Model model = model_from_json(golden_case("summary", "mnist_cnn")["model"].dump());
  const std::string text = summary_text(model, {.layer_range = std::pair("max_pool.*", "conv2d_1")});
  EXPECT_EQ(text.find("conv2d (Conv2D)"), std::string::npos);
  EXPECT_NE(text.find("max_pooling2d (MaxPooling2D)"), std::string::npos);
  EXPECT_NE(text.find("conv2d_1 (Conv2D)"), std::string::npos);
  EXPECT_THROW(summary_text(model, {.layer_range = std::pair("x", "y")}), ValueError);
}

TEST(Summary, ShowsTheMemoryOfCompiledStepsOnDemand) {
  clear_session();
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string before = summary_text(model, {.show_memory = true});
  EXPECT_TRUE(before.ends_with("\n Arena: none, no step has been compiled yet\n")) << before;

  const Tensor x = Tensor::zeros({10, 4});
  const Tensor y = Tensor::zeros({10, 3});
  model.fit(x, y, {.batch_size = 8, .verbose = 0});
  model.predict(x, {.batch_size = 10, .verbose = 0});
  const std::string without = summary_text(model);
  const std::string with = summary_text(model, {.show_memory = true});
  ASSERT_TRUE(with.starts_with(without)) << "Keras's lines stay as they are";
  EXPECT_TRUE(
      std::regex_match(with.substr(without.size()), std::regex(R"( Arena: \d+\.\d\d K?B \(train_function, batch 8\)
 Arena: \d+\.\d\d K?B \(train_function, batch 2\)
 Arena: \d+\.\d\d K?B \(predict_function, batch 10\)
)"))) << with;
}

TEST(Summary, NeedsSomeWidth) {
  EXPECT_EQ(message_of<ValueError>([] { summary_text(Sequential({.name = "empty"}), {.line_length = 12}); }),
            "Insufficient console width to print summary.");
}

TEST(Summary, UsesAsManyPositionsAsThereAreColumns) {
  const Sequential model({.name = "empty"});
  EXPECT_EQ(summary_text(model, {.positions = {0.2, 0.5, 0.7, 1.0}}),
            summary_text(model, {.positions = {0.2, 0.5, 0.7}}));
  EXPECT_EQ(message_of<ValueError>([&] {
              summary_text(model, {.positions = {0.2, 0.5}});
            }),
            "`positions` must have 3 entries. Received 2.");
}

TEST(Table, HasTitlesAtTheBottomOfTheirRow) {
  using enum Table::Alignment;
  const Table table({{"a", left, 4}, {"two words", left, 5}}, 16);
  EXPECT_NE(table.text(80).find("┃      ┃ two   ┃\n┃ a    ┃ words ┃\n"), std::string::npos) << table.text(80);
}

TEST(Table, WrapsBetweenWordsAndCutsLongOnes) {
  EXPECT_EQ(wrap_text("left[0][0], right[0][0]", 17), (std::vector<std::string>{"left[0][0],", "right[0][0]"}));
  EXPECT_EQ(wrap_text("a concatenate[0][0]", 14), (std::vector<std::string>{"a", "concatenate[0…"}));
  EXPECT_EQ(wrap_text("", 5), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace rhyton::models

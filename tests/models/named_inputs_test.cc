// Models called and trained with dictionaries of tensors.

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using layers::Input;
using layers::SymbolicTensor;
using test::message_of;

/// body - title of a model whose inputs are a list; those of Keras are found by the names of their layers.
Model difference() {
  const SymbolicTensor title = Input({.shape = {1}, .name = "title"});
  const SymbolicTensor body = Input({.shape = {1}, .name = "body"});
  Model model({.inputs = {title, body}, .outputs = body - title});
  model.compile(standing_still());
  return model;
}

/// The same with a dictionary of inputs.
Model difference_of_dictionary() {
  const SymbolicTensor title = Input({.shape = {1}});
  const SymbolicTensor body = Input({.shape = {1}});
  Model model({.inputs = {{"title", title}, {"body", body}}, .outputs = body - title});
  model.compile(standing_still());
  return model;
}

const Tensor titles = column({1, 2});
const Tensor bodies = column({5, 9});

TEST(NamedInputs, OfCalls) {
  for (const Model& model : {difference(), difference_of_dictionary()}) {
    EXPECT_EQ(model({{"title", titles}, {"body", bodies}}).to_vector(), (std::vector<double>{4, 7}));
    EXPECT_EQ(model({{"body", bodies}, {"title", titles}}, {.training = true}).to_vector(),
              (std::vector<double>{4, 7}));
    const std::map<std::string, Tensor> inputs = {{"title", titles}, {"body", bodies}};
    EXPECT_EQ(model(inputs).to_vector(), (std::vector<double>{4, 7}));
    EXPECT_EQ(model.call_many({{"title", titles}, {"body", bodies}})[0].to_vector(), (std::vector<double>{4, 7}));
    // Keys of no input are ignored.
    EXPECT_EQ(model({{"title", titles}, {"body", bodies}, {"date", bodies}}).to_vector(), (std::vector<double>{4, 7}));
  }
}

TEST(NamedInputs, OfCallsOnSymbolicTensors) {
  const SymbolicTensor a = Input({.shape = {1}});
  const SymbolicTensor b = Input({.shape = {1}});
  const SymbolicTensor y = difference()({{"title", a}, {"body", b}});
  EXPECT_EQ(y.shape(), (Shape{-1, 1}));
  const Model outer({.inputs = {b, a}, .outputs = y});
  EXPECT_EQ(outer({bodies, titles}).to_vector(), (std::vector<double>{4, 7}));
  const SymbolicTensor same = difference_of_dictionary().call_many({{"title", a}, {"body", b}})[0];
  EXPECT_EQ(Model({.inputs = {b, a}, .outputs = same})({bodies, titles}).to_vector(), (std::vector<double>{4, 7}));
}

TEST(NamedInputs, OfPredictionsAndTraining) {
  for (const Model& model : {difference(), difference_of_dictionary()}) {
    const Tensor y = model.predict({{"title", titles}, {"body", bodies}}, {.verbose = 0});
    EXPECT_EQ(y.to_vector(), (std::vector<double>{4, 7}));
    const History history = model.fit({{"title", titles}, {"body", bodies}}, column({4, 6}), {.verbose = 0});
    EXPECT_EQ(history.history.at("loss")[0], 0.5);
  }
}

TEST(NamedInputs, MissingOnesAreNamedWithThoseGiven) {
  const std::string list =
      "Missing data for input \"title\". You passed a data dictionary with keys ['body', 'titel']. Expected the "
      "following keys: ['title', 'body']";
  const std::string dictionary =
      "Missing data for input \"title\". You passed a data dictionary with keys ['body', 'titel']. Expected the "
      "following keys: ['body', 'title']";
  for (const auto& [model, message] :
       {std::pair(difference(), list), std::pair(difference_of_dictionary(), dictionary)}) {
    EXPECT_EQ(message_of<ValueError>([&, &m = model] { m({{"titel", titles}, {"body", bodies}}); }), message);
    EXPECT_EQ(message_of<ValueError>([&, &m = model] { m.predict({{"titel", titles}, {"body", bodies}}); }), message);
    EXPECT_EQ(message_of<ValueError>([&, &m = model] {
                m.fit({{"titel", titles}, {"body", bodies}}, bodies);
              }),
              message);
  }
}

TEST(NamedInputs, DataOfNoInputAreNotUsedWithAWarning) {
  std::vector<std::string> warnings;
  const auto before = config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  const Model model = difference();
  const Tensor expected = model({{"title", titles}, {"body", bodies}});
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(model({{"title", titles}, {"body", bodies}, {"date", bodies}}).to_vector(), expected.to_vector());
  model.fit({{"title", titles}, {"body", bodies}, {"date", bodies}}, bodies, {.verbose = 0});
  config::set_warning_handler(before);
  const std::string message =
      "The structure of `inputs` doesn't match the expected structure. Expected the keys ['title', 'body']. Received "
      "the keys ['body', 'date', 'title']; the data of others are not used.";
  EXPECT_EQ(warnings, (std::vector<std::string>{message, message}));
}

TEST(NamedInputs, OfASequential) {
  const Sequential model({Input({.shape = {1}, .name = "title"}), layers::Dense(1, {.name = "d"})});
  EXPECT_EQ(model({{"title", titles}}).to_vector(), model(titles).to_vector());
  EXPECT_EQ(model.predict({{"title", titles}}, {.verbose = 0}).to_vector(), model(titles).to_vector());
  EXPECT_THROW(model({{"body", titles}}), ValueError);
  EXPECT_THROW(model.predict({{"body", titles}}), ValueError);
}

/// 100 a + 10 b + c of a model whose inputs are {"p": {"a": a, "b": b}, "q": c}, or [{"a": a, "b": b}, c].
Model digits(bool is_list) {
  const SymbolicTensor a = Input({.shape = {1}, .name = "a"});
  const SymbolicTensor b = Input({.shape = {1}, .name = "b"});
  const SymbolicTensor c = Input({.shape = {1}, .name = "c"});
  const layers::Argument pair = std::map<std::string, SymbolicTensor>{{"a", a}, {"b", b}};
  const layers::Argument inputs = is_list ? layers::Argument(layers::Argument::List{pair, c})
                                          : layers::Argument::dictionary({{"p", pair}, {"q", c}});
  Model model({.inputs = SymbolicTensors::nested(inputs), .outputs = a * 100.0 + b * 10.0 + c});
  model.compile(standing_still());
  return model;
}

// As Keras 3.15.1 takes dictionaries for models with nested ones: one by one, by their keys.
TEST(NamedInputs, OfANestedDictionaryAreTakenInTheOrderOfTheirKeys) {
  std::vector<std::string> warnings;
  const auto before = config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  const Model model = digits(false);
  const Tensor one = column({1});
  const Tensor two = column({2});
  const Tensor three = column({3});
  const auto expect = [&](const std::map<std::string, Tensor>& inputs, double result) {
    EXPECT_EQ(model(inputs).to_vector(), std::vector<double>{result});
    EXPECT_EQ(model.predict(inputs, {.verbose = 0}).to_vector(), std::vector<double>{result});
  };
  expect({{"c", three}, {"b", two}, {"a", one}}, 123);
  expect({{"x", one}, {"y", two}, {"z", three}}, 123);
  expect({{"a", one}, {"x", two}, {"c", three}}, 132);
  expect({{"a", one}, {"b", two}, {"c", three}, {"d", one}}, 123);
  model.fit({{"a", one}, {"b", two}, {"c", three}}, one, {.verbose = 0});
  config::set_warning_handler(before);
  ASSERT_EQ(warnings.size(), 9u);
  EXPECT_NE(warnings[0].find("The structure of `inputs` doesn't match the expected structure."), std::string::npos);
  EXPECT_THROW(model({{"a", one}, {"c", three}}), ValueError);
  EXPECT_THROW(model.predict({{"a", one}, {"c", three}}), ValueError);
}

TEST(NamedInputs, OfANestedListAreNoDictionary) {
  const Model model = digits(true);
  const Tensor x = column({1});
  EXPECT_EQ(model({x, x, x}).to_vector(), std::vector<double>{111});
  EXPECT_THROW(model({{"a", x}, {"b", x}, {"c", x}}), ValueError);
  EXPECT_THROW(model.predict({{"a", x}, {"b", x}, {"c", x}}), ValueError);
}

TEST(NamedTargets, OfOtherOutputsAreNamedWithThoseExpected) {
  const SymbolicTensor x = Input({.shape = {1}});
  const Model model({.inputs = x, .outputs = {layers::Dense(1, {.name = "p"})(x), layers::Dense(1, {.name = "d"})(x)}});
  model.compile({.optimizer = "sgd", .loss = {{"p", "mse"}, {"d", "mse"}}});
  const Tensor y = titles;
  EXPECT_EQ(message_of<ValueError>([&] {
              model.fit(titles, {{"p", y}, {"dd", y}});
            }),
            "y_true and y_pred have different structures.\ny_true: {'dd': '*', 'p': '*'}\ny_pred: {'p': '*', 'd': "
            "'*'}\n");
  EXPECT_THROW(model.fit(titles, {{"p", y}}), ValueError);
  EXPECT_THROW(model.fit(titles, {{"p", y}, {"d", y}, {"z", y}}), ValueError);
  EXPECT_EQ(message_of<ValueError>([&] {
              model.fit(titles, {{"p", y}, {"d", y}}, {.sample_weight = {{"p", y}, {"q", y}}});
            }),
            "You should provide one `sample_weight` array per output in `y`. The two structures did not match:\n- y: "
            "{'p': '*', 'd': '*'}\n- sample_weight: {'p': '*', 'q': '*'}\n");
}

}  // namespace
}  // namespace rhyton::models

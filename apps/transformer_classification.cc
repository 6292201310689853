// Reads in a sentence who won, with a Transformer encoder: "ben lost to anna", "in the final anna was not beaten by
// ben". The order of the words decides. Sentences of different lengths are padded with zeros, which Embedding masks.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

constexpr std::int64_t trained = 4000;  // sentences for training, the others for the test
constexpr std::int64_t samples = 5000;
constexpr std::int64_t longest = 12;  // words of a sentence
constexpr std::int64_t width = 32;
const std::vector<std::string> names = {"anna", "ben", "carl", "dora", "emma", "fred", "gina", "hugo"};

// A sentence like "yesterday ben lost to anna by one point".
std::string make_sentence(const std::string& winner, const std::string& loser, std::mt19937& random) {
  const auto pick = [&](const std::vector<std::string>& choices) { return choices[random() % choices.size()]; };
  const std::string result =
      pick({winner + " beat " + loser, winner + " won against " + loser, winner + " did not lose to " + loser,
            winner + " was not beaten by " + loser, loser + " lost to " + winner, loser + " was beaten by " + winner,
            loser + " did not beat " + winner, loser + " did not win against " + winner});
  return pick({"", "yesterday ", "in the final ", "after all "}) + result +
         pick({"", " again", " in the rain", " by one point"});
}

// [sentences, steps]: the integers of the words, which the table gets, and zeros behind them.
Tensor encode(const std::vector<std::string>& sentences, std::map<std::string, std::int32_t>& table,
              std::int64_t steps) {
  std::vector<std::int32_t> integers;
  for (const std::string& sentence : sentences) {
    std::istringstream words(sentence);
    const std::size_t end = integers.size() + static_cast<std::size_t>(steps);
    for (std::string word; words >> word;) {
      integers.push_back(table.try_emplace(word, static_cast<std::int32_t>(table.size() + 1)).first->second);
    }
    integers.resize(end);
  }
  return Tensor::from_data({static_cast<std::int64_t>(sentences.size()), steps}, integers);
}

// The embedding of each word plus sines and cosines of its position.
class TokenAndPositionEmbedding final : public layers::LayerImpl {
 public:
  explicit TokenAndPositionEmbedding(std::int64_t words)
      : LayerImpl({}), tokens_(track("tokens", layers::Embedding(words, width, {.mask_zero = true}))) {}
  std::string class_name() const override { return "TokenAndPositionEmbedding"; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor positions = arange(inputs[0].shape()[1], float32).reshape({-1, 1});
    const Tensor angles = positions * exp(arange(width / 2, float32) * (-2 * std::log(10000.0) / width));
    return {tokens_(inputs[0]) + concatenate({sin(angles), cos(angles)}, -1)};
  }
  bool supports_masking() const override { return true; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks) const override {
    return tokens_.impl()->compute_mask(inputs, masks);
  }

 private:
  layers::Embedding tokens_;
};

// Attention of each word to all words, and two dense layers, each with a residual connection.
class TransformerBlock final : public layers::LayerImpl {
 public:
  TransformerBlock() : LayerImpl({}) {}
  std::string class_name() const override { return "TransformerBlock"; }
  bool supports_masking() const override { return true; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = norm1_(inputs[0]);
    const Tensor y = inputs[0] + attention_(x, {.args = {x}});
    return {y + contract_(expand_(norm2_(y)))};
  }

 private:
  layers::LayerNormalization norm1_ = track("norm1", layers::LayerNormalization());
  layers::MultiHeadAttention attention_ = track("attention", layers::MultiHeadAttention(4, width / 4));
  layers::LayerNormalization norm2_ = track("norm2", layers::LayerNormalization());
  layers::Dense expand_ = track("expand", layers::Dense(2 * width, {.activation = "relu"}));
  layers::Dense contract_ = track("contract", layers::Dense(width));
};

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  CLI::App app("Learns to read in sentences who won.");
  app.add_option("--seed", seed, "Of the sentences and the initial weights")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  set_random_seed(seed);
  // No sentence occurs twice: none of the tests is one of those trained with.
  std::mt19937 random(seed);
  std::set<std::string> known;
  std::vector<std::string> sentences;
  std::vector<std::int32_t> winners;
  while (sentences.size() < samples) {
    const std::size_t winner = random() % names.size();
    const std::size_t loser = (winner + 1 + random() % (names.size() - 1)) % names.size();
    const std::string sentence = make_sentence(names[winner], names[loser], random);
    if (!known.insert(sentence).second) continue;
    sentences.push_back(sentence);
    winners.push_back(static_cast<std::int32_t>(winner));
  }
  std::map<std::string, std::int32_t> table;
  const Tensor x = encode(sentences, table, longest);
  const Tensor y = Tensor::from_data({samples}, winners);
  const auto train = [&](const std::string& name, const models::Model& model) {
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.005}),
                   .loss = "sparse_categorical_crossentropy",
                   .metrics = {"accuracy"}});
    model.fit(x.slice(0, trained), y.slice(0, trained), {.batch_size = 64, .epochs = 10, .verbose = 2});
    const auto logs = model.evaluate(x.slice(trained, samples), y.slice(trained, samples), {.verbose = 0});
    std::cout << "accuracy by " << name << ": " << logs.at("accuracy") << "\n";
  };
  const auto words = static_cast<std::int64_t>(table.size() + 1);
  const models::Sequential unordered({layers::Input({.shape = {-1}, .dtype = "int32"}),
                                      layers::Embedding(words, width, {.mask_zero = true}),
                                      layers::GlobalAveragePooling1D(), layers::Dense(64, {.activation = "relu"}),
                                      layers::Dense(names.size(), {.activation = "softmax"})});
  const models::Sequential transformer(
      {layers::Input({.shape = {-1}, .dtype = "int32"}), layers::make_layer<TokenAndPositionEmbedding>(words),
       layers::make_layer<TransformerBlock>(), layers::make_layer<TransformerBlock>(), layers::GlobalAveragePooling1D(),
       layers::Dense(names.size(), {.activation = "softmax"})});
  train("the mean of the words", unordered);
  train("Transformer", transformer);
  const std::vector<std::string> examples = {"anna beat ben", "ben beat anna",
                                             "in the final ben was not beaten by anna"};
  const Tensor probabilities = transformer.predict(encode(examples, table, longest), {.verbose = 0});
  const std::vector<double> best = argmax(probabilities, -1).to_vector();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    std::cout << "\"" << examples[i] << "\": " << names[static_cast<std::size_t>(best[i])] << " won\n";
  }
  const Tensor padded = transformer.predict(encode(examples, table, 4 * longest), {.verbose = 0});
  std::cout << "more padding changes the predictions by " << max(abs(padded - probabilities)).item() << "\n";
}

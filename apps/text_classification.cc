// Classifies sentences as praise or blame. The order of the words decides, so that an LSTM learns what the mean of the
// words does not tell. Sentences of different lengths are padded with zeros, which Embedding masks.

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

constexpr std::int64_t trained = 3000;  // sentences for training, the others for the test
constexpr std::int64_t samples = 4000;
constexpr std::int64_t longest = 13;  // words of a sentence

// A sentence like "although the cast was bad the film was not boring": the main clause decides, and "not" reverses it.
std::string make_sentence(bool is_praise, std::mt19937& random) {
  const auto pick = [&](const std::vector<std::string>& choices) { return choices[random() % choices.size()]; };
  const auto clause = [&](bool praises) {
    const std::string subject = pick({"film", "plot", "cast", "music", "ending"});
    const std::string negation = pick({"", "not "});
    const std::string degree = pick({"", "very ", "really "});
    const std::string adjective = praises == negation.empty() ? pick({"good", "great", "moving", "funny"})
                                                              : pick({"bad", "boring", "weak", "silly"});
    return "the " + subject + " was " + negation + degree + adjective;
  };
  const std::string main = clause(is_praise);
  const std::string other = clause(random() % 2 == 0);
  return pick({main, other + " but " + main, main + " although " + other, "although " + other + " " + main});
}

// Integers for words: 0 is the padding, 1 stands for all words that are not in the table.
using WordTable = std::map<std::string, std::int32_t>;

WordTable number_words(const std::vector<std::string>& sentences) {
  WordTable table;
  for (const std::string& sentence : sentences) {
    std::istringstream words(sentence);
    for (std::string word; words >> word;) table.try_emplace(word, static_cast<std::int32_t>(table.size() + 2));
  }
  return table;
}

// [sentences, steps]: the integers of the words, and zeros behind them.
Tensor encode(const std::vector<std::string>& sentences, const WordTable& table, std::int64_t steps) {
  std::vector<std::int32_t> integers;
  for (const std::string& sentence : sentences) {
    std::istringstream words(sentence);
    const std::size_t end = integers.size() + static_cast<std::size_t>(steps);
    for (std::string word; words >> word && integers.size() < end;) {
      const auto entry = table.find(word);
      integers.push_back(entry == table.end() ? 1 : entry->second);
    }
    integers.resize(end);
  }
  return Tensor::from_data({static_cast<std::int64_t>(sentences.size()), steps}, integers);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  CLI::App app("Learns whether sentences praise or blame.");
  app.add_option("--seed", seed, "Of the sentences and the initial weights")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  set_random_seed(seed);

  // No sentence occurs twice: none of the tests is one of those trained with.
  std::mt19937 random(seed);
  std::set<std::string> known;
  std::vector<std::string> sentences;
  std::vector<float> labels;
  while (labels.size() < samples) {
    const bool is_praise = random() % 2 == 0;
    const std::string sentence = make_sentence(is_praise, random);
    if (!known.insert(sentence).second) continue;
    sentences.push_back(sentence);
    labels.push_back(is_praise ? 1.0F : 0.0F);
  }
  const WordTable table = number_words({sentences.begin(), sentences.begin() + trained});
  const Tensor x = encode(sentences, table, longest);
  const Tensor y = Tensor::from_data({samples, 1}, labels);
  const auto words = static_cast<std::int64_t>(table.size() + 2);
  const auto train = [&](const std::string& name, const models::Sequential& model) {
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                   .loss = "binary_crossentropy",
                   .metrics = {"accuracy"}});
    model.fit(x.slice(0, trained), y.slice(0, trained), {.batch_size = 64, .epochs = 8, .verbose = 2});
    const auto logs = model.evaluate(x.slice(trained, samples), y.slice(trained, samples), {.verbose = 0});
    std::cout << "accuracy by " << name << ": " << logs.at("accuracy") << "\n";
  };
  const models::Sequential unordered({layers::Input({.shape = {-1}, .dtype = "int32"}),
                                      layers::Embedding(words, 16, {.mask_zero = true}),
                                      layers::GlobalAveragePooling1D(), layers::Dense(1, {.activation = "sigmoid"})});
  const models::Sequential ordered({layers::Input({.shape = {-1}, .dtype = "int32"}),
                                    layers::Embedding(words, 16, {.mask_zero = true}), layers::LSTM(32),
                                    layers::Dense(1, {.activation = "sigmoid"})});
  train("the mean of the words", unordered);
  train("LSTM", ordered);

  const std::vector<std::string> examples = {"the plot was not good", "the plot was not good but the cast was great",
                                             "the plot was good although the cast was not great"};
  const Tensor praise = ordered.predict(encode(examples, table, longest), {.verbose = 0});
  for (std::size_t i = 0; i < examples.size(); ++i) {
    std::cout << "\"" << examples[i] << "\" is praise by " << praise.elements<float>()[i] << "\n";
  }
  const Tensor padded = ordered.predict(encode(examples, table, 4 * longest), {.verbose = 0});
  std::cout << "more padding changes the predictions by " << max(abs(padded - praise)).item() << "\n";
}

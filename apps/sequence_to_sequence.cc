// Translates dates in words into ISO 8601, "march 3, 1998" into "1998-03-03", character by character: an encoder LSTM
// hands its states over to a decoder LSTM.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

constexpr std::int64_t trained = 12000;  // dates for training, the others for the test
constexpr std::int64_t samples = 12500;
// A character's integer is its index: 0 is the padding, '>' begins each translation.
constexpr std::string_view characters = "_>0123456789-, abcdefghijklmnopqrstuvwxyz";

struct Dates {
  std::vector<std::string> words;
  std::vector<std::string> iso;
};

// Adds a day, in one of four formats in words.
void add(Dates& dates, const std::chrono::year_month_day& date) {
  const std::vector<std::string> names = {"january", "february", "march",     "april",   "may",      "june",
                                          "july",    "august",   "september", "october", "november", "december"};
  const std::string& name = names[static_cast<unsigned>(date.month()) - 1];
  const std::string month = std::to_string(static_cast<unsigned>(date.month()));
  const std::string day = std::to_string(static_cast<unsigned>(date.day()));
  const std::string year = std::to_string(static_cast<int>(date.year()));
  const std::vector formats = {name + " " + day + ", " + year, day + " " + name + " " + year,
                               name.substr(0, 3) + " " + day + " " + year, day + " of " + name + ", " + year};
  dates.words.push_back(formats[dates.words.size() % formats.size()]);
  dates.iso.push_back(">" + year + (month.size() < 2 ? "-0" : "-") + month + (day.size() < 2 ? "-0" : "-") + day);
}

// [texts, steps]: the integers of the characters, and zeros behind them.
Tensor encode(const std::vector<std::string>& texts, std::int64_t steps) {
  Tensor integers = Tensor::zeros({static_cast<std::int64_t>(texts.size()), steps}, int32);
  std::int32_t* row = integers.mutable_data<std::int32_t>();
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < text.size(); ++i) row[i] = static_cast<std::int32_t>(characters.find(text[i]));
    row += steps;
  }
  return integers;
}

// Character by character: the most probable one is the decoder's next input.
std::vector<std::string> translate(const models::Model& encoder, const models::Model& decoder, const Tensor& words) {
  std::vector<std::string> iso(static_cast<std::size_t>(words.shape()[0]), ">");
  std::vector<Tensor> states = encoder.predict_on_batch(words);
  Tensor last = encode(iso, 1);
  for (int step = 0; step < 10; ++step) {
    const std::vector<Tensor> outputs = decoder.predict_on_batch({last, states[0], states[1]});
    last = argmax(outputs[0], -1).cast(int32);
    states = {outputs[1], outputs[2]};
    for (std::size_t i = 0; i < iso.size(); ++i) iso[i] += characters[last.elements<std::int32_t>()[i]];
  }
  return iso;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  CLI::App app("Translates dates in words into ISO 8601.");
  app.add_option("--seed", seed, "Of the order of the dates and the initial weights")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  set_random_seed(seed);

  // The days of a hundred years in random order: no day of the tests is one of those trained with.
  std::vector<std::chrono::sys_days> days(36525);
  std::iota(days.begin(), days.end(), std::chrono::sys_days(std::chrono::year(1950) / 1 / 1));
  std::shuffle(days.begin(), days.end(), std::mt19937(seed));
  Dates dates;
  for (std::size_t i = 0; i < samples; ++i) add(dates, days[i]);
  const Tensor words = encode(dates.words, 21);  // the longest: "30 of september, 1998"
  const Tensor iso = encode(dates.iso, 11);      // ">1998-03-03"

  // Words, and the characters before each -> the probabilities of each character.
  const auto count = static_cast<std::int64_t>(characters.size());
  const layers::Embedding embed(count, 32, {.mask_zero = true});
  const layers::LSTM encoder(128, {.return_state = true});
  const layers::LSTM decoder(128, {.return_sequences = true, .return_state = true});
  const layers::Dense next(count, {.activation = "softmax"});
  const layers::Input source({.shape = {-1}, .dtype = "int32"});
  const layers::Input before({.shape = {-1}, .dtype = "int32"});
  const auto encoded = encoder.call_many({embed(source)});  // output, h, c
  const auto decoded = decoder.call_many({embed(before)}, {.kwargs = {{"initial_state", {encoded[1], encoded[2]}}}});
  const models::Model model({.inputs = {source, before}, .outputs = next(decoded[0])});
  const optimizers::schedules::CosineDecay learning_rate(0.004, 8 * trained / 64.0);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = learning_rate}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  model.fit({words.slice(0, trained), iso[{Slice(0, trained), Slice(0, -1)}]}, iso[{Slice(0, trained), Slice(1, {})}],
            {.batch_size = 64, .epochs = 8, .verbose = 2});

  // The same layers, for one character after the other: the states are inputs and outputs.
  const models::Model encoder_model({.inputs = source, .outputs = {encoded[1], encoded[2]}});
  const layers::Input h({.shape = {128}});
  const layers::Input c({.shape = {128}});
  const auto step = decoder.call_many({embed(before)}, {.kwargs = {{"initial_state", {h, c}}}});
  const models::Model decoder_model({.inputs = {before, h, c}, .outputs = {next(step[0]), step[1], step[2]}});
  const std::vector<std::string> result = translate(encoder_model, decoder_model, words.slice(trained, samples));
  int correct = 0;
  for (std::size_t i = 0; i < result.size(); ++i) correct += result[i] == dates.iso[trained + i];
  std::cout << dates.words[trained] << " is " << result[0].substr(1) << "\n";
  std::cout << "correct: " << correct << " of " << result.size() << "\n";
}

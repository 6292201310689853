// Learns a text character by character and writes more of it: a Transformer decoder with rotary positions. The verb of
// a sentence agrees with its first noun, which is too far away for a table of what follows a few characters.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/apps/decoder_block.h>
#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

constexpr std::size_t steps = 128;                                         // the characters that the model sees at most
constexpr std::string_view characters = "\n .abcdefghijklmnopqrstuvwxyz";  // a character's integer is its index

// "the dogs near the car sleep."
std::string make_sentence(std::mt19937& random) {
  const auto pick = [&](const std::vector<std::string>& choices) { return choices[random() % choices.size()]; };
  const auto noun = [&] { return pick({"the dog", "the cat", "the car", "the bird"}); };
  const std::string place = pick({" near ", " behind ", " with "}) + noun() + pick({"", "s"});
  const std::string verb = pick({" sleep", " wait", " fall"});
  return noun() + (random() % 2 == 0 ? "s" + place + verb : place + verb + "s") + ".";
}

Tensor encode(std::string_view text) {
  std::vector<std::int32_t> integers;
  for (const char character : text) integers.push_back(static_cast<std::int32_t>(characters.find(character)));
  return Tensor::from_data({1, static_cast<std::int64_t>(text.size())}, integers);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  int epochs = 12;
  double temperature = 0.7;
  std::int64_t k = 5;
  CLI::App app("Learns a text and writes more of it.");
  app.add_option("--seed", seed, "Of the text, the initial weights and the choices")->capture_default_str();
  app.add_option("--epochs", epochs, "How often to go through the text")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--temperature", temperature, "Below 1 it prefers what is probable")->capture_default_str();
  app.add_option("--top-k", k, "Choose among that many characters")->capture_default_str()->check(CLI::Range(1, 29));
  CLI11_PARSE(app, argc, argv);
  set_random_seed(seed);
  std::mt19937 random(seed);
  std::string text = "\n";
  std::set<std::string> right;  // practically all sentences of the language occur in the text
  for (int i = 0; i < 6000; ++i) text += *right.insert(make_sentence(random)).first + "\n";

  const layers::Embedding embed(characters.size(), 64);
  const std::vector<layers::Layer> blocks = {layers::make_layer<apps::DecoderBlock>(64, 4, steps),
                                             layers::make_layer<apps::DecoderBlock>(64, 4, steps)};
  const layers::LayerNormalization norm;
  const layers::Dense project(characters.size());
  const layers::Input before({.shape = {-1}, .dtype = "int32"});
  const models::Model model({.inputs = before, .outputs = project(norm(blocks[1](blocks[0](embed(before)))))});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.003}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const auto end = static_cast<std::int64_t>((text.size() - 1) / steps * steps);
  const Tensor integers = encode(text)[0];
  model.fit(integers.slice(0, end).reshape({-1, std::int64_t{steps}}),
            integers.slice(1, end + 1).reshape({-1, std::int64_t{steps}}),
            {.batch_size = 32, .epochs = epochs, .verbose = 2});

  // The same layers for one character, with the keys and values of those before it in the cache.
  const layers::Input last({.shape = {1}, .batch_size = 1, .dtype = "int32"});
  const layers::Input position({.shape = Shape{}, .batch_size = 1, .dtype = "int32"});
  const layers::CallOptions there = {.args = {position}};
  const models::Model step(
      {.inputs = {last, position}, .outputs = project(norm(blocks[1](blocks[0](embed(last), there), there)))});

  const auto sample = [&](const Tensor& logits, std::int64_t of_most_probable) {
    const TopK likely = top_k(logits, of_most_probable);
    const Tensor probabilities = softmax(likely.values / temperature);
    const std::span<const float> weights = probabilities.elements<float>();
    const std::size_t choice = std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random);
    return characters[static_cast<std::size_t>(likely.indices.elements<std::int32_t>()[choice])];
  };
  const auto logits_after = [&](const std::string& written) {
    const auto at = static_cast<std::int64_t>(written.size()) - 1;
    return step.predict_on_batch({encode({&written.back(), 1}), Tensor::full({1}, at, int32)})[0];
  };
  // Texts of `steps` characters, and the share of their sentences that are right.
  const auto write = [&](int texts, const auto& next) {
    std::string all;
    for (int i = 0; i < texts; ++i) {
      std::string written = "\n";
      while (written.size() < steps) written += next(written);
      all += written.substr(1, written.rfind('\n'));
    }
    return all;
  };
  const auto share_of_right = [&](const std::string& written) {
    std::istringstream lines(written);
    int all = 0, of_right = 0;
    for (std::string line; std::getline(lines, line); ++all) of_right += right.contains(line) ? 1 : 0;
    return of_right / static_cast<double>(all);
  };

  const auto greedy = [&](const std::string& written) { return sample(logits_after(written), 1); };
  const auto greedy_without_cache = [&](const std::string& written) {
    return sample(model.predict_on_batch(encode(written))[0][{0, -1}], 1);
  };
  // The naive way: one of the characters that followed the last six in the text.
  std::map<std::string, std::string> followers;
  const auto end_of = [](std::string_view all) {
    return std::string(all.substr(std::max<std::size_t>(all.size(), 6) - 6));
  };
  for (std::size_t i = 1; i < text.size(); ++i) followers[end_of({text.data(), i})] += text[i];
  const auto look_up = [&](const std::string& written) {
    const std::string& all = followers.at(end_of(written));
    return all[random() % all.size()];
  };
  const auto start = std::chrono::steady_clock::now();
  const std::string sampled = write(50, [&](const std::string& written) { return sample(logits_after(written), k); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << sampled.substr(0, steps) << "\ncharacters per second: " << static_cast<int>(50 * steps / seconds.count())
            << "\nright sentences of the Transformer: " << share_of_right(sampled)
            << "\nright sentences of a table of what follows six characters: " << share_of_right(write(50, look_up))
            << "\nthe same most probable text without the cache: "
            << (write(1, greedy) == write(1, greedy_without_cache) ? "yes" : "no") << "\n";
}

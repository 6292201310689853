// resuming_training LOG RESULT [BACKUP_DIR SAVE_FREQ]
//
// Trains a small model with all kinds of state. Adds a line per epoch to LOG, with all bits of its values, and at the
// end writes weights, optimizer and History to RESULT. A byte is written to the standard output after every step, so
// that the test can follow the progress.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

/// The bits of a number, as text.
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

class Reporter final : public callbacks::CallbackImpl {
 public:
  explicit Reporter(const std::string& log) : log_(log, std::ios::app) {}

  void on_train_batch_end(callbacks::TrainingControl&, std::int64_t, callbacks::Logs&) override {
    std::putchar('.');
    std::fflush(stdout);
  }
  void on_epoch_end(callbacks::TrainingControl&, int epoch, callbacks::Logs& logs) override {
    std::ostringstream line;
    line << epoch;
    for (const auto& [name, value] : logs) line << " " << name << "=" << std::hex << bits(value) << std::dec;
    log_ << line.str() + "\n" << std::flush;
  }

 private:
  std::ofstream log_;
};

Tensor numbers(const Shape& shape, std::uint64_t seed) {
  return random_uniform(shape, seed, std::int64_t{0}, -1.0, 1.0);
}

models::Sequential small_model() {
  models::Sequential model({
      layers::Input({.shape = {6}}),
      layers::Dense(16, {.activation = "relu"}),
      layers::Dropout(0.25),
      layers::BatchNormalization(),
      layers::Dense(8, {.activation = "tanh"}),
      layers::Dropout(0.1),
      layers::Dense(1),
  });
  const optimizers::schedules::ExponentialDecay rate(0.02, 20, 0.9);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = rate}), .loss = "mse", .metrics = {"mae"}});
  return model;
}

void train(const std::vector<std::string>& arguments) {
  set_random_seed(11);
  const models::Sequential model = small_model();
  const Tensor x = numbers({230, 6}, 1);
  const Tensor y = numbers({230, 1}, 2);
  std::vector<callbacks::Callback> callbacks = {
      callbacks::EarlyStopping({.monitor = "val_loss", .patience = 3, .restore_best_weights = true}),
      callbacks::make_callback<Reporter>(arguments[0])};
  if (arguments.size() > 2) {
    const callbacks::Frequency frequency =
        arguments[3] == "epoch" ? callbacks::Frequency("epoch") : callbacks::Frequency(std::stoi(arguments[3]));
    callbacks.insert(callbacks.begin(),
                     callbacks::BackupAndRestore(arguments[2], {.save_freq = frequency, .double_checkpoint = true}));
  }
  const models::History history =
      model.fit(x, y, {.batch_size = 8, .epochs = 8, .verbose = 0, .callbacks = callbacks, .validation_split = 0.2});
  std::ofstream result(arguments[1]);
  result << std::hex;
  std::vector<Variable> variables = model.weights();
  for (const Variable& variable : model.optimizer().variables()) variables.push_back(variable);
  for (const Variable& variable : variables) {
    result << variable.name();
    for (const double value : variable.value().to_vector()) result << " " << bits(value);
    result << "\n";
  }
  result << "next seed " << context().next_seed() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train({argv + 1, argv + argc});
    return 0;
  } catch (const KeyboardInterrupt&) {
    return 130;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}

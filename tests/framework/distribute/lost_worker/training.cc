// A training with several processes that can be interrupted: run by run_training.py under mpirun.
//   distribute_training FOLDER EPOCHS MILLISECONDS_PER_STEP

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

/// Makes steps long enough to be interrupted, and prints the progress of the training.
callbacks::Callback slow_steps(int milliseconds, bool is_chief) {
  return callbacks::LambdaCallback({.on_epoch_begin =
                                        [is_chief](int epoch, callbacks::Logs&) {
                                          if (is_chief) std::cout << "epoch " << epoch << " begins\n" << std::flush;
                                        },
                                    .on_train_batch_end =
                                        [milliseconds](std::int64_t, callbacks::Logs&) {
                                          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
                                        }});
}

void train(const std::string& folder, int epochs, int milliseconds) {
  set_random_seed(7);
  const distribute::MultiWorkerMirroredStrategy strategy;
  std::cout << fmt::format("rank {} is process {}\n", strategy.worker_index(), getpid()) << std::flush;
  const auto scope = strategy.scope();
  models::Sequential model({layers::Input({.shape = {12}}), layers::Dense(16, {.activation = "relu"}),
                            layers::Dropout(0.2), layers::Dense(3)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  const callbacks::LambdaCallback interruption({.on_train_interrupted = [&](callbacks::Logs&) {
    std::cout << fmt::format("rank {} is interrupted after {} steps\n", strategy.worker_index(),
                             model.optimizer().iterations().item())
              << std::flush;
  }});
  const models::History history =
      model.fit(random_normal({90, 12}, 1, 0), random_normal({90, 3}, 2, 0),
                {.batch_size = 16,
                 .epochs = epochs,
                 .verbose = 0,
                 .callbacks = {callbacks::BackupAndRestore(folder, {.delete_checkpoint = false}),
                               slow_steps(milliseconds, strategy.is_chief()), interruption}});
  if (strategy.is_chief()) {
    std::cout << fmt::format("ended after {} epochs here with loss {:.9f}\n", history.epoch.size(),
                             history.history.at("loss").back())
              << std::flush;
  }
}

}  // namespace

int main(int, char** argv) {
  try {
    train(argv[1], std::stoi(argv[2]), std::stoi(argv[3]));
  } catch (const KeyboardInterrupt&) {
    return 130;
  } catch (const std::exception& error) {
    std::cerr << "distribute_training: " << error.what() << "\n";
    return 1;
  }
}

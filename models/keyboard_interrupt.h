#pragma once

#include <exception>

namespace rhyton {

/// Thrown by `fit` when it is interrupted by SIGINT (Ctrl-C). The current step has finished, the callbacks were
/// notified (`on_train_interrupted`), and the weights are those after that step. As in Python it is not an Error, so
/// that handlers of Error do not catch it by accident; callbacks may throw it too.
///
/// ```
/// try {
///   model.fit(x, y, {.epochs = 100});
/// } catch (const KeyboardInterrupt&) {
///   std::cout << "Stopped early.\n";
/// }
/// model.save("model.keras");
/// ```
class KeyboardInterrupt : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

namespace config {

/// Makes SIGINT interrupt `fit`, which is the default: while any `fit` runs, the first SIGINT ends every `fit` of the
/// process with KeyboardInterrupt after the current step; the second ends the process at once, as without a handler.
/// This applies only where SIGINT would end the process: a program that ignores it or has its own handler is not
/// affected. A `fit` that is already running is not affected by a change.
void enable_interrupt_handling();
void disable_interrupt_handling();
bool is_interrupt_handling_enabled();

}  // namespace config

}  // namespace rhyton

#pragma once

#include <exception>

namespace rhyton {

/// What `fit` throws when it was interrupted: by SIGINT, as Ctrl-C sends it. The step under way was finished, callbacks
/// were told (`on_train_interrupted`), and the weights are those after that step. As in Python it is no Error, so that
/// who expects those does not catch it by accident; a callback may throw it too.
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

/// Whether SIGINT interrupts `fit`, as it does unless switched off: while any `fit` runs, the first one ends it, and
/// all others of the process, with KeyboardInterrupt after the step under way; the second ends the process at once, as
/// if there were no handler. This is so where SIGINT would end the process: a program that ignores it, or has a handler
/// of its own, keeps that. A `fit` that runs already is not affected by a change.
void enable_interrupt_handling();
void disable_interrupt_handling();
bool is_interrupt_handling_enabled();

}  // namespace config

}  // namespace rhyton

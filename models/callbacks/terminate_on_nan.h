#pragma once

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Arguments of `TerminateOnNaN`.
struct TerminateOnNaNOptions {
  ByName by_name = ByName();
  /// Throws RuntimeError instead of ending training quietly.
  bool raise_error = false;
};

/// Ends training as soon as the loss is NaN or infinite (https://keras.io/api/callbacks/terminate_on_nan). Training
/// waits for the loss of every step.
class TerminateOnNaN : public Callback {
 public:
  explicit TerminateOnNaN(const TerminateOnNaNOptions& options = {});
};

}  // namespace rhyton::callbacks

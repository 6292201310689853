#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// The optional arguments of `CSVLogger`. Fields in the order of Keras's signature.
struct CSVLoggerOptions {
  ByName by_name = ByName();
  std::string separator = ",";
  /// Appends to the file instead of replacing it; without a header if it has one.
  bool append = false;
};

/// Writes the logs of every epoch to a file: `epoch,accuracy,loss,val_accuracy,val_loss`
/// (https://keras.io/api/callbacks/csv_logger). Values that an epoch does not have are `NA`. `fit` throws IOError if
/// the file cannot be written.
class CSVLogger : public Callback {
 public:
  explicit CSVLogger(const std::string& filename, const CSVLoggerOptions& options = {});
};

}  // namespace rhyton::callbacks

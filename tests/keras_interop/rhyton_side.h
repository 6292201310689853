#pragma once

#include <filesystem>
#include <string>

#include <rhyton/framework/io/json/json.h>

#include <rhyton/tests/keras_interop/recorded_case.h>

namespace rhyton::interop {

/// The formats that Rhyton reads and writes: "keras", …
const std::vector<std::string>& formats();

/// Loads the model from that format and compares weights, optimizer and predictions, then continues its training and
/// compares losses, metrics and variables. Returns {"reads": OUTCOME, "trains": OUTCOME}, where OUTCOME is {"ok",
/// "error"} and the measured errors, or null if there is nothing to do.
io::Json read_and_train(const RecordedCase& recorded, const std::string& format);

/// Loads the model, trains half of the steps and saves it in each format, with its predictions, for check_models.py.
/// Returns {"ok", "error"} by format.
io::Json write(const RecordedCase& recorded, const std::filesystem::path& target);

/// Expects the model to be refused with an error that names layer, class and file. Returns outcomes like
/// `read_and_train`.
io::Json refuse(const RecordedCase& recorded, const std::string& format);

}  // namespace rhyton::interop

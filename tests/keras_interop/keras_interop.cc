// Loads the models that make_models.py has saved with Keras, compares, trains on, and saves them for check_models.py:
//   keras_interop MODELS TARGET
// Writes the outcome for each model to TARGET/read.json, and Rhyton's files to TARGET/<case>/.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <rhyton/framework/io/json/json.h>

#include <rhyton/tests/keras_interop/recorded_case.h>
#include <rhyton/tests/keras_interop/rhyton_side.h>

namespace {

using rhyton::interop::RecordedCase;
using rhyton::io::Json;

Json run(const RecordedCase& recorded, const std::filesystem::path& target) {
  Json by_format = Json::object();
  for (const std::string& format : rhyton::interop::formats()) {
    if (!recorded.has_format(format)) continue;
    if (recorded.is_refused()) {
      if (format != "weights.h5") by_format[format] = rhyton::interop::refuse(recorded, format);
    } else {
      by_format[format] = rhyton::interop::read_and_train(recorded, format);
    }
  }
  Json result = Json::object({{"name", recorded.name()}, {"formats", by_format}});
  if (!recorded.is_refused()) result["writes"] = rhyton::interop::write(recorded, target);
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: keras_interop MODELS TARGET\n";
    return 2;
  }
  try {
    const std::filesystem::path target = arguments[2];
    std::filesystem::create_directories(target);
    Json results = Json::array();
    for (const std::filesystem::path& folder : rhyton::interop::case_folders(arguments[1])) {
      results.push_back(run(RecordedCase(folder), target / folder.filename()));
    }
    std::ofstream file(target / "read.json");
    file << results.dump(1) << '\n';
    std::cout << results.size() << " models read\n";
    return file.good() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

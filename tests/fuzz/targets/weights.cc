// An HDF5 file: as the weights of a fixed model, and read completely.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/legacy_weights.h>
#include <rhyton/models/saving/weights_file.h>

namespace {

using rhyton::Error;
using rhyton::io::Hdf5File;
using rhyton::io::Hdf5Group;
using rhyton::io::Hdf5Object;

/// Calls that may fail independently.
template <class Call>
void attempt(Call call) {
  try {
    call();
  } catch (const Error&) {
    return;
  }
}

void read_attributes(const Hdf5Object& object) {
  for (const std::string& name : object.attribute_names()) {
    attempt([&] { static_cast<void>(object.read_string_attribute(name)); });
    attempt([&] { static_cast<void>(object.read_string_list_attribute(name)); });
    attempt([&] { static_cast<void>(object.read_int_attribute(name)); });
  }
}

/// A group that is its own descendant would cause endless recursion here.
void read_everything(const Hdf5Group& group) {
  constexpr std::int64_t max_elements = std::int64_t{1} << 20;
  attempt([&] { read_attributes(group); });
  attempt([&] {
    for (const std::string& name : group.dataset_names()) {
      attempt([&] {
        const auto dataset = group.open_dataset(name);
        attempt([&] { read_attributes(dataset); });
        if (dataset.spec().shape.size() <= max_elements) {
          static_cast<void>(dataset.read());
        }
      });
    }
  });
  attempt([&] {
    for (const std::string& name : group.group_names()) {
      attempt([&] { read_everything(group.open_group(name)); });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const rhyton::models::Model model = rhyton::models::load_model(RHYTON_GOLDEN_DIR "/keras_files/dense.keras");
  const auto bytes = std::as_bytes(std::span(data, size));
  attempt([&] {
    const Hdf5File file = Hdf5File::open_image({bytes.begin(), bytes.end()}, "input.h5");
    attempt([&] { rhyton::saving::find_weights(model, file.root()).assign_all(); });
    attempt([&] { rhyton::saving::find_legacy_weights(model, file.root(), false).assign_all(); });
    read_everything(file.root());
  });
  return 0;
}

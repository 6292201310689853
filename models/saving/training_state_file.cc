#include <rhyton/models/saving/training_state_file.h>

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::saving {
namespace {

using callbacks::CallbackState;
using callbacks::FitPosition;
using callbacks::TrainingState;
using io::Json;

constexpr const char* group_name = "rhyton_training_state";
constexpr std::int64_t version = 1;

// JSON has signed integers only.
Json bits_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t bits_from(const Json& value) { return static_cast<std::uint64_t>(value.as_int()); }

Json write_position(const FitPosition& position) {
  return Json::object({{"epoch", position.epoch},
                       {"step", position.step},
                       {"is_stopped", position.is_stopped},
                       {"shuffle_key", bits_of(position.shuffle_key)},
                       {"passes", bits_of(position.passes)},
                       {"batch", position.batch},
                       {"samples", position.samples},
                       {"batch_size", position.batch_size},
                       {"steps_per_epoch", position.steps_per_epoch}});
}

std::int64_t count_from(const Json& object, const char* name) {
  const std::int64_t value = object[name].as_int();
  if (value < 0) throw ValueError("\"" + std::string(name) + "\" is negative: " + std::to_string(value));
  return value;
}

FitPosition read_position(const Json& object) {
  FitPosition position;
  const std::int64_t epoch = count_from(object, "epoch");
  if (!std::in_range<int>(epoch)) throw ValueError("\"epoch\" is out of range: " + std::to_string(epoch));
  position.epoch = static_cast<int>(epoch);
  position.step = count_from(object, "step");
  position.is_stopped = object["is_stopped"].as_bool();
  position.shuffle_key = bits_from(object["shuffle_key"]);
  position.passes = bits_from(object["passes"]);
  position.batch = count_from(object, "batch");
  position.samples = count_from(object, "samples");
  position.batch_size = count_from(object, "batch_size");
  position.steps_per_epoch = count_from(object, "steps_per_epoch");
  return position;
}

std::string place_of(const std::string& name, std::size_t index) { return name + "/" + std::to_string(index); }

void write_tensors(io::Hdf5Group& group, const std::string& name, const std::vector<Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) group.write_dataset(place_of(name, i), tensors[i]);
}

/// `count` is from a text that may be damaged: the first missing tensor throws.
std::vector<Tensor> read_tensors(const io::Hdf5Group& group, const std::string& name, std::int64_t count) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; std::cmp_less(i, count); ++i) tensors.push_back(group.read_dataset(place_of(name, i)));
  return tensors;
}

TrainingState read_state(const io::Hdf5Group& group) {
  const Json json = Json::parse(group.read_string_attribute("state"), group.path());
  if (json["version"].as_int() > version) {
    throw ValueError("version " + std::to_string(json["version"].as_int()) + " is newer than this program's " +
                     std::to_string(version));
  }
  TrainingState state;
  state.position = read_position(json["position"]);
  const Json& random = json["random"];
  state.random = {.is_seeded = random["is_seeded"].as_bool(),
                  .base = bits_from(random["base"]),
                  .seeds_given = bits_from(random["seeds_given"])};
  state.accumulators = read_tensors(group, "accumulators", count_from(json, "accumulators"));
  state.layer_states = read_tensors(group, "layer_states", count_from(json, "layer_states"));
  const Json& callbacks = json["callbacks"];
  for (const Json& callback : callbacks) {
    const std::string place = place_of("callbacks", state.callbacks.size());
    state.callbacks.push_back({callback["values"], read_tensors(group, place, count_from(callback, "tensors"))});
  }
  return state;
}

}  // namespace

void write_training_state(const TrainingState& state, io::Hdf5Group root) {
  io::Hdf5Group group = root.create_group(group_name);
  Json callbacks = Json::array();
  for (const CallbackState& callback : state.callbacks) {
    write_tensors(group, place_of("callbacks", callbacks.size()), callback.tensors);
    callbacks.push_back(Json::object({{"values", callback.values}, {"tensors", callback.tensors.size()}}));
  }
  write_tensors(group, "accumulators", state.accumulators);
  write_tensors(group, "layer_states", state.layer_states);
  const Json json = Json::object({{"version", version},
                                  {"position", write_position(state.position)},
                                  {"random", Json::object({{"is_seeded", state.random.is_seeded},
                                                           {"base", bits_of(state.random.base)},
                                                           {"seeds_given", bits_of(state.random.seeds_given)}})},
                                  {"accumulators", state.accumulators.size()},
                                  {"layer_states", state.layer_states.size()},
                                  {"callbacks", std::move(callbacks)}});
  group.write_string_attribute("state", json.dump());
}

std::optional<TrainingState> read_training_state(const io::Hdf5Group& root) {
  if (!root.has_group(group_name)) return std::nullopt;
  const io::Hdf5Group group = root.open_group(group_name);
  try {
    return read_state(group);
  } catch (const IOError&) {
    throw;
  } catch (const Error& error) {
    throw IOError("The state of an interrupted training cannot be read from the group '" + group.path() +
                  "': " + error.what());
  }
}

}  // namespace rhyton::saving

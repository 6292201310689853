#include <rhyton/tests/keras_interop/recorded_case.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::interop {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IOError(path.string() + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The strings whose bytes are along the last axis, with zeros at the end.
StringTensor strings_of(const Tensor& bytes) {
  const Shape shape = bytes.shape().slice(0, bytes.rank() - 1);
  const std::int64_t length = bytes.shape().at(-1);
  std::vector<std::string> elements;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    const auto* const first = reinterpret_cast<const char*>(bytes.data<std::uint8_t>() + i * length);
    elements.emplace_back(first, first + length);
    elements.back().resize(elements.back().find_last_not_of('\0') + 1);
  }
  return {shape, std::move(elements)};
}

}  // namespace

RecordedCase::RecordedCase(const std::filesystem::path& folder)
    : folder_(folder), description_(io::Json::parse(read_text(folder / "case.json"), (folder / "case.json").string())) {
  for (auto& [name, tensor] : io::read_npz(folder / "data.npz")) arrays_.emplace(name, std::move(tensor));
}

std::vector<Tensor> RecordedCase::arrays(const std::string& role) const {
  std::vector<Tensor> found;
  for (auto it = arrays_.find(role + "0"); it != arrays_.end();
       it = arrays_.find(role + std::to_string(found.size()))) {
    found.push_back(it->second);
  }
  return found;
}

RecordedCase::Batch RecordedCase::batch(const std::string& prefix) const {
  return {.x = in_form("x", arrays(prefix + "x")),
          .y = in_form("y", arrays(prefix + "y")),
          .sample_weight = in_form("weight", arrays(prefix + "weight"))};
}

RecordedCase::Batch RecordedCase::train_batch(int step) const {
  return {.x = in_form("x", at_step("train_x", step)),
          .y = in_form("y", at_step("train_y", step)),
          .sample_weight = in_form("weight", at_step("train_weight", step))};
}

RecordedCase::Batch RecordedCase::evaluated() const { return batch("evaluate_"); }

RecordedCase::Batch RecordedCase::drawn_batch() const { return batch("draw_"); }

std::map<std::int64_t, double> RecordedCase::class_weight() const {
  std::map<std::int64_t, double> weights;
  for (const auto& [number, weight] : description_["class_weight"].items()) {
    weights.emplace(std::stoll(number), weight.as_double());
  }
  return weights;
}

std::string RecordedCase::log_name(const std::string& name, const std::string& format) const {
  if (format != "keras") return name;
  return description_["names_of_strings"].get_or(name, name);
}

std::map<std::string, std::vector<double>> RecordedCase::draws() const {
  std::map<std::string, std::vector<double>> by_name;
  const io::Json* const draws = description_.find("draws");
  if (draws == nullptr) return by_name;
  for (const auto& [name, values] : draws->items()) {
    for (const io::Json& value : values) by_name[name].push_back(value.as_double());
  }
  return by_name;
}

Tolerance RecordedCase::tolerance_of(double base, const io::Json* absolute) const {
  const io::Json* const ratio = description_["tolerances"].find("roundoff_ratio");
  return {.relative = ratio == nullptr ? base : base * ratio->as_double(),
          .absolute = absolute == nullptr ? 0 : absolute->as_double()};
}

Tolerance RecordedCase::tolerance(const std::string& which, std::size_t index, double base) const {
  const io::Json* const found = description_["tolerances"].find(which);
  return tolerance_of(base, found == nullptr ? nullptr : &(*found)[index]);
}

Tolerance RecordedCase::log_tolerance(int step, const std::string& name, double base) const {
  const io::Json* const found = description_["tolerances"].find("logs");
  return tolerance_of(base, found == nullptr ? nullptr : (*found)[step].find(name));
}

Tolerance RecordedCase::evaluation_tolerance(const std::string& name, double base) const {
  const io::Json* const found = description_["tolerances"].find("evaluation");
  return tolerance_of(base, found == nullptr ? nullptr : found->find(name));
}

Tolerance RecordedCase::fit_tolerance(const std::string& name, double base) const {
  const io::Json* const found = description_["tolerances"].find("fit");
  return tolerance_of(base, found == nullptr ? nullptr : found->find(name));
}

bool RecordedCase::is_unsettled(const std::string& which, std::size_t index) const {
  const io::Json& unsettled = description_["unsettled_" + which];
  return std::any_of(unsettled.begin(), unsettled.end(),
                     [&](const io::Json& entry) { return entry.as_int() == static_cast<std::int64_t>(index); });
}

std::vector<Tensor> RecordedCase::at_step(const std::string& role, int step) const {
  std::vector<Tensor> tensors;
  for (const Tensor& all_steps : arrays(role)) tensors.push_back(all_steps[step]);
  return tensors;
}

training::Tensors RecordedCase::in_form(const std::string& role, const std::vector<Tensor>& tensors) const {
  if (tensors.empty()) return {};
  std::vector<Tensor> members = tensors;
  const io::Json* const strings = role == "x" ? description_.find("strings") : nullptr;
  if (strings != nullptr) {
    for (const io::Json& index : *strings) {
      Tensor& member = members.at(static_cast<std::size_t>(index.as_int()));
      member = strings_of(member);
    }
  }
  const io::Json& names = description_[role]["names"];
  if (names.empty()) return members;
  std::map<std::string, Tensor> map;
  for (std::size_t i = 0; i < members.size(); ++i) map.emplace(names[i].as_string(), members[i]);
  return map;
}

std::vector<std::filesystem::path> case_folders(const std::filesystem::path& models) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (std::filesystem::exists(entry.path() / "case.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace rhyton::interop

#include <rhyton/framework/io/json.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace rhyton::io {

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(Exactly, bool value) : value_(value) {}
Json::Json(Exactly, std::int64_t value) : value_(value) {}
Json::Json(Exactly, double value) : value_(value) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::array(std::initializer_list<Json> values) {
  Json result;
  result.value_.emplace<std::vector<Json>>(values);
  return result;
}

Json Json::object(std::initializer_list<Member> members) {
  Json result;
  auto& own = result.value_.emplace<std::vector<Member>>();
  own.reserve(members.size());
  for (const Member& member : members) {
    if (result.contains(member.key)) {
      throw ValueError("the key \"" + member.key + "\" occurs twice in a JSON object");
    }
    own.push_back(member);
  }
  return result;
}

Json Json::object_from(std::vector<Member> members) {
  Json result;
  auto& own = result.value_.emplace<std::vector<Member>>();
  own.reserve(members.size());
  std::unordered_map<std::string, std::size_t> places;
  for (Member& member : members) {
    const auto [place, is_new] = places.try_emplace(member.key, own.size());
    if (is_new) {
      own.push_back(std::move(member));
    } else {
      own[place->second].value = std::move(member.value);
    }
  }
  return result;
}

void Json::throw_too_large() { throw ValueError("an integer beyond 64 signed bits cannot be a JSON value here"); }

void Json::throw_not(std::string_view expected) const {
  constexpr std::string_view names[] = {"null",     "a bool",   "an integer", "a number",
                                        "a string", "an array", "an object"};
  std::string found(names[value_.index()]);
  if (is_bool() || is_number() || is_string()) {
    constexpr std::size_t longest = 60;
    const std::string text = dump();
    found += " (" + (text.size() > longest ? text.substr(0, longest) + "…" : text) + ")";
  }
  throw TypeError(fmt::format("expected {} in JSON, found {}", expected, found));
}

bool Json::as_bool() const {
  if (const bool* value = std::get_if<bool>(&value_)) {
    return *value;
  }
  throw_not("a bool");
}

std::int64_t Json::as_int() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) {
    return *value;
  }
  if (const auto* value = std::get_if<double>(&value_)) {
    constexpr double two_to_63 = 9223372036854775808.0;
    if (std::trunc(*value) == *value && *value >= -two_to_63 && *value < two_to_63) {
      return static_cast<std::int64_t>(*value);
    }
  }
  throw_not("an integer");
}

double Json::as_double() const {
  if (const auto* value = std::get_if<double>(&value_)) {
    return *value;
  }
  if (const auto* value = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*value);
  }
  throw_not("a number");
}

const std::string& Json::as_string() const {
  if (const auto* value = std::get_if<std::string>(&value_)) {
    return *value;
  }
  throw_not("a string");
}

std::size_t Json::size() const {
  if (const auto* elements = std::get_if<std::vector<Json>>(&value_)) {
    return elements->size();
  }
  if (const auto* members = std::get_if<std::vector<Member>>(&value_)) {
    return members->size();
  }
  throw_not("an array or object");
}

const Json& Json::element(std::int64_t index) const {
  const auto* elements = std::get_if<std::vector<Json>>(&value_);
  if (elements == nullptr) {
    throw_not("an array");
  }
  if (index < 0 || static_cast<std::size_t>(index) >= elements->size()) {
    throw ValueError(fmt::format("index {} is out of range for a JSON array of {} elements", index, elements->size()));
  }
  return (*elements)[static_cast<std::size_t>(index)];
}

void Json::push_back(Json value) {
  if (is_null()) {
    value_.emplace<std::vector<Json>>();
  }
  auto* elements = std::get_if<std::vector<Json>>(&value_);
  if (elements == nullptr) {
    throw_not("an array");
  }
  elements->push_back(std::move(value));
}

const Json* Json::begin() const {
  const auto* elements = std::get_if<std::vector<Json>>(&value_);
  if (elements == nullptr) {
    throw_not("an array");
  }
  return elements->data();
}

const Json* Json::end() const { return begin() + size(); }
Json* Json::begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() { return begin() + size(); }

const std::vector<Json::Member>& Json::items() const {
  const auto* members = std::get_if<std::vector<Member>>(&value_);
  if (members == nullptr) {
    throw_not("an object");
  }
  return *members;
}

const Json* Json::find(std::string_view key) const {
  for (const Member& member : items()) {
    if (member.key == key) {
      return &member.value;
    }
  }
  return nullptr;
}

Json* Json::find(std::string_view key) { return const_cast<Json*>(std::as_const(*this).find(key)); }

bool Json::contains(std::string_view key) const { return is_object() && find(key) != nullptr; }

const Json& Json::operator[](std::string_view key) const {
  const Json* member = find(key);
  if (member == nullptr) {
    throw NotFoundError(fmt::format("the JSON object has no key \"{}\"", key));
  }
  return *member;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) {
    value_.emplace<std::vector<Member>>();
  }
  if (Json* member = find(key)) {
    return *member;
  }
  auto& members = std::get<std::vector<Member>>(value_);
  members.push_back({std::string(key), Json()});
  return members.back().value;
}

bool Json::erase(std::string_view key) {
  items();
  return std::erase_if(std::get<std::vector<Member>>(value_), [&](const Member& m) { return m.key == key; }) > 0;
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number() && a.type() != b.type()) {
    return a.as_double() == b.as_double();
  }
  if (a.type() != b.type()) {
    return false;
  }
  if (a.is_array()) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  if (a.is_object()) {
    return a.size() == b.size() && std::all_of(a.items().begin(), a.items().end(), [&](const Json::Member& member) {
             const Json* other = b.find(member.key);
             return other != nullptr && member.value == *other;
           });
  }
  switch (a.type()) {
    case Json::Type::boolean:
      return a.as_bool() == b.as_bool();
    case Json::Type::integer:
      return a.as_int() == b.as_int();
    case Json::Type::floating:
      return a.as_double() == b.as_double();
    case Json::Type::string:
      return a.as_string() == b.as_string();
    default:
      return true;
  }
}

}  // namespace rhyton::io

#include <rhyton/framework/io/json/json.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace rhyton::io {

namespace json_storage {

struct SharedText::Shared {
  explicit Shared(std::string of) : text(std::move(of)) {}
  std::atomic<std::size_t> owners{1};
  std::string text;
};

SharedText::SharedText(std::string text) {
  if (!text.empty()) shared_ = std::make_unique<Shared>(std::move(text)).release();
}

SharedText::SharedText(const SharedText& other) : shared_(other.shared_) {
  if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
}

SharedText::~SharedText() {
  if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const std::unique_ptr<Shared> last(shared_);
  }
}

const std::string& SharedText::get() const {
  static const std::string nothing;
  return shared_ != nullptr ? shared_->text : nothing;
}

}  // namespace json_storage

using json_storage::Boxed;
using json_storage::SharedText;

namespace {

/// Of equal keys the last value is used, in the position of the first.
void unite_equal_keys(std::vector<Json::Member>& members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const int difference = members[a].key.compare(members[b].key);
    return difference != 0 ? difference < 0 : a < b;
  });
  std::vector<std::size_t> superfluous;
  for (std::size_t i = 0; i + 1 < order.size();) {
    std::size_t last = i;
    while (last + 1 < order.size() && members[order[last + 1]].key == members[order[i]].key) ++last;
    if (last > i) members[order[i]].value = std::move(members[order[last]].value);
    superfluous.insert(superfluous.end(), order.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       order.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    i = last + 1;
  }
  if (superfluous.empty()) return;
  std::ranges::sort(superfluous);
  auto next = superfluous.begin();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (next != superfluous.end() && *next == i) {
      ++next;
      continue;
    }
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.erase(members.begin() + static_cast<std::ptrdiff_t>(kept), members.end());
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(const char* value) : value_(SharedText(value)) {}
Json::Json(std::string_view value) : value_(SharedText(std::string(value))) {}
Json::Json(std::string value) : value_(SharedText(std::move(value))) {}
Json::Json(Exactly, bool value) : value_(value) {}
Json::Json(Exactly, std::int64_t value) : value_(value) {}
Json::Json(Exactly, double value) : value_(value) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) {
  Json copy(other);  // `other` may be a part of this
  value_.swap(copy.value_);
  return *this;
}
Json& Json::operator=(Json&& other) noexcept {
  Json taken(std::move(other));
  value_.swap(taken.value_);
  return *this;
}
Json::~Json() = default;

Json Json::array(std::initializer_list<Json> values) {
  Json result;
  auto& own = result.value_.emplace<Boxed<Elements>>();
  if (values.size() > 0) own.get() = values;
  return result;
}

Json Json::array_from(std::vector<Json> values) {
  Json result;
  auto& own = result.value_.emplace<Boxed<Elements>>();
  if (!values.empty()) own.get() = std::move(values);
  return result;
}

Json Json::object(std::initializer_list<Member> members) {
  Json result;
  auto& own = result.value_.emplace<Boxed<Members>>();
  if (members.size() > 0) own.get().reserve(members.size());
  for (const Member& member : members) {
    if (result.contains(member.key)) {
      throw ValueError("the key \"" + member.key + "\" occurs twice in a JSON object");
    }
    own.get().push_back(member);
  }
  return result;
}

Json Json::object_from(std::vector<Member> members) {
  Json result;
  unite_equal_keys(members);
  auto& own = result.value_.emplace<Boxed<Members>>();
  if (!members.empty()) own.get() = std::move(members);
  return result;
}

void Json::throw_too_large() { throw ValueError("an integer of more than 64 signed bits cannot be a JSON value"); }

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
  if (const auto* value = std::get_if<SharedText>(&value_)) {
    return value->get();
  }
  throw_not("a string");
}

std::size_t Json::size() const {
  if (const auto* elements = std::get_if<Boxed<Elements>>(&value_)) {
    return elements->get().size();
  }
  if (const auto* members = std::get_if<Boxed<Members>>(&value_)) {
    return members->get().size();
  }
  throw_not("an array or object");
}

const Json& Json::element(std::int64_t index) const {
  const auto* boxed = std::get_if<Boxed<Elements>>(&value_);
  if (boxed == nullptr) {
    throw_not("an array");
  }
  const Elements& elements = boxed->get();
  if (index < 0 || static_cast<std::size_t>(index) >= elements.size()) {
    throw ValueError(fmt::format("index {} is out of range for a JSON array of {} elements", index, elements.size()));
  }
  return elements[static_cast<std::size_t>(index)];
}

void Json::push_back(Json value) {
  if (is_null()) {
    value_.emplace<Boxed<Elements>>();
  }
  auto* elements = std::get_if<Boxed<Elements>>(&value_);
  if (elements == nullptr) {
    throw_not("an array");
  }
  elements->get().push_back(std::move(value));
}

const Json* Json::begin() const {
  const auto* elements = std::get_if<Boxed<Elements>>(&value_);
  if (elements == nullptr) {
    throw_not("an array");
  }
  return elements->get().data();
}

const Json* Json::end() const { return begin() + size(); }
Json* Json::begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() { return begin() + size(); }

const std::vector<Json::Member>& Json::items() const {
  const auto* members = std::get_if<Boxed<Members>>(&value_);
  if (members == nullptr) {
    throw_not("an object");
  }
  return members->get();
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
    value_.emplace<Boxed<Members>>();
  }
  if (Json* member = find(key)) {
    return *member;
  }
  auto& members = std::get<Boxed<Members>>(value_).get();
  members.push_back({std::string(key), Json()});
  return members.back().value;
}

bool Json::erase(std::string_view key) {
  items();
  return std::erase_if(std::get<Boxed<Members>>(value_).get(), [&](const Member& m) { return m.key == key; }) > 0;
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

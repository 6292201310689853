#include <rhyton/framework/io/pickle.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>

namespace rhyton::io {
namespace {

/// The maximum number of lists, tuples and dictionaries that hold others, and so of their depth.
constexpr std::size_t nesting_limit = 1000;

}  // namespace

template <class T>
const T& PickleValue::as(const char* expected) const {
  if (const T* const value = std::get_if<T>(&value_)) return *value;
  throw TypeError(fmt::format("expected {} in a pickled file, found {}", expected, type_name()));
}

std::string PickleValue::type_name() const {
  constexpr const char* names[] = {"None",   "a truth value", "an integer",   "a number",
                                   "a text", "a list",        "a dictionary", "an array"};
  return names[value_.index()];
}

std::int64_t PickleValue::as_int() const { return as<std::int64_t>("an integer"); }

const std::string& PickleValue::as_string() const { return *as<Text>("a text"); }

const PickleValue::List& PickleValue::as_list() const { return *as<std::shared_ptr<List>>("a list"); }

const PickleValue::Dictionary& PickleValue::as_dictionary() const {
  return *as<std::shared_ptr<Dictionary>>("a dictionary");
}

const Tensor& PickleValue::as_array() const { return as<Tensor>("an array"); }

const PickleValue& PickleValue::at(std::string_view key) const {
  std::string keys;
  for (const auto& [name, value] : as_dictionary()) {
    const Text* const text = std::get_if<Text>(&name.value_);
    if (text == nullptr) continue;
    if (**text == key) return value;
    keys += (keys.empty() ? "'" : ", '") + **text + "'";
  }
  throw NotFoundError(fmt::format("a pickled dictionary has no key '{}', only {}", key, keys));
}

/// The machine of pickle's opcodes (Python's `pickletools` describes them), for those that values need.
class Unpickler {
 public:
  Unpickler(std::span<const std::byte> bytes, std::string_view name) : rest_(bytes), name_(name) {}

  PickleValue run() {
    while (true) {
      const auto opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == '.') return value(pop());
      execute(opcode);
    }
  }

 private:
  /// Classes and functions that a file may name, and what becomes of them.
  enum class Callable { reconstruct, ndarray, dtype, encode };
  struct Dtype {
    std::string descr;
  };
  /// An array between `_reconstruct` and its state.
  struct PendingArray {};
  struct Mark {};
  using Item = std::variant<PickleValue, Callable, std::shared_ptr<Dtype>, PendingArray, Mark>;

  [[noreturn]] void refuse(const std::string& what) const {
    throw IOError(fmt::format("\"{}\" is not a valid pickled file: {}", name_, what));
  }

  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) refuse("it ends early");
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::string take_text(std::size_t count) {
    const std::span<const std::byte> bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string take_line() {
    std::string line;
    while (true) {
      const char c = static_cast<char>(take(1)[0]);
      if (c == '\n') return line;
      line += c;
    }
  }
  std::uint64_t take_number(std::size_t bytes) {
    std::uint64_t number = 0;
    const std::span<const std::byte> taken = take(bytes);
    for (std::size_t i = 0; i < bytes; ++i) number |= std::to_integer<std::uint64_t>(taken[i]) << (8 * i);
    return number;
  }
  std::int64_t parse_int(const std::string& text) const {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || (rest != end && *rest != 'L')) refuse("'" + text + "' is no integer");
    return number;
  }

  void push(Item item) {
    if (stack_.size() >= (std::size_t{1} << 24)) refuse("it has too many values");
    stack_.push_back(std::move(item));
  }
  template <class T>
  void push_value(T value) {
    push(PickleValue(std::move(value)));
  }
  void push_value(std::string text) { push_value(std::make_shared<const std::string>(std::move(text))); }
  template <class Container>
  static std::shared_ptr<Container> new_container() {
    return std::make_shared<Container>();
  }
  /// The address of a list, tuple or dictionary; null for other values.
  static const void* container_in(const PickleValue& value) {
    if (const auto* const list = std::get_if<std::shared_ptr<PickleValue::List>>(&value.value_)) return list->get();
    const auto* const entries = std::get_if<std::shared_ptr<PickleValue::Dictionary>>(&value.value_);
    return entries == nullptr ? nullptr : entries->get();
  }
  /// Whether the list or dictionary is part of the value, or is the value itself. `seen` are those within the value that
  /// were looked into: a list may be part of a value in many places.
  bool reaches(const PickleValue& from, const void* container, std::set<const void*>& seen) const {
    const void* const place = container_in(from);
    if (place == nullptr || place == container) return place != nullptr;
    if (!nesting_.contains(place) || !seen.insert(place).second) return false;
    const auto is_or_has = [&](const PickleValue& part) { return reaches(part, container, seen); };
    if (const auto* const list = std::get_if<std::shared_ptr<PickleValue::List>>(&from.value_)) {
      return std::any_of((*list)->begin(), (*list)->end(), is_or_has);
    }
    const auto& entries = *std::get<std::shared_ptr<PickleValue::Dictionary>>(from.value_);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto& entry) { return is_or_has(entry.first) || is_or_has(entry.second); });
  }
  /// Refuses a value that would contain itself, and values that are nested too often.
  const PickleValue& checked(const PickleValue& added, const void* container) {
    if (container_in(added) == nullptr) return added;
    std::set<const void*> seen;
    if (reaches(added, container, seen)) refuse("a value contains itself");
    if (nesting_.insert(container).second && nesting_.size() > nesting_limit) {
      throw NotImplementedError(
          fmt::format("\"{}\" has more than {} lists and dictionaries that hold others", name_, nesting_limit));
    }
    return added;
  }
  Item pop() {
    if (stack_.empty()) refuse("it takes more values than it has");
    Item item = std::move(stack_.back());
    stack_.pop_back();
    return item;
  }
  PickleValue value(const Item& item) const {
    if (const auto* const found = std::get_if<PickleValue>(&item)) return *found;
    // The type of an array's elements within a state that is not used.
    refuse("a class stands in the place of a value");
  }
  Item& top() {
    if (stack_.empty()) refuse("it takes more values than it has");
    return stack_.back();
  }
  /// The items behind the last mark, which is removed.
  std::vector<Item> pop_to_mark() {
    std::size_t begin = stack_.size();
    while (begin > 0 && !std::holds_alternative<Mark>(stack_[begin - 1])) --begin;
    if (begin == 0) refuse("a mark is missing");
    std::vector<Item> items(std::make_move_iterator(stack_.begin() + static_cast<std::ptrdiff_t>(begin)),
                            std::make_move_iterator(stack_.end()));
    stack_.resize(begin - 1);
    return items;
  }

  /// A tuple: the items themselves are kept beside, as the state of an array has a dtype in it.
  void push_tuple(std::vector<Item> items) {
    auto list = new_container<PickleValue::List>();
    for (const Item& item : items) {
      const auto* const found = std::get_if<PickleValue>(&item);
      list->push_back(found == nullptr ? PickleValue() : checked(*found, list.get()));
    }
    if (items.size() == array_state_size || items.size() == 3) tuples_[list.get()] = {list, std::move(items)};
    push_value(std::move(list));
  }
  std::vector<Item> pop_several(std::size_t count) {
    std::vector<Item> items(count);
    for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
    return items;
  }

  PickleValue::List& list_at(Item& item) const {
    auto* const found = std::get_if<PickleValue>(&item);
    auto* const list = found == nullptr ? nullptr : std::get_if<std::shared_ptr<PickleValue::List>>(&found->value_);
    if (list == nullptr) refuse("values are added to something that is no list");
    return **list;
  }
  PickleValue::Dictionary& dictionary_at(Item& item) const {
    auto* const found = std::get_if<PickleValue>(&item);
    auto* const entries =
        found == nullptr ? nullptr : std::get_if<std::shared_ptr<PickleValue::Dictionary>>(&found->value_);
    if (entries == nullptr) refuse("entries are added to something that is no dictionary");
    return **entries;
  }

  void push_callable(const std::string& module, const std::string& name) {
    const bool is_array_module = module == "numpy.core.multiarray" || module == "numpy._core.multiarray";
    if (is_array_module && name == "_reconstruct") return push(Callable::reconstruct);
    if (module == "numpy" && name == "ndarray") return push(Callable::ndarray);
    if (module == "numpy" && name == "dtype") return push(Callable::dtype);
    if (module == "_codecs" && name == "encode") return push(Callable::encode);
    throw NotImplementedError(
        fmt::format("\"{}\" has a pickled {}.{}: only numbers, texts, lists, dictionaries and "
                    "arrays are read",
                    name_, module, name));
  }

  void reduce() {
    const PickleValue arguments = value(pop());
    const Item callable = pop();
    const auto* const called = std::get_if<Callable>(&callable);
    if (called == nullptr) refuse("something is called that is no function");
    switch (*called) {
      case Callable::reconstruct:
        return push(PendingArray());
      case Callable::dtype:
        if (arguments.as_list().empty()) refuse("a dtype has no name");
        return push(std::make_shared<Dtype>(Dtype{arguments.as_list().front().as_string()}));
      case Callable::encode:
        return push_value(
            latin1(arguments.as_list().empty() ? std::string() : arguments.as_list().front().as_string()));
      case Callable::ndarray:
        refuse("an array is made in an unknown way");
    }
  }

  /// Bytes that Python 3 has written as text, a character for each byte.
  std::string latin1(const std::string& utf8) const {
    std::string bytes;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      const auto lead = static_cast<unsigned char>(utf8[i]);
      if (lead < 0x80) {
        bytes += utf8[i];
      } else if ((lead == 0xC2 || lead == 0xC3) && i + 1 < utf8.size()) {
        bytes += static_cast<char>(((lead & 0x03U) << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3FU));
      } else {
        refuse("a text is expected to have characters up to U+00FF");
      }
    }
    return bytes;
  }

  void build() {
    const PickleValue state = value(pop());
    Item& object = top();
    if (const auto* const dtype = std::get_if<std::shared_ptr<Dtype>>(&object)) {
      // (version, byte order, …)
      const PickleValue::List& parts = state.as_list();
      if (parts.size() < 2) refuse("the state of a dtype is incomplete");
      (*dtype)->descr = parts[1].as_string() + (*dtype)->descr;
      return;
    }
    if (!std::holds_alternative<PendingArray>(object)) refuse("an object of an unknown class has a state");
    object = array_of(state);
  }

  /// (version, shape, dtype, whether in Fortran's order, bytes or, of an array of objects, a list)
  PickleValue array_of(const PickleValue& state) {
    const auto found = tuples_.find(&state.as_list());
    if (found == tuples_.end() || found->second.items.size() != array_state_size)
      refuse("the state of an array is incomplete");
    const std::vector<Item>& items = found->second.items;
    const auto* const dtype = std::get_if<std::shared_ptr<Dtype>>(&items[2]);
    if (dtype == nullptr) refuse("an array has no dtype");
    if ((*dtype)->descr.find('O') != std::string::npos) return objects_of(value(items[1]), value(items[4]));
    std::string shape;
    for (const PickleValue& length : value(items[1]).as_list()) shape += std::to_string(length.as_int()) + ",";
    const PickleValue order = value(items[3]);
    const bool* const is_fortran = std::get_if<bool>(&order.value_);
    const bool fortran = is_fortran != nullptr ? *is_fortran : order.as_int() != 0;
    const std::string bytes = value(items[4]).as_string();
    // The same array as a .npy file, which that reader checks.
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", (*dtype)->descr,
                                     fortran ? "True" : "False", shape);
    constexpr std::size_t preamble = 10;
    header.append(63 - (preamble + header.size()) % 64, ' ');
    header += '\n';
    std::string file = std::string("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 0xFFU);
    file += static_cast<char>(header.size() >> 8);
    file += header + bytes;
    return PickleValue(parse_npy(std::as_bytes(std::span(file)), name_));
  }

  /// The elements of an array of objects as a list, of one with two axes as a list of lists. Python lists them row by row
  /// in both orders of memory.
  PickleValue objects_of(const PickleValue& shape, const PickleValue& elements) {
    std::vector<std::uint64_t> lengths;
    for (const PickleValue& length : shape.as_list()) {
      if (length.as_int() < 0) refuse("an array has a negative length");
      lengths.push_back(static_cast<std::uint64_t>(length.as_int()));
    }
    if (lengths.empty() || lengths.size() > 2) {
      throw NotImplementedError(fmt::format("\"{}\" has an array of objects with {} axes", name_, lengths.size()));
    }
    const PickleValue::List& list = elements.as_list();
    const std::uint64_t columns = lengths.size() == 1 ? 1 : lengths[1];
    const bool is_complete =
        columns == 0 ? list.empty() : list.size() % columns == 0 && list.size() / columns == lengths[0];
    if (!is_complete) refuse("an array of objects has another number of elements than its shape");
    if (lengths.size() == 1) return elements;
    // Without columns there may be any number of rows; they are not made.
    auto rows = new_container<PickleValue::List>();
    for (std::size_t i = 0; i < list.size(); i += columns) {
      auto row = new_container<PickleValue::List>();
      for (std::size_t j = i; j < i + columns; ++j) row->push_back(checked(list[j], row.get()));
      rows->push_back(checked(PickleValue(std::move(row)), rows.get()));
    }
    return PickleValue(std::move(rows));
  }

  void execute(unsigned char opcode) {
    switch (opcode) {
      case 0x80:
        take(1);
        return;  // PROTO
      case 0x95:
        take(8);
        return;  // FRAME
      case '(':
        return push(Mark());
      case '0':
        pop();
        return;
      case '1':
        pop_to_mark();
        return;
      case '2': {
        Item copy = top();
        return push(std::move(copy));
      }
      case 'N':
        return push(PickleValue());
      case 0x88:
        return push_value(true);
      case 0x89:
        return push_value(false);
      case 'I': {
        const std::string line = take_line();
        if (line == "00" || line == "01") return push_value(line == "01");
        return push_value(parse_int(line));
      }
      case 'L':
        return push_value(parse_int(take_line()));
      case 'J':
        return push_value(static_cast<std::int64_t>(static_cast<std::int32_t>(take_number(4))));
      case 'K':
        return push_value(static_cast<std::int64_t>(take_number(1)));
      case 'M':
        return push_value(static_cast<std::int64_t>(take_number(2)));
      case 0x8a: {  // LONG1
        const std::size_t bytes = take_number(1);
        if (bytes > 8) refuse("an integer has more than 64 bits");
        std::uint64_t number = take_number(bytes);
        if (bytes > 0 && bytes < 8 && ((number >> (8 * bytes - 1)) & 1U) != 0)
          number |= ~std::uint64_t{0} << (8 * bytes);
        return push_value(static_cast<std::int64_t>(number));
      }
      case 'G': {  // BINFLOAT, big-endian
        std::uint64_t bits = 0;
        for (const std::byte byte : take(8)) bits = (bits << 8) | std::to_integer<std::uint64_t>(byte);
        double number = 0.0;
        std::memcpy(&number, &bits, sizeof(number));
        return push_value(number);
      }
      case 'S': {
        const std::string line = take_line();
        if (line.size() < 2 || line.find('\\') != std::string::npos) refuse("a text with escapes is not supported");
        return push_value(line.substr(1, line.size() - 2));
      }
      case 'U':
      case 'C':
      case 0x8c:
        return push_value(take_text(take_number(1)));
      case 'T':
      case 'B':
      case 'X':
        return push_value(take_text(take_number(4)));
      case 0x8d:
      case 0x8e:
        return push_value(take_text(take_number(8)));
      case ']':
        return push_value(new_container<PickleValue::List>());
      case '}':
        return push_value(new_container<PickleValue::Dictionary>());
      case ')':
        return push_tuple({});
      case 0x85:
        return push_tuple(pop_several(1));
      case 0x86:
        return push_tuple(pop_several(2));
      case 0x87:
        return push_tuple(pop_several(3));
      case 't':
        return push_tuple(pop_to_mark());
      case 'l': {
        push_tuple(pop_to_mark());
        return;
      }
      case 'd': {
        const std::vector<Item> items = pop_to_mark();
        push_value(new_container<PickleValue::Dictionary>());
        return set_items(items);
      }
      case 'a': {
        const PickleValue added = value(pop());
        PickleValue::List& list = list_at(top());
        list.push_back(checked(added, &list));
        return;
      }
      case 'e': {
        const std::vector<Item> items = pop_to_mark();
        PickleValue::List& list = list_at(top());
        for (const Item& item : items) list.push_back(checked(value(item), &list));
        return;
      }
      case 's':
        return set_items(pop_several(2));
      case 'u':
        return set_items(pop_to_mark());
      case 'p':
        memo_[static_cast<std::uint64_t>(parse_int(take_line()))] = top();
        return;
      case 'q': {
        const std::uint64_t key = take_number(1);
        memo_[key] = top();
        return;
      }
      case 'r': {
        const std::uint64_t key = take_number(4);
        memo_[key] = top();
        return;
      }
      case 0x94: {
        const std::uint64_t key = memo_.size();
        memo_[key] = top();
        return;
      }
      case 'g':
        return push_memo(static_cast<std::uint64_t>(parse_int(take_line())));
      case 'h':
        return push_memo(take_number(1));
      case 'j':
        return push_memo(take_number(4));
      case 'c': {
        const std::string module = take_line();
        return push_callable(module, take_line());
      }
      case 0x93: {  // STACK_GLOBAL
        const std::string name = value(pop()).as_string();
        return push_callable(value(pop()).as_string(), name);
      }
      case 'R':
        return reduce();
      case 'b':
        return build();
      default:
        refuse(fmt::format("unknown opcode {:#04x}", opcode));
    }
  }

  void push_memo(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) refuse("it refers to a value that it does not have");
    push(found->second);
  }

  void set_items(const std::vector<Item>& items) {
    if (items.size() % 2 != 0) refuse("a dictionary has a key without value");
    PickleValue::Dictionary& entries = dictionary_at(top());
    for (std::size_t i = 0; i < items.size(); i += 2) {
      entries.emplace_back(checked(value(items[i]), &entries), checked(value(items[i + 1]), &entries));
    }
  }

  static constexpr std::size_t array_state_size = 5;
  struct Tuple {
    std::shared_ptr<PickleValue::List> list;
    std::vector<Item> items;
  };

  std::span<const std::byte> rest_;
  std::string name_;
  /// The lists, tuples and dictionaries that hold others.
  std::set<const void*> nesting_;
  std::vector<Item> stack_;
  std::map<std::uint64_t, Item> memo_;
  std::map<const PickleValue::List*, Tuple> tuples_;
};

PickleValue parse_pickle(std::span<const std::byte> bytes, std::string_view name) {
  return Unpickler(bytes, name).run();
}

PickleValue parse_npy_objects(std::span<const std::byte> bytes, std::string_view name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  if (header.descr.find('O') == std::string::npos) return PickleValue(parse_npy(bytes, name));
  return parse_pickle(bytes.subspan(header.end), name);
}

PickleValue read_npz_objects(const std::filesystem::path& path, std::string_view name) {
  return parse_npy_objects(read_npz_member(path, name), fmt::format("{}/{}", path.string(), name));
}

}  // namespace rhyton::io

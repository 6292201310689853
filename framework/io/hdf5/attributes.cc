#include <hdf5.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/handles.h>
#include <rhyton/framework/io/hdf5/hdf5.h>

namespace rhyton::io {
namespace {

using hdf5::checked;
using hdf5::Handle;
using hdf5::Id;
using hdf5::LibrarySession;
using hdf5::OpenFile;

/// The maximum size in an object's header; h5py and Keras use the same number.
constexpr std::size_t header_limit = 64512;

/// One attribute, with the names for error messages.
struct Place {
  const OpenFile& file;
  Id object;
  const std::string& name;
  std::string path;
};

Place place_of(const OpenFile& file, Id object, const std::string& object_path, const std::string& name) {
  return {file, object, name, object_path + "@" + name};
}

bool exists(const Place& place) {
  const htri_t found = H5Aexists(place.object, place.name.c_str());
  if (found < 0) {
    hdf5::fail(place.file, "look for the attribute", place.path);
  }
  return found > 0;
}

/// An attribute that is being read.
struct Opened {
  Handle attribute;
  Handle type;
  Handle space;
  std::size_t count = 0;
};

Opened open(const Place& place) {
  if (!exists(place)) {
    throw NotFoundError(fmt::format("\"{}\" has no attribute \"{}\"", place.file.name, place.path));
  }
  constexpr std::string_view action = "read the attribute";
  Opened opened;
  opened.attribute =
      checked(H5Aopen(place.object, place.name.c_str(), H5P_DEFAULT), &H5Aclose, place.file, action, place.path);
  opened.type = checked(H5Aget_type(opened.attribute.id()), &H5Tclose, place.file, action, place.path);
  opened.space = checked(H5Aget_space(opened.attribute.id()), &H5Sclose, place.file, action, place.path);
  const hssize_t count = H5Sget_simple_extent_npoints(opened.space.id());
  if (count < 0) {
    hdf5::fail(place.file, action, place.path);
  }
  opened.count = static_cast<std::size_t>(count);
  const std::size_t element_bytes = H5Tget_size(opened.type.id());
  if (element_bytes == 0 || opened.count > place.file.attribute_limit / element_bytes) {
    throw IOError(fmt::format("\"{}\": the attribute \"{}\" claims {} elements of {} bytes, more than the file has",
                              place.file.name, place.path, count, element_bytes));
  }
  return opened;
}

/// Texts that the library has allocated, and that the destructor returns to it.
class VariableTexts {
 public:
  VariableTexts(const Opened& opened, Id memory_type)
      : opened_(opened), memory_type_(memory_type), texts_(opened.count, nullptr) {}
  ~VariableTexts() { H5Dvlen_reclaim(memory_type_, opened_.space.id(), H5P_DEFAULT, texts_.data()); }
  VariableTexts(const VariableTexts&) = delete;
  VariableTexts& operator=(const VariableTexts&) = delete;
  std::vector<char*>& get() { return texts_; }

 private:
  const Opened& opened_;
  Id memory_type_;
  std::vector<char*> texts_;
};

std::vector<std::string> read_texts(const Place& place) {
  const Opened opened = open(place);
  if (opened.count == 0) {
    return {};  // h5py gives an empty list the type float64
  }
  if (H5Tget_class(opened.type.id()) != H5T_STRING) {
    throw IOError(fmt::format("\"{}\": the attribute \"{}\" is not a text", place.file.name, place.path));
  }
  constexpr std::string_view action = "read the attribute";
  std::vector<std::string> result;
  if (H5Tis_variable_str(opened.type.id()) > 0) {
    const Handle memory_type = checked(H5Tcopy(opened.type.id()), &H5Tclose, place.file, action, place.path);
    VariableTexts texts(opened, memory_type.id());
    if (H5Aread(opened.attribute.id(), memory_type.id(), texts.get().data()) < 0) {
      hdf5::fail(place.file, action, place.path);
    }
    for (const char* text : texts.get()) {
      result.emplace_back(text == nullptr ? "" : text);
    }
    return result;
  }
  const std::size_t length = H5Tget_size(opened.type.id());
  std::vector<char> bytes(length * opened.count);
  if (H5Aread(opened.attribute.id(), opened.type.id(), bytes.data()) < 0) {
    hdf5::fail(place.file, action, place.path);
  }
  const H5T_str_t padding = H5Tget_strpad(opened.type.id());
  for (std::size_t index = 0; index < opened.count; ++index) {
    std::string text(bytes.data() + index * length, length);
    if (padding == H5T_STR_NULLTERM) {
      text.resize(std::min(text.size(), text.find('\0')));
    } else {
      text.resize(text.find_last_not_of(padding == H5T_STR_SPACEPAD ? ' ' : '\0') + 1);
    }
    result.push_back(std::move(text));
  }
  return result;
}

template <class T>
std::vector<T> read_numbers(const Place& place, const Opened& opened, Id memory_type) {
  std::vector<T> values(opened.count);
  if (!values.empty() && H5Aread(opened.attribute.id(), memory_type, values.data()) < 0) {
    hdf5::fail(place.file, "read the attribute", place.path);
  }
  return values;
}

void remove(const Place& place) {
  if (exists(place) && H5Adelete(place.object, place.name.c_str()) < 0) {
    hdf5::fail(place.file, "replace the attribute", place.path);
  }
}

/// A negative `count` writes a single value, not a list.
void write(const Place& place, Id type, std::int64_t count, const void* data) {
  constexpr std::string_view action = "write the attribute";
  const auto length = static_cast<hsize_t>(std::max<std::int64_t>(count, 0));
  remove(place);
  const Handle space = checked(count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, nullptr), &H5Sclose,
                               place.file, action, place.path);
  const Handle attribute =
      checked(H5Acreate2(place.object, place.name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose,
              place.file, action, place.path);
  if (count != 0 && H5Awrite(attribute.id(), type, data) < 0) {
    hdf5::fail(place.file, action, place.path);
  }
}

Handle text_type(const Place& place, std::size_t length) {
  Handle type = checked(H5Tcopy(H5T_C_S1), &H5Tclose, place.file, "write the attribute", place.path);
  H5Tset_size(type.id(), length);
  if (length == H5T_VARIABLE) {
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
  } else {
    H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  }
  return type;
}

}  // namespace

const std::string& Hdf5Object::path() const { return state_->path; }

bool Hdf5Object::has_attribute(const std::string& name) const {
  const LibrarySession session;
  return exists(place_of(*state_->file, state_->id(), path(), name));
}

std::vector<std::string> Hdf5Object::attribute_names() const {
  const LibrarySession session;
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* user) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(user)->emplace_back(name);
      return 0;
    } catch (...) {
      return -1;
    }
  };
  hsize_t start = 0;
  if (H5Aiterate2(state_->id(), H5_INDEX_NAME, H5_ITER_INC, &start, collect, &names) < 0) {
    hdf5::fail(*state_->file, "list the attributes of", path());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json Hdf5Object::read_attribute(const std::string& name) const {
  const LibrarySession session;
  const Place place = place_of(*state_->file, state_->id(), path(), name);
  const Opened opened = open(place);
  const H5T_class_t kind = H5Tget_class(opened.type.id());
  Json values = Json::array();
  if (kind == H5T_STRING) {
    values = Json::array_from(read_texts(place));
  } else if (kind == H5T_INTEGER) {
    values = Json::array_from(read_numbers<std::int64_t>(place, opened, H5T_NATIVE_INT64));
  } else if (kind == H5T_FLOAT) {
    values = Json::array_from(read_numbers<double>(place, opened, H5T_NATIVE_DOUBLE));
  } else {
    return nullptr;
  }
  const bool is_single = H5Sget_simple_extent_type(opened.space.id()) == H5S_SCALAR && values.size() == 1;
  return is_single ? values[0] : values;
}

std::string Hdf5Object::read_string_attribute(const std::string& name) const {
  const LibrarySession session;
  const Place place = place_of(*state_->file, state_->id(), path(), name);
  std::vector<std::string> texts = read_texts(place);
  if (texts.size() > 1) {
    throw IOError(fmt::format("\"{}\": the attribute \"{}\" is a list of {} texts, expected one", place.file.name,
                              place.path, texts.size()));
  }
  return texts.empty() ? std::string() : std::move(texts.front());
}

void Hdf5Object::write_string_attribute(const std::string& name, std::string_view value) {
  const LibrarySession session;
  const Place place = place_of(*state_->file, state_->id(), path(), name);
  if (value.find('\0') != std::string_view::npos) {
    throw ValueError(fmt::format("the attribute \"{}\" cannot hold a text with a zero byte", place.path));
  }
  const std::string text(value);
  const char* pointer = text.c_str();
  write(place, text_type(place, H5T_VARIABLE).id(), -1, &pointer);
}

void Hdf5Object::write_bytes_attribute(const std::string& name, std::string_view value) {
  const LibrarySession session;
  const Place place = place_of(*state_->file, state_->id(), path(), name);
  const std::string text(value);
  write(place, text_type(place, std::max<std::size_t>(text.size(), 1)).id(), -1, text.c_str());
}

std::vector<std::string> Hdf5Object::read_string_list_attribute(const std::string& name) const {
  const LibrarySession session;
  const Place whole = place_of(*state_->file, state_->id(), path(), name);
  std::vector<std::string> result;
  if (!exists(whole)) {
    for (int part = 0;; ++part) {
      const std::string part_name = name + std::to_string(part);
      const Place place = place_of(*state_->file, state_->id(), path(), part_name);
      if (!exists(place)) {
        break;
      }
      for (std::string& text : read_texts(place)) {
        result.push_back(std::move(text));
      }
    }
    if (!result.empty()) {
      return result;
    }
  }
  return read_texts(whole);
}

void Hdf5Object::write_string_list_attribute(const std::string& name, const std::vector<std::string>& values) {
  const LibrarySession session;
  const Place whole = place_of(*state_->file, state_->id(), path(), name);
  std::size_t length = 1;
  for (const std::string& value : values) {
    length = std::max(length, value.size());
  }
  if (length > header_limit) {
    throw ValueError(fmt::format("the attribute \"{}\" cannot hold a text of {} bytes, the maximum is {}", whole.path,
                                 length, header_limit));
  }
  remove(whole);
  for (int part = 0;; ++part) {
    const std::string part_name = name + std::to_string(part);
    const Place place = place_of(*state_->file, state_->id(), path(), part_name);
    if (!exists(place)) {
      break;
    }
    remove(place);
  }
  if (values.empty()) {
    write(whole, H5T_IEEE_F64LE, 0, nullptr);
    return;
  }
  const std::size_t maximum = header_limit / length;
  const std::size_t parts = (values.size() + maximum - 1) / maximum;
  const Handle type = text_type(whole, length);
  std::size_t next = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    // As numpy.array_split divides: the first parts are longer by one.
    const std::size_t count = values.size() / parts + (part < values.size() % parts ? 1 : 0);
    std::vector<char> bytes(count * length, '\0');
    for (std::size_t index = 0; index < count; ++index, ++next) {
      std::copy(values[next].begin(), values[next].end(), bytes.begin() + static_cast<std::ptrdiff_t>(index * length));
    }
    const std::string part_name = parts == 1 ? name : name + std::to_string(part);
    write(place_of(*state_->file, state_->id(), path(), part_name), type.id(), static_cast<std::int64_t>(count),
          bytes.data());
  }
}

std::int64_t Hdf5Object::read_int_attribute(const std::string& name) const {
  const LibrarySession session;
  const Place place = place_of(*state_->file, state_->id(), path(), name);
  const Opened opened = open(place);
  if (H5Tget_class(opened.type.id()) != H5T_INTEGER || opened.count != 1) {
    throw IOError(fmt::format("\"{}\": the attribute \"{}\" is not an integer", place.file.name, place.path));
  }
  std::int64_t value = 0;
  if (H5Aread(opened.attribute.id(), H5T_NATIVE_INT64, &value) < 0) {
    hdf5::fail(place.file, "read the attribute", place.path);
  }
  return value;
}

void Hdf5Object::write_int_attribute(const std::string& name, std::int64_t value) {
  const LibrarySession session;
  write(place_of(*state_->file, state_->id(), path(), name), H5T_STD_I64LE, -1, &value);
}

}  // namespace rhyton::io

#include <hdf5.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/handles.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/hdf5/types.h>
#include <rhyton/framework/io/memory_errors.h>

namespace rhyton::io {
namespace {

using hdf5::checked;
using hdf5::Handle;
using hdf5::Id;
using hdf5::LibrarySession;
using hdf5::OpenFile;

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (end > start) {
      parts.push_back(path.substr(start, end - start));
    }
    start = end + 1;
  }
  if (parts.empty() || path.find('\0') != std::string::npos) {
    throw ValueError(fmt::format("\"{}\" is not the path of an object in an HDF5 file", path));
  }
  return parts;
}

std::string joined(const std::string& parent, const std::string& name) {
  return parent.back() == '/' ? parent + name : parent + "/" + name;
}

enum class LinkKind { absent, hard, other };

struct Link {
  LinkKind kind = LinkKind::absent;
  /// The address of a hard link's object.
  std::uint64_t address = 0;
};

Link find_link(const OpenFile& file, Id group, const std::string& name, const std::string& path) {
  const htri_t found = H5Lexists(group, name.c_str(), H5P_DEFAULT);
  if (found == 0) {
    return {};
  }
  H5L_info_t info;
  if (found < 0 || H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) {
    hdf5::fail(file, "look for", path);
  }
  if (info.type != H5L_TYPE_HARD) {
    return {.kind = LinkKind::other};
  }
  return {.kind = LinkKind::hard, .address = info.u.address};
}

/// The object of that name, or nothing. Soft and external links, whose targets the file's author chooses, are refused.
std::optional<Handle> open_child(const OpenFile& file, Id group, const std::string& name, const std::string& path) {
  const Link link = find_link(file, group, name, path);
  switch (link.kind) {
    case LinkKind::absent:
      return std::nullopt;
    case LinkKind::other:
      throw IOError(fmt::format("\"{}\": \"{}\" is a soft or external link, which is refused", file.name, path));
    case LinkKind::hard:
      break;
  }
  if (file.structure != nullptr) {
    file.structure->check(link.address, path);
  }
  return checked(H5Oopen(group, name.c_str(), H5P_DEFAULT), &H5Oclose, file, "open", path);
}

struct Found {
  Handle object;
  H5I_type_t type = H5I_BADID;
  std::string path;
};

/// Follows a path from `start`. Nothing when a part is missing, or is inside an object that is not a group.
std::optional<Found> find(const OpenFile& file, Id start, const std::string& start_path, const std::string& path) {
  Found found = {.object = {}, .type = H5I_GROUP, .path = start_path};
  Id group = start;
  for (const std::string& part : parts_of(path)) {
    if (found.type != H5I_GROUP) {
      return std::nullopt;
    }
    found.path = joined(found.path, part);
    std::optional<Handle> child = open_child(file, group, part, found.path);
    if (!child) {
      return std::nullopt;
    }
    found.object = std::move(*child);
    found.type = H5Iget_type(found.object.id());
    group = found.object.id();
  }
  return found;
}

/// Throws IOError for a dataset whose elements are in other files.
void refuse_foreign_elements(const OpenFile& file, Id dataset, const std::string& path) {
  const Handle properties = checked(H5Dget_create_plist(dataset), &H5Pclose, file, "open", path);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  const int external_files = layout == H5D_CONTIGUOUS ? H5Pget_external_count(properties.id()) : 0;
  if (layout < 0 || external_files < 0) {
    hdf5::fail(file, "open", path);
  }
  if (layout == H5D_VIRTUAL || external_files > 0) {
    throw IOError(fmt::format("\"{}\": \"{}\" is {} dataset, which is refused: its elements are in other files",
                              file.name, path, layout == H5D_VIRTUAL ? "a virtual" : "an external"));
  }
}

Found open_dataset_at(const OpenFile& file, Id start, const std::string& start_path, const std::string& path) {
  std::optional<Found> found = find(file, start, start_path, path);
  if (!found || found->type != H5I_DATASET) {
    throw NotFoundError(fmt::format("\"{}\" has no dataset \"{}\"", file.name, joined(start_path, path)));
  }
  refuse_foreign_elements(file, found->object.id(), found->path);
  return *std::move(found);
}

/// Whether it is of that kind; does not open it in a file that is read.
bool is_kind(const OpenFile& file, Id group, const std::string& name, std::uint64_t address, const std::string& path,
             hdf5::ObjectKind wanted) {
  if (file.structure != nullptr) {
    return file.structure->kind(address, path) == wanted;
  }
  const std::optional<Handle> child = open_child(file, group, name, path);
  return child && H5Iget_type(child->id()) == (wanted == hdf5::ObjectKind::group ? H5I_GROUP : H5I_DATASET);
}

std::vector<std::string> children(const OpenFile& file, Id group, const std::string& path, hdf5::ObjectKind wanted) {
  std::vector<std::pair<std::string, std::uint64_t>> links;
  const auto collect = [](hid_t, const char* name, const H5L_info_t* info, void* user) -> herr_t {
    try {
      if (info->type == H5L_TYPE_HARD) {
        static_cast<decltype(links)*>(user)->emplace_back(name, info->u.address);
      }
      return 0;
    } catch (...) {
      return -1;
    }
  };
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &links) < 0) {
    hdf5::fail(file, "list", path);
  }
  std::vector<std::string> names;
  for (const auto& [name, address] : links) {
    if (is_kind(file, group, name, address, joined(path, name), wanted)) {
      names.push_back(name);
    }
  }
  return names;
}

Found create_group_at(const OpenFile& file, Id start, const std::string& start_path,
                      const std::vector<std::string>& parts) {
  Found current = {.object = {}, .type = H5I_GROUP, .path = start_path};
  Id group = start;
  for (const std::string& part : parts) {
    current.path = joined(current.path, part);
    std::optional<Handle> child = open_child(file, group, part, current.path);
    if (child && H5Iget_type(child->id()) != H5I_GROUP) {
      throw ValueError(fmt::format("\"{}\": \"{}\" is not a group", file.name, current.path));
    }
    if (!child) {
      child = checked(H5Gcreate2(group, part.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Oclose, file,
                      "create the group", current.path);
    }
    current.object = std::move(*child);
    group = current.object.id();
  }
  return current;
}

/// A separate handle to an open object.
Handle reopened(const OpenFile& file, Id object, const std::string& path) {
  return checked(H5Oopen(object, ".", H5P_DEFAULT), &H5Oclose, file, "open", path);
}

}  // namespace

bool Hdf5Group::has_group(const std::string& path) const {
  const LibrarySession session;
  const auto found = find(*state().file, state().id(), this->path(), path);
  return found && found->type == H5I_GROUP;
}

bool Hdf5Group::has_dataset(const std::string& path) const {
  const LibrarySession session;
  const auto found = find(*state().file, state().id(), this->path(), path);
  return found && found->type == H5I_DATASET;
}

std::vector<std::string> Hdf5Group::group_names() const {
  const LibrarySession session;
  return children(*state().file, state().id(), path(), hdf5::ObjectKind::group);
}

std::vector<std::string> Hdf5Group::dataset_names() const {
  const LibrarySession session;
  return children(*state().file, state().id(), path(), hdf5::ObjectKind::dataset);
}

Hdf5Group Hdf5Group::open_group(const std::string& path) const {
  const LibrarySession session;
  auto found = find(*state().file, state().id(), this->path(), path);
  if (!found || found->type != H5I_GROUP) {
    throw NotFoundError(fmt::format("\"{}\" has no group \"{}\"", state().file->name, joined(this->path(), path)));
  }
  return Hdf5Group(std::make_shared<State>(state().file, std::move(found->object), found->path));
}

Hdf5Group Hdf5Group::create_group(const std::string& path) {
  const LibrarySession session;
  Found group = create_group_at(*state().file, state().id(), this->path(), parts_of(path));
  return Hdf5Group(std::make_shared<State>(state().file, std::move(group.object), group.path));
}

Hdf5Dataset Hdf5Group::open_dataset(const std::string& path) const {
  const LibrarySession session;
  Found found = open_dataset_at(*state().file, state().id(), this->path(), path);
  return Hdf5Dataset(std::make_shared<State>(state().file, std::move(found.object), found.path));
}

Hdf5Dataset Hdf5Group::write_dataset(const std::string& path, const Tensor& tensor) {
  const LibrarySession session;
  const OpenFile& file = *state().file;
  std::vector<std::string> parts = parts_of(path);
  const std::string name = parts.back();
  parts.pop_back();
  const Found parent = parts.empty() ? Found{reopened(file, state().id(), this->path()), H5I_GROUP, this->path()}
                                     : create_group_at(file, state().id(), this->path(), parts);
  const std::string full_path = joined(parent.path, name);
  if (find_link(file, parent.object.id(), name, full_path).kind != LinkKind::absent) {
    throw ValueError(fmt::format("\"{}\" already has an object \"{}\"", file.name, full_path));
  }
  Handle dataset = hdf5::write_elements(file, parent.object.id(), name, full_path, tensor);
  Hdf5Dataset result(std::make_shared<State>(state().file, std::move(dataset), full_path));
  if (tensor.dtype() == DType::bfloat16) {
    result.write_string_attribute("dtype", "bfloat16");
  }
  return result;
}

TensorSpec Hdf5Dataset::spec() const {
  const LibrarySession session;
  return hdf5::spec_of(*this, *state().file, state().id());
}

Tensor Hdf5Dataset::read() const {
  const LibrarySession session;
  return naming_memory_errors(state().file->name,
                              [&] { return hdf5::read_elements(*this, *state().file, state().id()); });
}

void Hdf5Dataset::read_into(const TensorSpec& spec, void* target) const {
  const LibrarySession session;
  naming_memory_errors(state().file->name,
                       [&] { hdf5::read_elements_into(*this, *state().file, state().id(), spec, target); });
}

}  // namespace rhyton::io

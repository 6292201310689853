// `Model::save`, `save_weights`, `load_weights` and `load_model`: selection of the format by the path, and common
// checks.

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/memory_errors.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/keras_archive.h>
#include <rhyton/models/saving/legacy_h5.h>
#include <rhyton/models/saving/legacy_weights.h>
#include <rhyton/models/saving/shard_writer.h>
#include <rhyton/models/saving/sharded_weights.h>
#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/models/saving/weights_file.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::models {
namespace {

bool is_h5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

void require_free(const std::string& path, bool overwrite) {
  std::error_code ignored;
  if (overwrite || !std::filesystem::exists(path, ignored)) return;
  throw ValueError("The file already exists, and `overwrite` is false. Received: filepath=" + path);
}

void require_model(const Model& model) {
  if (model.is_empty()) throw RuntimeError("An empty model handle was used: it holds no model.");
}

void require_by_name_fits(const std::string& path, bool by_name) {
  if (by_name) throw ValueError("`by_name` only supports loading legacy '.h5' or '.hdf5' files. Received: " + path);
}

void require_no_objects_to_skip(const std::string& path, const ObjectsToSkip& objects) {
  if (objects.empty()) return;
  throw ValueError("`objects_to_skip` only supports loading '.weights.h5' files. Received: " + path);
}

/// The first bytes of a file; fewer if it is shorter.
std::string beginning_of(const std::string& path, std::size_t bytes) {
  std::string start(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(bytes));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start;
}

[[noreturn]] void throw_no_zip(const std::string& path) {
  std::string what = "The file is not a zip archive: filepath=" + path + ".";
  if (beginning_of(path, 8) == "\x89HDF\r\n\x1a\n") {
    what +=
        " It is an HDF5 file: a legacy model, which is loaded under a name that ends in `.h5`, or weights alone, "
        "which `Model::load_weights` takes under a name that ends in `.weights.h5`.";
  }
  throw ValueError(what + " Please ensure the file is an accessible `.keras` zip file.");
}

[[noreturn]] void throw_unreadable(const std::string& path) {
  std::error_code ignored;
  if (path.ends_with(".keras") && std::filesystem::is_directory(path, ignored)) {
    throw ValueError("The folder contains no Keras model: it has no config.json. Received: filepath=" + path);
  }
  if (path.ends_with(".keras") && std::filesystem::is_regular_file(path, ignored)) throw_no_zip(path);
  if (path.ends_with(".keras")) {
    throw ValueError("File not found: filepath=" + path +
                     ". Please ensure the file is an accessible `.keras` zip file.");
  }
  throw ValueError(
      "File format not supported: filepath=" + path +
      ". Keras 3 only supports V3 `.keras` files, legacy H5 format files (`.h5` extension). Note that the legacy "
      "SavedModel format is not supported by `load_model()` in Keras 3. In order to reload a TensorFlow SavedModel as "
      "an "
      "inference-only layer in Keras 3, use `keras.layers.TFSMLayer(" +
      path + ", call_endpoint='serving_default')` (note that your `call_endpoint` might have a different name).");
}

/// The result of `read`; its errors name the file.
template <class Read>
auto naming_file(const std::string& path, Read read) {
  const auto named = [&](const std::string& message) {
    return message.find(path) != std::string::npos ? message : message + "\nFile: " + path;
  };
  try {
    return io::naming_memory_errors(path, read);
  } catch (const saving::UnknownClassesError& error) {
    throw saving::UnknownClassesError(named(error.what()), error.unknown());
  } catch (const ValueError& error) {
    throw ValueError(named(error.what()));
  } catch (const TypeError& error) {
    throw TypeError(named(error.what()));
  } catch (const NotFoundError& error) {
    throw NotFoundError(named(error.what()));
  } catch (const NotImplementedError& error) {
    throw NotImplementedError(named(error.what()));
  } catch (const RuntimeError& error) {
    throw RuntimeError(named(error.what()));
  }
}

/// The group with the weights of a `.h5` file, which contains a whole model or only weights.
io::Hdf5Group legacy_weights_group(const io::Hdf5Group& root) {
  constexpr const char* model_weights = "model_weights";
  return !saving::has_legacy_weights(root) && root.has_group(model_weights) ? root.open_group(model_weights) : root;
}

saving::PendingValues find_weights(const Model& model, const std::string& path, const LoadWeightsOptions& options) {
  if (path.ends_with(".keras")) {
    require_no_objects_to_skip(path, options.objects_to_skip);
    require_by_name_fits(path, options.by_name);
    if (!saving::is_keras_archive(path)) throw_unreadable(path);
    return saving::find_weights_in_archive(model, path, options.skip_mismatch);
  }
  if (path.ends_with(".weights.json")) {
    require_by_name_fits(path, options.by_name);
    saving::ShardedWeights shards{std::filesystem::path(path)};
    return saving::find_weights(model, shards, options.skip_mismatch, options.objects_to_skip);
  }
  if (!is_h5(path)) {
    throw ValueError("File format not supported: filepath=" + path +
                     ". Keras 3 only supports V3 `.keras` files, `.weights.h5` files, or legacy H5 format files (`.h5` "
                     "extension).");
  }
  const bool is_current = path.ends_with(".weights.h5");
  if (is_current) require_by_name_fits(path, options.by_name);
  const io::Hdf5File file = io::Hdf5File::open_read(std::filesystem::path(path));
  const io::Hdf5Group group = legacy_weights_group(file.root());
  // Keras 2 wrote its own form to files of any name that ends in ".h5".
  if (is_current && !saving::has_legacy_weights(group)) {
    return saving::find_weights(model, file.root(), options.skip_mismatch, options.objects_to_skip);
  }
  require_no_objects_to_skip(path, options.objects_to_skip);
  return options.by_name ? saving::find_legacy_weights_by_name(model, group, options.skip_mismatch)
                         : saving::find_legacy_weights(model, group, options.skip_mismatch);
}

}  // namespace

void Model::save(const std::string& path, const SaveOptions& options) const {
  require_model(*this);
  const bool is_archive = path.ends_with(".keras");
  if (!is_archive && !is_h5(path)) {
    throw ValueError(
        "Invalid filepath extension for saving. Please add either a `.keras` extension for the native Keras format "
        "(recommended) or a `.h5` extension. Use `model.export(filepath)` if you want to export a SavedModel for use "
        "with TFLite/TFServing/etc. Received: filepath=" +
        path + ".");
  }
  if (!model_impl()->trainer().is_chief()) return;
  require_free(path, options.overwrite);
  if (is_archive) {
    if (!is_built()) {
      warn(
          "You are saving a model that has not yet been built. It might not contain any weights yet. Consider building "
          "the model first by calling it on some data.");
    }
    saving::save_keras_archive(*this, path);
  } else {
    saving::save_legacy_h5(*this, path, options.include_optimizer);
  }
}

void Model::save_weights(const std::string& path, const SaveWeightsOptions& options) const {
  require_model(*this);
  if (!options.max_shard_size && !path.ends_with(".weights.h5")) {
    throw ValueError("The filename must end in `.weights.h5`. Received: filepath=" + path);
  }
  if (options.max_shard_size && !path.ends_with("weights.h5") && !path.ends_with("weights.json")) {
    throw ValueError(
        "The filename must end in `.weights.json` when `max_shard_size` is specified. Received: filepath=" + path);
  }
  if (!model_impl()->trainer().is_chief()) return;
  require_free(path, options.overwrite);
  if (options.max_shard_size) {
    require_free(std::filesystem::path(path).replace_extension(".json").string(), options.overwrite);
  }
  if (!is_built()) {
    throw ValueError(
        "You are saving a model that has not yet been built. Try building the model first by calling it on some data "
        "or "
        "by using `build()`.");
  }
  std::unique_lock between_steps(training::step_mutex());
  std::unique_lock making(making_mutex());
  const saving::WeightsSnapshot snapshot(*this, options.objects_to_skip);
  making.unlock();
  between_steps.unlock();
  if (options.max_shard_size) {
    saving::write_shards(snapshot.groups(), path, *options.max_shard_size);
    return;
  }
  io::Hdf5File file = io::Hdf5File::create(std::filesystem::path(path));
  snapshot.write(file.root());
  file.commit();
}

void Model::load_weights(const std::string& path, const LoadWeightsOptions& options) const {
  require_model(*this);
  if (!is_built()) {
    throw ValueError(
        "You are loading weights into a model that has not yet been built. Try building the model first by calling it "
        "on some data or by using `build()`.");
  }
  naming_file(path, [&] { find_weights(*this, path, options).assign_all(); });
}

Model load_model(const std::string& path, const LoadModelOptions& options) {
  const saving::CustomObjectScope scope(options.custom_objects, options.safe_mode);
  return naming_file(path, [&] {
    if (saving::is_keras_archive(path)) return saving::load_keras_archive(path, options.compile);
    if (is_h5(path)) return saving::load_legacy_h5(path, options.compile);
    throw_unreadable(path);
  });
}

}  // namespace rhyton::models

#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/saved_group.h>

namespace rhyton::saving {

/// Inspects and edits the weights in a file of a model, for example after its architecture has changed
/// (`keras.saving.KerasFileEditor`):
///
///     saving::KerasFileEditor editor("model.weights.h5");
///     editor.summary();
///     editor.delete_object("layers/dense_2");
///     editor.add_object("layers/einsum_dense", {{"0", kernel}, {"1", bias}});
///     editor.save("edited.weights.h5");
///
/// Objects are layers, lists of layers and optimizers, named by their paths, "layers/dense_2", or by the last part of the
/// path if no other object has it. Weights are named by their numbers, "0", "1". Unlike Keras's editor it keeps the
/// weights of objects within objects that have weights, or none, of their own, such as the cell of an LSTM. All weights
/// are in memory.
class KerasFileEditor {
 public:
  /// Weights by their names in an object.
  using Weights = std::map<std::string, Tensor>;
  /// Receives lines without their ends.
  using PrintFunction = std::function<void(const std::string& line)>;

  /// Opens a `.keras` or `.weights.h5` file. Messages go to the standard output, or to `print_fn`. Throws ValueError for
  /// another extension, NotFoundError if there is no such file, IOError for a damaged one.
  explicit KerasFileEditor(const std::string& filepath, PrintFunction print_fn = {});

  /// Prints the objects and the shapes and dtypes of their weights.
  void summary() const;

  struct Comparison {
    /// "success" or "error"
    std::string status;
    /// The number of objects and weights that only one of both has, and of weights with different shapes.
    int error_count = 0;
    /// The number of weights with equal shapes.
    int match_count = 0;
    // Keras 3.15 counts those within objects several times.
  };
  /// Compares the weights with those of a model, and prints what differs.
  Comparison compare(const models::Model& reference_model) const;

  // These throw ValueError in Keras's words for an object that does not exist, and for a name that several have.

  /// Gives the object this last part of its path. Throws ValueError for a path as `new_name`, and if there is an object
  /// of that path.
  void rename_object(const std::string& object_name, const std::string& new_name);
  /// Removes the object and what is within it.
  void delete_object(const std::string& object_name);
  /// Adds an object within an existing one, or replaces its weights. The path is a whole one.
  void add_object(const std::string& object_path, const Weights& weights);
  /// Removes a weight. Throws ValueError if the object has none of that name.
  void delete_weight(const std::string& object_name, const std::string& weight_name);
  /// Adds weights to an object, or replaces them.
  void add_weights(const std::string& object_name, const Weights& weights);

  /// Writes the weights to a `.weights.h5` file, in one step. Throws ValueError for another extension, IOError.
  void save(const std::string& filepath) const;
  /// The same (Keras's other name of it).
  void resave_weights(const std::string& filepath) const { save(filepath); }

  /// The weights by path, "layers/dense/0".
  std::vector<std::pair<std::string, Tensor>> weights() const;
  /// `config.json` and `metadata.json` of a `.keras` file; null otherwise.
  const io::Json& config() const { return config_; }
  const io::Json& metadata() const { return metadata_; }

 private:
  /// An object with weights of its own.
  struct Object {
    std::string path;
    /// The name of the layer; empty if the file does not say it.
    std::string name = {};
    Weights weights = {};
  };
  void read(const io::Hdf5Group& group, const std::string& path);
  /// The path of the object.
  std::string find(const std::string& object_name) const;
  bool exists(const std::string& path) const;
  Object& object_at(const std::string& path);

  PrintFunction print_;
  std::vector<Object> objects_;
  io::Json config_;
  io::Json metadata_;
};

}  // namespace rhyton::saving

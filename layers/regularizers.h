#pragma once

#include <functional>
#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// A penalty on the values of a weight or on a layer's outputs. See https://keras.io/api/layers/regularizers. Custom
/// regularizers derive from this class; `register_regularizer` makes them available to saved models.
class RegularizerImpl {
 public:
  virtual ~RegularizerImpl() = default;
  /// Returns a scalar, computed with ops.
  virtual Tensor call(const Tensor& values) const = 0;
  /// "L2".
  virtual std::string class_name() const = 0;
  virtual io::Json get_config() const = 0;
};

/// A regularizer argument of a layer: empty, a name ("l1", "l2", "l1_l2", …), or an object (`regularizers::L2(0.1)`).
class Regularizer {
 public:
  /// Empty: no penalty.
  Regularizer() = default;
  /// Throws ValueError for an unknown name.
  Regularizer(const char* name);         // NOLINT(google-explicit-constructor): names convert by themselves
  Regularizer(const std::string& name);  // NOLINT(google-explicit-constructor)
  explicit Regularizer(std::shared_ptr<const RegularizerImpl> impl) : impl_(std::move(impl)) {}

  bool is_empty() const { return impl_ == nullptr; }
  /// The penalty, a scalar. Throws ValueError if this is empty.
  Tensor operator()(const Tensor& values) const;

  /// Keras's saved form: `{"module": "keras.regularizers", "class_name": "L2", …}`; null if this is empty.
  io::Json to_config() const;
  /// Reads that form, Keras 2's without a module, a name, or null.
  static Regularizer from_config(const io::Json& config);
  static constexpr const char* config_type = "a regularizer";
  static constexpr bool config_is_object = true;

  const std::shared_ptr<const RegularizerImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const RegularizerImpl> impl_;
};

}  // namespace rhyton::layers

namespace rhyton::regularizers {

struct L1Options {
  ByName by_name = ByName();
  double l1 = 0.01;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("l1", self.l1);
  }
};

/// l1 · Σ |w|. Throws ValueError for a factor that is negative or not finite.
class L1 : public layers::Regularizer {
 public:
  explicit L1(double l1 = 0.01);
  explicit L1(const L1Options& options) : L1(options.l1) {}
};

struct L2Options {
  ByName by_name = ByName();
  double l2 = 0.01;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("l2", self.l2);
  }
};

/// l2 · Σ w². Throws ValueError for a factor that is negative or not finite.
class L2 : public layers::Regularizer {
 public:
  explicit L2(double l2 = 0.01);
  explicit L2(const L2Options& options) : L2(options.l2) {}
};

struct L1L2Options {
  ByName by_name = ByName();
  double l1 = 0.0;
  double l2 = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("l1", self.l1);
    fields("l2", self.l2);
  }
};

/// l1 · Σ |w| + l2 · Σ w². Throws ValueError for a factor that is negative or not finite.
class L1L2 : public layers::Regularizer {
 public:
  explicit L1L2(double l1 = 0.0, double l2 = 0.0);
  explicit L1L2(const L1L2Options& options) : L1L2(options.l1, options.l2) {}
};

struct OrthogonalRegularizerOptions {
  ByName by_name = ByName();
  double factor = 0.01;
  /// "rows" or "columns".
  std::string mode = "rows";

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("factor", self.factor);
    fields("mode", self.mode);
  }
};

/// factor times the mean of |a · b| over all pairs of rows a ≠ b of a matrix, or of its columns, each divided by its L2
/// norm. Throws ValueError for a factor that is negative or not finite and
/// for another mode; when called, for a tensor that is no matrix.
class OrthogonalRegularizer : public layers::Regularizer {
 public:
  explicit OrthogonalRegularizer(const OrthogonalRegularizerOptions& options = {});
};

/// Registers a custom regularizer for names and saved models. Saved models name it "package>class_name".
void register_regularizer(const std::string& class_name,
                          std::function<layers::Regularizer(const io::Json& config)> factory,
                          const std::string& package = "Custom");

}  // namespace rhyton::regularizers

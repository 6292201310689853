#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::losses {

/// The options of all losses. Fields in the order of the losses' Keras signatures.
struct LossOptions {
  ByName by_name = ByName();
  /// "sum_over_batch_size" and "mean": the sum divided by the number of values. "sum". "mean_with_sample_weight": the
  /// sum divided by the sum of the weights. "none": one value per sample.
  std::string reduction = "sum_over_batch_size";
  /// The default name of the class if empty.
  std::string name = {};
  /// The dtype of the computation; `floatx` if empty.
  std::string dtype = {};

  /// Lists these members of the options of any loss.
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("name", self.name);
    fields("reduction", self.reduction);
    fields.policy("dtype", self.dtype, false);
    fields.ignored("fn");  // the function of a wrapper in Keras 2
  }
};

/// The implementation of a loss, shared by its handles (`Loss`, `MeanSquaredError`, …). A custom loss derives from this
/// class, overrides `call`, and is wrapped by `make_loss<MyLoss>(…)`.
class LossImpl {
 public:
  /// Throws ValueError in Keras's words for an unknown reduction or dtype.
  LossImpl(std::string class_name, const LossOptions& options);
  virtual ~LossImpl();
  LossImpl(const LossImpl&) = delete;
  LossImpl& operator=(const LossImpl&) = delete;

  /// One value per sample, computed with ops: y_true and y_pred [batch, …] of the loss's dtype give [batch] or more
  /// axes. A mask of the values (`Tensor::with_mask`, of their shape) says which of them count.
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) const = 0;
  /// False for a loss whose labels are class indices: `call` then gets them in their original dtype.
  virtual bool casts_labels() const { return true; }
  /// The constructor arguments, in Keras's keys: name, reduction, then those of the class.
  virtual io::Json get_config() const;

  const std::string& class_name() const { return class_name_; }
  const std::string& name() const { return name_; }
  const std::string& reduction() const { return reduction_; }
  DType dtype() const { return dtype_; }
  /// The string that it was made from ("mse"); empty for an object.
  const std::string& identifier() const { return identifier_; }

 private:
  friend class Loss;
  std::string class_name_;
  std::string name_;
  std::string reduction_;
  DType dtype_;
  std::string identifier_;
};

/// A loss function: per-sample values of y_true and y_pred.
using LossFunction = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// A loss, which measures the error of predictions as one number to minimize: a handle; copies are the same loss.
///
/// A loss argument can be one of Keras's strings ("mse", "sparse_categorical_crossentropy", "Huber"), a function of two
/// tensors or an object:
///
///     model.compile({.loss = "mse"});
///     model.compile({.loss = losses::Huber({.delta = 0.5})});
///     model.compile({.loss = losses::binary_crossentropy});
///     model.compile({.loss = [](const Tensor& y, const Tensor& p) { return mean(abs(y - p), {-1}); }});
///
/// https://keras.io/api/losses/
class Loss {
 public:
  /// No loss.
  Loss() = default;
  Loss(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): Python's None
  Loss(std::nullopt_t) {}  // NOLINT(google-explicit-constructor)
  /// The loss of that name. "crossentropy" and "ce" become the binary, sparse or categorical crossentropy depending on
  /// the shapes of the call. Throws ValueError "Could not interpret loss identifier: …" for an unknown name.
  Loss(const std::string& identifier);                             // NOLINT(google-explicit-constructor)
  Loss(const char* identifier) : Loss(std::string(identifier)) {}  // NOLINT(google-explicit-constructor)
  /// A function that gives per-sample values, reduced as in the loss classes. `name` is its name in saved models; if it
  /// is empty, functions of this namespace have their own name and others "loss_function".
  template <class F>
  requires(!std::derived_from<F, Loss> && std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&>)
      Loss(F function, std::string name = {})  // NOLINT(google-explicit-constructor)
      : Loss(from_function(LossFunction(std::move(function)), std::move(name))) {}
  /// A function of this namespace whose further arguments have their defaults: `losses::huber`. Throws TypeError for
  /// other functions of more than two arguments: a lambda passes them.
  template <class... More>
  requires(sizeof...(More) > 0)
      Loss(Tensor (*function)(const Tensor&, const Tensor&, More...),  // NOLINT(google-explicit-constructor)
           const std::string& name = {})
      : Loss(from_pointer(function, name)) {}
  explicit Loss(std::shared_ptr<LossImpl> impl) : impl_(std::move(impl)) {}

  /// The reduced loss. `sample_weight`, [batch] or with more of the axes of the values, weights them; `mask` (bool,
  /// shaped like weights) excludes entries that are false, as Keras does with the mask of a layer's output.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {},
                    const Tensor& mask = {}) const;
  /// The values per sample, neither weighted nor reduced.
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const;

  bool is_empty() const { return impl_ == nullptr; }
  const std::string& name() const { return impl_->name(); }
  const std::string& class_name() const { return impl_->class_name(); }
  const std::string& reduction() const { return impl_->reduction(); }
  io::Json get_config() const { return impl_->get_config(); }

  const std::shared_ptr<LossImpl>& impl() const { return impl_; }

 protected:
  std::shared_ptr<LossImpl> impl_;

 private:
  static Loss from_function(LossFunction function, std::string name);
  static Loss from_pointer(const std::any& function, const std::string& name);
};

/// Wraps a custom loss: `Loss loss = make_loss<Quantile>(0.9);`
template <class Impl, class... Arguments>
Loss make_loss(Arguments&&... arguments) {
  return Loss(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// A loss in the form of `config.json`: the string for one made from a string, {"module": "keras.losses", "class_name",
/// "config", "registered_name"} for an object, null for none. (`keras.losses.serialize`)
io::Json serialize(const Loss& loss);
/// Creates the loss that `serialize` has written. Throws ValueError for an unknown string or function, TypeError for an
/// unknown class. (`keras.losses.deserialize`)
Loss deserialize(const io::Json& serialized);
/// Registers a custom loss for `deserialize` and for the string of that name. Saved models name it
/// "package>class_name".
void register_loss(const std::string& class_name, std::function<Loss(const io::Json& config)> factory,
                   const std::string& package = "Custom");

}  // namespace rhyton::losses

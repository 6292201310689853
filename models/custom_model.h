#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <rhyton/models/functional.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/sequential_impl.h>

namespace rhyton::models {

/// A model whose class is `Impl`, a custom one: a handle. `model.fit(…)` is that of every model, `model->encoder()` a
/// function of the class.
template <class Impl>
class CustomModel : public Model {
 public:
  explicit CustomModel(std::shared_ptr<Impl> impl) : Model(std::move(impl)) {}
  Impl* operator->() const { return static_cast<Impl*>(impl_.get()); }
};

/// Which functions of its steps a class overrides. One that is not accessible counts as overridden.
template <class Impl>
constexpr training::StepOverrides overrides_of() {
  training::StepOverrides overrides = training::StepOverrides::all();
  if constexpr (requires { &Impl::train_step; }) {
    overrides.train_step = !std::is_same_v<decltype(&Impl::train_step), decltype(&ModelImpl::train_step)>;
  }
  if constexpr (requires { &Impl::test_step; }) {
    overrides.test_step = !std::is_same_v<decltype(&Impl::test_step), decltype(&ModelImpl::test_step)>;
  }
  if constexpr (requires { &Impl::predict_step; }) {
    overrides.predict_step = !std::is_same_v<decltype(&Impl::predict_step), decltype(&ModelImpl::predict_step)>;
  }
  if constexpr (requires { &Impl::compute_loss; }) {
    overrides.compute_loss = !std::is_same_v<decltype(&Impl::compute_loss), decltype(&ModelImpl::compute_loss)>;
  }
  if constexpr (requires { &Impl::compute_metrics; }) {
    overrides.compute_metrics =
        !std::is_same_v<decltype(&Impl::compute_metrics), decltype(&ModelImpl::compute_metrics)>;
  }
  if constexpr (requires { &Impl::metrics; }) {
    overrides.metrics = !std::is_same_v<decltype(&Impl::metrics), decltype(&ModelImpl::metrics)>;
  }
  return overrides;
}

/// Makes a custom model: `auto vae = make_model<Vae>(latent_dim);`, or of a functional model's inputs and outputs
/// `make_model<CustomModel>(ModelOptions{.inputs = x, .outputs = y})`.
template <std::derived_from<ModelImpl> Impl, class... Arguments>
CustomModel<Impl> make_model(Arguments&&... arguments) {
  auto impl = std::make_shared<Impl>(std::forward<Arguments>(arguments)...);
  impl->set_overrides(overrides_of<Impl>());
  if (impl->graph() != nullptr) impl->ensure_built(shapes_of(impl->inputs()));
  return CustomModel<Impl>(std::move(impl));
}

}  // namespace rhyton::models

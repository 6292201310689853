#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/models/metrics/metric.h>

namespace rhyton::models {

/// The metrics of a model, in the forms of Keras:
///
///     .metrics = {"mae", "mse"}                                  // of the only output; of several outputs one each
///     .metrics = {{"mae", "mse"}, {"accuracy"}}                  // a list for each output, {} for none
///     .metrics = {"mae", {"accuracy", "mae"}}                    // one or a list for each output
///     .metrics = {{"score", {"mae", "mse"}}, {"kind", {"accuracy"}}}  // lists by the names of outputs
class MetricsArgument {
 public:
  using List = std::vector<metrics::MetricArgument>;

  /// A pair of inner braces, or what stands in its place.
  class Entry {
   public:
    /// No metrics for an output: `{}`, `nullptr` or `std::nullopt`.
    Entry() : is_list_(true) {}
    Entry(std::nullptr_t) : Entry() {}  // NOLINT(google-explicit-constructor): an argument type
    Entry(std::nullopt_t) : Entry() {}  // NOLINT(google-explicit-constructor)
    /// One metric.
    template <class Metric>
    requires(std::convertible_to<Metric, metrics::MetricArgument> &&
             !std::same_as<std::remove_cvref_t<Metric>, std::nullptr_t>)
        Entry(Metric&& metric)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : list_{metrics::MetricArgument(std::forward<Metric>(metric))} {}
    /// The metrics of an output.
    Entry(List list) : list_(std::move(list)), is_list_(true) {}  // NOLINT(google-explicit-constructor)
    template <class First, class Second, class... More>
    requires(
        std::convertible_to<First, metrics::MetricArgument>&& std::convertible_to<Second, metrics::MetricArgument> &&
        (std::convertible_to<More, metrics::MetricArgument> && ...))
        Entry(First&& first, Second&& second, More&&... more)
        : list_{metrics::MetricArgument(std::forward<First>(first)),
                metrics::MetricArgument(std::forward<Second>(second)),
                metrics::MetricArgument(std::forward<More>(more))...},
          is_list_(true) {
      // `{own_error, "spread"}` is one function with its name, as in MetricArgument.
      if constexpr (sizeof...(More) == 0 && std::constructible_from<metrics::MetricArgument, First, std::string>) {
        name_function();
      }
    }
    /// The metrics of the output of that name.
    Entry(const char* output, List list) : output_(output), list_(std::move(list)) {}
    Entry(const std::string& output, List list) : output_(output), list_(std::move(list)) {}

   private:
    friend class MetricsArgument;
    /// Makes a function and a string that is no metric one metric of that name.
    void name_function();

    std::optional<std::string> output_;
    List list_;
    bool is_list_ = false;
  };

  MetricsArgument() = default;
  MetricsArgument(List list) : list_(std::move(list)) {}  // NOLINT(google-explicit-constructor): an argument type
  MetricsArgument(std::vector<List> lists) : lists_(std::move(lists)) {}      // NOLINT
  MetricsArgument(std::map<std::string, List> map) : map_(std::move(map)) {}  // NOLINT
  /// Throws ValueError if only some of the entries have the name of an output.
  MetricsArgument(std::initializer_list<Entry> entries);  // NOLINT(google-explicit-constructor)

  bool is_empty() const { return list_.empty() && lists_.empty() && map_.empty(); }
  /// Metrics without inner lists.
  const List& list() const { return list_; }
  /// A list per output.
  const std::vector<List>& lists() const { return lists_; }
  /// Lists by the names of outputs.
  const std::map<std::string, List>& map() const { return map_; }

 private:
  List list_;
  std::vector<List> lists_;
  std::map<std::string, List> map_;
};

}  // namespace rhyton::models

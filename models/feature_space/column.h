#pragma once

#include <string>

#include <rhyton/datasets/dataset.h>

namespace rhyton::utils {

/// The tensor of that name of each element of a data set of dictionaries, as a layer of a FeatureSpace adapts to it:
/// [batch, 1] for elements that are single values or batches of them, as it is otherwise. Throws ValueError for a data
/// set without elements, or without that name.
datasets::Dataset column_of(const datasets::Dataset& dataset, const std::string& name);

}  // namespace rhyton::utils

#include <rhyton/layers/weights_to_come.h>

#include <utility>

namespace rhyton::layers {
namespace {

thread_local bool expected = false;

}  // namespace

WeightsToCome::WeightsToCome() : previous_(std::exchange(expected, true)) {}
WeightsToCome::~WeightsToCome() { expected = previous_; }
bool WeightsToCome::is_expected() { return expected; }

}  // namespace rhyton::layers

#include <rhyton/models/training/epoch_cursor.h>

#include <algorithm>

#include <rhyton/framework/error.h>

namespace rhyton::training {

EpochCursor::EpochCursor(const BatchSource& data, const EpochPlan& plan)
    : data_(data),
      plan_(plan),
      at_{.epoch = plan.initial_epoch,
          .shuffle_key = data.shuffle_key,
          .samples = data.stream->samples().value_or(-1),
          .batch_size = data.batch_size,
          .steps_per_epoch = plan.steps_per_epoch.value_or(-1)} {}

void EpochCursor::set_shuffle_key(std::uint64_t key) {
  at_.shuffle_key = key;
  data_.stream->set_shuffle_key(key);
}

void EpochCursor::move_to(const callbacks::FitPosition& position) {
  at_ = position;
  data_.stream->set_shuffle_key(at_.shuffle_key);
  if (at_.batch > 0 && at_.passes > 0) {
    data_.stream->begin_pass(at_.passes - 1);
    data_.stream->skip(at_.batch);
    is_within_pass_ = true;
  }
}

void EpochCursor::skip_passes_of_earlier_epochs() {
  if (!data_.repeats) at_.passes = static_cast<std::uint64_t>(std::max(0, at_.epoch));
}

void EpochCursor::begin_pass() {
  data_.stream->begin_pass(at_.passes);
  at_.batch = 0;
  is_within_pass_ = true;
}

bool EpochCursor::next_batch() {
  if (!has_data_ || (plan_.steps_per_epoch && at_.step >= *plan_.steps_per_epoch)) return false;
  if (!is_within_pass_) begin_pass();
  if (!data_.stream->advance()) {
    is_within_pass_ = false;
    has_data_ = data_.repeats || at_.step == 0;
    if (!has_data_) return false;
    begin_pass();
    if (!data_.stream->advance()) throw ValueError("The data set is empty: it has no batches.");
  }
  if (at_.batch++ == 0) ++at_.passes;
  return true;
}

bool EpochCursor::ran_out_of_data() const { return plan_.continues_passes && at_.step < *plan_.steps_per_epoch; }

void EpochCursor::end_steps(bool continues) {
  if (!plan_.continues_passes) is_within_pass_ = false;
  if (!is_within_pass_ && at_.epoch + 1 < plan_.epochs && continues) begin_pass();
}

void EpochCursor::end_epoch() {
  ++at_.epoch;
  at_.step = 0;
  if (!plan_.continues_passes) at_.batch = 0;
}

}  // namespace rhyton::training

#pragma once

namespace rhyton::distribute {

/// How the data of a fit are divided among processes (`tf.data.experimental.AutoShardPolicy`).
enum class AutoShardPolicy {
  /// As DATA.
  AUTO,
  /// Every process has all data, and takes its share of each batch.
  DATA,
  /// Every process has data of its own, equally many in all of them.
  OFF,
};

}  // namespace rhyton::distribute

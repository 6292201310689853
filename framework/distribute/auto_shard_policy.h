#pragma once

namespace rhyton::distribute {

/// How the data of a fit are divided among processes (`tf.data.experimental.AutoShardPolicy`).
enum class AutoShardPolicy {
  /// As DATA.
  AUTO,
  /// Every process has all data, and takes its part of each batch.
  DATA,
  /// Every process has data of its own, as many as the others.
  OFF,
};

}  // namespace rhyton::distribute

#include <rhyton/framework/threading/spinning.h>

#include <rhyton/framework/threading/thread_count.h>

namespace rhyton::threading {

std::int64_t spin_nanoseconds(int threads) {
  constexpr std::int64_t while_cores_are_free = 40'000;
  return threads <= default_thread_count() ? while_cores_are_free : 0;
}

}  // namespace rhyton::threading

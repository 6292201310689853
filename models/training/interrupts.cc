#include <rhyton/models/training/interrupts.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

#include <rhyton/framework/context.h>
#include <rhyton/framework/io/unfinished_file.h>
#include <rhyton/models/keyboard_interrupt.h>

namespace rhyton {
namespace {

struct InterruptHandling {
  std::atomic<bool> is_enabled = true;
};

}  // namespace

void config::enable_interrupt_handling() { context().slot<InterruptHandling>().is_enabled = true; }
void config::disable_interrupt_handling() { context().slot<InterruptHandling>().is_enabled = false; }
bool config::is_interrupt_handling_enabled() { return context().slot<InterruptHandling>().is_enabled; }

}  // namespace rhyton

namespace rhyton::training {
namespace {

// The number of SIGINTs. Of the whole process, because a signal handler can access nothing else.
constinit std::atomic<int> requests = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait");

extern "C" void rhyton_note_interrupt(int signal) {
  const int error = errno;
  if (requests.fetch_add(1) > 0) {
    io::remove_unfinished_files();
    struct sigaction ends {};
    ends.sa_handler = SIG_DFL;
    ::sigaction(signal, &ends, nullptr);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    ::raise(signal);
  }
  errno = error;
}

struct InstalledHandler {
  std::mutex mutex;
  int scopes = 0;
  bool is_installed = false;
  std::atomic<bool> is_met = false;
  struct sigaction before {};

  void install() {
    if (::sigaction(SIGINT, nullptr, &before) != 0) return;
    // Programs that ignore the signal or handle it keep that.
    if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) return;
    requests = 0;
    is_met = false;
    struct sigaction ours {};
    ours.sa_handler = &rhyton_note_interrupt;
    ours.sa_flags = SA_RESTART;
    sigemptyset(&ours.sa_mask);
    is_installed = ::sigaction(SIGINT, &ours, nullptr) == 0;
  }

  void put_back() {
    if (!is_installed) return;
    is_installed = false;
    struct sigaction now {};
    const bool is_ours = ::sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
                         now.sa_handler == &rhyton_note_interrupt;
    if (is_ours) ::sigaction(SIGINT, &before, nullptr);
    const bool is_open = requests.exchange(0) > 0 && !is_met;
    if (is_open) ::raise(SIGINT);
  }
};

InstalledHandler& installed_handler() { return context().slot<InstalledHandler>(); }

}  // namespace

InterruptScope::InterruptScope() : is_enabled_(config::is_interrupt_handling_enabled()) {
  if (!is_enabled_) return;
  InstalledHandler& handler = installed_handler();
  const std::scoped_lock lock(handler.mutex);
  if (handler.scopes++ == 0) handler.install();
}

InterruptScope::~InterruptScope() {
  if (!is_enabled_) return;
  InstalledHandler& handler = installed_handler();
  const std::scoped_lock lock(handler.mutex);
  if (--handler.scopes == 0) handler.put_back();
}

bool InterruptScope::is_requested() const { return is_enabled_ && requests.load(std::memory_order_relaxed) > 0; }

void InterruptScope::note_met() const { installed_handler().is_met = true; }

InterruptAgreement::InterruptAgreement(const distribute::StrategyImpl* strategy)
    : processes_(strategy != nullptr ? strategy->processes() : nullptr) {
  if (processes_ != nullptr && processes_->size() == 1) processes_ = nullptr;
}

bool InterruptAgreement::is_interrupted(bool is_last_chance) {
  bool is_to_end = scope_.is_requested();
  if (processes_ != nullptr) {
    if (--steps_until_next_ > 0 && !is_last_chance) return false;
    // The number of interrupted processes, and the steps until the next sum, which the first process determines.
    constexpr auto wanted = std::chrono::milliseconds(50);
    const auto now = std::chrono::steady_clock::now();
    if (processes_->rank() == 0) {
      constexpr std::int64_t longest = 32;
      interval_ = now - last_ < wanted ? std::min(interval_ * 2, longest) : std::max<std::int64_t>(interval_ / 2, 1);
    }
    last_ = now;
    std::array<std::int64_t, 2> sums = {is_to_end ? 1 : 0, processes_->rank() == 0 ? interval_ : 0};
    const ReductionBuffer buffer{.input = sums.data(), .output = sums.data(), .elements = 2, .dtype = DType::int64};
    processes_->all_reduce({&buffer, 1});
    is_to_end = sums[0] > 0;
    steps_until_next_ = sums[1];
  }
  if (is_to_end) scope_.note_met();
  return is_to_end;
}

}  // namespace rhyton::training

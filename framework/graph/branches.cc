#include <rhyton/framework/graph/branches.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rhyton::graph {
namespace {

constexpr std::size_t nothing = static_cast<std::size_t>(-1);

/// A set of pieces of work, by number.
class Numbers {
 public:
  explicit Numbers(std::size_t count) : words_((count + 63) / 64, 0) {}

  bool contains(std::size_t number) const { return (words_[number / 64] >> (number % 64) & 1U) != 0; }
  void add(std::size_t number) { words_[number / 64] |= std::uint64_t{1} << (number % 64); }
  void add(const Numbers& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }

 private:
  std::vector<std::uint64_t> words_;
};

bool overlap(const MemoryAccess& a, const MemoryAccess& b) {
  return a.bytes > 0 && b.bytes > 0 && a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

bool must_stay_in_order(const std::vector<MemoryAccess>& earlier, const std::vector<MemoryAccess>& later) {
  return std::any_of(earlier.begin(), earlier.end(), [&](const MemoryAccess& a) {
    return std::any_of(later.begin(), later.end(),
                       [&](const MemoryAccess& b) { return (a.writes || b.writes) && overlap(a, b); });
  });
}

class Branching {
 public:
  Branching(std::span<const std::vector<MemoryAccess>> work, std::size_t max_branches)
      : count_(work.size()),
        max_branches_(max_branches),
        earlier_(count_, Numbers(count_)),
        after_(count_),
        heir_(count_, nothing),
        places_(count_) {
    find_order(work);
    find_heirs();
  }

  std::vector<BranchedWork> deal() {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t branch = branch_for(i);
      if (branch == last_.size()) last_.push_back(nothing);
      last_[branch] = i;
      places_[i].branch = branch;
      for (const std::size_t awaited : after_[i]) {
        if (places_[awaited].branch == branch) continue;
        places_[i].after.push_back(awaited);
        places_[awaited].is_awaited = true;
      }
    }
    return std::move(places_);
  }

 private:
  /// For each piece the pieces it must wait for, without those that are implied by others.
  void find_order(std::span<const std::vector<MemoryAccess>> work) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = i; j-- > 0;) {
        if (earlier_[i].contains(j) || !must_stay_in_order(work[j], work[i])) continue;
        after_[i].push_back(j);
        earlier_[i].add(j);
        earlier_[i].add(earlier_[j]);
      }
    }
  }

  /// For each piece, the one that waits for it and starts the longest chain.
  void find_heirs() {
    std::vector<std::size_t> followers(count_, 0);
    for (std::size_t i = count_; i-- > 0;) {
      for (const std::size_t j : after_[i]) {
        if (heir_[j] != nothing && followers[i] + 1 < followers[j]) continue;
        followers[j] = followers[i] + 1;
        heir_[j] = i;
      }
    }
  }

  std::size_t branch_for(std::size_t i) const {
    for (const std::size_t j : after_[i]) {
      if (heir_[j] == i && last_[places_[j].branch] == j) return places_[j].branch;
    }
    // A branch without further work, whose last piece is done by then anyway.
    const auto find = [&](const auto& fits) -> std::optional<std::size_t> {
      const auto it = std::find_if(last_.begin(), last_.end(), fits);
      if (it == last_.end()) return std::nullopt;
      return static_cast<std::size_t>(it - last_.begin());
    };
    const auto is_over = [&](std::size_t last) { return heir_[last] == nothing || heir_[last] < i; };
    if (const auto free = find([&](std::size_t last) { return is_over(last) && earlier_[i].contains(last); })) {
      return *free;
    }
    if (last_.size() < max_branches_) return last_.size();
    if (const auto free = find([&](std::size_t last) { return is_over(last); })) return *free;
    return static_cast<std::size_t>(std::min_element(last_.begin(), last_.end()) - last_.begin());
  }

  std::size_t count_;
  std::size_t max_branches_;
  /// For each piece, all pieces that are done before it begins.
  std::vector<Numbers> earlier_;
  std::vector<std::vector<std::size_t>> after_;
  std::vector<std::size_t> heir_;
  std::vector<BranchedWork> places_;
  /// The last work of each branch.
  std::vector<std::size_t> last_;
};

}  // namespace

std::vector<BranchedWork> assign_branches(std::span<const std::vector<MemoryAccess>> work, std::size_t max_branches) {
  if (max_branches <= 1) return std::vector<BranchedWork>(work.size());
  return Branching(work, max_branches).deal();
}

}  // namespace rhyton::graph

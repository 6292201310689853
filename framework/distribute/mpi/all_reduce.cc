#include <rhyton/framework/distribute/mpi/all_reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <type_traits>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

// Up to this size the time of a sum depends on the number of messages, beyond it on the bytes.
constexpr std::size_t small_bytes = std::size_t{16} << 10;
// Parts from this size on are summed in a ring, between neighbours only: the number of rounds no longer dominates the
// time.
constexpr std::size_t large_part_bytes = std::size_t{256} << 10;
// The bytes that a network transfers in the time of one round: 30 µs at 10 Gb/s, 2 µs at 100 Gb/s.
constexpr std::size_t bytes_of_a_round = std::size_t{32} << 10;
// Received elements are added in pieces of this size, while a piece is in the cache and the next one is in transfer. A
// multiple of every element's size.
constexpr std::size_t added_piece_bytes = std::size_t{256} << 10;

template <class Element>
void add_elements(std::byte* sums, const std::byte* terms, std::size_t bytes) {
  auto* const a = reinterpret_cast<Element*>(sums);
  const auto* const b = reinterpret_cast<const Element*>(terms);
  const std::size_t elements = bytes / sizeof(Element);
  for (std::size_t i = 0; i < elements; ++i) a[i] += b[i];
}

void add(std::span<std::byte> sums, const std::byte* terms, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return add_elements<float>(sums.data(), terms, sums.size());
    case DType::float64:
      return add_elements<double>(sums.data(), terms, sums.size());
    // Unsigned, whose overflow is defined.
    case DType::int32:
      return add_elements<std::uint32_t>(sums.data(), terms, sums.size());
    case DType::int64:
      return add_elements<std::uint64_t>(sums.data(), terms, sums.size());
    default:
      throw ValueError("Sums over processes are taken in float32, float64, int32 and int64, but got " +
                       std::string(name_of(dtype)) + ".");
  }
}

/// `bytes` in pieces of `piece_bytes` and a last one that may be shorter.
class Pieces {
 public:
  Pieces(std::size_t bytes, std::size_t piece_bytes) : bytes_(bytes), piece_bytes_(piece_bytes) {}
  std::size_t count() const { return (bytes_ + piece_bytes_ - 1) / piece_bytes_; }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> all, std::size_t index) const {
    const std::size_t begin = index * piece_bytes_;
    return all.subspan(begin, std::min(piece_bytes_, bytes_ - begin));
  }

 private:
  std::size_t bytes_;
  std::size_t piece_bytes_;
};

/// The largest power of two of the processes, which sum among themselves. Each of the remaining ones first sends its
/// terms to a neighbour and finally receives the sums from it.
class PowerOfTwo {
 public:
  PowerOfTwo(int rank, int size)
      : rank_(rank), count_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))), others_(size - count_) {}

  int count() const { return count_; }
  /// Whether this process is one of the remaining ones, or the neighbour of one, and the rank of the other of the two.
  bool is_other() const { return rank_ < 2 * others_ && rank_ % 2 == 1; }
  bool has_other() const { return rank_ < 2 * others_ && rank_ % 2 == 0; }
  int neighbour() const { return rank_ ^ 1; }
  /// The number among the summing processes of this process, and the rank of any such number.
  int number() const { return rank_ < 2 * others_ ? rank_ / 2 : rank_ - others_; }
  int rank_of(int number) const { return number < others_ ? 2 * number : number + others_; }

 private:
  int rank_;
  int count_;
  int others_;
};

/// Equal parts of some elements; when the division leaves a remainder, the first ones have one more.
class Parts {
 public:
  Parts(std::span<std::byte> all, DType dtype, std::size_t count)
      : all_(all), element_(size_of(dtype)), elements_(all.size() / element_), count_(count) {}

  std::span<std::byte> of(std::size_t index) const { return from_to(index, index + 1); }
  /// Parts first, …, last − 1.
  std::span<std::byte> from_to(std::size_t first, std::size_t last) const {
    return all_.subspan(begin(first), begin(last) - begin(first));
  }

 private:
  std::size_t begin(std::size_t index) const {
    return (elements_ / count_ * index + std::min(index, elements_ % count_)) * element_;
  }

  std::span<std::byte> all_;
  std::size_t element_;
  std::size_t elements_;
  std::size_t count_;
};

/// Whether halving and doubling is faster than a ring. With a power of two of processes both send equally many bytes,
/// the ring in more rounds; otherwise halving needs fewer rounds, but sends the data of the remaining processes twice
/// more.
bool is_worth_halving(std::size_t bytes, int size) {
  const int halvings = std::bit_width(static_cast<unsigned>(size)) - 1;
  if (bytes / static_cast<std::size_t>(size) >= large_part_bytes) return false;
  if (std::has_single_bit(static_cast<unsigned>(size))) return true;
  const int rounds_saved = size - 2 - halvings;
  return rounds_saved > 0 && bytes <= bytes_of_a_round * static_cast<std::size_t>(rounds_saved);
}

}  // namespace

void MpiAllReduce::sum(std::byte* data, std::int64_t elements, DType dtype) {
  if (messages_.size() == 1 || elements == 0) return;
  const std::span<std::byte> bytes(data, static_cast<std::size_t>(elements) * size_of(dtype));
  if (bytes.size() <= small_bytes) {
    double_recursively(bytes, dtype);
  } else if (is_worth_halving(bytes.size(), messages_.size())) {
    halve_recursively(bytes, dtype);
  } else {
    go_round(bytes, dtype);
  }
}

void MpiAllReduce::double_recursively(std::span<std::byte> data, DType dtype) {
  const PowerOfTwo summing(messages_.rank(), messages_.size());
  received_.resize(std::max(received_.size(), data.size()));
  const std::span<std::byte> received(received_.data(), data.size());
  if (summing.is_other()) {
    messages_.wait(messages_.send(data, summing.neighbour()));
    messages_.wait(messages_.receive(data, summing.neighbour()));
    return;
  }
  if (summing.has_other()) {
    messages_.wait(messages_.receive(received, summing.neighbour()));
    add(data, received.data(), dtype);
  }
  for (int distance = 1; distance < summing.count(); distance *= 2) {
    const int partner = summing.rank_of(summing.number() ^ distance);
    std::array<mpi::Request, 2> both = {messages_.receive(received, partner), messages_.send(data, partner)};
    messages_.wait(both);
    // a + b and b + a have the same bits: both partners continue with equal sums.
    add(data, received.data(), dtype);
  }
  if (summing.has_other()) messages_.wait(messages_.send(data, summing.neighbour()));
}

void MpiAllReduce::halve_recursively(std::span<std::byte> data, DType dtype) {
  const PowerOfTwo summing(messages_.rank(), messages_.size());
  if (summing.is_other()) {
    exchange(data, summing.neighbour(), {}, summing.neighbour(), dtype, Arrival::add);
    exchange({}, summing.neighbour(), data, summing.neighbour(), dtype, Arrival::replace);
    return;
  }
  if (summing.has_other()) {
    exchange({}, summing.neighbour(), data, summing.neighbour(), dtype, Arrival::add);
  }
  const auto count = static_cast<std::size_t>(summing.count());
  const auto number = static_cast<std::size_t>(summing.number());
  const Parts parts(data, dtype, count);
  // The first part that a process keeps when its partner is `distance` away.
  const auto first_of = [&](std::size_t owner, std::size_t distance) { return owner / distance * distance; };
  const auto swap_parts = [&](std::size_t distance, bool is_halving) {
    const std::size_t partner = number ^ distance;
    const std::size_t own_first = first_of(number, distance);
    const std::size_t others_first = first_of(partner, distance);
    const std::span<std::byte> own = parts.from_to(own_first, own_first + distance);
    const std::span<std::byte> others = parts.from_to(others_first, others_first + distance);
    const int rank = summing.rank_of(static_cast<int>(partner));
    if (is_halving) {
      exchange(others, rank, own, rank, dtype, Arrival::add);
    } else {
      exchange(own, rank, others, rank, dtype, Arrival::replace);
    }
  };
  for (std::size_t distance = count / 2; distance > 0; distance /= 2) swap_parts(distance, true);
  for (std::size_t distance = 1; distance < count; distance *= 2) swap_parts(distance, false);
  if (summing.has_other()) {
    exchange(data, summing.neighbour(), {}, summing.neighbour(), dtype, Arrival::replace);
  }
}

void MpiAllReduce::go_round(std::span<std::byte> data, DType dtype) {
  const auto size = static_cast<std::size_t>(messages_.size());
  const auto rank = static_cast<std::size_t>(messages_.rank());
  const auto next = static_cast<int>((rank + 1) % size);
  const auto previous = static_cast<int>((rank + size - 1) % size);
  const Parts parts(data, dtype, size);
  for (std::size_t step = 0; step + 1 < size; ++step) {
    exchange(parts.of((rank + size - step) % size), next, parts.of((rank + 2 * size - step - 1) % size), previous,
             dtype, Arrival::add);
  }
  for (std::size_t step = 0; step + 1 < size; ++step) {
    exchange(parts.of((rank + 1 + size - step) % size), next, parts.of((rank + size - step) % size), previous, dtype,
             Arrival::replace);
  }
}

void MpiAllReduce::exchange(std::span<const std::byte> outgoing, int to, std::span<std::byte> incoming, int from,
                            DType dtype, Arrival arrival) {
  const std::size_t piece_bytes = arrival == Arrival::add ? added_piece_bytes : MpiMessages::max_bytes;
  const Pieces out(outgoing.size(), piece_bytes);
  const Pieces in(incoming.size(), piece_bytes);

  received_.resize(std::max(received_.size(), 2 * added_piece_bytes));
  const auto receive = [&](std::size_t index) {
    const std::span<std::byte> piece = in.of(incoming, index);
    if (arrival == Arrival::replace) return messages_.receive(piece, from);
    return messages_.receive({received_.data() + index % 2 * added_piece_bytes, piece.size()}, from);
  };
  std::array<mpi::Request, 2> receives = {};
  for (std::size_t index = 0; index < std::min<std::size_t>(2, in.count()); ++index) receives[index] = receive(index);
  sends_.clear();
  for (std::size_t index = 0; index < out.count(); ++index)
    sends_.push_back(messages_.send(out.of(outgoing, index), to));

  for (std::size_t index = 0; index < in.count(); ++index) {
    messages_.wait(receives[index % 2]);
    if (arrival == Arrival::add) {
      add(in.of(incoming, index), received_.data() + index % 2 * added_piece_bytes, dtype);
    }
    if (index + 2 < in.count()) receives[index % 2] = receive(index + 2);
  }
  messages_.wait(sends_);
}

}  // namespace rhyton::distribute

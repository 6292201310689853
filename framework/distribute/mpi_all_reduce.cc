#include <rhyton/framework/distribute/mpi_all_reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <type_traits>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

// Up to here the time of a sum is that of its messages, beyond it that of its bytes.
constexpr std::size_t small_bytes = std::size_t{16} << 10;
// What arrives is added piece by piece, while it is in the cache and the next piece is on its way. A multiple of every
// element's size.
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
    // Unsigned, since those may wrap around.
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

}  // namespace

void MpiAllReduce::sum(std::byte* data, std::int64_t elements, DType dtype) {
  if (messages_.size() == 1 || elements == 0) return;
  const std::span<std::byte> bytes(data, static_cast<std::size_t>(elements) * size_of(dtype));
  if (bytes.size() <= small_bytes) {
    double_recursively(bytes, dtype);
  } else {
    go_round(bytes, dtype);
  }
}

void MpiAllReduce::double_recursively(std::span<std::byte> data, DType dtype) {
  const int size = messages_.size();
  const int rank = messages_.rank();
  received_.resize(std::max(received_.size(), data.size()));
  const std::span<std::byte> received(received_.data(), data.size());

  // A power of two takes part; each of the others hands its terms to a neighbour first and gets the sums from it last.
  const int taking_part = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int others = size - taking_part;
  const bool is_other = rank < 2 * others && rank % 2 == 1;
  const bool has_other = rank < 2 * others && rank % 2 == 0;
  if (is_other) {
    messages_.wait(messages_.send(data, rank - 1));
    messages_.wait(messages_.receive(data, rank - 1));
    return;
  }
  if (has_other) {
    messages_.wait(messages_.receive(received, rank + 1));
    add(data, received.data(), dtype);
  }
  const int number = rank < 2 * others ? rank / 2 : rank - others;
  for (int distance = 1; distance < taking_part; distance *= 2) {
    const int partner = number ^ distance;
    const int partner_rank = partner < others ? 2 * partner : partner + others;
    std::array<mpi::Request, 2> both = {messages_.receive(received, partner_rank), messages_.send(data, partner_rank)};
    messages_.wait(both);
    // a + b and b + a have the same bits: both partners go on with equal sums.
    add(data, received.data(), dtype);
  }
  if (has_other) messages_.wait(messages_.send(data, rank + 1));
}

void MpiAllReduce::go_round(std::span<std::byte> data, DType dtype) {
  const auto size = static_cast<std::size_t>(messages_.size());
  const auto rank = static_cast<std::size_t>(messages_.rank());
  const std::size_t elements = data.size() / size_of(dtype);
  const auto part = [&](std::size_t number) {
    const std::size_t index = number % size;
    const std::size_t begin = elements / size * index + std::min(index, elements % size);
    const std::size_t length = elements / size + (index < elements % size ? 1 : 0);
    return data.subspan(begin * size_of(dtype), length * size_of(dtype));
  };
  for (std::size_t step = 0; step + 1 < size; ++step) {
    pass_on(part(rank + size - step), part(rank + 2 * size - step - 1), dtype, Arrival::add);
  }
  for (std::size_t step = 0; step + 1 < size; ++step) {
    pass_on(part(rank + 1 + size - step), part(rank + size - step), dtype, Arrival::replace);
  }
}

void MpiAllReduce::pass_on(std::span<const std::byte> outgoing, std::span<std::byte> incoming, DType dtype,
                           Arrival arrival) {
  const int next = (messages_.rank() + 1) % messages_.size();
  const int previous = (messages_.rank() + messages_.size() - 1) % messages_.size();
  const std::size_t piece_bytes = arrival == Arrival::add ? added_piece_bytes : MpiMessages::max_bytes;
  const Pieces out(outgoing.size(), piece_bytes);
  const Pieces in(incoming.size(), piece_bytes);

  received_.resize(std::max(received_.size(), 2 * added_piece_bytes));
  const auto receive = [&](std::size_t index) {
    const std::span<std::byte> piece = in.of(incoming, index);
    if (arrival == Arrival::replace) return messages_.receive(piece, previous);
    return messages_.receive({received_.data() + index % 2 * added_piece_bytes, piece.size()}, previous);
  };
  std::array<mpi::Request, 2> receives = {};
  for (std::size_t index = 0; index < std::min<std::size_t>(2, in.count()); ++index) receives[index] = receive(index);
  sends_.clear();
  for (std::size_t index = 0; index < out.count(); ++index)
    sends_.push_back(messages_.send(out.of(outgoing, index), next));

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

// Joint operations of the processes of a job, one case per run: processes CASE, under mpirun. Exits with 0 if all
// expectations of the case hold.

#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <rhyton/framework/distribute/job_description.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton {
namespace {

using distribute::ProcessGroup;
using std::chrono::steady_clock;

[[noreturn]] void throw_not(const std::string& what) { throw std::logic_error("not so: " + what); }

void expect(bool holds, const std::string& what) {
  if (!holds) throw_not(what);
}

/// Small integers, different for each rank and element: their sums are exact in every dtype but the half ones, where
/// they are rounded once.
std::int64_t term(int rank, std::int64_t element) { return (element * 7 + rank * 13) % 31 - 15; }

template <class Element>
Element element_of(std::int64_t value) {
  if constexpr (std::is_same_v<Element, Half> || std::is_same_v<Element, BFloat16>) {
    return Element(static_cast<float>(value));
  } else {
    return static_cast<Element>(value);
  }
}

template <class Element>
bool has_same_bits(const Element& a, const Element& b) {
  using Bits = std::array<std::byte, sizeof(Element)>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

template <class Element>
void sums_of(ProcessGroup& processes, const std::vector<std::int64_t>& lengths, bool in_place) {
  std::vector<std::vector<Element>> inputs;
  std::vector<std::vector<Element>> outputs;
  for (const std::int64_t length : lengths) {
    auto& input = inputs.emplace_back();
    for (std::int64_t i = 0; i < length; ++i) input.push_back(element_of<Element>(term(processes.rank(), i)));
    outputs.emplace_back(static_cast<std::size_t>(length));
  }
  std::vector<ReductionBuffer> buffers;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    void* const output = in_place ? inputs[b].data() : outputs[b].data();
    buffers.push_back(
        {.input = inputs[b].data(), .output = output, .elements = lengths[b], .dtype = dtype_of<Element>});
  }
  processes.all_reduce(buffers);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    for (std::int64_t i = 0; i < lengths[b]; ++i) {
      std::int64_t sum = 0;
      for (int rank = 0; rank < processes.size(); ++rank) sum += term(rank, i);
      const auto index = static_cast<std::size_t>(i);
      const Element result = in_place ? inputs[b][index] : outputs[b][index];
      if (!has_same_bits(result, element_of<Element>(sum))) {
        throw_not("element " + std::to_string(i) + " of " + std::to_string(lengths[b]) + " " +
                  std::string(name_of(dtype_of<Element>)) + "s is the sum");
      }
      if (!in_place && !has_same_bits(inputs[b][index], element_of<Element>(term(processes.rank(), i)))) {
        throw_not("inputs are untouched");
      }
    }
  }
}

template <class Element>
void sums_of_all_lengths(ProcessGroup& processes) {
  for (const bool in_place : {true, false}) {
    for (const std::int64_t length : {0, 1, 2, 3, 5, 1000, 4095, 4096, 4097, 100'003, 1'500'001}) {
      sums_of<Element>(processes, {length}, in_place);
    }
    sums_of<Element>(processes, {}, in_place);
    sums_of<Element>(processes, {1, 0, 7, 300'000, 2, 2, 262'144, 100, 50'000}, in_place);
  }
}

void sums(ProcessGroup& processes) {
  sums_of_all_lengths<float>(processes);
  sums_of_all_lengths<double>(processes);
  sums_of_all_lengths<Half>(processes);
  sums_of_all_lengths<BFloat16>(processes);
  sums_of_all_lengths<std::int32_t>(processes);
  sums_of_all_lengths<std::int64_t>(processes);

  // Successive dtypes in one call.
  float a = 1.5F;
  std::int64_t b = std::int64_t{1} << 40;
  Half c(0.25F);
  const std::vector<ReductionBuffer> mixed = {{.input = &a, .output = &a, .elements = 1, .dtype = float32},
                                              {.input = &b, .output = &b, .elements = 1, .dtype = int64},
                                              {.input = &c, .output = &c, .elements = 1, .dtype = float16}};
  processes.all_reduce(mixed);
  const int size = processes.size();
  expect(a == 1.5F * static_cast<float>(size) && b == size * (std::int64_t{1} << 40) &&
             static_cast<float>(c) == 0.25F * static_cast<float>(size),
         "a float, an int64 and a half are summed");

  bool is_refused = false;
  std::uint8_t byte = 1;
  const ReductionBuffer refused = {.input = &byte, .output = &byte, .elements = 1, .dtype = uint8};
  try {
    processes.all_reduce({&refused, 1});
  } catch (const ValueError&) {
    is_refused = true;
  }
  expect(is_refused, "bytes are not summed");
}

/// Numbers whose sum depends on the order of the additions.
std::vector<float> fractions(int rank, std::size_t length) {
  std::vector<float> values(length);
  std::uint32_t state = 12345U + static_cast<std::uint32_t>(rank) * 977U;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state >> 8) / 1000.0F - 8000.0F;
  }
  return values;
}

void same_bits(ProcessGroup& processes) {
  for (const std::size_t length : {std::size_t{100}, std::size_t{3001}, std::size_t{200'001}, std::size_t{1'300'000}}) {
    std::vector<float> first;
    for (int round = 0; round < 5; ++round) {
      std::vector<float> values = fractions(processes.rank(), length);
      const ReductionBuffer buffer = {.input = values.data(),
                                      .output = values.data(),
                                      .elements = static_cast<std::int64_t>(length),
                                      .dtype = float32};
      // Different arrival times of ranks must not change the result.
      std::this_thread::sleep_for(std::chrono::milliseconds(3 * ((processes.rank() + round) % 3)));
      processes.all_reduce({&buffer, 1});
      if (round == 0) first = values;
      expect(std::memcmp(first.data(), values.data(), length * sizeof(float)) == 0, "every time the same bits");
    }
    const std::string own(reinterpret_cast<const char*>(first.data()), length * sizeof(float));
    for (const std::string& other : processes.all_gather(own)) expect(other == own, "everywhere the same bits");
  }
}

void broadcasts(ProcessGroup& processes) {
  for (int root = 0; root < processes.size(); ++root) {
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{10'007}, root == 0 ? (std::size_t{64} << 20) + 13 : 2}) {
      std::vector<std::byte> bytes(length, static_cast<std::byte>(processes.rank() + 1));
      if (processes.rank() == root && length > 0) bytes.back() = std::byte{99};
      processes.broadcast(bytes, root);
      for (std::size_t i = 0; i < length; ++i) {
        const auto expected = i + 1 == length ? std::byte{99} : static_cast<std::byte>(root + 1);
        if (bytes[i] != expected) throw_not("every process has the root's bytes");
      }
    }
  }
}

std::string string_of(int rank) {
  if (rank == 1) return "";
  return std::string(static_cast<std::size_t>(rank) * 100'000 + 3, static_cast<char>('a' + rank)) + '\0' + "end";
}

void gathers(ProcessGroup& processes) {
  const std::vector<std::string> all = processes.all_gather(string_of(processes.rank()));
  expect(all.size() == static_cast<std::size_t>(processes.size()), "one string for each rank");
  for (int rank = 0; rank < processes.size(); ++rank) {
    expect(all[static_cast<std::size_t>(rank)] == string_of(rank), "the string of rank " + std::to_string(rank));
  }
}

void barriers(ProcessGroup& processes) {
  // The last process to arrive records the time, which must be before that of all passages.
  const int last = processes.size() - 1;
  std::int64_t arrival = 0;
  if (processes.rank() == last) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    arrival = steady_clock::now().time_since_epoch().count();
  }
  processes.barrier();
  const std::int64_t passage = steady_clock::now().time_since_epoch().count();
  processes.broadcast(std::as_writable_bytes(std::span(&arrival, 1)), last);
  expect(passage >= arrival, "no process passes before all have arrived");
}

void descriptions(ProcessGroup& processes) {
  distribute::require_same(processes, "batch size", "64");
  const int odd = processes.size() - 1;
  if (odd == 0) return;
  std::string message;
  try {
    distribute::require_same(
        processes, {.entries = {{"version", "1"}, {"model", processes.rank() == odd ? "Dense(11)" : "Dense(10)"}}});
  } catch (const ValueError& error) {
    message = error.what();
  }
  expect(message == "All processes of a job must have the same model, but rank " + std::to_string(odd) + " of " +
                        std::to_string(processes.size()) + " has 'Dense(11)' and rank 0 has 'Dense(10)'.",
         "the rank that differs is named: " + message);
  message.clear();
  try {
    distribute::JobDescription description{.entries = {{"version", "1"}}};
    if (processes.rank() == odd) description.entries.emplace_back("extra", "x");
    distribute::require_same(processes, description);
  } catch (const ValueError& error) {
    message = error.what();
  }
  expect(message.find("same extra, but rank") != std::string::npos && message.find("none") != std::string::npos,
         "an entry that others lack is named: " + message);
}

// --- Cases that the driver interrupts, or for whose end it waits -----------------------------------------------------

/// Set by SIGUSR1.
volatile std::sig_atomic_t is_told_to_end = 0;

void tell_process(const ProcessGroup& processes) {
  // In one piece, since other ranks write there too.
  std::cout << "rank " + std::to_string(processes.rank()) + " is process " + std::to_string(getpid()) + "\n"
            << std::flush;
}

/// Repeats sums until a process is told to end.
void sum_until_told(ProcessGroup& processes) {
  std::signal(SIGUSR1, [](int) { is_told_to_end = 1; });
  std::vector<float> values(100'000, 0.0F);
  const ReductionBuffer buffer = {
      .input = values.data(), .output = values.data(), .elements = 100'000, .dtype = float32};
  for (int call = 0; values.front() == 0.0F; ++call) {
    values.front() = static_cast<float>(is_told_to_end);
    processes.all_reduce({&buffer, 1});
    if (call == 10) tell_process(processes);
  }
}

/// Keeps all threads busy for longer than the time-out.
void slow_rank(ProcessGroup& processes) {
  if (processes.rank() == processes.size() - 1) {
    const auto end = steady_clock::now() + std::chrono::seconds(6);
    volatile double value = 1.0;
    while (steady_clock::now() < end) value = value * 1.0000001;
  }
  processes.barrier();
}

/// One process finishes its part long before the others.
void early_end(ProcessGroup& processes) {
  processes.barrier();
  if (processes.rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(4));
}

/// All but one process have finished.
void last_goes_on(ProcessGroup& processes) {
  processes.barrier();
  tell_process(processes);
  if (processes.rank() == processes.size() - 1) std::this_thread::sleep_for(std::chrono::hours(1));
}

void failure(ProcessGroup& processes) {
  if (processes.rank() == processes.size() - 1) processes.fail("the disk is full");
  sum_until_told(processes);
}

void exception(ProcessGroup& processes) {
  processes.barrier();
  if (processes.rank() == processes.size() - 1) throw ValueError("no such data");
  sum_until_told(processes);
}

void missed_calls(ProcessGroup& processes) {
  processes.barrier();
  if (processes.rank() != processes.size() - 1) sum_until_told(processes);
}

void uncaught(ProcessGroup& processes) {
  processes.barrier();
  if (processes.rank() == processes.size() - 1) std::terminate();
  sum_until_told(processes);
}

const std::map<std::string, std::function<void(ProcessGroup&)>>& cases() {
  static const std::map<std::string, std::function<void(ProcessGroup&)>> all = {{"sums", sums},
                                                                                {"same_bits", same_bits},
                                                                                {"broadcasts", broadcasts},
                                                                                {"gathers", gathers},
                                                                                {"barriers", barriers},
                                                                                {"descriptions", descriptions},
                                                                                {"sum_until_told", sum_until_told},
                                                                                {"slow_rank", slow_rank},
                                                                                {"early_end", early_end},
                                                                                {"last_goes_on", last_goes_on},
                                                                                {"failure", failure},
                                                                                {"exception", exception},
                                                                                {"missed_calls", missed_calls},
                                                                                {"uncaught", uncaught}};
  return all;
}

}  // namespace
}  // namespace rhyton

int main(int argc, char** argv) {
  try {
    for (const char* const name : std::vector<const char*>(argv + 1, argv + argc)) {
      const auto processes = rhyton::distribute::mpi_process_group();
      rhyton::cases().at(name)(*processes);
    }
  } catch (const std::exception& error) {
    std::cerr << "processes: " << error.what() << std::endl;
    return 1;
  }
}

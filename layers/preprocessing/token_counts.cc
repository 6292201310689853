#include <rhyton/layers/preprocessing/token_counts.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <unordered_set>
#include <utility>

namespace rhyton::layers {

template <class Token>
void TokenCounts<Token>::add_document(std::span<const Token> tokens, bool counts_documents) {
  for (const Token& token : tokens) ++counts_[token];
  if (!counts_documents) return;
  for (const Token& token : std::unordered_set<Token>(tokens.begin(), tokens.end())) ++document_counts_[token];
  ++documents_;
}

template <class Token>
std::vector<Token> TokenCounts<Token>::most_frequent(const std::optional<std::int64_t>& places) const {
  std::vector<std::pair<std::int64_t, Token>> sorted;
  for (const auto& [token, count] : counts_) sorted.emplace_back(count, token);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  if (places) {
    const auto size = static_cast<std::int64_t>(sorted.size());
    sorted.resize(
        static_cast<std::size_t>(*places < 0 ? std::max<std::int64_t>(size + *places, 0) : std::min(size, *places)));
  }
  std::vector<Token> tokens;
  for (auto& [count, token] : sorted) tokens.push_back(std::move(token));
  return tokens;
}

template <class Token>
std::vector<float> TokenCounts<Token>::inverse_document_frequencies(const std::vector<Token>& tokens) const {
  std::vector<float> weights;
  for (const Token& token : tokens) {
    const auto found = document_counts_.find(token);
    const std::int64_t documents = found == document_counts_.end() ? 0 : found->second;
    const double ratio = static_cast<double>(documents_) / static_cast<double>(1 + documents);
    weights.push_back(static_cast<float>(std::log(1.0 + ratio)));
  }
  return weights;
}

template class TokenCounts<std::string>;
template class TokenCounts<std::int64_t>;

}  // namespace rhyton::layers

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace rhyton::layers {

/// How often tokens occur in documents, and in how many of them: what `adapt` makes a vocabulary from. `Token` is
/// std::string or std::int64_t.
template <class Token>
class TokenCounts {
 public:
  bool is_empty() const { return counts_.empty(); }
  /// Counts the tokens of one document; with `counts_documents` also that it has them.
  void add_document(std::span<const Token> tokens, bool counts_documents);
  /// Forgets that token.
  void erase(const Token& token) { counts_.erase(token); }
  /// The most frequent tokens first, of equally frequent ones the larger first; at most `places`. A negative number
  /// leaves out that many at the end, as a slice in Python.
  std::vector<Token> most_frequent(const std::optional<std::int64_t>& places) const;
  /// The inverse document frequency of each token: log(1 + documents / (1 + documents that have it)).
  std::vector<float> inverse_document_frequencies(const std::vector<Token>& tokens) const;

 private:
  std::unordered_map<Token, std::int64_t> counts_;
  std::unordered_map<Token, std::int64_t> document_counts_;
  std::int64_t documents_ = 0;
};

extern template class TokenCounts<std::string>;
extern template class TokenCounts<std::int64_t>;

}  // namespace rhyton::layers

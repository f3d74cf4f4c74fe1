#pragma once
// Sets of rows as bits: those that fulfil a condition, and those of a class. Made when asked for; the least recently
// used ones are forgotten when there are too many, so memory does not grow with the number of rules.

#include <list>
#include <memory>
#include <unordered_map>

#include "spinney/rules/conditions.hpp"

namespace spinney {

/// The rows that rules are judged by. Those of weight 0 are as if absent.
struct RuleRows {
  Matrix x;
  std::span<const std::int32_t> codes;
  std::span<const double> weight;
  std::int32_t n_classes = 0;
};

/// Sets of rows are whole blocks of words; what is past the last row is 0.
inline constexpr std::size_t kBlockWords = 8;

class RowBits {
 public:
  RowBits(const ConditionTable& conditions, const RuleRows& rows, std::size_t max_bytes = std::size_t{1} << 27);

  std::size_t n_words() const { return n_words_; }
  /// Rows of positive weight.
  const Word* live() const { return live_.data(); }
  /// These stay valid until `keep` further sets have been asked for.
  const Word* of_condition(std::int32_t condition) { return find(condition); }
  const Word* of_class(ClassCode label) { return find(static_cast<std::int64_t>(conditions_.size()) + label); }
  /// The next sets that are asked for, so many of them, shall be valid together.
  void keep(std::size_t n_sets) { least_ = n_sets; }

 private:
  struct Entry {
    std::int64_t key;
    std::vector<Word> bits;
  };
  const Word* find(std::int64_t key);
  void fill(std::int64_t key, std::vector<Word>& bits);
  Strip column(FeatureIndex feature);

  const ConditionTable& conditions_;
  const RuleRows& rows_;
  std::size_t n_words_, most_, least_ = 2;
  std::vector<Word> live_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::int64_t, std::list<Entry>::iterator> places_;
  std::vector<std::vector<double>> columns_;  // copies of those that do not lie side by side
};

}  // namespace spinney

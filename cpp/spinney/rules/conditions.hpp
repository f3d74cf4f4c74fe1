#pragma once
// Conditions of rules, as plain as they get: a column is at most a bound, above a bound, or among some categories.
// An interval is two of them. A missing value, or a category that is not listed, fulfils none.

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"

namespace spinney {

enum class ConditionKind : std::uint8_t { at_most, above, among };

/// Conditions side by side.
struct ConditionTable {
  std::vector<ConditionKind> kind;
  std::vector<FeatureIndex> feature;
  std::vector<double> bound;                   // not used by among
  std::vector<std::int64_t> code_begin = {0};  // size() + 1 offsets into code
  std::vector<std::int32_t> code;              // ascending in each slice

  std::size_t size() const { return kind.size(); }
  std::span<const std::int32_t> codes(std::size_t index) const {
    return {code.data() + code_begin[index], code.data() + code_begin[index + 1]};
  }
  /// What is wrong with the arrays; empty if nothing is.
  const char* check(std::size_t n_features) const;
};

/// Rules as slices of condition numbers; each predicts a class.
struct RuleTable {
  std::vector<std::int64_t> begin = {0};  // size() + 1 offsets into condition
  std::vector<std::int32_t> condition;
  std::vector<ClassCode> label;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::int32_t> conditions(std::size_t rule) const {
    return {condition.data() + begin[rule], condition.data() + begin[rule + 1]};
  }
};

using Word = std::uint64_t;  // 64 rows
inline constexpr std::size_t kWordBits = 64;
inline std::size_t words_for(std::size_t n_rows) { return (n_rows + kWordBits - 1) / kWordBits; }

/// Values of one column, for some rows.
struct Strip {
  const double* data;
  std::ptrdiff_t stride;  // in elements
  std::size_t n_rows;
};

/// Sets bit i of `bits` where row i fulfils the condition; bits past the last row are 0.
void fulfilled(const ConditionTable& table, std::size_t index, const Strip& column, Word* bits);

}  // namespace spinney

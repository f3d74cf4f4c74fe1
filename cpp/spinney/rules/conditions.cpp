#include "spinney/rules/conditions.hpp"

#include <algorithm>

#include "spinney/multiversion.hpp"

namespace spinney {

namespace {

// Sixty-four answers become one word. The comparison is a loop of its own, so that it is vectorised.
template <class Holds>
inline void pack(const Strip& column, Word* bits, Holds holds) {
  std::uint8_t answer[kWordBits];
  for (std::size_t begin = 0; begin < column.n_rows; begin += kWordBits) {
    const std::size_t n = std::min(kWordBits, column.n_rows - begin);
    const double* values = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
    if (column.stride == 1 && n == kWordBits) {
      for (std::size_t i = 0; i < kWordBits; ++i) answer[i] = holds(values[i]) ? 1 : 0;
    } else {
      for (std::size_t i = 0; i < n; ++i) answer[i] = holds(values[static_cast<std::ptrdiff_t>(i) * column.stride]);
      std::fill(answer + n, answer + kWordBits, std::uint8_t{0});
    }
    Word word = 0;
    for (std::size_t octet = 0; octet < 8; ++octet) {
      // Multiplying moves the lowest bits of eight bytes next to each other, into the highest byte.
      Word eight = 0;
      for (std::size_t i = 0; i < 8; ++i) eight |= static_cast<Word>(answer[8 * octet + i]) << (8 * i);
      word |= ((eight * 0x0102040810204080ULL) >> 56) << (8 * octet);
    }
    *bits++ = word;
  }
}

SPINNEY_TWO_VERSIONS(void, pack_at_most, (const Strip& column, double bound, Word* bits), (column, bound, bits)) {
  pack(column, bits, [bound](double value) { return value <= bound; });
}

SPINNEY_TWO_VERSIONS(void, pack_above, (const Strip& column, double bound, Word* bits), (column, bound, bits)) {
  pack(column, bits, [bound](double value) { return value > bound; });
}

SPINNEY_TWO_VERSIONS(void, pack_equal, (const Strip& column, double code, Word* bits), (column, code, bits)) {
  pack(column, bits, [code](double value) { return value == code; });
}

void pack_among(const Strip& column, std::span<const std::int32_t> codes, Word* bits) {
  if (codes.size() == 1) return pack_equal(column, codes[0], bits);
  const std::size_t limit = codes.empty() ? 0 : static_cast<std::size_t>(codes.back()) + 1;
  std::vector<std::uint8_t> listed(limit, 0);
  for (const std::int32_t code : codes) listed[code] = 1;
  pack(column, bits, [&](double value) {
    return value >= 0.0 && value < static_cast<double>(limit) && listed[static_cast<std::size_t>(value)] != 0;
  });
}

}  // namespace

void fulfilled(const ConditionTable& table, std::size_t index, const Strip& column, Word* bits) {
  switch (table.kind[index]) {
    case ConditionKind::at_most: return pack_at_most(column, table.bound[index], bits);
    case ConditionKind::above: return pack_above(column, table.bound[index], bits);
    case ConditionKind::among: return pack_among(column, table.codes(index), bits);
  }
}

const char* ConditionTable::check(std::size_t n_features) const {
  if (feature.size() != size() || bound.size() != size() || code_begin.size() != size() + 1 ||
      code_begin.front() != 0 || code_begin.back() != static_cast<std::int64_t>(code.size()) ||
      !std::is_sorted(code_begin.begin(), code_begin.end())) {
    return "the arrays of the conditions differ in length";
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (feature[i] < 0 || static_cast<std::size_t>(feature[i]) >= n_features)
      return "a condition's column is not there";
    const auto listed = codes(i);
    if (!std::is_sorted(listed.begin(), listed.end()) || (!listed.empty() && listed.front() < 0)) {
      return "the codes of a condition do not ascend";
    }
  }
  return "";
}

}  // namespace spinney

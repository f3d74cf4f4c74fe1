#pragma once
// What is known of many rows, a bit a row: one set of bits for what is true, one for what is false. A row that is in
// neither is unknown. Where every row is known, as it mostly is, the second set is not needed.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spinney {

using Word = std::uint64_t;
using Bits = std::vector<Word>;
inline constexpr std::size_t kWordBits = 64;

constexpr std::size_t n_words(std::size_t n_rows) { return (n_rows + kWordBits - 1) / kWordBits; }
inline bool has_bit(const Word* bits, std::size_t row) { return (bits[row / kWordBits] >> (row % kWordBits)) & 1U; }
inline bool has_bit(const Bits& bits, std::size_t row) { return has_bit(bits.data(), row); }
inline void set_bit(Bits& bits, std::size_t row) { bits[row / kWordBits] |= Word{1} << (row % kWordBits); }
/// The bits of a word that belong to the first n rows of it.
constexpr Word first_bits(std::size_t n) { return n >= kWordBits ? ~Word{0} : (Word{1} << n) - 1; }

struct Truth {
  Bits yes, no;
  bool complete = false;  // every row is known: what is not true is false, and `no` is not filled

  void resize(std::size_t n_rows) {
    yes.resize(n_words(n_rows));
    no.resize(n_words(n_rows));
  }
  /// The rows of a word for which it is false; past the last row may be bits that mean nothing.
  Word false_word(std::size_t w) const { return complete ? ~yes[w] : no[w]; }
  bool is_true(std::size_t row) const { return has_bit(yes, row); }
  bool is_false(std::size_t row) const { return complete ? !has_bit(yes, row) : has_bit(no, row); }
};

/// Of a word, whose first row is `from`, the bits of the rows from `begin` to `end`.
constexpr Word between(Word word, std::size_t from, std::size_t begin, std::size_t end) {
  if (from < begin) word &= ~first_bits(begin - from);
  return word & first_bits(end - from);
}

/// Calls f(row) for the rows from `begin` to `end` whose bit is set, in order. word_of(w): the w-th word.
template <class WordOf, class Function>
void for_each_bit(const WordOf& word_of, std::size_t begin, std::size_t end, const Function& f) {
  for (std::size_t w = begin / kWordBits; w * kWordBits < end; ++w) {
    const std::size_t from = w * kWordBits;
    for (Word word = between(word_of(w), from, begin, end); word != 0; word &= word - 1)
      f(from + static_cast<std::size_t>(std::countr_zero(word)));
  }
}

}  // namespace spinney

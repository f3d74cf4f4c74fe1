#include "spinney/rules/match.hpp"

#include <algorithm>
#include <bit>

#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBlockRows = 2048;
constexpr std::size_t kBlockWords = kBlockRows / kWordBits;

/// The rows of a block that fulfil each condition, found when first asked for.
class Block {
 public:
  explicit Block(const ConditionTable& table)
      : table_(table), known_(table.size(), 0), bits_(table.size() * kBlockWords) {}

  void enter(const Matrix& x, std::size_t begin, std::size_t end) {
    x_ = &x;
    begin_ = begin;
    n_rows_ = end - begin;
    std::fill(known_.begin(), known_.end(), std::uint8_t{0});
  }
  std::size_t n_words() const { return words_for(n_rows_); }
  const Word* fulfilled_by(std::int32_t condition) {
    Word* bits = bits_.data() + static_cast<std::size_t>(condition) * kBlockWords;
    if (!known_[condition]) {
      const double* first = x_->data + static_cast<std::ptrdiff_t>(begin_) * x_->row_stride +
                            static_cast<std::ptrdiff_t>(table_.feature[condition]) * x_->column_stride;
      fulfilled(table_, static_cast<std::size_t>(condition), {first, x_->row_stride, n_rows_}, bits);
      known_[condition] = 1;
    }
    return bits;
  }
  /// Leaves only those rows in `rows` that fulfil all conditions; false if none is left.
  bool keep_matching(std::span<const std::int32_t> conditions, Word* rows) {
    bool any = std::any_of(rows, rows + n_words(), [](Word word) { return word != 0; });
    for (const std::int32_t condition : conditions) {
      if (!any) return false;
      const Word* bits = fulfilled_by(condition);
      Word seen = 0;
      for (std::size_t w = 0; w < n_words(); ++w) seen |= rows[w] &= bits[w];
      any = seen != 0;
    }
    return any;
  }

 private:
  const ConditionTable& table_;
  const Matrix* x_ = nullptr;
  std::size_t begin_ = 0, n_rows_ = 0;
  std::vector<std::uint8_t> known_;
  std::vector<Word> bits_;
};

template <class Visit>
void for_each_bit(const Word* bits, std::size_t n_words, Visit&& visit) {
  for (std::size_t w = 0; w < n_words; ++w) {
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

}  // namespace

void match_rules(const ConditionTable& conditions, const RuleTable& rules, const Matrix& x, std::int32_t* first,
                 std::int32_t* count, Interrupt& interrupt) {
  Block block(conditions);
  Word open[kBlockWords], firing[kBlockWords];
  for (std::size_t begin = 0; begin < x.n_rows; begin += kBlockRows) {
    interrupt.check();
    const std::size_t end = std::min(x.n_rows, begin + kBlockRows);
    block.enter(x, begin, end);
    std::fill(open, open + kBlockWords, Word{0});
    for (std::size_t i = 0; i < end - begin; ++i) open[i / kWordBits] |= Word{1} << (i % kWordBits);
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      std::copy(open, open + kBlockWords, firing);
      if (!block.keep_matching(rules.conditions(rule), firing)) continue;
      for_each_bit(firing, block.n_words(), [&](std::size_t i) {
        if (first != nullptr && first[begin + i] < 0) first[begin + i] = static_cast<std::int32_t>(rule);
        if (count != nullptr) ++count[begin + i];
      });
      if (count != nullptr) continue;
      for (std::size_t w = 0; w < kBlockWords; ++w) open[w] &= ~firing[w];  // decided
    }
  }
}

LeafShares leaf_shares(const Tree& tree, const Matrix& x, Interrupt& interrupt) {
  LeafShares out;
  std::vector<Share> stack;
  for (std::size_t row = 0; row < x.n_rows; ++row) {
    if (row % 256 == 0) interrupt.check();
    visit_path(tree, x, row, stack, [&](NodeId node, double share) {
      if (!tree.is_leaf(node)) return;
      out.row.push_back(static_cast<RowIndex>(row));
      out.leaf.push_back(node);
      out.share.push_back(share);
    });
  }
  return out;
}

}  // namespace spinney

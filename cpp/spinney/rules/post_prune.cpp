#include "spinney/rules/post_prune.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "spinney/multiversion.hpp"
#include "spinney/prune/pessimistic.hpp"
#include "spinney/tolerance.hpp"

#ifdef SPINNEY_HAS_VERSIONS
#include <immintrin.h>
#endif

namespace spinney {

namespace {

using tolerance::kSum;  // rates this close are equal

struct Evidence {
  double total = 0.0, errors = 0.0;
};

/// The sets of rows that one rule is made of.
struct RuleSets {
  std::vector<const Word*> conditions;
  const Word* own;  // rows of the rule's class
  const Word* live;
  std::size_t n_words;
};

struct Count {
  std::int64_t all = 0, own = 0;
};

// One pass finds the rows that fail no condition (entry 0) and those that fail one alone (entry 1 + condition):
// `ones` has the rows that have failed at least one so far, `twos` those that have failed at least two.
// Words go in blocks, so that neighbouring rows, which mostly fail the same conditions, leave together.
SPINNEY_TWO_VERSIONS(void, count_plainly, (const RuleSets& sets, Count* near), (sets, near)) {
  const std::size_t n_conditions = sets.conditions.size();
  for (std::size_t begin = 0; begin < sets.n_words; begin += kBlockWords) {
    const std::size_t n = std::min(kBlockWords, sets.n_words - begin);
    Word ones[kBlockWords] = {}, twos[kBlockWords] = {};
    Word left = ~Word{0};
    for (std::size_t c = 0; c < n_conditions && left != 0; ++c) {
      const Word* condition = sets.conditions[c] + begin;
      left = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const Word fails = ~condition[j];
        twos[j] |= ones[j] & fails;
        ones[j] |= fails;
        left |= sets.live[begin + j] & ~twos[j];
      }
    }
    if (left == 0) continue;
    Word any = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const Word none = sets.live[begin + j] & ~ones[j];
      twos[j] = sets.live[begin + j] & ones[j] & ~twos[j];  // from here on: those that fail one alone
      any |= twos[j];
      near[0].all += std::popcount(none);
      near[0].own += std::popcount(none & sets.own[begin + j]);
    }
    for (std::size_t c = 0; c < n_conditions && any != 0; ++c) {
      for (std::size_t j = 0; j < n; ++j) {
        const Word fails = twos[j] & ~sets.conditions[c][begin + j];
        near[1 + c].all += std::popcount(fails);
        near[1 + c].own += std::popcount(fails & sets.own[begin + j]);
      }
    }
  }
}

#ifdef SPINNEY_HAS_VERSIONS
#define SPINNEY_COUNTS_BITS gnu::target("avx512f,avx512vpopcntdq")

/// A block is a register; what is counted is added up word by word until all blocks are done.
struct BlockCount {
  Word all[kBlockWords] = {}, own[kBlockWords] = {};

  [[SPINNEY_COUNTS_BITS]] void add(__m512i rows, __m512i of_class) {
    _mm512_storeu_si512(all, _mm512_loadu_si512(all) + _mm512_popcnt_epi64(rows));
    _mm512_storeu_si512(own, _mm512_loadu_si512(own) + _mm512_popcnt_epi64(rows & of_class));
  }
};

[[SPINNEY_COUNTS_BITS]] void count_by_block(const RuleSets& sets, Count* near) {
  const std::size_t n_conditions = sets.conditions.size();
  std::vector<BlockCount> counts(n_conditions + 1);
  for (std::size_t begin = 0; begin < sets.n_words; begin += kBlockWords) {
    const __m512i live = _mm512_loadu_si512(sets.live + begin);
    __m512i ones = _mm512_setzero_si512(), twos = ones;
    bool left = true;
    for (std::size_t c = 0; c < n_conditions && left; ++c) {
      const __m512i fails = ~_mm512_loadu_si512(sets.conditions[c] + begin);
      twos |= ones & fails;
      ones |= fails;
      left = _mm512_test_epi64_mask(live & ~twos, live) != 0;
    }
    if (!left) continue;
    const __m512i own = _mm512_loadu_si512(sets.own + begin), one = live & ones & ~twos;
    counts[0].add(live & ~ones, own);
    if (_mm512_test_epi64_mask(one, one) == 0) continue;
    for (std::size_t c = 0; c < n_conditions; ++c)
      counts[1 + c].add(one & ~_mm512_loadu_si512(sets.conditions[c] + begin), own);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    near[i] = {std::accumulate(counts[i].all, counts[i].all + kBlockWords, std::int64_t{0}),
               std::accumulate(counts[i].own, counts[i].own + kBlockWords, std::int64_t{0})};
  }
}
#endif

void count_near(const RuleSets& sets, Count* near) {
#ifdef SPINNEY_HAS_VERSIONS
  if (kInstructions.avx512) return count_by_block(sets, near);
#endif
  count_plainly(sets, near);
}

/// The same for rows of any weight: sums in the order of the rows.
void weigh_near(const RuleSets& sets, std::span<const double> weight, Evidence* near) {
  const auto add = [&](std::size_t w, Word rows, Evidence& evidence) {
    for (; rows != 0; rows &= rows - 1) {
      const int bit = std::countr_zero(rows);
      const double amount = weight[w * kWordBits + static_cast<std::size_t>(bit)];
      evidence.total += amount;
      if (!((sets.own[w] >> bit) & 1)) evidence.errors += amount;
    }
  };
  for (std::size_t w = 0; w < sets.n_words; ++w) {
    Word ones = 0, twos = 0;
    for (const Word* condition : sets.conditions) {
      twos |= ones & ~condition[w];
      ones |= ~condition[w];
    }
    add(w, sets.live[w] & ~ones, near[0]);
    const Word one = sets.live[w] & ones & ~twos;
    if (one == 0) continue;
    for (std::size_t c = 0; c < sets.conditions.size(); ++c) add(w, one & ~sets.conditions[c][w], near[1 + c]);
  }
}

/// A rule while it is being pruned.
struct Draft {
  std::int32_t origin;
  ClassCode label;
  std::vector<std::int32_t> conditions;
  double rate = 1.0, total = 0.0;
};

class PostPruner {
 public:
  PostPruner(const ConditionTable& conditions, const RuleRows& rows, double cf, Interrupt& interrupt)
      : rows_(rows), bound_(cf), interrupt_(interrupt), bits_(conditions, rows) {
    for (const double w : rows.weight) {
      if (!(w > 0.0)) continue;
      if (unit_ == 0.0) unit_ = w;
      equal_weights_ = equal_weights_ && w == unit_;
    }
  }

  PostPruned run(const RuleTable& rules) {
    std::vector<Draft> drafts = generalised(rules);
    std::stable_sort(drafts.begin(), drafts.end(), [](const Draft& a, const Draft& b) {
      return a.rate != b.rate ? a.rate < b.rate : a.total > b.total;
    });
    return finish(without_redundant(std::move(drafts)));
  }

 private:
  std::vector<Draft> generalised(const RuleTable& rules);
  void drop_conditions(Draft& draft);
  std::vector<Evidence> near_rows(const Draft& draft);
  void cover(const Draft& draft, std::vector<Word>& covered);
  std::vector<Draft> without_redundant(std::vector<Draft> drafts);
  PostPruned finish(const std::vector<Draft>& kept);
  std::vector<double> class_weights(const std::vector<Word>& among) const;

  const RuleRows& rows_;
  Pessimistic bound_;
  Interrupt& interrupt_;
  RowBits bits_;
  bool equal_weights_ = true;
  double unit_ = 0.0;
};

/// Entry 0: what the rule covers; entry 1 + c: what it would cover besides without its condition c.
std::vector<Evidence> PostPruner::near_rows(const Draft& draft) {
  bits_.keep(draft.conditions.size() + 1);
  RuleSets sets{{}, bits_.of_class(draft.label), bits_.live(), bits_.n_words()};
  for (const std::int32_t condition : draft.conditions) sets.conditions.push_back(bits_.of_condition(condition));
  std::vector<Evidence> near(draft.conditions.size() + 1);
  if (!equal_weights_) {
    weigh_near(sets, rows_.weight, near.data());
    return near;
  }
  std::vector<Count> counts(near.size());
  count_near(sets, counts.data());
  for (std::size_t i = 0; i < near.size(); ++i) {
    near[i] = {static_cast<double>(counts[i].all) * unit_, static_cast<double>(counts[i].all - counts[i].own) * unit_};
  }
  return near;
}

void PostPruner::drop_conditions(Draft& draft) {
  while (true) {
    const std::vector<Evidence> near = near_rows(draft);
    draft.total = near[0].total;
    draft.rate = bound_.rate(near[0].total, near[0].errors);
    std::size_t best = draft.conditions.size();
    double least = kInfinity;
    for (std::size_t c = 0; c < draft.conditions.size(); ++c) {
      const double rate = bound_.rate(near[0].total + near[1 + c].total, near[0].errors + near[1 + c].errors);
      if (rate < least - kSum) {
        least = rate;
        best = c;
      }
    }
    if (best == draft.conditions.size() || least > draft.rate + kSum) return;
    draft.conditions.erase(draft.conditions.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

/// Every rule with fewer conditions. Of equal rules the first stays; one without conditions is what the default is for.
std::vector<Draft> PostPruner::generalised(const RuleTable& rules) {
  std::vector<Draft> drafts;
  std::set<std::vector<std::int32_t>> seen;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    interrupt_.check();
    const auto conditions = rules.conditions(rule);
    Draft draft{static_cast<std::int32_t>(rule), rules.label[rule], {conditions.begin(), conditions.end()}};
    drop_conditions(draft);
    std::vector<std::int32_t> key = draft.conditions;
    std::sort(key.begin(), key.end());
    key.push_back(draft.label);
    if (!draft.conditions.empty() && seen.insert(std::move(key)).second) drafts.push_back(std::move(draft));
  }
  return drafts;
}

void PostPruner::cover(const Draft& draft, std::vector<Word>& covered) {
  covered.assign(bits_.live(), bits_.live() + bits_.n_words());
  for (const std::int32_t condition : draft.conditions) {
    const Word* bits = bits_.of_condition(condition);
    for (std::size_t w = 0; w < covered.size(); ++w) covered[w] &= bits[w];
  }
}

std::vector<double> PostPruner::class_weights(const std::vector<Word>& among) const {
  std::vector<double> weights(static_cast<std::size_t>(rows_.n_classes), 0.0);
  for (std::size_t w = 0; w < among.size(); ++w) {
    for (Word left = among[w]; left != 0; left &= left - 1) {
      const std::size_t row = w * kWordBits + static_cast<std::size_t>(std::countr_zero(left));
      weights[rows_.codes[row]] += rows_.weight[row];
    }
  }
  return weights;
}

ClassCode heaviest(const std::vector<double>& weights) {
  return static_cast<ClassCode>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

bool any(const std::vector<Word>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](Word word) { return word != 0; });
}

/// Walks from the last rule to the first. `wrong` has the rows that the rules after it, and the default, get wrong.
std::vector<Draft> PostPruner::without_redundant(std::vector<Draft> drafts) {
  const std::size_t n_words = bits_.n_words();
  std::vector<std::vector<RowIndex>> decided(drafts.size());  // rows on which a rule is the first to fire
  std::vector<Word> open(bits_.live(), bits_.live() + n_words), covered;
  for (std::size_t rule = 0; rule < drafts.size(); ++rule) {
    interrupt_.check();
    cover(drafts[rule], covered);
    for (std::size_t w = 0; w < n_words; ++w) {
      for (Word left = covered[w] & open[w]; left != 0; left &= left - 1) {
        decided[rule].push_back(
            static_cast<RowIndex>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(left))));
      }
      open[w] &= ~covered[w];
    }
  }
  const std::vector<Word> all(bits_.live(), bits_.live() + n_words);
  const Word* right = bits_.of_class(heaviest(class_weights(any(open) ? open : all)));
  std::vector<Word> wrong(n_words);
  for (std::size_t w = 0; w < n_words; ++w) wrong[w] = all[w] & ~right[w];
  std::vector<Draft> kept;
  for (std::size_t rule = drafts.size(); rule-- > 0;) {
    interrupt_.check();
    double own_errors = 0.0, later_errors = 0.0;
    for (const RowIndex row : decided[rule]) {
      if (rows_.codes[row] != drafts[rule].label) own_errors += rows_.weight[row];
      if ((wrong[row / kWordBits] >> (row % kWordBits)) & 1) later_errors += rows_.weight[row];
    }
    if (later_errors <= own_errors * (1.0 + kSum)) continue;
    cover(drafts[rule], covered);
    const Word* own = bits_.of_class(drafts[rule].label);
    for (std::size_t w = 0; w < n_words; ++w) wrong[w] = (wrong[w] & ~covered[w]) | (covered[w] & ~own[w]);
    kept.push_back(std::move(drafts[rule]));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

PostPruned PostPruner::finish(const std::vector<Draft>& kept) {
  PostPruned out;
  std::vector<Word> open(bits_.live(), bits_.live() + bits_.n_words()), covered;
  out.totals = class_weights(open);
  for (const Draft& draft : kept) {
    cover(draft, covered);
    const std::vector<double> counts = class_weights(covered);
    for (std::size_t w = 0; w < open.size(); ++w) open[w] &= ~covered[w];
    out.origin.push_back(draft.origin);
    out.rules.label.push_back(draft.label);
    out.rules.condition.insert(out.rules.condition.end(), draft.conditions.begin(), draft.conditions.end());
    out.rules.begin.push_back(static_cast<std::int64_t>(out.rules.condition.size()));
    out.counts.insert(out.counts.end(), counts.begin(), counts.end());
  }
  out.default_counts = class_weights(open);
  out.default_label = heaviest(any(open) ? out.default_counts : out.totals);
  return out;
}

}  // namespace

PostPruned post_prune(const ConditionTable& conditions, const RuleTable& rules, const RuleRows& rows, double cf,
                      Interrupt& interrupt) {
  return PostPruner(conditions, rows, cf, interrupt).run(rules);
}

}  // namespace spinney

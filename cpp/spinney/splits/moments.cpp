#include "spinney/splits/moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "spinney/multiversion.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

std::vector<double> make_inverses(std::size_t n) {
  std::vector<double> inverse(n + 1, 0.0);
  for (std::size_t i = 1; i <= n; ++i) inverse[i] = 1.0 / static_cast<double>(i);
  return inverse;
}

namespace {

bool too_small(const ScanRange& range) { return range.n < 2 * range.limits.rows; }

}  // namespace

// In each loop: before entry i, i entries stand left; the first limits.rows - 1 only add up; the last cut leaves
// limits.rows entries right.

namespace {

constexpr std::size_t kBlock = 32;  // entries looked at together
constexpr std::size_t kChunk = 8;   // the same where they are counted

/// What stands left of a cut: of all, and of the second class.
template <class Number>
struct Left {
  Number weight = 0, ones = 0;
  void operator+=(const Left& other) {
    weight += other.weight;
    ones += other.ones;
  }
};

/// Goes over sorted entries that are counted, from chunks of a few and without a quotient. With d the ones that stand
/// left of a cut, less their share of what stands there, and w its weight, the cut takes d^2 W / (w (W - w)) off the
/// loss. In a chunk d is the largest if all its ones come first, or the least if they come last, and w (W - w) is the
/// least at an end.
///   total   weight and ones of all entries
template <class Sum, class Add, class Score>
[[gnu::always_inline]] inline Moment scan_chunks(const ScanRange& range, const Left<double>& total, const Sum& sum,
                                                 const Add& add, const Score& score) {
  constexpr double kAbove = 1.0 + tolerance::kBound;
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  const std::size_t last = range.n - range.limits.rows;  // the first entry that no cut may follow
  const double share = total.ones / total.weight, undivided = total.ones * share;
  double least = -kInfinity;  // what a cut must take off to be better than the best so far
  Left<std::uint32_t> start;
  double room = 0.0;  // w (W - w) at the start
  for (std::size_t begin = 0; begin < last; begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, range.n);
    const Left<std::uint32_t> chunk = sum(begin, end);
    const double weight = start.weight, ones = chunk.ones, zeros = chunk.weight - chunk.ones;
    const double d = start.ones - share * weight, end_weight = weight + chunk.weight;
    const double end_room = end_weight * (total.weight - end_weight);
    const double most = std::max(d + ones * (1.0 - share), zeros * share - d);
    if (!(most * most * total.weight * kAbove <= least * std::min(room, end_room))) {
      Left<std::uint32_t> left = start;
      for (std::size_t i = begin; i < std::min(end, last); ++i) {
        left += add(i);
        if (e[i + 1].tied() || i + 1 < range.limits.rows) continue;
        const double found = score(left);
        if (found > best.score + range.slack) {
          best = {found, static_cast<std::uint32_t>(i)};
          least = (found - undivided) / kAbove - tolerance::kSum * undivided;
        }
      }
    }
    start += chunk;
    room = end_room;
  }
  return best;
}

/// Adds up in four lanes.
template <class Number, class Add>
[[gnu::always_inline]] inline Left<Number> sum_entries(std::size_t begin, std::size_t end, const Add& add) {
  Left<Number> sums[4];
  std::size_t i = begin;
  for (; i + 4 <= end; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += add(i + lane);
  }
  for (; i < end; ++i) sums[0] += add(i);
  sums[0] += sums[1];
  sums[2] += sums[3];
  sums[0] += sums[2];
  return sums[0];
}

/// How two classes with weights are scored and limited.
struct WeightRules {
  double ones, total, least;  // of all; what each side needs
  double score(const Left<double>& at) const {
    const double right = ones - at.ones, right_weight = total - at.weight;
    return (at.weight > 0.0 ? at.ones * at.ones / at.weight : 0.0) +
           (right_weight > 0.0 ? right * right / right_weight : 0.0);
  }
  bool allow(const Left<double>& at) const {
    const double right_weight = total - at.weight;
    return right_weight > 0.0 && at.weight >= least && right_weight >= least;
  }
};

/// What a cut must take off the loss to beat the best so far: d^2 W / (w (W - w)), as with counts. Few cuts need the
/// quotients of a score.
class Bar {
 public:
  explicit Bar(const WeightRules& rules)
      : share_(rules.ones / rules.total), undivided_(rules.ones * share_), inverse_(1.0 / rules.total), rules_(rules) {}

  /// The best score so far.
  void raise(double score) {
    least_ = (score - undivided_) / (1.0 + tolerance::kBound) - tolerance::kSum * rules_.ones;
  }
  /// Whether a cut that leaves so much left certainly scores less.
  bool fails(const Left<double>& at) const {
    const double d = at.ones - share_ * at.weight;
    return d * d < least_ * (at.weight * ((rules_.total - at.weight) * inverse_));
  }

 private:
  double share_, undivided_, inverse_, least_ = -kInfinity;
  WeightRules rules_;
};

/// The best cut of entries with weights.
class WeightedLook {
 public:
  WeightedLook(const ScanRange& range, const std::uint8_t* is_one, const double* weight, const WeightRules& rules)
      : range_(range), is_one_(is_one), weight_(weight), rules_(rules), bar_(rules) {}

  const Moment& best() const { return best_; }
  /// What entry i adds. Nobody could guess its class, so nothing branches on it.
  Left<double> add(std::size_t i) const {
    const SampleIndex s = range_.entries[i].sample();
    const auto bits = std::bit_cast<std::uint64_t>(weight_[s]) & (std::uint64_t{0} - is_one_[s]);
    return {weight_[s], std::bit_cast<double>(bits)};
  }
  /// Looks at the cuts after some entries; left: what stands before them.
  void look(std::size_t begin, std::size_t end, Left<double> left) {
    const Entry* const e = range_.entries;
    Bar bar = bar_;
    for (std::size_t i = begin; i < end; ++i) {
      left += add(i);
      if (bar.fails(left) || e[i + 1].tied() || i + 1 < range_.limits.rows || !rules_.allow(left)) continue;
      const double found = rules_.score(left);
      if (!(found > best_.score + range_.slack)) continue;
      best_ = {found, static_cast<std::uint32_t>(i)};
      bar.raise(found);
    }
    bar_ = bar;
  }

 private:
  const ScanRange& range_;
  const std::uint8_t* is_one_;
  const double* weight_;
  const WeightRules& rules_;
  Moment best_;
  Bar bar_;
};

/// Goes over sorted entries block by block. The score is convex in what stands left, so a block is worth a look only
/// if a corner of what it can come to beats the best so far, and `reached`. sum(begin, end, add): what entries add up
/// to.
template <class Sum>
[[gnu::always_inline]] inline Moment scan_weights(const ScanRange& range, std::size_t block_size,
                                                  const std::uint8_t* is_one, const double* weight,
                                                  const WeightRules& rules, double reached, const Sum& sum) {
  if (too_small(range)) return {};
  WeightedLook out(range, is_one, weight, rules);
  const std::size_t last = range.n - range.limits.rows;  // the first entry that no cut may follow
  if (range.n <= block_size && reached == -kInfinity) {  // almost every block is worth a look
    out.look(0, last, {});
    return out.best();
  }
  Left<double> start;
  for (std::size_t begin = 0; begin < last; begin += block_size) {
    const std::size_t end = std::min(begin + block_size, range.n);
    const Left<double> block = sum(begin, end, [&](std::size_t i) { return out.add(i); });
    const double zeros = block.weight - block.ones;
    const double corners =
        std::max(std::max(rules.score(start), rules.score({start.weight + block.weight, start.ones + block.ones})),
                 std::max(rules.score({start.weight + zeros, start.ones}),
                          rules.score({start.weight + block.ones, start.ones + block.ones})));
    if (corners * (1 + tolerance::kBound) > std::max(out.best().score + range.slack, reached))
      out.look(begin, std::min(end, last), start);
    start += block;
  }
  return out.best();
}

}  // namespace

SPINNEY_TWO_VERSIONS(Moment, scan_two_classes,
                     (ScanRange range, SampleIndex first_one, double n_ones, const double* inverse),
                     (range, first_one, n_ones, inverse)) {
  const Entry* const e = range.entries;
  const auto add = [&](std::size_t i) { return Left<std::uint32_t>{1, e[i].is_from(first_one)}; };
  const auto score = [&](const Left<std::uint32_t>& at) {
    const double left = at.ones, right = n_ones - left;
    return left * left * inverse[at.weight] + right * right * inverse[range.n - at.weight];
  };
  const auto sum = [&](std::size_t begin, std::size_t end) {
    std::uint32_t ones = 0;
    if (end - begin == kChunk) {
      for (std::size_t i = begin; i < begin + kChunk; ++i) ones += e[i].is_from(first_one);
    } else {
      for (std::size_t i = begin; i < end; ++i) ones += e[i].is_from(first_one);
    }
    return Left<std::uint32_t>{static_cast<std::uint32_t>(end - begin), ones};
  };
  return scan_chunks(range, {static_cast<double>(range.n), n_ones}, sum, add, score);
}

Moment scan_tally(ScanRange range, const std::uint8_t* tally, double ones, std::size_t n_units, const double* inverse) {
  const auto add = [&](std::size_t i) {
    const std::uint32_t counted = tally[range.entries[i].sample()], times = counted >> 1;
    return Left<std::uint32_t>{times, times & (0U - (counted & 1U))};
  };
  const auto score = [&](const Left<std::uint32_t>& at) {
    const double left = at.ones, right = ones - left;
    return left * left * inverse[at.weight] + right * right * inverse[n_units - at.weight];
  };
  const auto sum = [&](std::size_t begin, std::size_t end) { return sum_entries<std::uint32_t>(begin, end, add); };
  return scan_chunks(range, {static_cast<double>(n_units), ones}, sum, add, score);
}

Moment scan_two_classes(ScanRange range, const std::uint8_t* is_one, const double* weight, double ones, double total) {
  return scan_weights(
      range, kBlock, is_one, weight, {ones, total, range.limits.weight}, -kInfinity,
      [](std::size_t begin, std::size_t end, const auto& add) { return sum_entries<double>(begin, end, add); });
}

Moment scan_two_classes(ScanRange range, const std::uint8_t* is_one, const double* weight, double ones, double total,
                        const BlockView& blocks) {
  return scan_weights(range, blocks.size, is_one, weight, {ones, total, range.limits.weight}, blocks.reached,
                      [&](std::size_t begin, std::size_t, const auto&) {
                        const std::size_t b = begin / blocks.size;
                        return Left<double>{blocks.weight[b], blocks.ones[b]};
                      });
}

double best_between_blocks(ScanRange range, double ones, double total, const BlockView& blocks) {
  const WeightRules rules{ones, total, range.limits.weight};
  const Entry* const e = range.entries;
  Bar bar(rules);
  double best = -kInfinity;
  Left<double> left;
  for (std::size_t end = blocks.size; end + range.limits.rows <= range.n; end += blocks.size) {
    const std::size_t b = end / blocks.size - 1;
    left += {blocks.weight[b], blocks.ones[b]};
    if (bar.fails(left) || e[end].tied() || end < range.limits.rows || !rules.allow(left)) continue;
    const double found = rules.score(left);
    if (!(found > best)) continue;
    best = found;
    bar.raise(found);
  }
  return best;
}

namespace {

/// The best cut by sums about a mean, of rows that are counted. add(i, sum, units): what entry i adds. Sums about the
/// mean of all add up to nothing, so that a cut scores l^2 W / (w (W - w)) with w units left of it: where the largest
/// sum of a block, by the least room w (W - w) of its cuts, cannot come to the best so far, the block is passed over.
template <class Add>
[[gnu::always_inline]] inline Moment scan_sums(const ScanRange& range, bool centred, std::size_t n_units,
                                               const double* inverse, const Add& add) {
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  const std::size_t last = range.n - range.limits.rows;  // the first entry that no cut may follow
  const auto all = static_cast<double>(n_units);
  double total = 0.0, left = 0.0;
  std::uint32_t units = 0, left_units = 0;
  for (std::size_t i = 0; !centred && i < range.n; ++i) add(i, total, units);
  const auto look = [&](std::size_t begin, std::size_t end, double sum, std::uint32_t n_left) {
    for (std::size_t i = begin; i < end; ++i) {
      add(i, sum, n_left);
      if (e[i + 1].tied() || i + 1 < range.limits.rows) continue;
      const double right = total - sum;
      const double score = sum * sum * inverse[n_left] + right * right * inverse[n_units - n_left];
      if (score > best.score + range.slack) best = {score, static_cast<std::uint32_t>(i)};
    }
  };
  if (!centred) {
    look(0, last, 0.0, 0);
    best.score -= total * total * inverse[n_units];
    return best;
  }
  for (std::size_t begin = 0; begin < last; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, last);
    const double start = left, room = (left_units + 1.0) * (all - left_units - 1.0);
    const std::uint32_t start_units = left_units;
    double most = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      add(i, left, left_units);
      most = std::max(most, std::abs(left));
    }
    const double least_room = std::min(room, left_units * (all - left_units));
    if (!(most * most * all * (1.0 + tolerance::kBound) <= (best.score + range.slack) * least_room))
      look(begin, end, start, start_units);
  }
  return best;
}

}  // namespace

Moment scan_mean(ScanRange range, const double* y, double mean, bool centred, const double* inverse) {
  const Entry* const e = range.entries;
  return scan_sums(range, centred, range.n, inverse, [=](std::size_t i, double& sum, std::uint32_t& units) {
    sum += y[e[i].sample()] - mean;
    units += 1;
  });
}

Moment scan_mean(ScanRange range, const double* y, double mean, bool centred, const std::uint8_t* times,
                 std::size_t n_units, const double* inverse) {
  const Entry* const e = range.entries;
  return scan_sums(range, centred, n_units, inverse, [=](std::size_t i, double& sum, std::uint32_t& units) {
    sum += times[e[i].sample()] * (y[e[i].sample()] - mean);
    units += times[e[i].sample()];
  });
}

Moment scan_mean(ScanRange range, const double* y, double mean, bool centred, const double* weight,
                 double total_weight) {
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  double total = 0.0;
  for (std::size_t i = 0; !centred && i < range.n; ++i) total += weight[e[i].sample()] * (y[e[i].sample()] - mean);
  double left = 0.0, left_weight = 0.0;
  for (std::size_t i = 0; i + range.limits.rows < range.n; ++i) {
    const double w = weight[e[i].sample()];
    left_weight += w;
    left += w * (y[e[i].sample()] - mean);
    if (e[i + 1].tied() || i + 1 < range.limits.rows) continue;
    const double right = total - left, right_weight = total_weight - left_weight;
    if (!(right_weight > 0.0) || left_weight < range.limits.weight || right_weight < range.limits.weight) continue;
    const double score = left * left / left_weight + right * right / right_weight;
    if (score > best.score + range.slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  best.score -= total * total / total_weight;
  return best;
}

}  // namespace spinney
